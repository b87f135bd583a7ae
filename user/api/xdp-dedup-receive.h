/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libxdp-dedup: receives fresh packets of a filter that was loaded with --deliver xsk, from one
 * queue of one interface, past the network stack, through an AF_XDP socket. Packets for which there
 * is no room go to the stack, where a UDP socket may read them: an application has both sockets.
 * Each packet arrives at one of them. The filter learns the id of a packet when an AF_XDP socket
 * takes it; until then its copies pass, too. user/lib/USAGE.md says when this pays.
 *
 * Only one thread at a time may use a receiver. Several threads need one each, for different
 * queues. After fork(2) only one of the processes may use or close it, as the child of daemon(3)
 * does. Opening needs root, or CAP_NET_RAW and access to the pins (CAP_DAC_OVERRIDE). If a
 * process gives these up afterwards, the receiver works across `set`, and calls return -ESTALE
 * after `resize`.
 */
#ifndef XDP_DEDUP_RECEIVE_H
#define XDP_DEDUP_RECEIVE_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct xdp_dedup_receiver;

struct xdp_dedup_receive_options {
	size_t size;	    /* sizeof(struct xdp_dedup_receive_options); 0 is refused */
	const char *ifname; /* NULL: the only interface on which the filter runs */
	uint32_t queue;	    /* of the interface, from 0 (ethtool -l IFNAME, after the load) */
	/* Frames of 4,096 bytes of locked memory: the most packets that are in flight. A power of 2
	 * from 64 to 4,096; 0: 512. Further packets go to the stack. If the driver writes into this
	 * memory, it owns half of the frames. At most 2,048 packets are in flight.
	 */
	uint32_t frames;
	/* Allows packets of more than 3,520 bytes: up to this number of frames for each, at most 4.
	 * 0: 1, and such packets go to the stack. Needs Linux 6.6; without it, and with drivers
	 * that write into this memory, such packets go to the stack.
	 */
	uint32_t frames_a_packet;
	bool copy;     /* copies packets even if the driver can write into this memory */
	bool zerocopy; /* -EOPNOTSUPP unless the driver can */
	/* Takes datagrams with an unfinished checksum. Local senders, and those on the same
	 * hypervisor, leave it to their device, and neither veth nor virtio_net in skb mode
	 * computes it. These datagrams have crossed no wire. Without this option they count as
	 * broken.
	 */
	bool unfinished;
	bool timestamps; /* takes each packet's time, which costs 40 ns or more */
	/* Microseconds for which a call without packets lets the kernel poll the driver; 0: none.
	 * Needs CAP_NET_ADMIN. Some drivers cannot be polled; this is no error.
	 */
	uint32_t busy_poll_us;
	bool at_once; /* returns -EBUSY without waiting for a socket that was just closed */
};

/* Opens the queue. Returns 0, and the caller closes *out; or a negative errno. If the queue's last
 * application was killed, the ids of packets that it had not given back are wanted
 * (xdp_dedup_want()): their next copies pass.
 *   -EINVAL       options out of range, with too small a size, or of a later version; no such
 *                 queue; or the filter runs on several interfaces, and ifname names none
 *   -ENODEV       no such interface, or the filter does not run on it
 *   -EBUSY        another AF_XDP socket has the queue, or a busy kernel has not finished with a
 *                 closed one within a second (with at_once: by now): try again
 *   -EOPNOTSUPP   the filter does not deliver, or the kernel or driver lacks AF_XDP or zerocopy
 *   -ENOBUFS      RLIMIT_MEMLOCK does not let this process lock so much memory
 *   -ENOTUNIQ     the filter also runs on an interface with this index in another network
 *                 namespace, and its program cannot tell the two apart
 *   -ENOSPC       64 queues of this filter are open already
 * Other errors are those of xdp_dedup_open(), or of a system call.
 */
int xdp_dedup_receive_open(const char *name, const struct xdp_dedup_receive_options *options,
			   struct xdp_dedup_receiver **out);

/* Closes the receiver, which may be NULL. Packets that were not given back are wanted. If the
 * filter was changed, and this process may no longer open it, they are wanted when the queue is
 * opened again. If the filter no longer delivers, or was detached from the interface, they have
 * been wanted since then: a copy that arrived before a packet was given back has passed too.
 */
void xdp_dedup_receive_close(struct xdp_dedup_receiver *receiver);

/* A packet, in the receiver's memory until it is given back. It may belong to a VLAN or a multicast
 * group that this host does not take part in: only the application can check that.
 */
struct xdp_dedup_packet {
	const void *data; /* the Ethernet frame as it arrived */
	uint32_t len;
	uint32_t payload_len; /* of UDP, without padding; 0 and NULL: not UDP, or a fragment */
	const void *payload;
	const void *id; /* the bytes of its segments; then 8 bytes of its digest, if any */
	uint32_t id_len;
	uint32_t stream;  /* its number, in the order of --profile; UINT32_MAX: removed since */
	uint64_t time_ns; /* CLOCK_MONOTONIC on arrival, with options.timestamps; else 0 */
	union {
		struct sockaddr any; /* sa_family is 0 without a payload */
		struct sockaddr_in ipv4;
		struct sockaddr_in6 ipv6;
	} source;
	uint64_t number; /* for the library; in the order of arrival */
};

/* Receives up to `max` packets, without waiting. Returns their number, from 0 on. The caller gives
 * each back. Lengths, the IPv4 header's checksum and UDP's have been checked as the stack does.
 * Broken packets are not returned, and the ids of the last 32 of them are wanted. After all packets
 * have been returned, returns a negative errno:
 *   -ESTALE     the filter was unloaded, delivers no more, or has left the interface; or it was
 *               changed, and this process has given up the rights to open it. Close the receiver,
 *               and open another one
 *   -ENETDOWN   the interface is down: call again now and then, packets come when it is up
 *   -ENXIO      the interface is gone: close the receiver
 * Other errors are those of the socket.
 */
int xdp_dedup_receive(struct xdp_dedup_receiver *receiver, struct xdp_dedup_packet *packets,
		      unsigned int max);

/* Gives packets back, in any order. Do this soon: while one is kept, at most 2,048 others can
 * arrive. Packets that were given back before are ignored.
 */
void xdp_dedup_give_back(struct xdp_dedup_receiver *receiver,
			 const struct xdp_dedup_packet *packets, unsigned int cnt);

/* Returns a descriptor for poll(2) and epoll(7), which is readable if there are packets. It belongs
 * to the receiver.
 */
int xdp_dedup_receive_fd(const struct xdp_dedup_receiver *receiver);

struct xdp_dedup_receive_stats {
	uint64_t received;   /* packets returned */
	uint64_t broken;     /* not returned: a length or checksum was wrong */
	uint64_t unfinished; /* with an unfinished checksum: returned only with the option */
	uint64_t vanished;   /* lost in the kernel, and wanted; should be 0 */
	uint64_t recovered;  /* ids that were wanted when the queue was opened */
	uint64_t forgotten;  /* ids that could not be wanted, for a reason of xdp_dedup_want() */
	bool zerocopy;	     /* the driver writes into the receiver's memory */
	uint32_t frames_a_packet;
};

/* Sets *stats. size is sizeof(*stats): later versions may append fields. xdp-dedup status shows the
 * packets that went to the stack instead.
 */
void xdp_dedup_receive_stats(const struct xdp_dedup_receiver *receiver,
			     struct xdp_dedup_receive_stats *stats, size_t size);

#ifdef __cplusplus
}
#endif

#endif
