/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages that were published, or are to be, and are not acknowledged: a table of slots. An
 * answer names the slot, and the generation of its message, so that a late answer to an earlier
 * message is not taken for one to this. Pure: the caller has the clock, and sends.
 */
#ifndef XDP_DEDUP_PUBLISH_PENDING_H
#define XDP_DEDUP_PUBLISH_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pauses of pending_postpone(). */
#define PENDING_UNDER_WAY_NS 20000000ULL /* another message with this id is just being stored */
#define PENDING_AWAY_NS 500000000ULL /* no server has the stream: they may be electing a leader */

/* What a message is made of, and where its packet is given back: the caller's. */
struct pending_message {
	size_t bytes;	     /* of the payload */
	uint64_t arrival_ns; /* CLOCK_MONOTONIC */
	void *owner;
};

struct pending_slot {
	struct pending_message *message; /* NULL: the slot is free */
	uint32_t generation;
	uint32_t attempts;	/* sendings by this connection; the limit of retries bounds them */
	bool is_sent;		/* it waits for its answer */
	uint64_t due_ns;	/* when it is sent, or the answer is late */
	uint64_t first_sent_ns; /* by any connection; 0: it was never sent */
};

struct pending {
	struct pending_slot *slots;
	uint32_t *free; /* slots, as a stack */
	uint32_t slots_cnt, free_cnt;
	uint64_t bytes, bytes_max;
};

/* Makes an empty table. Returns 0, and the caller frees it; or -ENOMEM. */
int pending_open(struct pending *p, uint32_t slots, uint64_t bytes_max);
void pending_close(struct pending *p);

/* How many messages there are. */
static inline uint32_t pending_count(const struct pending *p)
{
	return p->slots_cnt - p->free_cnt;
}

/* Is there room for another message of any size? One message always has room. */
static inline bool pending_has_room(const struct pending *p)
{
	return p->free_cnt && (p->bytes < p->bytes_max || p->free_cnt == p->slots_cnt);
}

/* How many messages of at most so many bytes may be added, without a look at their size: together
 * they exceed bytes_max by less than one message.
 */
uint32_t pending_room(const struct pending *p, size_t largest_bytes);

/* Adds a message. Returns its slot, which is due at once; there must be room. */
struct pending_slot *pending_add(struct pending *p, struct pending_message *m);

/* The slot that an answer names; NULL if its message is there no more. */
struct pending_slot *pending_find(struct pending *p, uint32_t slot, uint32_t generation);

/* Removes the slot's message, which it returns. */
struct pending_message *pending_remove(struct pending *p, struct pending_slot *s);

static inline uint32_t pending_number(const struct pending *p, const struct pending_slot *s)
{
	return s - p->slots;
}

/* The message was sent: its answer is late after this time. */
void pending_sent(struct pending_slot *s, uint64_t now_ns, uint64_t timeout_ns);

/* The message could not be sent: it is due again in 0.1 s. */
void pending_unsent(struct pending_slot *s, uint64_t now_ns);

/* The message was not stored. True: it is due again, after a pause of 0.2 s that grows up to 5 s.
 * False: it has had all retries, and the caller gives it up.
 */
bool pending_retry(struct pending_slot *s, uint64_t now_ns, uint32_t retries);

/* The longest time from the first sending to the last one, while the connection lasts. */
uint64_t pending_retry_span_ns(uint32_t retries, uint64_t timeout_ns);

/* This sending was no attempt: the message is due again after the pause. */
void pending_postpone(struct pending_slot *s, uint64_t now_ns, uint64_t pause_ns);

/* The connection is lost: what was sent may not have arrived. The message is due at once, and has
 * had no attempt.
 */
void pending_restart(struct pending_slot *s);

/* Calls fn for each message; it may remove it. */
typedef void (*pending_fn)(void *arg, struct pending_slot *s);
void pending_each(struct pending *p, pending_fn fn, void *arg);

/* Calls `send` for messages that are due, `most` of them at most, and `fail` for those whose answer
 * is late, if it is not NULL. Both may remove the message.
 */
void pending_due(struct pending *p, uint64_t now_ns, uint32_t most, pending_fn send,
		 pending_fn fail, void *arg);

#endif
