/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The internals of a receiver: receive_open.c opens and closes it, receive.c handles packets,
 * receive_idle.c runs while there are none. include/deliver.h explains how a receiver and the
 * packet program work together.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "delivery.h"
#include "lib_handle.h"
#include "stream_ids.h"
#include "wanted.h"
#include "xdp-dedup-receive.h"
#include "xsk.h"

#define QUEUE_PARTS_MAX 4 /* frames of a packet */
#define RECEIVER_JOINED_BYTES (QUEUE_PARTS_MAX * XSK_FRAME_BYTES)
#define RECEIVER_BROKEN_MAX 32 /* at most this many ids of broken packets are wanted at a time */

_Static_assert(2 * RECEIVER_BROKEN_MAX * DEDUP_SOCKETS_MAX <= DEDUP_WANTED_MAX,
	       "broken packets of all queues leave half of the room to others");

/* A queue of a filter that delivers, and the AF_XDP socket that is bound to it. */
struct open_queue {
	uint32_t ifindex;
	uint32_t opened; /* dedup_socket.opened */
	uint32_t parts;	 /* frames of a packet, at most */
	uint32_t recovered,
		forgotten; /* unread packets of the last reader: id wanted; no room for the id */
	struct xsk xsk;
	struct delivery delivery;

	/* The queue's element of `sockets`, and its elements of `in_flight`. */
	struct dedup_socket *socket;
	struct dedup_in_flight *in_flight;
};

enum slot_state {
	SLOT_UNSEEN, /* the packet with this number has not been received yet */
	SLOT_HELD,   /* the application has the packet */
	SLOT_BROKEN, /* the application does not get it, and its id could not be wanted yet */
	SLOT_DONE,   /* the application has given it back */
};

/* This process's state of a packet, beside the packet's element of `in_flight`. */
struct slot {
	uint64_t number; /* of its last packet */
	uint8_t state;
	uint8_t parts_cnt;
	uint16_t credits;
	struct {
		uint32_t at, len; /* at: offset in the socket's memory */
	} parts[QUEUE_PARTS_MAX];
	uint8_t *joined; /* the parts joined, if there are several */
	uint8_t id[DEDUP_ID_BYTES_MAX];
};

struct xdp_dedup_receiver {
	struct xdp_dedup_filter *filter;
	struct open_queue queue;
	bool unfinished, timestamps, busy_poll; /* the options */

	/* The streams of the filter with this serial: their slots (kept.h), and forms of their ids. */
	uint64_t serial;
	uint32_t streams_cnt;
	uint32_t slots_of[DEDUP_STREAMS_MAX];
	struct stream_form forms[DEDUP_STREAMS_MAX];

	uint64_t first;	     /* number of the first credit */
	uint64_t oldest;     /* all packets with lower numbers are done */
	uint64_t done;	     /* number of credits since `first` whose packets are done */
	uint32_t credits;    /* at most this many at a time */
	uint64_t stuck;	     /* `oldest` at stuck_ns, when it was not yet received */
	uint64_t stuck_ns;   /* 0: `oldest` was received */
	uint64_t checked_ns; /* time of the last check of the socket */

	uint64_t late_ns, late_seen_ns; /* how long the hand has been late; time of the last check */

	struct dedup_in_flight broken[RECEIVER_BROKEN_MAX]; /* last broken packets; number 0: empty */
	uint64_t broken_cnt;

	uint8_t *joined;       /* memory for packets of several parts */
	uint8_t **free_joined; /* pieces of RECEIVER_JOINED_BYTES */
	uint32_t free_joined_cnt;

	struct xdp_dedup_receive_stats stats;
	struct slot slots[DEDUP_IN_FLIGHT_MAX];
};

/* Does what delivery_in_flight() does. */
static inline struct dedup_in_flight *queue_in_flight(const struct open_queue *q, uint64_t number)
{
	return &q->in_flight[number % DEDUP_IN_FLIGHT_MAX];
}

/* Has another socket taken the queue, or has the filter ended it? */
static inline bool queue_is_lost(const struct open_queue *q)
{
	return READ_ONCE(q->socket->opened) != q->opened;
}

/* Has the filter ended the queue? Then all ids in its log are wanted, and a reader that gives a
 * packet back must undo that for its id.
 */
static inline bool queue_has_ended(const struct open_queue *q)
{
	return READ_ONCE(q->socket->opened) == (q->opened | DEDUP_ENDED);
}

/* Clears the packet's entry, unless it belongs to another packet. */
static inline void queue_clear(struct open_queue *q, uint64_t number)
{
	struct dedup_in_flight *h = queue_in_flight(q, number);

	if (h->number == number + 1)
		WRITE_ONCE(h->number, 0);
}

/* Returns the slot of the packet with this number. */
static inline struct slot *receiver_slot(struct xdp_dedup_receiver *r, uint64_t number)
{
	return &r->slots[number % DEDUP_IN_FLIGHT_MAX];
}

/* Frees the frames and the credits of the packet with this number, for receiver_grant() to grant. */
void receiver_end_packet(struct xdp_dedup_receiver *r, uint64_t number);

/* Called if the ring is empty. f: the current filter; NULL if this process could not open it.
 * Returns 0; or a negative errno if the queue will receive no more packets.
 */
int receiver_be_idle(struct xdp_dedup_receiver *r, struct filter *f);

/* Grants the packet program one credit for each free frame whose entry in `in_flight` is free. */
void receiver_grant(struct xdp_dedup_receiver *r);

/* Wants the id of a packet that the application does not get. Returns false if that is not
 * possible; then the next reader of the queue wants the id.
 */
bool receiver_want(struct xdp_dedup_receiver *r, struct filter *f, const struct dedup_in_flight *h);

/* Reads the filter's streams into *r. */
void receiver_describe_streams(struct xdp_dedup_receiver *r, const struct filter *f);
