/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What differs by layout in user space: a table of functions in each of blocked.c, flat.c and
 * countdown.c. Code that plans, reads or describes a filter, or learns ids, calls these. The header
 * with a layout's name in include/ defines its memory.
 */
#pragma once

#include "block.h"
#include "config.h"
#include "fill.h"
#include "open_filter.h"
#include "positions.h"
#include "spec.h"

#define COUNTDOWN_BITS_DEFAULT 4
#define LAYOUT_FACTS_MAX 5
#define LAYOUT_TEXT_MAX 320

/* A parameter of a filter, as a JSON key and its value. */
struct layout_fact {
	const char *key;
	uint64_t value;
};

/* Where a memory may hold an id. */
struct id_lookup {
	uint64_t hand;			  /* dedup_state.hand, as last read for this lookup */
	struct dedup_probe probe;	  /* blocked */
	struct dedup_positions positions; /* flat, countdown */
};

struct layout {
	const char *name;
	const char *too_large; /* why "no filter is large enough": added to that; or NULL */

	/* Returns NULL if the layout can do what the spec requests; else a sentence for the user
	 * about options that do not go together.
	 */
	const char *(*refusal)(const struct filter_spec *spec);

	/* Fills in words, bits, m, k, blocks, places and segment_places of *c, so that the rate is
	 * at most `fpr` with `ids` ids learned in each turn of the hand. Takes m and k as the spec
	 * gives them, or as another system has them, whatever the rate then is. Returns 0;
	 * -EOVERFLOW if no filter is large enough; -EDOM if Colibri's k is above DEDUP_HASHES_MAX.
	 */
	int (*size)(const struct filter_spec *spec, double ids, double fpr, struct dedup_config *c);

	/* Returns a sentence for users who load this filter, or NULL. The function may be NULL. */
	const char *(*note)(const struct dedup_config *c);

	/* Returns the rate at which fresh ids are taken for known ones if `ids` ids are learned in
	 * each turn of the hand. Flat: the highest rate, just before an array is cleared.
	 */
	double (*rate)(const struct dedup_config *c, double ids);

	/* Returns how many ids arrive at most between two passes of a place. At most `ids` arrive
	 * in any interval of a window. A late step makes the turn longer by `longer` windows, in
	 * which they arrive evenly.
	 */
	double (*turn_ids)(const struct dedup_config *c, double ids, double longer);

	/* Computes the occupancy of the memory. hand: dedup_state.hand. */
	struct fill (*fill)(const struct dedup_config *c, const struct dedup_block *blocks,
			    uint64_t hand, struct sample sample);

	/* Returns how far the hand is in its turn, 0 to 1. now_ns is the kernel's clock. */
	double (*hand)(const struct dedup_config *c, struct dedup_state *st, uint64_t now_ns);

	/* For one id: find() fills in *p except `hand`; prefetch() fetches its memory; is_known()
	 * and learn() use the generations at p->hand. learn() returns 1 if this call made the id
	 * known, so that it was new; 0 if it was known, or another thread or packet was first.
	 */
	void (*find)(const struct dedup_config *c, const struct dedup_lookup_key *s,
		     struct id_lookup *p);
	void (*prefetch)(const struct filter *f, const struct id_lookup *p);
	bool (*is_known)(const struct filter *f, const struct id_lookup *p);
	int (*learn)(struct filter *f, const struct id_lookup *p);

	/* Makes the id known for a whole window again. Only for callers that have learned it, or
	 * have the message, as a copy that is being learned may then seem known. Only of countdown,
	 * else NULL.
	 */
	void (*renew)(struct filter *f, const struct id_lookup *p);

	/* Returns the number of the generation into which learn() puts the id: one more each time
	 * the hand has passed the id's place. Countdown: the number of countdowns. Modulo 2^32.
	 */
	uint32_t (*generation)(const struct dedup_config *c, const struct id_lookup *p);

	/* Removes an id; NULL if the layout cannot do that. */
	void (*remove)(struct filter *f, const struct id_lookup *p);

	/* Returns the bits of one generation; countdown: the cells. */
	uint64_t (*bits)(const struct dedup_config *c);

	/* Write the filter's parameters. facts(): for programs; returns how many, at most
	 * LAYOUT_FACTS_MAX. describe(): for people, on one line. explain(): on several lines, as
	 * "name  value". `text` has LAYOUT_TEXT_MAX bytes. Flat adds the textbook's size for the
	 * spec, which may be NULL for facts().
	 */
	int (*facts)(const struct filter_spec *spec, const struct dedup_config *c,
		     struct layout_fact *out);
	void (*describe)(const struct dedup_config *c, char *text);
	void (*explain)(const struct filter_spec *spec, const struct dedup_config *c, char *text);

	/* Both only of countdown, else NULL.
	 * approx_count() returns how many ids have been learned and not expired, never fewer than
	 * there are. It is exact if no id is removed or added again and there are at most 10
	 * countdown bits; with more bits it may be too high by the ids that arrive in 1/1024 of an
	 * id's life. credit: of filter_counters().
	 * histogram() sets cells[n] to the number of cells with n countdowns to go, 0 to c->places.
	 */
	uint64_t (*approx_count)(const struct dedup_config *c, struct dedup_state *st,
				 int64_t credit);
	void (*histogram)(const struct dedup_config *c, const struct dedup_block *blocks,
			  uint64_t hand, struct sample sample, uint64_t *cells);

	/* The current and the previous generation have bits of their own. False for countdown: ids
	 * of any age share one array.
	 */
	bool has_generations;

	/* Flat: the hand rests at place 0, and then passes all places without a pause. */
	bool rests;

	/* Flat: `status --json` also has the fill by Colibri's name, occupancy. */
	bool has_occupancy;

	/* Returns whether the layout's numbers, read from a snapshot, fit together, so that no
	 * place, block, bit or cell is beyond the last one. blocks, places and segment_places are
	 * not 0.
	 */
	bool (*is_sound)(const struct dedup_memory *m);

	/* Gives blocks that were copied with the hand at `now` the content that they had earlier,
	 * with the hand at `then` (snapshot.h). Only of countdown; else NULL, as it is not needed.
	 */
	void (*rewind)(const struct dedup_config *c, uint64_t then, uint64_t now,
		       struct dedup_block *blocks, size_t cnt);
};

/* For the tables of two layouts each: turn_ids() with generations; find() for ids with positions;
 * hand() as the part of the places that the hand has passed.
 */
double layout_turn_ids(const struct dedup_config *c, double ids, double longer);
void layout_find_positions(const struct dedup_config *c, const struct dedup_lookup_key *s,
			   struct id_lookup *p);
double layout_hand_passed(const struct dedup_config *c, struct dedup_state *st, uint64_t now_ns);

extern const struct layout LAYOUT_BLOCKED, LAYOUT_FLAT, LAYOUT_COUNTDOWN;

/* Returns the table of an enum dedup_layout; NULL for any other number. */
const struct layout *layout_of(uint32_t layout);

/* Returns the name of an enum dedup_hash_scheme; NULL for any other number. */
const char *hash_name(uint32_t hash);
