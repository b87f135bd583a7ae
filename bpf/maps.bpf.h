/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The maps: what the packet path, the hand and user space share. */
#ifndef XDP_DEDUP_MAPS_BPF_H
#define XDP_DEDUP_MAPS_BPF_H

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "config.h"
#include "counters.h"
#include "memory.h"
#include "recent.h"

/* What this filter is. User space fills it in before it is frozen. */
const volatile struct dedup_config config SEC(".rodata.config");

/* The same by a pointer that the compiler cannot see through: in one register for many of its
 * fields, where each would otherwise have its own address loaded.
 */
static __always_inline const struct dedup_config *configuration(void)
{
	const struct dedup_config *cfg = (const struct dedup_config *)&config;

	barrier_var(cfg);
	return cfg;
}

/* Where the hand stands. */
struct dedup_state state SEC(".data.state");

/* The filter's memory; user space sets how many blocks. MMAPABLE also keeps them on
 * cache lines.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dedup_block);
} filter SEC(".maps");

/* The counters, and each CPU's learning credit. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dedup_counters);
} stats SEC(".maps");

static __always_inline struct dedup_counters *cpu_counters(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&stats, &zero);
}

static __always_inline struct dedup_block *dedup_block_at(struct dedup_block *blocks, __u32 n)
{
	return bpf_map_lookup_elem(&filter, &n);
}

/* Ids that were seen lately, for the schemes whose positions are dear. MMAPABLE, though nobody
 * maps it: else an entry would lie across two cache lines.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dedup_recent);
} recent SEC(".maps");

#endif
