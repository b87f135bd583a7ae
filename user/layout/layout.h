/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What differs by layout, in user space: a table of functions for each of blocked.c, flat.c and
 * countdown.c. Whoever plans, reads or describes a filter, or learns ids, goes through it. What a
 * layout is in memory is in the header of its name in include/.
 */
#ifndef XDP_DEDUP_LAYOUT_H
#define XDP_DEDUP_LAYOUT_H

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

/* Where an id is to be looked for. */
struct id_lookup {
	uint64_t hand;			  /* dedup_state.hand, as last read for this lookup */
	struct dedup_probe probe;	  /* blocked */
	struct dedup_positions positions; /* flat, countdown */
};

struct layout {
	const char *name;
	const char *too_large; /* added to "no filter is large enough": why; or NULL */

	/* NULL if the layout can do what the spec asks for; else a sentence for the user that says
	 * which options do not go together.
	 */
	const char *(*refusal)(const struct filter_spec *spec);

	/* Fills in words, bits, m, k, blocks, places and segment_places of *c, so that the rate is
	 * at most `fpr` with `ids` ids learned in each turn of the hand. m and k that the spec
	 * gives, or that are another system's, are taken as they are, whatever the rate then is. 0;
	 * -EOVERFLOW if no filter is large enough, -EDOM if Colibri's k is above DEDUP_HASHES_MAX.
	 */
	int (*size)(const struct filter_spec *spec, double ids, double fpr, struct dedup_config *c);

	/* A sentence for users who load a filter of this layout; NULL if there is none. The
	 * function may be NULL.
	 */
	const char *(*note)(const struct dedup_config *c);

	/* The rate at which fresh ids are taken for known ones if `ids` ids are learned in each
	 * turn of the hand; of flat the highest one, just before an array is cleared.
	 */
	double (*rate)(const struct dedup_config *c, double ids);

	/* How many ids come, at most, between two passes of a place, if at most `ids` come in any
	 * interval of a window, and evenly in what a late step makes a turn longer than a window:
	 * by `longer` windows.
	 */
	double (*turn_ids)(const struct dedup_config *c, double ids, double longer);

	/* What the memory says about the ids in it; `hand` is dedup_state.hand. */
	struct fill (*fill)(const struct dedup_config *c, const struct dedup_block *blocks,
			    uint64_t hand, struct sample sample);

	/* How far the hand is in its turn, 0 to 1. now_ns is the kernel's clock. */
	double (*hand)(const struct dedup_config *c, struct dedup_state *st, uint64_t now_ns);

	/* One id. find() fills in all of *p but `hand`; prefetch() fetches its memory; is_known()
	 * and learn() take it as of p->hand. learn(): 1 if this call made the id known, so it was
	 * new; 0 if it was known, or another thread or packet was first.
	 */
	void (*find)(const struct dedup_config *c, const struct dedup_lookup_key *s,
		     struct id_lookup *p);
	void (*prefetch)(const struct filter *f, const struct id_lookup *p);
	bool (*is_known)(const struct filter *f, const struct id_lookup *p);
	int (*learn)(struct filter *f, const struct id_lookup *p);

	/* Makes the id known for a whole window again. Only for who has learned it, or has the
	 * message: a copy that is being learned may be taken for known then. Only of countdown,
	 * else NULL.
	 */
	void (*renew)(struct filter *f, const struct id_lookup *p);

	/* The number of the generation that learn() puts the id into: one higher each time the hand
	 * has passed the id's place. Countdown: the number of countdowns so far. Modulo 2^32.
	 */
	uint32_t (*generation)(const struct dedup_config *c, const struct id_lookup *p);

	/* Takes an id out; NULL if the layout cannot do that. */
	void (*remove)(struct filter *f, const struct id_lookup *p);

	/* Bits of one generation; countdown: cells. */
	uint64_t (*bits)(const struct dedup_config *c);

	/* The filter's parameters: for programs, of which it returns the number, at most
	 * LAYOUT_FACTS_MAX; for people on one line; and on several lines, "name  value". `text` has
	 * LAYOUT_TEXT_MAX bytes. With a spec flat also says what the textbook would have taken for
	 * it; facts() may be called without, with NULL.
	 */
	int (*facts)(const struct filter_spec *spec, const struct dedup_config *c,
		     struct layout_fact *out);
	void (*describe)(const struct dedup_config *c, char *text);
	void (*explain)(const struct filter_spec *spec, const struct dedup_config *c, char *text);

	/* Both only of countdown, else NULL.
	 * approx_count: how many ids have been learned and not expired; never fewer than there are.
	 * Exact if none is removed or added again and there are at most 10 countdown bits; with
	 * more bits it may be too high by the ids that came in 1/1024 of an id's life. credit is of
	 * filter_counters().
	 * histogram: cells[n] becomes the number of cells with n countdowns to go, 0 to c->places.
	 */
	uint64_t (*approx_count)(const struct dedup_config *c, struct dedup_state *st,
				 int64_t credit);
	void (*histogram)(const struct dedup_config *c, const struct dedup_block *blocks,
			  uint64_t hand, struct sample sample, uint64_t *cells);

	/* true: the current and the previous generation have bits of their own. false (countdown):
	 * ids of any age share one array.
	 */
	bool has_generations;

	/* true (flat): the hand rests at place 0, and then passes all places without a pause. */
	bool rests;

	/* true (flat): `status --json` also has the fill as Colibri calls it, the occupancy. */
	bool has_occupancy;

	/* Of a configuration that was read: do the layout's numbers go together, so that no place,
	 * block, bit or cell is beyond the last one? blocks, places and segment_places are not 0.
	 */
	bool (*is_sound)(const struct dedup_memory *m);

	/* Gives blocks that were copied with the hand at `now` the content that they had with the
	 * hand at `then`, before (snapshot.h). Only of countdown, else NULL: there they have it.
	 */
	void (*rewind)(const struct dedup_config *c, uint64_t then, uint64_t now,
		       struct dedup_block *blocks, size_t cnt);
};

/* In the tables of two layouts each: turn_ids() of generations; find() where an id has positions;
 * hand() as the part of the places that the hand has passed.
 */
double layout_turn_ids(const struct dedup_config *c, double ids, double longer);
void layout_find_positions(const struct dedup_config *c, const struct dedup_lookup_key *s,
			   struct id_lookup *p);
double layout_hand_passed(const struct dedup_config *c, struct dedup_state *st, uint64_t now_ns);

extern const struct layout LAYOUT_BLOCKED, LAYOUT_FLAT, LAYOUT_COUNTDOWN;

/* The table of an enum dedup_layout; NULL for any other number. */
const struct layout *layout_of(uint32_t layout);

/* The name of an enum dedup_hash_scheme; or NULL. */
const char *hash_name(uint32_t hash);

#endif
