/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Fresh events, as they come: from AF_XDP sockets, one for each queue of the filter's interfaces,
 * and from UDP sockets, for what finds no room there. An event that was taken is held until its
 * outcome is told.
 */
#ifndef XDP_DEDUP_PUBLISH_INTAKE_H
#define XDP_DEDUP_PUBLISH_INTAKE_H

#include <netinet/in.h>
#include <stdint.h>

#include "intake_groups.h"
#include "pending.h"
#include "publish_streams.h"
#include "xdp-dedup-receive.h"

#define INTAKE_QUEUES_MAX 64
#define INTAKE_SOCKETS_MAX 64
#define INTAKE_BATCH 64		 /* packets at a time, at most */
#define INTAKE_PAYLOAD_MAX 65536 /* bytes of an event */

struct intake_queue;

struct intake_event {
	struct pending_message pending; /* whose owner is this event */
	struct publish_stream *stream;
	struct xdp_dedup_identity id;
	const void *payload;
	size_t len;
	union {
		struct sockaddr any;
		struct sockaddr_in ipv4;
		struct sockaddr_in6 ipv6;
	} from;
	uint64_t arrival_ns;	   /* CLOCK_REALTIME */
	struct intake_event *next; /* of its chain in struct pending_ids */

	struct intake_queue *queue; /* NULL: it came by a UDP socket, and payload[] is its own */
	struct xdp_dedup_packet packet;
	uint8_t copy[];
};

enum intake_way { INTAKE_XSK, INTAKE_UDP, INTAKE_WAYS };

struct intake_counters {
	uint64_t received[INTAKE_WAYS]; /* events */
	uint64_t not_events;		/* packets that are no fresh events */
	uint64_t unreadable;		/* packets whose id cannot be found out */
	uint64_t no_memory;		/* events for which there was no memory */
	uint64_t overflow;  /* datagrams that UDP sockets dropped: no room, or a wrong checksum */
	uint64_t wanted;    /* events given up, or without memory */
	uint64_t forgotten; /* of these, those that could not be wanted */
};

struct intake_queue {
	struct xdp_dedup_receiver *receiver; /* NULL: not open */
	struct xdp_dedup_interface interface;
	uint32_t queue;
	uint32_t held; /* events without an outcome yet */
	bool has_ended;
};

struct intake_socket {
	int fd; /* -1: another program has the port, which is tried again */
	uint16_t port;
	uint32_t overflow; /* as the kernel has counted it */
	bool is_unused;	   /* no stream has the port: closed once it is empty */
};

struct intake {
	const struct publish_options *options;
	struct publish_streams *streams;
	struct intake_queue *queues[INTAKE_QUEUES_MAX]; /* NULL: free */
	struct intake_socket sockets[INTAKE_SOCKETS_MAX];
	int sockets_cnt;
	struct intake_groups groups;
	int next_place; /* of queues and sockets: the next intake_take() begins there */
	struct intake_counters counters;
	void *(*allocate)(size_t bytes); /* malloc(); a test lets it fail */
	bool has_changed;		 /* the streams, since the last intake_refresh() */
	bool has_ended;			 /* a queue, since the caller has set this to false */
	bool said_xsk;			 /* that an interface has no AF_XDP */
	unsigned int wait;		 /* calls of intake_refresh() until that is tried again */
	unsigned int failures; /* calls of intake_refresh() in which the filter could not be read */
	bool is_unreadable;    /* the filter is, so intake_take() takes nothing */
	bool said_groups;      /* that a group cannot be joined */
	bool said_ports;       /* that there are too many */
	bool said_stream;      /* that a stream hides others from UDP sockets */
};

/* Opens sockets as the options ask. Returns 0, and the caller closes it; or -errno (logged). */
int intake_open(struct intake *in, const struct publish_options *o, struct publish_streams *s);
void intake_close(struct intake *in);

/* Follows changes of filter and interfaces: opens what is missing, closes what has ended. Called
 * every second. Returns 1 if descriptors have changed, else 0; or -errno (logged) if the filter is
 * gone, or could not be read for some calls.
 */
int intake_refresh(struct intake *in);

/* Writes the descriptors that are readable if packets have come. Returns how many. */
int intake_fds(const struct intake *in, int fds[INTAKE_QUEUES_MAX + INTAKE_SOCKETS_MAX]);

/* Takes up to `most` packets, and gives their events to fn, which owns each until it calls
 * intake_end(). Returns how many packets came, from all descriptors. If not all have their turn,
 * the next call begins with those that had none. If the filter cannot be read, nothing is taken
 * and is_unreadable is set: descriptors stay readable until an intake_refresh() has reset it.
 */
typedef void (*intake_fn)(void *arg, struct intake_event *e);
uint32_t intake_take(struct intake *in, uint32_t most, intake_fn fn, void *arg);

/* The event was stored (the filter learns it, if only the application teaches it), was given up (it
 * is wanted: its next copy passes), or is of no use (a copy of one that is held). Frees it. Returns
 * 0; or -errno: its id could not be wanted.
 */
enum intake_outcome { INTAKE_STORED, INTAKE_GIVEN_UP, INTAKE_UNUSED };
int intake_end(struct intake *in, struct intake_event *e, enum intake_outcome outcome);

#endif
