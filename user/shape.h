/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which layout, hash scheme, m and k a filter gets: what the user said, and for the rest
 * what keeps the promised rate. Pure arithmetic.
 */
#ifndef XDP_DEDUP_SHAPE_H
#define XDP_DEDUP_SHAPE_H

#include <stdbool.h>

#include "config.h"
#include "spec.h"

#define COUNTDOWN_BITS_DEFAULT 4

/* Why these options do not go together, as a sentence for the user; NULL if they do. */
const char *shape_refusal(const struct filter_spec *spec);

/* Fills in layout, hash, words, bits, m, k, blocks and places, so that the rate is at
 * most `fpr` while the memory holds what turns of `ids` ids have left there. What options
 * or another system's rules fix stays so, and the rate with it (shape_rate).
 * -EOVERFLOW if no filter is large enough, -EDOM if Colibri's k is above DEDUP_HASHES_MAX.
 */
int shape_pick(const struct filter_spec *spec, double ids, double fpr, struct dedup_config *c);

/* The rate at which fresh ids are taken for known ones when each turn of the hand teaches
 * `ids` ids: for flat at its worst, just before an array is cleared.
 */
double shape_rate(const struct dedup_config *c, double ids);

/* Is m that of FIPS v1, which nobody asked for in so many words? */
bool shape_is_fips_own(const struct filter_spec *spec);

/* How many countdowns an id lives for. */
uint32_t shape_countdowns(const struct filter_spec *spec);

const char *shape_layout_name(uint32_t layout);
const char *shape_hash_name(uint32_t hash);

/* From a name to an enum; -1 if there is none such. */
int shape_layout(const char *name);
int shape_hash(const char *name);

#endif
