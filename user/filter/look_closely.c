// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "look_closely.h"

#include <errno.h>
#include <unistd.h>

#include "closely.h"
#include "open_filter.h"

#define WALK_US 250 /* a walk of the hand takes no longer */
#define TRIES 2000  /* with WALK_US before each: half a second */

/* Returns as put() does; -EAGAIN if the hand is walking through the reasons, or was meanwhile. */
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
	__sync_fetch_and_or(&st->stale_at, DEDUP_CLOSELY);
	return READ_ONCE(st->walks) == walks ? result : -EAGAIN;
}

int look_closely(struct filter *f, put_reason_fn put, void *arg)
{
	int result = try_put(f, put, arg);

	for (int i = 0; result == -EAGAIN && i < TRIES; i++) {
		usleep(WALK_US);
		result = try_put(f, put, arg);
	}
	return result == -EAGAIN ? -ESTALE : result;
}
