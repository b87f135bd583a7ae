/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Looking up and learning an id in the layouts `flat` and `countdown`, where it has k positions
 * anywhere in the filter's memory. Some schemes take long to compute these; they look into the
 * cache of known ids first (known_ids.h).
 */
#pragma once

#include <linux/errno.h>

#include "countdown.h"
#include "credit.bpf.h"
#include "flat.h"
#include "maps.bpf.h"

/* Are ids in arrays, and not in blocks, as in layout `blocked`? */
static __always_inline bool in_arrays(const volatile struct dedup_config *cfg)
{
	return cfg->memory.layout != DEDUP_BLOCKED;
}

/* The id that is looked up, and its positions. */
struct lookup {
	struct dedup_id id; /* with zeros behind its bytes */
	__u64 realm_key;    /* this and `bytes` in filters with streams only */
	__u32 bytes;	    /* of the id */
	__u32 teach;	    /* 1: to be learned if it is fresh; or TEACH_FOUND */
	struct dedup_positions positions;
};

/* A value of `teach`: to be learned; array_see() has just found it fresh, and set its positions. */
#define TEACH_FOUND 2

DEDUP_SCRATCH(lookups, struct lookup, cpu_lookup)

/* Both are constants to the verifier in a filter of GSP/1 alone. So is the first for schemes that
 * hash bytes: the ids of all streams have as many, and it would not follow SHA-256 of any length.
 */
static __always_inline __u32 lookup_bytes(const struct lookup *l)
{
	if (config.memory.hash >= DEDUP_COLIBRI || dedup_is_gsp(configuration())) {
		DEDUP_KEEP_BRANCH();
		return config.policy.id_bytes;
	}
	return l->bytes;
}

static __always_inline __u64 lookup_realm_key(const struct lookup *l)
{
	return dedup_is_gsp(configuration()) ? 0 : l->realm_key;
}

/* The era: a number that grows whenever the hand makes the filter forget ids. (For ids that user
 * space takes out, state.known_version grows.)
 */
static __always_inline __u64 filter_era(const volatile struct dedup_config *cfg, __u64 hand)
{
	if (cfg->memory.layout == DEDUP_FLAT)
		return dedup_flat_era(hand);
	return dedup_countdown_era(hand, cfg->memory.places);
}

/* The era in which the id with these positions is forgotten; 0 if it is not known; or a negative
 * errno. Of `blocks`, NULL or PREDECESSOR, and their configuration.
 */
static __always_inline __s64 known_until(struct dedup_block *blocks,
					 const volatile struct dedup_config *cfg, __u64 hand,
					 const struct dedup_positions *p)
{
	int left;

	if (cfg->memory.layout == DEDUP_FLAT)
		return dedup_flat_known_until(blocks, cfg->memory.places, hand, p, cfg->memory.k);
	left = dedup_countdown_left(blocks, dedup_countdowns(hand, cfg->memory.places),
				    cfg->memory.places, p, cfg->memory.k);
	return left <= 0 ? left : (__s64)(filter_era(cfg, hand) + left);
}

/* Returns as dedup_flat_learn() does. *until is the era in which the id is then forgotten. */
static __always_inline int learn(struct dedup_block *blocks, const volatile struct dedup_config *cfg,
				 const struct dedup_claims *claims, const struct dedup_positions *p,
				 __u64 *until)
{
	if (cfg->memory.layout == DEDUP_FLAT) {
		*until = dedup_flat_learned_until(claims->hand);
		return dedup_flat_learn(blocks, cfg->memory.places, claims, p, cfg->memory.k);
	}
	*until = filter_era(cfg, claims->hand) + cfg->memory.places;
	return dedup_countdown_learn(blocks, cfg->memory.places, claims, p, cfg->memory.k, false);
}

/* Does learn(); and again if the hand has meanwhile made the other array the current one. A copy on
 * another CPU may have been learned there: the copy that wins in that array is new. After two turns
 * the current array is the same one again, and has this CPU's own bits. (In countdown there is one
 * array for all, and the winner there stays the winner.)
 */
