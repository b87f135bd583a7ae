// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fips_rate.h"

#include "array_rate.h"

uint32_t fips_cap_bits(double fpr, uint32_t size_class, uint32_t hash_count)
{
	uint32_t m = FIPS_BITS(size_class), low = 0, high = m;

	/* Bisects, as the rate grows with the bits; a formula would need rounding. */
	while (low < high) {
		uint32_t mid = high - (high - low) / 2;

		if (array_rate_at(DEDUP_FIPS, m, hash_count, (double)mid / m) <= fpr)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}
