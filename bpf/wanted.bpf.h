/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Wanted ids on the kernel's side; include/wanted.h says how it and user space work together. */
#pragma once

#include "hash.h"
#include "maps.bpf.h"
#include "wanted.h"

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DEDUP_WANTED_MAX);
	__type(key, struct dedup_want_key);
	__type(value, struct dedup_wanted);
} wanted SEC(".maps");

/* Is this id, of 1 to DEDUP_ID_WORDS_MAX words, wanted in the realm with this key? With `take`, it
 * is then wanted no more, and only one of several concurrent callers gets true.
 */
static __noinline bool is_wanted(const struct dedup_id *id, __u64 words, __u64 realm_key, bool take)
{
	struct dedup_want_key key = { dedup_id_copy(id, words), realm_key };
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

/* Deletes expired entries. Are there others? */
static __always_inline bool forget_wanted(void)
{
	struct want_walk walk = { 0 };

	bpf_for_each_map_elem(&wanted, walk_wanted, &walk, 0);
	return walk.any_wanted;
}
