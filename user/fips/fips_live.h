/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FIPS filters to and from a live filter of layout flat, hash fips: whatever of the two is
 * smaller, m being a power of 2 from 64 on, an item keeps its bits.
 */
#ifndef XDP_DEDUP_FIPS_LIVE_H
#define XDP_DEDUP_FIPS_LIVE_H

#include "pins.h"
#include "fips.h"

/* -EOPNOTSUPP if the live filter is no such one. */
int fips_live_check(const struct filter *f);

/* ORs all that `from`, of v1 and of the same k, holds into the present generation: folded into a
 * smaller m, repeated over a larger one. It is paid for as ids learned, so that p holds:
 * - as many ids as set so many bits as are new, the array being as full as it is;
 * - by how much fewer ids keep the array's rate for these very bits are not random ones: in a
 *   larger m they are repeated, and a peer may have chosen them (fips_excess).
 * -EDOM if the rate of `from` is above fpr_max, or folded above what one array may have,
 * -ENOSPC if there is no room: nothing is absorbed then, but for the hand's passing meanwhile,
 * when it is paid for and absorbed again.
 */
int fips_live_absorb(struct filter *f, const struct fips_filter *from, double fpr_max);

/* What both generations hold, as a filter of v1's size. */
int fips_live_image(const struct filter *f, struct fips_filter *out);

#endif
