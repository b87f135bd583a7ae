// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "integers.h"

#define RETRY_MIN_NS 100000000ULL
#define RETRY_MAX_NS 5000000000ULL

int pending_open(struct pending *p, uint32_t slots, uint64_t bytes_max)
{
	uint32_t chains = 64;

	while (chains < slots)
		chains *= 2;
	*p = (struct pending){
		.slots = calloc(slots, sizeof(*p->slots)),
		.free = calloc(slots, sizeof(*p->free)),
		.chains = calloc(chains, sizeof(struct intake_event *)),
		.mask = chains - 1,
		.slots_cnt = slots,
		.free_cnt = slots,
		.bytes_max = bytes_max,
	};
	if (!p->slots || !p->free || !p->chains) {
		pending_close(p);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < slots; i++)
		p->free[i] = slots - 1 - i;
	return 0;
}

void pending_close(struct pending *p)
{
	free(p->slots);
	free(p->free);
	free(p->chains);
	memset(p, 0, sizeof(*p));
}

uint32_t pending_room(const struct pending *p, size_t largest_bytes)
{
	uint64_t left = p->bytes < p->bytes_max ? p->bytes_max - p->bytes : 0;
	uint64_t most = left > largest_bytes ? left / largest_bytes : 1;

	if (!left && p->free_cnt < p->slots_cnt)
		return 0;
	return most < p->free_cnt ? most : p->free_cnt;
}

/* A sender that chooses ids of one chain only slows the publisher down: a chain has no more events
 * than messages may be pending.
 */
static uint32_t hash_of(const struct xdp_dedup_identity *id)
{
	uint64_t hash = 0, word;

	for (uint32_t i = 0; i < id->len; i += sizeof(word)) {
		word = 0;
		memcpy(&word, id->bytes + i, lesser(id->len - i, sizeof(word)));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 32;
	}
	return hash;
}

static bool is_copy(const struct intake_event *a, const struct intake_event *b)
{
	return a->id.len == b->id.len && !memcmp(a->id.bytes, b->id.bytes, a->id.len) &&
	       !strcmp(a->stream->realm, b->stream->realm);
}

struct pending_slot *pending_add(struct pending *p, struct intake_event *e)
{
	struct intake_event **chain;
	struct pending_slot *s;

	e->hash = hash_of(&e->id);
	chain = &p->chains[e->hash & p->mask];
	if (!e->stream->is.number_bytes) {
		for (const struct intake_event *one = *chain; one; one = one->next)
			if (is_copy(one, e))
				return NULL;
		e->next = *chain;
		*chain = e;
	}
	s = &p->slots[p->free[--p->free_cnt]];
	if (p->end <= pending_number(p, s))
		p->end = pending_number(p, s) + 1;
	s->event = e;
	s->generation++;
	s->first_sent_ns = 0;
	pending_restart(s);
	p->bytes += e->len;
	return s;
}

struct pending_slot *pending_find(struct pending *p, uint32_t slot, uint32_t generation)
{
	if (slot >= p->slots_cnt || !p->slots[slot].event || p->slots[slot].generation != generation)
		return NULL;
	return &p->slots[slot];
}

struct pending_slot *pending_next(const struct pending *p, struct pending_slot *s)
{
	for (s = s ? s + 1 : p->slots; s < p->slots + p->end; s++)
		if (s->event)
			return s;
	return NULL;
}

struct intake_event *pending_remove(struct pending *p, struct pending_slot *s)
{
	struct intake_event *e = s->event, **at = &p->chains[e->hash & p->mask];

	while (*at && *at != e)
		at = &(*at)->next;
	if (*at)
		*at = e->next;
	s->event = NULL;
	while (p->end && !p->slots[p->end - 1].event)
		p->end--;
	p->bytes -= e->len;
	p->free[p->free_cnt++] = pending_number(p, s);
	return e;
}

void pending_sent(struct pending_slot *s, uint64_t now_ns, uint64_t timeout_ns)
{
	if (!s->first_sent_ns)
		s->first_sent_ns = now_ns;
	s->attempts++;
	s->is_sent = true;
	s->due_ns = now_ns + timeout_ns;
}

/* Returns the pause after this many failed attempts. */
static uint64_t retry_pause_ns(uint32_t tries)
{
	return lesser(RETRY_MIN_NS << lesser(tries, 6), RETRY_MAX_NS);
}

bool pending_retry(struct pending_slot *s, uint64_t now_ns, uint32_t retries)
{
	if (s->attempts > retries)
		return false;
	s->is_sent = false;
	s->due_ns = now_ns + retry_pause_ns(s->attempts);
	return true;
}

uint64_t pending_retry_span_ns(uint32_t retries, uint64_t timeout_ns)
{
	uint64_t span = 0;

	for (uint32_t tries = 1; tries <= retries; tries++)
		span += timeout_ns + retry_pause_ns(tries);
	return span;
}

void pending_postpone(struct pending_slot *s, uint64_t now_ns, uint64_t pause_ns)
{
	s->attempts -= s->attempts > 0; /* a server may answer twice */
	s->is_sent = false;
	s->due_ns = now_ns + pause_ns;
}

void pending_restart(struct pending_slot *s)
{
	s->attempts = 0;
	s->is_sent = false;
	s->due_ns = 0;
}
