// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "flat_size.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "positions.h"
#include "size.h"

#define INDEX_BITS_MAX 24
#define FEW_THROWS 256

int textbook_size(double n, double p, uint32_t *m, uint32_t *k)
{
	double bits = ceil(-n * log(p) / (M_LN2 * M_LN2));

	if (!(bits <= UINT32_MAX))
		return -EOVERFLOW;
	*m = bits;
	*k = floor(bits / n * M_LN2 + 0.5);
	return 0;
}

/* Exactly, for few throws: after each, so many cells are set with such a chance. */
static double few_rate(uint32_t m, uint32_t k, uint32_t throws)
{
	double set[FEW_THROWS + 1] = { 1 }, rate = 0;

	for (uint32_t t = 0; t < throws; t++) {
		for (uint32_t c = t + 1; c > 0; c--)
			set[c] = c > m ? 0 : set[c] * c / m + set[c - 1] * (m - c + 1) / m;
		set[0] = 0;
	}
	for (uint32_t c = 1; c <= throws; c++)
		rate += set[c] * pow((double)c / m, k);
	return rate;
}

double flat_rate(uint32_t m, uint32_t k, double n)
{
	double load = k * n / m;
	double clear = exp(k * n * log1p(-1.0 / m));
	double variance = clear * (1 - (1 + load) * clear) / m;
	double rate = pow(1 - clear, k);

	if (m == 1)
		return n > 0;
	if (k * ceil(n) <= FEW_THROWS)
		return few_rate(m, k, k * ceil(n));
	if (k > 1 && clear < 1 && variance > 0)
		rate += k * (k - 1.0) / 2 * pow(1 - clear, k - 2.0) * variance;
	return rate < 1 ? rate : 1;
}

double flat_rate_of(int arrays, uint32_t m, uint32_t k, double n)
{
	double rate = flat_rate(m, k, n);

	return arrays == 2 ? rate + rate - rate * rate : rate;
}

/* The smallest m for k probes, or above UINT32_MAX. */
static double bits_for(int arrays, double n, double p, uint32_t k)
{
	uint64_t lo = 1, hi = UINT32_MAX;

	if (flat_rate_of(arrays, hi, k, n) > p)
		return INFINITY;
	while (lo < hi) {
		uint64_t mid = (lo + hi) / 2;

		if (flat_rate_of(arrays, mid, k, n) <= p)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

int flat_pick(int arrays, double n, double p, uint32_t *m, uint32_t *k)
{
	double bits[DEDUP_HASHES_MAX + 1], best = INFINITY;
	uint32_t pick = *k;

	if (pick) {
		bits[pick] = bits_for(arrays, n, p, pick);
	} else {
		for (uint32_t i = 1; i <= DEDUP_HASHES_MAX; i++) {
			bits[i] = bits_for(arrays, n, p, i);
			if (bits[i] < best)
				best = bits[i];
		}
		for (pick = 1; pick < DEDUP_HASHES_MAX && bits[pick] > best * SIZE_WORDS_WORTH;)
			pick++;
	}
	if (!(bits[pick] <= UINT32_MAX))
		return -EOVERFLOW;
	*m = bits[pick];
	*k = pick;
	return 0;
}

int flat_pick_power(int arrays, double n, double p, uint32_t k_bits, uint32_t *index_bits,
		    uint32_t *k)
{
	uint32_t lo = *index_bits ? *index_bits : 1, hi = *index_bits ? *index_bits : INDEX_BITS_MAX;

	for (uint32_t b = lo; b <= hi; b++) {
		uint32_t k_lo = *k ? *k : 1, k_hi = *k ? *k : DEDUP_HASHES_MAX;

		for (uint32_t i = k_lo; i <= k_hi && i * b <= k_bits; i++) {
			if (flat_rate_of(arrays, 1U << b, i, n) > p)
				continue;
			*index_bits = b;
			*k = i;
			return 0;
		}
	}
	return -EOVERFLOW;
}
