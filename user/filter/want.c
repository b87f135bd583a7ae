// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "want.h"

#include <errno.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "ids.h"
#include "stream_ids.h"
#include "wanted.h"

#define WALK_US 250 /* a walk of the hand takes no longer */
#define TRIES 2000  /* with WALK_US before each: half a second */

/* 1; -EAGAIN if the hand is walking through the wanted ids, or was meanwhile; another -errno. */
static int try_want(struct filter *f, const struct dedup_want_key *key)
{
	struct dedup_state *st = f->state;
	struct dedup_wanted wanted = { .until_ns = dedup_want_until(f->config, st) };
	uint64_t walks = READ_ONCE(st->walks);

	if (walks % 2)
		return -EAGAIN;
	__sync_synchronize();
	if (bpf_map_update_elem(f->wanted_fd, key, &wanted, BPF_ANY))
		return errno == E2BIG ? -ENOSPC : -errno;
	__sync_fetch_and_or(&st->stale_at, DEDUP_CLOSELY);
	return READ_ONCE(st->walks) == walks ? 1 : -EAGAIN;
}

int want_id(struct filter *f, const uint8_t *bytes)
{
	struct dedup_want_key key;
	struct dedup_sought sought;
	int err = stream_seek(f, bytes, &key.id, &sought);

	if (err)
		return err;
	key.realm = sought.realm;
	if (!ids_test(f, bytes))
		return 0;
	err = try_want(f, &key);
	for (int i = 0; err == -EAGAIN && i < TRIES; i++) {
		usleep(WALK_US);
		err = try_want(f, &key);
	}
	return err == -EAGAIN ? -ESTALE : err;
}
