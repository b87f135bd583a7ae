// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pending.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

struct pending_slot *pending_add(struct pending *p, struct pending_message *m, uint64_t now_ns)
{
	struct pending_slot *s = &p->slots[p->free[--p->free_cnt]];

	s->message = m;
	s->generation++;
	s->tries = s->sends = 0;
	s->is_sent = false;
	s->due_ns = s->begin_ns = now_ns;
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
