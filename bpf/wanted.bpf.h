/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Wanted ids as packets and the hand meet them; include/wanted.h says how it holds together. */
#ifndef XDP_DEDUP_WANTED_BPF_H
#define XDP_DEDUP_WANTED_BPF_H

#include "hash.h"
#include "maps.bpf.h"
#include "wanted.h"

/* The hand walks through the map at most so often: where that is full it takes 0.25 ms. */
#define WANT_WALK_NS 100000000

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DEDUP_WANTED_MAX);
	__type(key, struct dedup_id);
	__type(value, struct dedup_wanted);
} wanted SEC(".maps");

static __noinline bool is_wanted(const struct dedup_id *packet_id, __u64 words)
{
	struct dedup_id id = dedup_id_copy(packet_id, words);
	const struct dedup_wanted *entry = bpf_map_lookup_elem(&wanted, &id);

	return entry && !dedup_want_expired(entry, &state);
}

/* The same, and it is wanted no more. True for one of those who ask at the same time. */
static __noinline bool take_wanted(const struct dedup_id *packet_id, __u64 words)
{
	struct dedup_id id;

	if (!is_wanted(packet_id, words))
		return false;
	id = dedup_id_copy(packet_id, words);
	return !bpf_map_delete_elem(&wanted, &id);
}

struct want_walk {
	__u64 waiting; /* for any? No number: the verifier would count along */
};

static long walk_wanted(void *map, const struct dedup_id *id, const struct dedup_wanted *entry,
			struct want_walk *walk)
{
	if (dedup_want_expired(entry, &state))
		bpf_map_delete_elem(map, id);
	else
		walk->waiting = true;
	return 0;
}

/* The hand's, after a step. The one before was at last_ns. */
static __always_inline void forget_wanted(__u64 last_ns, __u64 now_ns)
{
	struct want_walk walk = { 0 };

	if (!(READ_ONCE(state.stale_at) & DEDUP_RARE) ||
	    last_ns / WANT_WALK_NS == now_ns / WANT_WALK_NS)
		return;
	/* Exchanges are full barriers: the walk is between them for everybody. */
	__sync_lock_test_and_set(&state.walks, state.walks + 1);
	bpf_for_each_map_elem(&wanted, walk_wanted, &walk, 0);
	if (!walk.waiting)
		__sync_fetch_and_and(&state.stale_at, ~DEDUP_RARE);
	__sync_lock_test_and_set(&state.walks, state.walks + 1);
}

#endif
