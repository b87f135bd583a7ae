/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libxdp-dedup: receiving fresh packets of a filter that was loaded with --deliver xsk, from one
 * queue of one interface, past the network stack, through an AF_XDP socket. What finds no room
 * there goes to the stack, where a UDP socket may read it: an application has both. Each packet
 * comes in one of the two ways. user/lib/README.md says when it pays.
 *
 * A receiver is for one thread at a time; several threads have one each, of different queues. After
 * fork(2) one of the processes goes on with it, as the child of daemon(3) does; the others neither
 * use nor close it. Root, or else CAP_NET_RAW, CAP_BPF and access to the pins, is needed to open
 * one. A process that gives them up then goes on across `set`, and ends with -ESTALE at `resize`.
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
	const char *ifname; /* NULL: the only one on which the filter runs */
	uint32_t queue;	    /* of it, from 0 on (ethtool -l IFNAME) */
	/* Frames of 4,096 bytes, of memory that is locked: how many packets may be under way, a
	 * power of 2 from 64 to 4,096; 0: 512. A burst of more goes to the stack. Where the driver
	 * writes into this memory, half of it is the driver's. More than 2,048 are never under way.
	 */
	uint32_t frames;
	/* Packets of more than 3,520 bytes, in up to so many frames each, at most 4; 0: 1, and they
	 * go to the stack. From Linux 6.6 on; without it, and with drivers that write into this
	 * memory, they go to the stack.
	 */
	uint32_t frames_a_packet;
	bool copy;     /* copy packets also where the driver could write into this memory */
	bool zerocopy; /* do without if it cannot: -EOPNOTSUPP */
	/* Take datagrams whose checksum is unfinished: those of local senders, as over a veth pair,
	 * whose device would have computed it. They have crossed no wire. Otherwise they count as
	 * broken.
	 */
	bool unfinished;
	bool timestamps; /* have each packet's time taken, in 40 ns or more */
	/* Microseconds for which a call that finds nothing lets the kernel poll the driver; 0: it
	 * does not. Needs CAP_NET_ADMIN. Not all drivers can do that, which is no error.
	 */
	uint32_t busy_poll_us;
};

/* Opens the queue. 0, and the caller closes *out. Ids of packets that the queue's last application
 * had not given back when it was killed are wanted then (xdp_dedup_want()): their next copies come.
 *   -EINVAL       options out of range, of a size that is too small, or of a later version; or no
 *                 such queue; or which of several interfaces?
 *   -ENODEV       no such interface, or the filter does not run on it
 *   -EBUSY        another AF_XDP socket has the queue, or a busy kernel was not done with a closed
 *                 one within a second: try again
 *   -EOPNOTSUPP   the filter does not deliver, or kernel or driver lack AF_XDP, or zerocopy
 *   -ENOBUFS      RLIMIT_MEMLOCK does not let this process lock so much memory
 *   -ENOTUNIQ     the filter also runs on an interface of the same index in another network
 *                 namespace, and its program cannot tell them apart
 *   -ENOSPC       64 queues of this filter are open already
 * Others as of xdp_dedup_open(), or what the system call said.
 */
int xdp_dedup_receive_open(const char *name, const struct xdp_dedup_receive_options *options,
			   struct xdp_dedup_receiver **out);

/* For an application without rights: lend opens a queue, and sends it as a message over a Unix
 * socket of type SOCK_SEQPACKET, `to`; borrow receives one from there. Until then the queue's
 * packets go to the stack. xdp-dedup exec lends all queues to a command, which borrows them from -1.
 *
 * A borrower can receive from this queue, and neither bind the socket elsewhere nor send by it. It
 * has none of the filter's maps: it can have packets of this queue lost, and no others; and have ids
 * wanted, or wanted no more. To receive and to give back up to 64 packets takes a system call each.
 * What is borrowed ends with -ESTALE at each change of the filter (set, resize, ...), once what came
 * before has been handed out: it is to be lent again then.
 *
 * lend: as xdp_dedup_receive_open(); -EOPNOTSUPP also before Linux 6.4. Of its options unfinished,
 * timestamps and busy_poll_us do not count; in borrow these alone do, and frames_a_packet, of which
 * the smaller number counts. borrow: 0, and the caller closes *out; -ENODATA: no message is left,
 * and nobody to send any; -EPROTO: it is of another version of xdp-dedup, or no such message;
 * -EINVAL: options; another errno of a system call.
 */
