/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Noting a packet in the account (account.h) of its source (source_table.h). */
#pragma once

#include "account_note.h"
#include "source_table.h"

/* Returns the block of the source of a packet that was judged; 0: it is not there. The hand may
 * have taken it out just before the packet, and is about to put it back, by the bucket's lock.
 */
static __always_inline __u32 dedup_find_judged(const struct dedup_sources *t,
					       struct dedup_block *blocks,
					       const struct dedup_source_key *key)
{
	struct dedup_block *bucket;
	struct dedup_found found;
	bool is_in;

	if (likely(dedup_find_source(t, blocks, key, &found)))
		return found.source;
	bucket = dedup_lock_bucket(t, blocks, key->hash);
	if (!bucket)
		return 0;
	is_in = dedup_find_source(t, blocks, key, &found);
	dedup_unlock_bucket(bucket);
	return is_in ? found.source : 0;
}

#ifndef DEDUP_FIND_JUDGED
#define DEDUP_FIND_JUDGED dedup_find_judged
#endif

/* Notes a packet of this source, which was judged, in its account. It came at this time on the path
 * with this key. `known`: 1 + the highest number that the account of another filter, before this
 * one, has seen; 0: none.
 */
static __always_inline void
dedup_note_source(const struct dedup_sources *t, const struct dedup_recovery *r,
		  struct dedup_block *blocks, const struct dedup_source_key *key,
		  const struct dedup_packet_numbers *p, __u64 known, __u64 path_key, __u64 now_ns)
{
	struct dedup_noting o = { .r = r, .p = p, .blocks = blocks, .known = known, .now_ns = now_ns };
	const struct dedup_slot *s;
	__u32 source;

	if (!t->paths)
		return;
	source = DEDUP_FIND_JUDGED(t, blocks, key);
	s = source ? (const struct dedup_slot *)dedup_block_at(blocks, source) : NULL;
	if (!s)
		return;
	o.account = source + t->account;
	o.paths = t->paths;
	if (!dedup_take_account(&o, path_key))
		return;
	/* Not before: else a packet of an earlier numbering could be noted after one of a later. */
	o.near = READ_ONCE(s->source.near);
	dedup_note_packet(&o, path_key);
	dedup_release_account(&o);
}
