/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Copies FIPS filters into and out of a live filter of layout flat, hash fips, whose m is a power
 * of 2, at least 64. A v1 filter is folded if m is smaller than its size, and repeated over the
 * array if m is larger: in both cases its items are found.
 */
#pragma once

#include "fips.h"
#include "open_filter.h"

/* Checks that the other functions can work on this live filter. Returns 0, or -EOPNOTSUPP. */
int fips_live_check(const struct filter *f);

/* ORs all bits of `from`, a filter of v1's size and of this k, into the current generation. They
 * count as learned ids, so that the filter keeps its rate p. The number of ids is the sum of
 * - the ids that would set the new bits in the array with its present occupancy, and
 * - the ids by which the array's room shrinks because the bits are not random: a peer may have
 *   chosen them, and in a larger m they are repeated (fips_excess).
 * If the hand passes during the call, the bits are counted and absorbed again, into the generation
 * that is current then. Returns 0; -EDOM if the rate of `from` is above fpr_max, or, folded, above
 * what one array may have; -ENOSPC if there is no room for that many ids. After an error nothing is
 * absorbed, unless the hand has passed before the error.
 */
int fips_live_absorb(struct filter *f, const struct fips_filter *from, double fpr_max);

/* Makes *out a filter of v1's size with the items of both generations, and with those of a
 * predecessor that is a FIPS filter of this k. Returns 0, or -errno.
 */
int fips_live_filter(const struct filter *f, struct fips_filter *out);
