/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The map `accounts` (include/account_copy.h), which the hand fills. */
#pragma once

#include "account_copy.h"
#include "maps.bpf.h"
#include "numbers.bpf.h"

/* Of each source its paths. User space sets max_entries; a filter without paths has no such map. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dedup_path_account);
} accounts SEC(".maps");

/* Copies the name of the stream that has this slot. */
static __always_inline void copy_stream_name(__u32 slot, struct dedup_path_account *to)
{
	const struct dedup_policy *policy = &configuration()->policy;

	for (__u64 n = 0; n < DEDUP_STREAMS_MAX && n < policy->streams_cnt; n++)
		if (slot_of(n) == slot) {
			DEDUP_BOUND(n, DEDUP_STREAMS_MAX - 1);
			dedup_copy_words(to->stream, policy->streams[n].name, DEDUP_STREAM_NAME / 8);
			return;
		}
	dedup_clear_words(to->stream, DEDUP_STREAM_NAME / 8);
}

/* For bpf_loop(): copies the source's i-th path. */
static long copy_path_account(__u32 i, struct dedup_copying *c)
{
	const struct dedup_sources *t = &configuration()->sources;
	const struct dedup_slot *s;
	struct dedup_path_account *to;
	__u32 at = (__u32)c->slot * t->paths + i;
	__u64 path = i, key = 0;

	to = bpf_map_lookup_elem(&accounts, &at);
	s = (const struct dedup_slot *)dedup_block_at(NULL, dedup_slot_block(t, c->slot));
	if (!to || !s)
		return 1;
	DEDUP_BOUND(path, DEDUP_PATHS_MAX - 1);
	if (c->version)
		key = dedup_account_get(&c->from, DEDUP_ACCOUNT_KEYS + path);
	if (!key) {
		dedup_clear_words(to, sizeof(*to) / 8);
		return 0;
	}
	WRITE_ONCE(to->ifindex, (__u32)key);
	copy_stream_name((key >> 32) - 1, to);
	dedup_copy_source(c, s, to);
	dedup_copy_path(c, path, &to->path);
	return 0;
}

/* Copies the account of a source, if it has changed since this program's hand was there last. A
 * global function, which is verified once.
 */
__noinline int copy_account(__u32 slot)
{
	const struct dedup_sources *t = &configuration()->sources;
	struct dedup_copying c;

	if (config.sources.paths && dedup_copying_begin(&c, t, slot, config.serial))
		bpf_loop(t->paths, copy_path_account, &c, 0);
	return 0;
}
