/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The limit on a FIPS filter's occupancy; in floating point, unlike fips.h. */
#pragma once

#include "fips.h"

/* Returns the largest number of set bits, of m = FIPS_BITS(size_class), with which a filter's rate
 * (array_rate_at()) is at most fpr. m if fpr is 1 or more; 0 if it is 0 or less, or NAN.
 */
uint32_t fips_cap_bits(double fpr, uint32_t size_class, uint32_t hash_count);
