// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RETRY_MIN_NS 100000000ULL
#define RETRY_MAX_NS 5000000000ULL

int pending_open(struct pending *p, uint32_t slots, uint64_t bytes_max)
{
	*p = (struct pending){
		.slots = calloc(slots, sizeof(*p->slots)),
		.free = calloc(slots, sizeof(*p->free)),
		.slots_cnt = slots,
		.free_cnt = slots,
		.bytes_max = bytes_max,
	};
	if (!p->slots || !p->free) {
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
	memset(p, 0, sizeof(*p));
}

uint32_t pending_room(const struct pending *p, size_t largest_bytes)
{
	uint64_t left = p->bytes < p->bytes_max ? p->bytes_max - p->bytes : 0;
	uint64_t most = left > largest_bytes ? left / largest_bytes : 1;

	if (!pending_has_room(p))
		return 0;
	return most < p->free_cnt ? most : p->free_cnt;
}

struct pending_slot *pending_add(struct pending *p, struct pending_message *m)
{
	struct pending_slot *s = &p->slots[p->free[--p->free_cnt]];

	s->message = m;
	s->generation++;
	s->first_sent_ns = 0;
	pending_restart(s);
	p->bytes += m->bytes;
	return s;
}

struct pending_slot *pending_find(struct pending *p, uint32_t slot, uint32_t generation)
{
	if (slot >= p->slots_cnt || !p->slots[slot].message || p->slots[slot].generation != generation)
		return NULL;
	return &p->slots[slot];
}

struct pending_message *pending_remove(struct pending *p, struct pending_slot *s)
{
	struct pending_message *m = s->message;

	s->message = NULL;
	p->bytes -= m->bytes;
	p->free[p->free_cnt++] = pending_number(p, s);
	return m;
}

void pending_sent(struct pending_slot *s, uint64_t now_ns, uint64_t timeout_ns)
{
	if (!s->first_sent_ns)
		s->first_sent_ns = now_ns;
	s->attempts++;
	s->is_sent = true;
	s->due_ns = now_ns + timeout_ns;
}

void pending_unsent(struct pending_slot *s, uint64_t now_ns)
{
	s->due_ns = now_ns + RETRY_MIN_NS;
}

/* Returns the pause after this many failed attempts. */
static uint64_t retry_pause_ns(uint32_t tries)
{
	uint64_t pause = RETRY_MIN_NS << (tries < 6 ? tries : 6);

	return pause < RETRY_MAX_NS ? pause : RETRY_MAX_NS;
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

void pending_each(struct pending *p, pending_fn fn, void *arg)
{
	uint32_t left = pending_count(p);

	for (uint32_t i = 0; i < p->slots_cnt && left; i++) {
		if (!p->slots[i].message)
			continue;
		left--;
		fn(arg, &p->slots[i]);
	}
}

/* Arguments of pending_due(). */
struct due {
	uint64_t now_ns;
	uint32_t most;
	pending_fn send, fail;
	void *arg;
};

static void check_slot(void *arg, struct pending_slot *s)
{
	struct due *d = arg;

	if (d->now_ns < s->due_ns)
		return;
	if (s->is_sent) {
		if (d->fail)
			d->fail(d->arg, s);
	} else if (d->most) {
		d->most--;
		d->send(d->arg, s);
	}
}

void pending_due(struct pending *p, uint64_t now_ns, uint32_t most, pending_fn send,
		 pending_fn fail, void *arg)
{
	struct due d = { now_ns, most, send, fail, arg };

	pending_each(p, check_slot, &d);
}
