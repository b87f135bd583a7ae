/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Wanted ids on the kernel's side; include/wanted.h says how it and user space work together. */
#ifndef XDP_DEDUP_WANTED_BPF_H
#define XDP_DEDUP_WANTED_BPF_H

#include "hash.h"
#include "maps.bpf.h"
#include "wanted.h"

/* The hand walks through the map once in this time at most. Where that is full it takes 0.25 ms. */
#define WANT_WALK_NS 100000000

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DEDUP_WANTED_MAX);
	__type(key, struct dedup_want_key);
	__type(value, struct dedup_wanted);
} wanted SEC(".maps");

/* Is this id of a realm wanted? 1 to DEDUP_ID_WORDS_MAX words. With `take`, it then is not wanted
 * any more, and the answer is yes for only one of several callers at the same time.
 */
static __noinline bool is_wanted(const struct dedup_id *id, __u64 words, __u64 realm, bool take)
{
	struct dedup_want_key key = { dedup_id_copy(id, words), realm };
	const struct dedup_wanted *entry = bpf_map_lookup_elem(&wanted, &key);

	if (!entry || dedup_want_expired(entry, &state))
		return false;
	return !take || !bpf_map_delete_elem(&wanted, &key);
}

/* What a walk finds out. */
struct want_walk {
	/* 1: some id is still wanted. Not how many: the verifier would follow each value of a
	 * number that grows with every entry.
	 */
	__u64 any_wanted;
};

/* For bpf_for_each_map_elem(), with each entry; 0: go on. */
static long walk_wanted(void *map, const struct dedup_want_key *key,
			const struct dedup_wanted *entry, struct want_walk *walk)
{
	if (dedup_want_expired(entry, &state))
		bpf_map_delete_elem(map, key);
	else
		walk->any_wanted = true;
	return 0;
}

/* After each step of the hand: walks through the map if that is due. last_ns: the step before. */
static __always_inline void forget_wanted(__u64 last_ns, __u64 now_ns)
{
	struct want_walk walk = { 0 };

	if (!(READ_ONCE(state.stale_at) & DEDUP_CLOSELY) ||
	    last_ns / WANT_WALK_NS == now_ns / WANT_WALK_NS)
		return;
	/* Exchanges are full barriers: no other CPU sees a part of the walk outside of the two. */
	__sync_lock_test_and_set(&state.walks, state.walks + 1);
	bpf_for_each_map_elem(&wanted, walk_wanted, &walk, 0);
	if (!walk.any_wanted)
		__sync_fetch_and_and(&state.stale_at, ~DEDUP_CLOSELY);
	__sync_lock_test_and_set(&state.walks, state.walks + 1);
}

#endif
