/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* From what was asked for to what the kernel gets: sizes, paces and limits. */
#ifndef XDP_DEDUP_PLAN_H
#define XDP_DEDUP_PLAN_H

#include "config.h"
#include "spec.h"

/* Fills in everything but the secret and `frags`, for a machine of `cpus` (possible)
 * CPUs whose clock ticks `hz` times a second. Pure. The layout does not refuse the spec.
 * -EOVERFLOW or -EDOM of the layout's size(), -ERANGE if the window is too short for the
 * hand to go round, or for arrays to be cleared meanwhile, -EOPNOTSUPP if FIPS' own size cannot
 * keep the rate for any capacity.
 */
int plan_config(const struct filter_spec *spec, unsigned int cpus, unsigned int hz,
		struct dedup_config *out);

/* plan_config for this machine, which says on stderr what is wrong, and what of the
 * options' promises the filter cannot keep.
 */
int plan_here(const struct filter_spec *spec, struct dedup_config *out);

/* The ids that may have come between two passes of a place at the very most, by which the
 * filter is sized for a rate of fpr: more than the capacity, by what the hand cannot react to in
 * time, and by those that are not learned because they seem to be known.
 */
double plan_ids(const struct dedup_config *cfg, unsigned int cpus, double fpr);

/* The ids that come between two passes of a place, at most, while at most `ids` come in any
 * interval of a window; by the layout.
 */
double plan_turn_ids(const struct dedup_config *cfg, double ids);

/* The p that holds under any load: the one that was asked for, or the one that follows
 * where m and k were given, or are another system's.
 */
double plan_fpr(const struct dedup_config *cfg);

/* Bytes that the filter takes in the kernel. */
uint64_t plan_bytes(const struct dedup_config *cfg);

#endif
