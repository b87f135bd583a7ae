/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What differs by layout, in user space: blocked.c, flat.c and countdown.c have a table each, and
 * whoever plans, fills, reads or describes a filter goes through it. What a layout is in memory
 * stands in the header of its name in include/.
 */
#ifndef XDP_DEDUP_LAYOUT_H
#define XDP_DEDUP_LAYOUT_H

#include "block.h"
#include "config.h"
#include "fill.h"
#include "pins.h"
#include "positions.h"
#include "spec.h"

#define COUNTDOWN_BITS_DEFAULT 4
#define LAYOUT_FACTS_MAX 5
#define LAYOUT_TEXT_MAX 320

/* A parameter of a filter as programs read it. */
struct layout_fact {
	const char *key;
	uint64_t value;
};

/* Where an id is, by layout. */
struct id_lookup {
	uint64_t hand;			  /* of struct dedup_state, when it was looked up last */
	struct dedup_probe probe;	  /* blocked */
	struct dedup_positions positions; /* flat, countdown */
};

struct layout {
	const char *name;
	const char *too_large; /* why there may be no filter large enough; "" if just for its size */

	/* Why these parts of a spec do not go with this layout, as a sentence for the user; NULL
	 * if they do.
	 */
	const char *(*refusal)(const struct filter_spec *spec);

	/* Fills in words, bits, m, k, blocks, places and segment_places, so that the rate is at
	 * most `fpr` while the memory holds what turns of `ids` ids have left there. What the spec
	 * or another system's rules fix stays so, and the rate with it. -EOVERFLOW if no filter is
	 * large enough, -EDOM if Colibri's k is above DEDUP_HASHES_MAX.
	 */
	int (*size)(const struct filter_spec *spec, double ids, double fpr, struct dedup_config *c);

	/* What else whoever loads it should know, as a sentence; NULL if nothing. May be NULL. */
	const char *(*note)(const struct dedup_config *c);

	/* The rate at which fresh ids are taken for known ones when each turn of the hand teaches
	 * `ids` ids: for flat at its worst, just before an array is cleared.
	 */
	double (*rate)(const struct dedup_config *c, double ids);

	/* The ids that come between two passes of a place while at most `ids` come in any interval
	 * of a window, of which turns slack_ns longer are allowed for already, and clearing an
	 * array takes clear_ns.
	 */
	double (*turn_ids)(const struct dedup_config *c, double ids, double slack_ns,
			   double clear_ns);

	/* What the memory says; hand as in struct dedup_state. */
	struct fill (*fill)(const struct dedup_config *c, const struct dedup_block *blocks,
			    uint64_t hand, struct sample sample);

	/* The part of its turn that the hand has done. */
	double (*hand)(const struct dedup_config *c, struct dedup_state *st, uint64_t now_ns);

	/* Ids: where one is; is it there? learn it: 1 if this did it, else 0. */
	void (*find)(const struct dedup_config *c, const struct dedup_id *id, struct id_lookup *p);
	void (*prefetch)(const struct filter *f, const struct id_lookup *p);
	bool (*is_known)(const struct filter *f, const struct id_lookup *p);
	int (*learn)(struct filter *f, const struct id_lookup *p);

	/* The generation that learn() puts an id into; the hand makes it one more each time it
	 * passes; countdown: the number of countdowns.
	 */
	uint32_t (*generation)(const struct dedup_config *c, const struct id_lookup *p);

	/* Takes an id out; NULL where that is impossible. */
	void (*remove)(struct filter *f, const struct id_lookup *p);

	/* Of one generation. */
	uint64_t (*bits)(const struct dedup_config *c);

	/* Its parameters: for programs, at most LAYOUT_FACTS_MAX, which it counts; on one line;
	 * and in several lines of a word and what it is. The last two need LAYOUT_TEXT_MAX bytes.
	 * With a spec (facts: may be NULL) also what the textbook would have taken for it.
	 */
	int (*facts)(const struct filter_spec *spec, const struct dedup_config *c,
		     struct layout_fact *out);
	void (*describe)(const struct dedup_config *c, char *text);
	void (*explain)(const struct filter_spec *spec, const struct dedup_config *c, char *text);

	/* Where ids are counted down, else NULL. approx_count: the ids that were learned and have
	 * not expired, never fewer. Exact while none is removed or added again, and with at most 10
	 * countdown bits; beyond, the ids of 1/1024 of their life are too many. credit: of
	 * filter_counters(). histogram: how many cells have 0, 1, ... c->places countdowns to go.
	 */
	uint64_t (*approx_count)(const struct dedup_config *c, struct dedup_state *st,
				 int64_t credit);
	void (*histogram)(const struct dedup_config *c, const struct dedup_block *blocks,
			  uint64_t hand, struct sample sample, uint64_t *cells);

	/* Do generations lie apart, a present and a previous one? Else (countdown) all ids share
	 * one array.
	 */
	bool has_generations;
};

extern const struct layout LAYOUT_BLOCKED, LAYOUT_FLAT, LAYOUT_COUNTDOWN;

/* Of an enum dedup_layout; NULL if it is none. */
const struct layout *layout_of(uint32_t layout);

/* From a name to an enum dedup_layout; -1 if there is none such. */
int layout_find(const char *name);

/* The same of hash schemes: enum dedup_hash_scheme. */
const char *hash_name(uint32_t hash);
int hash_find(const char *name);

#endif
