/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libxdp-dedup: describes a filter's streams and interfaces, and finds the id of a packet. This is
 * for programs that forward or store the packets that a filter passes: it tells them the ports to
 * listen at, and the id of each packet.
 *
 * xdp-dedup.h says which rights a call needs, and what happens if the filter is changed. After
 * `set`, xdp_dedup_id_of() also works in a process that has given up its rights. Any number of
 * threads may make these calls at once. The calls are for all streams, even if the filter was
 * opened as NAME/STREAM.
 */
#ifndef XDP_DEDUP_STREAMS_H
#define XDP_DEDUP_STREAMS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xdp-dedup.h"

#ifdef __cplusplus
extern "C" {
#endif

#define XDP_DEDUP_PORTS_MAX 32
#define XDP_DEDUP_GROUPS_MAX 32
#define XDP_DEDUP_IDENTITY_MAX 64 /* bytes of an id */

/* UDP ports, in host order. */
struct xdp_dedup_ports {
	uint16_t first, last;
};

/* What is hashed into the last 8 bytes of an id. */
enum xdp_dedup_digest {
	XDP_DEDUP_DIGEST_NONE,
	XDP_DEDUP_DIGEST_PAYLOAD, /* the UDP payload */
	XDP_DEDUP_DIGEST_PACKET,  /* the IP packet */
	XDP_DEDUP_DIGEST_FRAME,	  /* the frame without its VLAN tags */
};

/* An id of a stream has the bytes of its segments, and 8 bytes of its digest, if it has one. An id
 * of a numbered stream has the bytes of its source, and number_bytes bytes with its number: as one
 * integer, shifted right by number_shift, the lowest number_bits bits.
 */
struct xdp_dedup_stream {
	char name[32];	  /* as in --profile; of a filter without profiles "gsp" */
	uint32_t realm;	  /* streams with equal numbers share their ids */
	bool udp;	  /* its packets are UDP datagrams to one of `ports` */
	bool app_learns;  /* --learn app: the application adds the ids that it accepts */
	bool needs_frame; /* xdp_dedup_id_of() finds an id only in a frame */
	bool has_count;	  /* a packet may have several messages, with successive numbers */
	uint32_t bytes;	  /* of the segments, at most XDP_DEDUP_IDENTITY_MAX; GSP/1: 32 */
	enum xdp_dedup_digest digest;
	uint32_t number_bytes; /* the last of `bytes`; 0: the stream is not numbered */
	uint32_t number_bits;  /* 8 to 64: 0 follows the greatest number */
	uint32_t number_shift;
	uint32_t ports_cnt;  /* 0 unless udp */
	uint32_t groups_cnt; /* multicast groups among its destinations: prefixes are none */
	struct xdp_dedup_ports ports[XDP_DEDUP_PORTS_MAX];
	struct in6_addr groups[XDP_DEDUP_GROUPS_MAX]; /* IPv4 as ::ffff:a.b.c.d */
	/* Differs after each change of the filter. If an id has another value, the id is of another
	 * list of streams: call xdp_dedup_streams() again.
	 */
	uint32_t change;
	/* How many bytes the digest leaves out in front and at the end, and how many of the others
	 * it covers at most. It also covers how many others there are.
	 */
	uint32_t digest_skip, digest_trailer, digest_max;
	uint32_t number_little; /* 1: a number's first byte is its least significant one; else 0 */
	/* Of the profile: where an id's bytes are, and which packets have one. It is equal on all
	 * machines and in all versions, whatever the ports, the destinations and the filter's other
	 * streams. Programs that exchange ids compare it.
	 */
	uint64_t profile;
};

/* Describes the filter's streams, in the order of --profile, which is that of the field `stream` of
 * a packet. Fills in the first `max` elements of out[], which may be NULL if max is 0. size is
 * sizeof(*out): later versions may append fields. Returns the number of streams, at least 1; or a
 * negative errno if the filter was changed, and this process may not open it as it is now.
 */
int xdp_dedup_streams(const struct xdp_dedup_filter *filter, struct xdp_dedup_stream *out,
		      size_t size, uint32_t max);

struct xdp_dedup_interface {
	char name[16];
	uint32_t index;
	uint32_t queues; /* for receiving, in use now; 0: the driver does not report it */
};

/* Lists the interfaces of this network namespace on which the filter should run. Fills in the first
 * `max` elements of out[], which may be NULL if max is 0. size is sizeof(*out): later versions may
 * append fields. Returns their number, from 0 on; or a negative errno: those of
 * xdp_dedup_streams(), or -EMFILE if this process may have no more descriptors.
 */
int xdp_dedup_interfaces(const struct xdp_dedup_filter *filter, struct xdp_dedup_interface *out,
			 size_t size, uint32_t max);

/* A packet in one of two forms: a whole Ethernet frame; or, if frame is NULL, the parts of a UDP
 * datagram that a socket gives. Then only payload, payload_len, from and to are read.
 */
struct xdp_dedup_datagram {
	const void *frame; /* as it arrived, with its VLAN tags and tunnels */
	uint32_t frame_len;
	uint32_t payload_len;
	const void *payload; /* may be NULL if payload_len is 0 */
	/* Source and destination: AF_INET, or AF_INET6, where ::ffff:a.b.c.d is IPv4. NULL:
	 * unknown. In `to` an address or a port of zeros is unknown, too.
	 */
	const struct sockaddr *from, *to;
};

struct xdp_dedup_identity {
	uint32_t stream;   /* its number, in the order of --profile */
	uint32_t messages; /* in the packet: 1 unless the stream has a count */
	uint64_t number;   /* in a numbered stream: the number of the first message; else 0 */
	uint32_t len;	   /* of bytes */
	/* The id, of the first message: the same bytes as `id` in struct xdp_dedup_packet. */
	uint8_t bytes[XDP_DEDUP_IDENTITY_MAX];
	uint32_t change; /* as in struct xdp_dedup_stream */
};

/* Finds the id of a packet, by the packet program's own code. It neither looks the id up nor learns
 * it. Returns 1, and fills in *out. Returns 0 if the filter would not look up exactly one id for
 * this packet: the packet is of no stream, exempt, malformed, fragmented, or an IHAVE. Else returns
 * a negative errno:
 *   -ENODATA       the datagram's stream, or a stream before it, reads bytes that are not known: of
 *                  the frame's headers, or of an unknown `from` or `to`
 *   -EINVAL        `from` and `to` are of different families; or the payload is missing
 *   -EAFNOSUPPORT  an address of another family
 *   -EMSGSIZE      no UDP datagram has such a long payload
 *   -ESTALE        the filter was resized, and this process may not open its successor
 * size is sizeof(*out): later versions may append fields.
 *
 * Every packet counts as a packet for this host: its destination MAC is ignored. A datagram counts
 * as a packet without IP options and extension headers, in a VLAN of --vlan. If it arrived in
 * fragments or in a tunnel, its id is that of the whole datagram. A stream must accept the known
 * parts of `to`; the unknown parts match any stream. If several streams match, the first one wins.
 */
int xdp_dedup_id_of(const struct xdp_dedup_filter *filter, const struct xdp_dedup_datagram *packet,
		    struct xdp_dedup_identity *out, size_t size);

#ifdef __cplusplus
}
#endif

#endif
