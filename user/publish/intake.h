/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Receives fresh events: from AF_XDP sockets, one for each queue of the filter's interfaces, and
 * from UDP sockets, which get the packets that do not fit into those. The intake keeps an event
 * until the caller passes its outcome to intake_end().
 */
#pragma once

#include <netinet/in.h>
#include <stdint.h>

#include "publish_streams.h"
#include "xdp-dedup-receive.h"

#define INTAKE_QUEUES_MAX 64
#define INTAKE_SOCKETS_MAX 64
#define INTAKE_GROUPS_MAX 512	 /* memberships */
#define INTAKE_BATCH 64		 /* packets of one read, at most */
#define INTAKE_PAYLOAD_MAX 65536 /* bytes of an event */

struct intake_queue;

union intake_address {
	struct sockaddr any;
	struct sockaddr_in ipv4;
	struct sockaddr_in6 ipv6; /* ::ffff:a.b.c.d is IPv4 */
};

struct intake_event {
	struct publish_stream *stream;
	struct xdp_dedup_identity id;
	const void *payload;
	size_t len;
	union intake_address from;
	uint64_t arrival_ns;	   /* CLOCK_REALTIME */
	uint64_t received_ns;	   /* the same moment by CLOCK_MONOTONIC */
	struct intake_event *next; /* in a chain of struct pending */
	uint32_t hash;		   /* of the id, which chooses the chain */

	struct intake_queue *queue; /* NULL: from a UDP socket; the payload is in copy[] */
	struct xdp_dedup_packet packet;
	uint8_t copy[];
};

enum intake_way { INTAKE_XSK, INTAKE_UDP, INTAKE_WAYS };

/* Counters, and the help of their metrics. */
#define INTAKE_COUNTERS(X)                                                 \
	X(unreadable, "Received packets whose id could not be found out.") \
	X(no_memory, "Events for which there was no memory.")              \
	X(not_events, "Received packets that are no fresh events.")        \
	X(overflow, "Datagrams that UDP sockets dropped: without room, or with a wrong checksum.")

struct intake_counters {
#define X(member, help) uint64_t member;
	INTAKE_COUNTERS(X)
#undef X
	uint64_t received[INTAKE_WAYS]; /* events */
};

struct intake_queue {
	struct xdp_dedup_receiver *receiver; /* NULL: not open */
	struct xdp_dedup_interface interface;
	uint32_t queue;
	uint32_t held; /* events without an outcome yet */
	bool has_ended;
};

/* A UDP socket; or one that has joined a multicast group. The kernel passes a group's datagrams to all
 * sockets with the port, but one socket can join only some 20 groups, and only of its own family.
 */
struct intake_socket {
	struct socket_address at;
	uint32_t ifindex; /* of a group */
	int fd; /* negative: not open, as another program uses the port; it is tried again */
	uint32_t overflow; /* the kernel's count at the last read */
	bool is_needed;	   /* since the last intake_sockets_refresh() */
};

struct intake_sockets {
	struct intake_socket list[INTAKE_GROUPS_MAX];
	int cnt;
};

struct intake {
	const struct publish_options *options;
	struct publish_streams *streams;
	int epoll; /* becomes readable when packets arrive; -1: not open */
	struct intake_queue queues[INTAKE_QUEUES_MAX];
	struct intake_sockets sockets, groups;
	uint64_t clock_offset_ns; /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
	int next_source;	  /* queue or socket with which the next intake_take() begins */
	struct intake_counters counters;
	void *(*allocate)(size_t bytes); /* malloc(), or a test's */
	bool has_changed;		 /* streams changed since the last intake_refresh() */
	bool logged_xsk;		 /* logged: an interface has no AF_XDP */
	unsigned int wait;		 /* calls of intake_refresh() until AF_XDP is tried again */
	unsigned int failures; /* consecutive intake_refresh() that could not read the filter */
	bool is_unreadable;    /* the filter cannot be read: intake_take() takes nothing */
	bool logged_groups;    /* logged: a group cannot be joined */
	bool logged_ports;     /* logged: too many ports */
	bool logged_stream;    /* logged: a stream hides others from UDP sockets */
};

/* Opens the sockets of the options. Returns 0, and the caller closes *in; or -errno (logged). */
int intake_open(struct intake *in, const struct publish_options *o, struct publish_streams *s);
void intake_close(struct intake *in);

/* Adapts to changes of filter and interfaces: opens missing sockets, closes those that have ended.
 * The caller calls it every second. Returns 0; or -errno (logged) if the filter is gone, or could
 * not be read in several calls.
 */
int intake_refresh(struct intake *in);

/* Reads up to `most` packets from all descriptors, and passes their events to fn, which owns each
 * until it calls intake_end(). Returns the number of packets. If `most` is reached, the next call
 * begins with the descriptors that were not read. If the filter cannot be read, no packet is taken
 * and is_unreadable is set: descriptors stay readable until an intake_refresh() has cleared it.
 */
typedef void (*intake_fn)(void *arg, struct intake_event *e);
uint32_t intake_take(struct intake *in, uint32_t most, intake_fn fn, void *arg);

/* Ends an event, and frees it. Its outcome: stored (the filter learns the id, unless it is a number
 * or its stream is gone), unused (a copy of a pending event, or given up), or left (unused, at the
 * end: intake_close() wants the ids of packets that AF_XDP sockets have).
 */
enum intake_outcome { INTAKE_STORED, INTAKE_UNUSED, INTAKE_LEFT };
void intake_end(struct intake *in, struct intake_event *e, enum intake_outcome outcome);

/* Reads the filter's streams again, and notes in *in whether they have changed or cannot be read.
 * Returns what publish_streams_refresh() returns.
 */
int intake_read_streams(struct intake *in);

/* intake_sockets.c */

/* Opens a socket for each address of --listen, or for each port of the published streams, and joins
 * the streams' multicast groups on the filter's interfaces. Closes what the streams do not have any
 * more. Logs once what cannot be opened; the next call tries again. Returns 0; or -errno (logged)
 * if a socket cannot be opened that is required.
 */
int intake_sockets_refresh(struct intake *in);
void intake_sockets_close(struct intake *in);

/* Counts the datagrams that the sockets dropped. The kernel's count includes datagrams without room
 * and datagrams with a wrong checksum.
 */
void intake_sockets_count_overflow(struct intake *in);

/* Does what intake_take() does, for one socket. */
uint32_t intake_sockets_take(struct intake *in, struct intake_socket *s, uint32_t most,
			     intake_fn fn, void *arg);

/* For intake_sockets.c: has in->epoll watch a descriptor. Returns 0, or -errno. */
int intake_watch(struct intake *in, int fd);

/* For intake_sockets.c: keeps the event of a datagram, with a copy of its payload if it came by a
 * UDP socket, and passes it to fn. *found has what is known of the packet; id and stream are set.
 * Counts a packet that is no event of a published stream, cannot be read, or has no memory, and
 * gives it back. Returns 0; or the -errno of xdp_dedup_id_of() or intake_read_streams().
 */
int intake_keep(struct intake *in, const struct xdp_dedup_datagram *d, struct intake_event *found,
		intake_fn fn, void *arg);
