// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fips_rate.h"

#include <math.h>

#include "array_rate.h"

static double rate_of_bits(uint32_t set, uint32_t size_class, uint32_t hash_count)
{
	double m = FIPS_BITS(size_class);

	return array_rate_at(DEDUP_FIPS, m, hash_count, set / m);
}

double fips_fill(const struct fips_filter *f)
{
	return fips_set_bits(f) / (double)FIPS_BITS(f->size_class);
}

double fips_fpr(const struct fips_filter *f)
{
	return rate_of_bits(fips_set_bits(f), f->size_class, f->hash_count);
}

double fips_estimate(const struct fips_filter *f)
{
	return array_ids(FIPS_BITS(f->size_class), f->hash_count, fips_set_bits(f));
}

double fips_expected_fill(double n, uint32_t size_class, uint32_t hash_count)
{
	return -expm1(-n * hash_count / FIPS_BITS(size_class));
}

double fips_expected_fpr(double n, uint32_t size_class, uint32_t hash_count)
{
	return pow(fips_expected_fill(n, size_class, hash_count), hash_count);
}

double fips_best_hashes(double n, uint32_t size_class)
{
	return FIPS_BITS(size_class) / n * log(2);
}

double fips_items_at(double fpr, uint32_t size_class, uint32_t hash_count)
{
	double m = FIPS_BITS(size_class);

	return array_ids(m, hash_count, pow(fpr, 1.0 / hash_count) * m);
}

uint32_t fips_cap_bits(double fpr, uint32_t size_class, uint32_t hash_count)
{
	uint32_t low = 0, high = FIPS_BITS(size_class);

	/* By bisection, as the rate grows with the bits: a formula would have to be rounded. 0 bits
	 * are always few enough.
	 */
	while (low < high) {
		uint32_t mid = high - (high - low) / 2;

		if (rate_of_bits(mid, size_class, hash_count) <= fpr)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}
