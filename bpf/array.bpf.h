/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Layouts `flat` and `countdown`: an id is in k places of the whole memory. Their hashes
 * may be dear, so what was lately known is looked for among whole ids first.
 */
#ifndef XDP_DEDUP_ARRAY_BPF_H
#define XDP_DEDUP_ARRAY_BPF_H

#include <linux/errno.h>

#include "countdown.h"
#include "credit.bpf.h"
#include "flat.h"
#include "maps.bpf.h"

/* The id that is looked up, and its positions: the stack has no room for them. Packets of a CPU
 * come one after the other.
 */
struct lookup {
	struct dedup_id id;
	struct dedup_positions positions;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct lookup);
} lookups SEC(".maps");

static __always_inline struct lookup *cpu_lookup(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&lookups, &zero);
}

/* A number that grows whenever the hand makes the filter forget ids; those that user space takes
 * out make state.recent_version grow instead.
 */
static __always_inline __u64 filter_era(__u64 hand)
{
	if (config.layout == DEDUP_FLAT)
		return dedup_flat_era(hand);
	return dedup_countdown_era(hand, config.places);
}

/* The filter_era() at which the id is forgotten; 0 if it is not known, or a negative errno. */
static __always_inline __s64 known_until(__u64 hand, const struct dedup_positions *p)
{
	int left;

	if (config.layout == DEDUP_FLAT)
		return dedup_flat_known_until(NULL, config.places, hand, p, config.k);
	left = dedup_countdown_left(NULL, dedup_countdowns(hand, config.places), config.places, p,
				    config.k);
	return left <= 0 ? left : (__s64)(filter_era(hand) + left);
}

/* As dedup_flat_learn; *until is how long the id is known from now on. */
static __always_inline int learn(__u64 hand, const struct dedup_positions *p, __u64 *until)
{
	if (config.layout == DEDUP_FLAT) {
		*until = dedup_flat_learned_until(hand);
		return dedup_flat_learn(NULL, config.places, dedup_flat_current(hand), p, config.k);
	}
	*until = filter_era(hand) + config.places;
	return dedup_countdown_learn(NULL, dedup_countdowns(hand, config.places), config.places, p,
				     config.k);
}

/* An entry of `recent`: the place for an id. */
struct recent_entry {
	struct dedup_recent *first, *more; /* its lines; first is NULL where there is no entry */
};

static __always_inline struct recent_entry recent_at(__u64 hash)
{
	__u32 lines = dedup_recent_lines(config.id_bytes);
	__u32 line = dedup_recent_slot(hash, config.recent) * lines;
	struct recent_entry e = { .first = bpf_map_lookup_elem(&recent, &line) };

	if (lines == 1 || !e.first)
		return e;
	line++;
	e.more = bpf_map_lookup_elem(&recent, &line);
	if (!e.more)
		e.first = NULL;
	return e;
}

/* Looks up this CPU's lookup's id, of config.id_bytes and zeros behind them, and learns it if it
 * is fresh and `teach` is set. 1 if it was known, or a copy on another CPU was faster; 0 if it was
 * not; -ENOSPC if it was not and there is no room for it now. A global function: verified once,
 * not once for each of an IHAVE's ids.
 */
__noinline int array_see(bool teach)
{
	/* Read before the filter is: if it forgets meanwhile, an entry is written that counts as
	 * too old, never one that outlives the id.
	 */
	__u64 recent_version = READ_ONCE(state.recent_version), hand = READ_ONCE(state.hand);
	__u32 words = dedup_id_words(config.id_bytes);
	struct lookup *lookup = cpu_lookup();
	struct recent_entry seen = { 0 };
	struct dedup_counters *cpu;
	struct dedup_positions *p;
	struct dedup_id *id;
	__u64 hash = 0, until;
	__s64 known;
	int won;

	/* Nobody calls this then. But kernels verify a global function also if nobody does, and
	 * count its stack: it ends here early.
	 */
	if (config.layout == DEDUP_BLOCKED || !lookup)
		return -ENOENT;
	id = &lookup->id;
	p = &lookup->positions;
	if (config.recent) {
		hash = dedup_hash_fast(id, words, configuration()->key);
		seen = recent_at(hash);
		if (seen.first && dedup_recent_holds(seen.first, seen.more, id, words, hash,
						     filter_era(hand), recent_version))
			return 1;
	}
	dedup_positions(p, id, configuration());
	known = known_until(hand, p);
	if (known < 0)
		return known;
	if (known) {
		if (seen.first)
			dedup_recent_put(seen.first, seen.more, id, words, hash, known,
					 recent_version);
		return 1;
	}
	if (!teach)
		return 0;
	cpu = cpu_counters();
	if (!cpu)
		return -ENOENT;
	won = take_credit(cpu);
	if (won)
		return won;
	won = learn(hand, p, &until);
	if (won < 0)
		return won;
	if (seen.first)
		dedup_recent_put(seen.first, seen.more, id, words, hash, until, recent_version);
	return !won;
}

#endif
