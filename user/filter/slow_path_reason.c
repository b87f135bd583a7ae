// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "slow_path_reason.h"

#include <errno.h>
#include <unistd.h>

#include "slow_path.h"
#include "open_filter.h"

/* Returns what put() does; -EAGAIN if the hand was walking through the reasons meanwhile. */
static int try_put(struct filter *f, put_reason_fn put, void *arg)
{
	struct dedup_state *st = f->state;
	uint64_t walks = READ_ONCE(st->walks);
	int result;

	if (walks % 2)
		return -EAGAIN;
	__sync_synchronize();
	result = put(f, arg);
	if (result < 0)
		return result;
	__sync_fetch_and_or(&st->stale_at, DEDUP_SLOW_PATH);
	return READ_ONCE(st->walks) == walks ? result : -EAGAIN;
}

int slow_path_put_reason(struct filter *f, put_reason_fn put, void *arg)
{
	int result = try_put(f, put, arg);

	for (int i = 0; result == -EAGAIN && i < SLOW_PATH_WALK_TRIES; i++) {
		usleep(SLOW_PATH_WALK_US);
		result = try_put(f, put, arg);
	}
	return result == -EAGAIN ? -ESTALE : result;
}