static __always_inline int learn_in_time(__u64 hand, const struct dedup_positions *p, __u64 *until)
{
	int learned = 0;

	for (int i = 0; i < 2; i++) {
		const struct dedup_claims claims = { state.ties, hand };

		learned = learn(NULL, &config, &claims, p, until);
		hand = READ_ONCE(state.hand);
		if (config.memory.layout != DEDUP_FLAT || learned <= 0 ||
		    dedup_flat_current(hand) == dedup_flat_current(claims.hand))
			break;
	}
	return learned;
}

/* The entry in which an id with this hash may be. */
static __always_inline struct dedup_known_entry known_at(__u64 hash)
{
	__u32 lines = dedup_known_lines(config.policy.id_bytes);
	__u32 line = dedup_known_slot(hash, config.memory.known_cnt) * lines;
	struct dedup_known_entry e = { .first = bpf_map_lookup_elem(&known_ids, &line) };

	if (lines == 1 || !e.first)
		return e;
	line++;
	e.more = bpf_map_lookup_elem(&known_ids, &line);
	if (!e.more)
		e.first = NULL;
	return e;
}

/* In layout `blocked` nothing calls array_see(). But kernels verify a global function also if nothing
 * does, and count its stack: so it has no argument to save, and ends before it saves anything else.
 */
static __always_inline bool has_arrays(void)
{
	bool arrays = in_arrays(&config);

	DEDUP_KEEP_BRANCH();
	return arrays;
}

/* Looks up the id in cpu_lookup(); with its `teach`, learns the id if it is fresh. Returns 1 if it
 * was known, or a copy on another CPU was faster; 0 if it was fresh, and, with `teach`, is
 * learned; -ENOSPC if it was fresh and nothing may be learned at present; -ENOENT, which does not
 * happen, if a map lacks an element. A global function: verified once, not again for each of an
 * IHAVE's ids.
 */
__noinline int array_see(void)
{
	__u64 known_version, hand, learned_until;
	struct dedup_known_entry entry = { 0 };
	struct dedup_known_id of = { 0 };
	struct dedup_counters *cpu;
	struct dedup_positions *p;
	struct lookup *lookup;
	struct dedup_id *id;
	int err, learned;
	__s64 until;

	if (!has_arrays())
		return -ENOENT;
	lookup = cpu_lookup();
	if (!lookup)
		return -ENOENT;
	/* Both are read before the filter is. If the filter forgets ids meanwhile, the entry that is
	 * written below is void a little early; it is never valid for longer than the id is known.
	 */
	known_version = READ_ONCE(state.known_version);
	hand = READ_ONCE(state.hand);
	id = &lookup->id;
	p = &lookup->positions;
	of.id = id;
	of.words = dedup_id_words(lookup_bytes(lookup));
	if (config.memory.known_cnt) {
		of.hash = dedup_hash_fast(id, of.words, configuration()->secrets.key,
					  lookup_realm_key(lookup));
		entry = known_at(of.hash);
		if (entry.first &&
		    dedup_known_holds(entry, of, filter_era(&config, hand), known_version))
			return 1;
	}
	if (lookup->teach != TEACH_FOUND)
		dedup_positions(p, id, lookup_bytes(lookup), configuration(),
				lookup_realm_key(lookup));
	until = known_until(NULL, &config, hand, p);
	if (until < 0)
		return until;
	if (until) {
		if (entry.first)
			dedup_known_put(entry, of, until, known_version);
		return 1;
	}
	if (!lookup->teach)
		return 0;
	cpu = cpu_counters(0);
	if (!cpu)
		return -ENOENT;
	err = take_credit(cpu);
	if (err)
		return err;
	learned = learn_in_time(hand, p, &learned_until);
	if (learned < 0)
		return learned;
	if (entry.first && learned) /* else the faster copy knows until when */
		dedup_known_put(entry, of, learned_until, known_version);
	return !learned;
}