int xdp_dedup_receive_lend(const char *name, const struct xdp_dedup_receive_options *options, int to);
int xdp_dedup_receive_borrow(int from, const struct xdp_dedup_receive_options *options,
			     struct xdp_dedup_receiver **out);

/* Closes it; packets that were not given back are wanted, or once the queue is opened again if the
 * filter has been changed and this process may not open it any more. NULL is fine. Where the filter
 * delivers no more, or has left the interface, they have been wanted since: a copy that came before
 * a packet was given back has passed, too.
 */
void xdp_dedup_receive_close(struct xdp_dedup_receiver *receiver);

/* A packet, in the receiver's memory until it is given back. It may be of a VLAN, or to a multicast
 * group, that this host does not take part in: nobody but the application looks at that.
 */
struct xdp_dedup_packet {
	const void *data; /* the Ethernet frame as it came */
	uint32_t len;
	uint32_t payload_len; /* of UDP, without padding; 0 and NULL: it is no UDP, or a fragment */
	const void *payload;
	const void *id; /* the bytes of its segments; behind them 8 of its digest, if it has one */
	uint32_t id_len;
	uint32_t stream;  /* its number, in the order of --profile; UINT32_MAX: removed meanwhile */
	uint64_t time_ns; /* CLOCK_MONOTONIC when it came, with options.timestamps; else 0 */
	union {
		struct sockaddr any; /* sa_family is 0 without a payload */
		struct sockaddr_in ipv4;
		struct sockaddr_in6 ipv6;
	} source;
	uint64_t number; /* the library's; in the order in which they came */
};

/* Receives up to `max` packets, without waiting: a number from 0 on. The caller gives each back.
 * Lengths, the IPv4 header's checksum and UDP's have been checked as the stack does; broken packets
 * are not handed out, and the ids of the last 32 of them are wanted. Once all that came has been
 * handed out:
 *   -ESTALE     the filter was unloaded, delivers no more, or has left the interface; or (see
 *               above) it was changed, and this process may not open it. Close it; open another one
 *   -ENETDOWN   the interface is down: call again now and then, packets come once it is up
 *   -ENXIO      the interface has gone: close it
 * Others as the socket says.
 */
int xdp_dedup_receive(struct xdp_dedup_receiver *receiver, struct xdp_dedup_packet *packets,
		      unsigned int max);

/* Gives packets back, in any order, and soon: while one is kept, at most 2,048 others can come. For
 * those that were given back before nothing is done.
 */
void xdp_dedup_give_back(struct xdp_dedup_receiver *receiver,
			 const struct xdp_dedup_packet *packets, unsigned int cnt);

/* For poll(2), epoll(7): readable if there are packets. It is the receiver's. */
int xdp_dedup_receive_fd(const struct xdp_dedup_receiver *receiver);

struct xdp_dedup_receive_stats {
	uint64_t received;   /* packets handed out */
	uint64_t broken;     /* not handed out: a length or checksum was wrong */
	uint64_t unfinished; /* checksums: handed out with the option, else not */
	uint64_t vanished;   /* lost in the kernel, and wanted: should be 0 */
	uint64_t recovered;  /* ids that were wanted when it was opened */
	uint64_t forgotten;  /* ids that could not be wanted: xdp_dedup_want() said why not */
	bool zerocopy;	     /* the driver writes into the receiver's memory */
	uint32_t frames_a_packet;
};

/* size is sizeof(*stats): later versions may append fields. What went to the stack instead is in
 * xdp-dedup status.
 */
void xdp_dedup_receive_stats(const struct xdp_dedup_receiver *receiver,
			     struct xdp_dedup_receive_stats *stats, size_t size);

#ifdef __cplusplus
}
#endif

#endif
