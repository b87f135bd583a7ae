// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "want.h"

#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>

#include "ids.h"
#include "slow_path_reason.h"
#include "open_filter.h"
#include "stream_ids.h"
#include "wanted.h"

static int put_wanted(struct filter *f, void *key)
{
	struct dedup_wanted wanted = { .until_ns = dedup_want_until(f->config, f->state) };

	if (bpf_map_update_elem(f->wanted_fd, key, &wanted, BPF_ANY))
		return errno == E2BIG ? -ENOSPC : -errno;
	return 1;
}

static struct dedup_want_key id_key(const struct filter *f, const struct dedup_id *id, uint32_t n)
{
	return (struct dedup_want_key){ *id, f->config->policy.streams[n].realm_key };
}

int want_key(struct filter *f, const struct dedup_id *id, uint32_t n)
{
	struct dedup_want_key key = id_key(f, id, n);

	return slow_path_put_reason(f, put_wanted, &key);
}

int want_withdraw(struct filter *f, const struct dedup_id *id, uint32_t n)
{
	struct dedup_want_key key = id_key(f, id, n);

	return bpf_map_delete_elem(f->wanted_fd, &key) ? -errno : 0;
}

int want_id(struct filter *f, const uint8_t *bytes)
{
	struct dedup_want_key key;
	struct dedup_lookup_key lookup;
	int err = stream_seek(f, bytes, &key.id, &lookup);

	if (err)
		return err;
	key.realm_key = lookup.realm_key;
	if (!ids_test(f, bytes))
		return 0;
	return slow_path_put_reason(f, put_wanted, &key);
}

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
