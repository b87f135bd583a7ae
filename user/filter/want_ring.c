// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "want_ring.h"

#include "want.h"

int want_ring_add(struct want_ring *r, struct filter *f, const struct dedup_id *id, uint32_t n)
{
	struct want_ring_entry *e = &r->entries[r->cnt % WANT_RING_MAX];
	int result;

	if (r->cnt >= WANT_RING_MAX)
		want_withdraw(f, &e->id, e->n); /* unless a copy has come, or it has expired */
	result = want_key(f, id, n);
	if (result < 0)
		return result;
	*e = (struct want_ring_entry){ *id, n };
	r->cnt++;
	return result;
}
