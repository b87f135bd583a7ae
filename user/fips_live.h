/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* FIPS filters to and from a live filter of layout flat, hash fips: whatever of the two is
 * smaller, m being a power of 2 from 64 on, an item keeps its bits.
 */
#ifndef XDP_DEDUP_FIPS_LIVE_H
#define XDP_DEDUP_FIPS_LIVE_H

#include "filter.h"
#include "fips.h"

/* -EOPNOTSUPP if the live filter is no such one. */
int fips_live_check(const struct filter *f);

/* ORs all that `from` holds into the present generation; it counts as so many ids learned.
 * -EINVAL if k differs, -ENOSPC if there is no room for so many.
 */
int fips_absorb(struct filter *f, const struct fips_filter *from, uint64_t ids);

/* What both generations hold, as a filter of v1's size. */
int fips_image(const struct filter *f, struct fips_filter *out);

#endif
