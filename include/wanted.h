/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Wanted ids: the filter takes them for known, but the application lacks their events, as after a
 * false positive. The next EVENT with a wanted id passes, once.
 *
 * They are the keys of the hash map `wanted`. A packet of a known id passes if its program can
 * delete the id from the map. Only one caller can, so of several copies at once exactly one
 * passes. An entry is valid for a window. The time is that of the hand's last step, state.last_ns,
 * so packets need not read a clock.
 *
 * Packets look into the map only while it may have entries: slow_path.h. User space
 * (user/filter/want.c) adds ids; the hand deletes those that have expired.
 */
#pragma once

#include "config.h"

#define DEDUP_WANTED_MAX 4096 /* ids wanted at a time; their memory is allocated at load: 0.6 MB */

/* A key of the map `wanted`. */
struct dedup_want_key {
	struct dedup_id id; /* with zeros behind it */
	__u64 realm_key;    /* as in struct dedup_stream */
};

/* A value of the map `wanted`. */
struct dedup_wanted {
	__u64 until_ns; /* valid while state.last_ns is below this; written once */
};

/* Returns the until_ns of an id that is wanted from now on. */
static __always_inline __u64 dedup_want_until(const struct dedup_config *cfg,
					      const struct dedup_state *st)
{
	return READ_ONCE(st->last_ns) + cfg->memory.window_ns;
}

static __always_inline bool dedup_want_expired(const struct dedup_wanted *wanted,
					       const struct dedup_state *st)
{
	return READ_ONCE(wanted->until_ns) <= READ_ONCE(st->last_ns);
}
