/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The maps that the packet program, the hand and user space share. Those that one file alone needs
 * are there.
 */
#pragma once

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "config.h"
#include "counters.h"
#include "memory.h"
#include "known_ids.h"

/* A map with one value for each CPU, of what does not fit on the stack: a CPU finishes a packet before
 * it takes the next one. getter() returns this CPU's; never NULL, which the verifier does not know.
 */
#define DEDUP_SCRATCH(map, value_type, getter)           \
	struct {                                         \
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY); \
		__uint(max_entries, 1);                  \
		__type(key, __u32);                      \
		__type(value, value_type);               \
	} map SEC(".maps");                              \
                                                         \
	static __always_inline value_type *getter(void)  \
	{                                                \
		__u32 zero = 0;                          \
                                                         \
		return bpf_map_lookup_elem(&map, &zero); \
	}

/* What this filter is. User space fills it in before it loads the program, which freezes the map. */
#ifndef CONFIG_QUALIFIERS /* in user space it is writable */
#define CONFIG_QUALIFIERS const volatile
#endif
CONFIG_QUALIFIERS struct dedup_config config SEC(".rodata.config");

/* Returns the configuration as a pointer that the compiler keeps in a register. For config.FIELD it
 * loads a 64-bit address for each field, which is an instruction more.
 */
static __always_inline const struct dedup_config *configuration(void)
{
	const struct dedup_config *cfg = (const struct dedup_config *)&config;

	barrier_var(cfg); /* else the compiler knows that it is &config, and uses that */
	return cfg;
}

/* Where the hand stands, and what else changes while the filter runs. */
struct dedup_state state SEC(".data.state");

/* Where this program is to run, and which frames are for this host there. */
struct dedup_record record SEC(".data.record");

/* The filter's memory. User space sets max_entries to config.blocks, and maps it. MMAPABLE also
 * makes it page-aligned, so that each block is one cache line; values of other arrays are not.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dedup_block);
} filter SEC(".maps");

/* The counters of each stream, or of all packets; user space sets max_entries. Those of the first
 * have the CPU's learning credit.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dedup_counters);
} stats SEC(".maps");

/* This CPU's, of stream n. Never NULL, which the verifier does not know. */
static __always_inline struct dedup_counters *cpu_counters(__u32 n)
{
	return bpf_map_lookup_elem(&stats, &n);
}

/* The slot of stream n. */
static __always_inline __u32 slot_of(__u32 n)
{
	__u64 i = n;

	DEDUP_BOUND(i, DEDUP_STREAMS_MAX - 1);
	return configuration()->policy.streams[i].slot;
}

/* The predecessor (include/predecessor.h): what it is, where its hand stands, its memory. User
 * space puts its maps into the maps of maps, and takes them out when it is empty: so it need not
 * exchange the program to free them. Without a predecessor there are none in them.
 */
const volatile struct dedup_config predecessor_config SEC(".rodata.predecessor");

static __always_inline const struct dedup_config *predecessor_configuration(void)
{
	const struct dedup_config *cfg = (const struct dedup_config *)&predecessor_config;

	barrier_var(cfg); /* as in configuration(), and else the compiler takes its fields for 0 */
	return cfg;
}

struct state_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dedup_state);
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
	__array(values, struct state_map);
} outer_state SEC(".maps");

struct filter_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dedup_block);
};

/* The kernel takes only a map of as many elements as the one that this is created with. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
	__array(values, struct filter_map);
} outer_filter SEC(".maps");

/* Given to dedup_block_at(): the predecessor's memory is meant. */
#define PREDECESSOR ((struct dedup_block *)1)

static __always_inline struct dedup_block *predecessor_block(__u32 n)
{
	__u32 zero = 0;
	struct filter_map *blocks = (void *)bpf_map_lookup_elem(&outer_filter, &zero);

	return blocks ? bpf_map_lookup_elem(blocks, &n) : NULL;
}

/* Where the program is compiled for user space, that notes which blocks packets come to. */
#ifndef NOTE_BLOCK
#define NOTE_BLOCK(n)
#endif

/* As declared in memory.h. */
static __always_inline struct dedup_block *dedup_block_at(struct dedup_block *blocks, __u32 n)
{
	NOTE_BLOCK(n);
	return blocks == PREDECESSOR && config.has_predecessor ? predecessor_block(n)
							       : bpf_map_lookup_elem(&filter, &n);
}

/* The cache of known ids (known_ids.h); an element is one line of an entry. User space sets
 * max_entries if the scheme needs the cache. MMAPABLE only to be page-aligned: nobody maps it.
 */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct dedup_known);
} known_ids SEC(".maps");
