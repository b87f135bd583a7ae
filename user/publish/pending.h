/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The table of events that are not acknowledged yet. An answer names the slot and the generation of
 * its event, so that a late answer to an earlier event of the slot is recognised. The filter lets
 * copies of them pass: with --learn app until it learns the id, with --deliver xsk until a socket
 * has taken it. The table finds these copies. Pure: the caller reads the clock, and sends.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "intake.h"

/* Pauses of pending_postpone(). */
#define PENDING_IN_PROGRESS_NS 20000000ULL  /* the engine is storing a message with this id */
#define PENDING_UNAVAILABLE_NS 500000000ULL /* no server has the stream, as in a leader election */
#define PENDING_UNSENT_NS 100000000ULL	    /* the connection is lost */

struct pending_slot {
	struct intake_event *event; /* NULL: the slot is free */
	uint32_t generation;
	uint32_t attempts;	/* by this connection; the limit of retries bounds them */
	bool is_sent;		/* waits for its answer */
	uint64_t due_ns;	/* is_sent: when the answer is late; else when it is to be sent */
	uint64_t first_sent_ns; /* by any connection; 0: never sent */
};

struct pending {
	struct pending_slot *slots;
	uint32_t *free; /* slots, as a stack */
	uint32_t slots_cnt, free_cnt;
	uint32_t end;		      /* the highest slot with an event, + 1 */
	uint64_t bytes, bytes_max;    /* of payloads */
	struct intake_event **chains; /* by hashes of ids: the first event of each; or NULL */
	uint32_t mask;		      /* chains - 1 */
};

/* Makes an empty table. Returns 0, and the caller closes it; or -ENOMEM. */
int pending_open(struct pending *p, uint32_t slots, uint64_t bytes_max);
void pending_close(struct pending *p);

/* Returns the number of events. */
static inline uint32_t pending_count(const struct pending *p)
{
	return p->slots_cnt - p->free_cnt;
}

/* Returns how many events of at most `largest_bytes` bytes may be added before the next check:
 * together they exceed bytes_max by less than one of them. One event always has room.
 */
uint32_t pending_room(const struct pending *p, size_t largest_bytes);

/* Adds an event; there must be room. Returns its slot, which is due at once; or NULL if it is a
 * copy: an event of its realm has its id already. An event with a number is never a copy, as the
 * number may come again soon, for another event.
 */
struct pending_slot *pending_add(struct pending *p, struct intake_event *e);

/* Returns the slot that an answer names; NULL if its event has ended. */
struct pending_slot *pending_find(struct pending *p, uint32_t slot, uint32_t generation);

/* Returns the next slot with an event; the first one if s is NULL; NULL if there is none. Events
 * may be removed meanwhile.
 */
struct pending_slot *pending_next(const struct pending *p, struct pending_slot *s);

/* Removes the slot's event, and returns it. */
struct intake_event *pending_remove(struct pending *p, struct pending_slot *s);

static inline uint32_t pending_number(const struct pending *p, const struct pending_slot *s)
{
	return s - p->slots;
}

/* Notes that the event was sent: its answer is late after timeout_ns. */
void pending_sent(struct pending_slot *s, uint64_t now_ns, uint64_t timeout_ns);

/* Notes that the event was not stored. Returns true if it is due again, after a pause that grows
 * from 0.2 s to 5 s. Returns false after the last retry: the caller gives the event up.
 */
bool pending_retry(struct pending_slot *s, uint64_t now_ns, uint32_t retries);

/* Returns the longest time from an event's first attempt to its last one by one connection. */
uint64_t pending_retry_span_ns(uint32_t retries, uint64_t timeout_ns);

/* Makes the event due again after the pause. The last attempt does not count as a retry. */
void pending_postpone(struct pending_slot *s, uint64_t now_ns, uint64_t pause_ns);

/* Makes the event due at once, with all its retries: after the loss of a connection a sent message
 * may not have arrived.
 */
void pending_restart(struct pending_slot *s);
