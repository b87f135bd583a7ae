/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A table of messages that are not acknowledged yet. An answer names the slot and the generation of
 * its message, so that a late answer to an earlier message of the slot is recognised. Pure: the
 * caller reads the clock, and sends.
 */
#ifndef XDP_DEDUP_PUBLISH_PENDING_H
#define XDP_DEDUP_PUBLISH_PENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pauses of pending_postpone(). */
#define PENDING_IN_PROGRESS_NS 20000000ULL  /* the engine is storing a message with this id */
#define PENDING_UNAVAILABLE_NS 500000000ULL /* no server has the stream, as in a leader election */

/* A message, owned by the caller. */
struct pending_message {
	size_t bytes;	     /* of the payload */
	uint64_t arrival_ns; /* CLOCK_MONOTONIC */
	void *owner;
};

struct pending_slot {
	struct pending_message *message; /* NULL: the slot is free */
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
	uint64_t bytes, bytes_max;
};

/* Makes an empty table. Returns 0, and the caller closes it; or -ENOMEM. */
int pending_open(struct pending *p, uint32_t slots, uint64_t bytes_max);
void pending_close(struct pending *p);

/* Returns the number of messages. */
static inline uint32_t pending_count(const struct pending *p)
{
	return p->slots_cnt - p->free_cnt;
}

/* Returns whether there is room for another message of any size. One message always has room. */
static inline bool pending_has_room(const struct pending *p)
{
	return p->free_cnt && (p->bytes < p->bytes_max || p->free_cnt == p->slots_cnt);
}

/* Returns how many messages of at most `largest_bytes` bytes may be added before the next check:
 * together they exceed bytes_max by less than one message.
 */
uint32_t pending_room(const struct pending *p, size_t largest_bytes);

/* Adds a message. Returns its slot, which is due at once; there must be room. */
struct pending_slot *pending_add(struct pending *p, struct pending_message *m);

/* Returns the slot that an answer names; NULL if its message has ended. */
struct pending_slot *pending_find(struct pending *p, uint32_t slot, uint32_t generation);

/* Removes the slot's message, and returns it. */
struct pending_message *pending_remove(struct pending *p, struct pending_slot *s);

static inline uint32_t pending_number(const struct pending *p, const struct pending_slot *s)
{
	return s - p->slots;
}

/* Notes that the message was sent: its answer is late after timeout_ns. */
void pending_sent(struct pending_slot *s, uint64_t now_ns, uint64_t timeout_ns);

/* Notes that the message could not be sent: it is due again in 0.1 s. */
void pending_unsent(struct pending_slot *s, uint64_t now_ns);

/* Notes that the message was not stored. Returns true if it is due again, after a pause that grows
 * from 0.2 s to 5 s. Returns false after the last retry: the caller gives the message up.
 */
bool pending_retry(struct pending_slot *s, uint64_t now_ns, uint32_t retries);

/* Returns the longest time from a message's first attempt to its last one by one connection. */
uint64_t pending_retry_span_ns(uint32_t retries, uint64_t timeout_ns);

/* Makes the message due again after the pause. The last attempt does not count as a retry. */
void pending_postpone(struct pending_slot *s, uint64_t now_ns, uint64_t pause_ns);

/* Makes the message due at once, with all its retries: after the loss of a connection a sent
 * message may not have arrived.
 */
void pending_restart(struct pending_slot *s);

/* Calls fn for each message; fn may remove the message. */
typedef void (*pending_fn)(void *arg, struct pending_slot *s);
void pending_each(struct pending *p, pending_fn fn, void *arg);

/* Calls `send` for at most `most` due messages, and `fail`, unless it is NULL, for each message
 * whose answer is late. Both may remove the message.
 */
void pending_due(struct pending *p, uint64_t now_ns, uint32_t most, pending_fn send,
		 pending_fn fail, void *arg);

#endif
