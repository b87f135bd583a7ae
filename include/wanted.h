/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Wanted ids: the filter takes them for known, but the application lacks their events, as after a
 * false positive. The next EVENT with such an id passes, once.
 *
 * They are the keys of the hash map `wanted`. A packet of a known id passes if its program can
 * delete the id from there. Only one caller can, so of copies that arrive at the same time one
 * passes. An entry is valid for a window. That is measured by the time of the hand's last step,
 * state.last_ns, so that packets need not read a clock.
 *
 * Packets look into the map only while there are entries. They learn that from a word that they
 * test in any case, so that it costs nothing: state.stale_at, a time. Its top bit, DEDUP_CLOSELY,
 * makes it negative, a time long past; packets then take a slower path, which looks closely.
 *
 * Two sides write the map and the bit:
 * - user space, for an id that is wanted (user/filter/want.c): puts the id into the map, and then
 *   sets DEDUP_CLOSELY;
 * - the hand, while DEDUP_CLOSELY is set and at most ten times a second: walks through the map,
 *   deletes expired entries, and clears DEDUP_CLOSELY if no other is left. It adds 1 to state.walks
 *   when a walk begins and when it ends: the number is odd during a walk.
 *
 * A walk at the same time may have missed the new entry and cleared DEDUP_CLOSELY, or may have found
 * an expired entry of the same id and then deleted the new one. So user space waits until
 * state.walks is even, and does both steps again if it has changed meanwhile. In the end the entry
 * and DEDUP_CLOSELY were both there before the next walk began, which leaves them until the id's event
 * has come or its window is over. If user space is killed between the two steps, an entry is left
 * that packets do not look for; as soon as any id is wanted, a walk deletes it if it has expired.
 */
#ifndef XDP_DEDUP_WANTED_H
#define XDP_DEDUP_WANTED_H

#include "config.h"

#define DEDUP_WANTED_MAX 4096 /* ids wanted at a time; their memory is allocated at load: 0.6 MB */
#define DEDUP_CLOSELY (1ULL << 63) /* in state.stale_at: 1 while the map may have entries */

/* A key of the map `wanted`. */
struct dedup_want_key {
	struct dedup_id id; /* with zeros behind it */
	__u64 realm;
};

/* A value of that map. */
struct dedup_wanted {
	__u64 until_ns; /* valid while state.last_ns is below this; written once */
};

/* The until_ns of an id that is wanted from now on. */
static __always_inline __u64 dedup_want_until(const struct dedup_config *cfg,
					      const struct dedup_state *st)
{
	return READ_ONCE(st->last_ns) + cfg->window_ns;
}

static __always_inline bool dedup_want_expired(const struct dedup_wanted *wanted,
					       const struct dedup_state *st)
{
	return READ_ONCE(wanted->until_ns) <= READ_ONCE(st->last_ns);
}

#endif
