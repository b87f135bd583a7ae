// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "want_ring.h"

#include <string.h>

#include "want.h"

/* Does another entry want the same id? It is newer, as this one is the oldest. */
static bool is_wanted_again(const struct want_ring *r, const struct want_ring_entry *oldest)
{
	for (int i = 0; i < WANT_RING_MAX; i++) {
		const struct want_ring_entry *e = &r->entries[i];

		if (e != oldest && e->n == oldest->n && !memcmp(&e->id, &oldest->id, sizeof(e->id)))
			return true;
	}
	return false;
}

int want_ring_add(struct want_ring *r, struct filter *f, const struct dedup_id *id, uint32_t n)
{
	struct want_ring_entry *e = &r->entries[r->cnt % WANT_RING_MAX];
	int result;

	if (r->cnt >= WANT_RING_MAX && !is_wanted_again(r, e))
		want_withdraw(f, &e->id, e->n); /* unless a copy has come, or it has expired */
	result = want_key(f, id, n);
	if (result < 0)
		return result;
	*e = (struct want_ring_entry){ *id, n };
	r->cnt++;
	return result;
}
