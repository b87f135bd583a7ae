/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inside of a receiver: receive_open.c opens and closes it, receive.c has what a packet goes
 * through, receive_idle.c what is looked after while no packets come. include/deliver.h says how it
 * and the packet program work together.
 */
#ifndef XDP_DEDUP_LIB_RECEIVER_H
#define XDP_DEDUP_LIB_RECEIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib_handle.h"
#include "open_queue.h"
#include "stream_ids.h"
#include "wanted.h"
#include "xdp-dedup-receive.h"

#define RECEIVER_JOINED_BYTES (QUEUE_PARTS_MAX * XSK_FRAME_BYTES)
#define RECEIVER_BROKEN_MAX 32 /* ids of broken packets that are wanted at a time */

_Static_assert(2 * RECEIVER_BROKEN_MAX * DEDUP_SOCKETS_MAX <= DEDUP_WANTED_MAX,
	       "broken packets of all queues leave half of the room to others");

enum slot_state {
	SLOT_UNSEEN, /* no packet has had the number yet, or it is on its way */
	SLOT_HELD,   /* by the application */
	SLOT_BROKEN, /* not handed out, and its id could not be wanted yet */
	SLOT_DONE,   /* given back */
};

/* What this process knows of the packet with a number, as an element of `in_flight` does of all. */
struct slot {
	uint64_t number; /* its packet's, which it keeps */
	uint8_t state;
	uint8_t parts_cnt;
	uint16_t credits;
	struct {
		uint32_t at, len; /* its address in the socket's memory */
	} parts[QUEUE_PARTS_MAX];
	uint8_t *joined; /* the parts, one behind the other, if there are several */
	uint8_t id[DEDUP_ID_BYTES_MAX];
};

struct xdp_dedup_receiver {
	struct xdp_dedup_filter *filter;
	struct open_queue queue;
	bool unfinished, timestamps, busy_poll; /* the options */

	/* The streams of the filter with this serial: their slots (kept.h), and what ids have. */
	uint64_t serial;
	uint32_t streams_cnt;
	uint32_t slots_of[DEDUP_STREAMS_MAX];
	struct stream_form forms[DEDUP_STREAMS_MAX];

	uint64_t first;	  /* number of the first credit */
	uint64_t oldest;  /* all below are done */
	uint64_t done;	  /* credits that are, since `first` */
	uint32_t credits; /* may be under way */
	uint64_t stuck;	  /* what `oldest` was when it had not come, at stuck_ns; 0: it had */
	uint64_t stuck_ns;
	uint64_t asked_ns; /* the socket, whether it is all right */

	uint64_t late_ns, late_seen_ns; /* how long the hand was seen to be late, and when last */

	struct dedup_in_flight broken[RECEIVER_BROKEN_MAX]; /* the last ones; number 0: none yet */
	uint64_t broken_cnt;

	uint8_t *joined;       /* memory for packets of several parts */
	uint8_t **free_joined; /* pieces of RECEIVER_JOINED_BYTES */
	uint32_t free_joined_cnt;

	struct xdp_dedup_receive_stats stats;
	struct slot slots[DEDUP_IN_FLIGHT_MAX];
};

/* Returns the slot of the packet with this number. */
static inline struct slot *receiver_slot(struct xdp_dedup_receiver *r, uint64_t number)
{
	return &r->slots[number % DEDUP_IN_FLIGHT_MAX];
}

/* Frees the frames and the credits of the packet with this number, for receiver_grant() to grant. */
void receiver_end_packet(struct xdp_dedup_receiver *r, uint64_t number);

/* Called if there are no packets in the ring; f is NULL if this process could not open the filter
 * as it is now. Returns 0; or a negative errno: none will come.
 */
int receiver_be_idle(struct xdp_dedup_receiver *r, struct filter *f);

/* Lets the packet program take as many credits as there are frames that are not under way, but none
 * whose entry in `in_flight` another packet still has. Called after each queue_clear().
 */
void receiver_grant(struct xdp_dedup_receiver *r);

/* Wants the id of a packet that the application does not get. False: it cannot be wanted by this
 * process any more, and is left to whoever opens the queue next.
 */
bool receiver_want(struct xdp_dedup_receiver *r, struct filter *f, const struct dedup_in_flight *h);

/* Reads the filter's streams into *r. */
void receiver_describe_streams(struct xdp_dedup_receiver *r, const struct filter *f);

#endif
