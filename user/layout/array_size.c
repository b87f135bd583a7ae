// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "array_size.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "array_rate.h"
#include "positions.h"
#include "spec.h"

void textbook_size(double n, double p, uint64_t *m, uint32_t *k)
{
	double bits = ceil(-n * log(p) / (M_LN2 * M_LN2));

	*m = bits;
	*k = floor(bits / n * M_LN2 + 0.5);
}

static bool keeps(const struct array_goal *w, uint32_t m, uint32_t k)
{
	return array_rate_of(w->arrays, w->hash, m, k, w->n) <= w->p;
}

/* Returns the smallest m that keeps the rate with k probes; INFINITY if UINT32_MAX does not. */
static double least_m(const struct array_goal *w, uint32_t k)
{
	uint64_t lo = 1, hi = UINT32_MAX;

	if (!keeps(w, hi, k))
		return INFINITY;
	while (lo < hi) {
		uint64_t mid = (lo + hi) / 2;

		if (keeps(w, mid, k))
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

int array_pick(const struct array_goal *w, uint32_t *m, uint32_t *k)
{
	double bits[DEDUP_HASHES_MAX + 1], best = INFINITY; /* bits[k]: the smallest m with k */
	uint32_t pick = *k;

	if (pick) {
		bits[pick] = least_m(w, pick);
	} else {
		for (uint32_t i = 1; i <= DEDUP_HASHES_MAX; i++) {
			bits[i] = least_m(w, i);
			if (bits[i] < best)
				best = bits[i];
		}
		for (pick = 1; pick < DEDUP_HASHES_MAX && bits[pick] > best * SIZE_PROBES_WORTH;)
			pick++;
	}
	if (!(bits[pick] <= UINT32_MAX))
		return -EOVERFLOW;
	*m = bits[pick];
	*k = pick;
	return 0;
}

int array_pick_power(const struct array_goal *w, uint32_t k_bits, uint32_t *index_bits, uint32_t *k)
{
	uint32_t lo = *index_bits ? *index_bits : 1,
		 hi = *index_bits ? *index_bits : SPEC_INDEX_BITS_MAX;

	for (uint32_t b = lo; b <= hi; b++) {
		uint32_t k_lo = *k ? *k : 1, k_hi = *k ? *k : DEDUP_HASHES_MAX;

		for (uint32_t i = k_lo; i <= k_hi && i * b <= k_bits; i++) {
			if (!keeps(w, 1U << b, i))
				continue;
			*index_bits = b;
			*k = i;
			return 0;
		}
	}
	return -EOVERFLOW;
}

uint32_t array_probes(int arrays, enum dedup_hash_scheme hash, uint32_t index_bits, double p)
{
	uint32_t k_max = DEDUP_HASHES_MAX;
	double k = floor(log2(arrays / p) + 0.5);

	if (hash == DEDUP_TEZOS && TEZOS_BITS / index_bits < k_max)
		k_max = TEZOS_BITS / index_bits;
	return k < 1 ? 1 : k > k_max ? k_max : k;
}

uint32_t array_index_bits(uint64_t m)
{
	for (uint32_t b = 1; b <= SPEC_INDEX_BITS_MAX; b++)
		if (m == 1ULL << b)
			return b;
	return 0;
}

const char *array_refuse_tezos(uint32_t index_bits, uint32_t probes)
{
	if ((uint64_t)index_bits * probes <= TEZOS_BITS)
		return NULL;
	return "SHA-256 has 256 bits: with --hash tezos so many --hashes times the bits of an index (--index-bits, or log2 of --bits) must not be more";
}

bool array_is_sound(const struct dedup_memory *m)
{
	uint32_t index_bits = array_index_bits(m->m);

	return m->m && m->k && m->k <= DEDUP_HASHES_MAX &&
	       (m->hash != DEDUP_TEZOS || (index_bits && !array_refuse_tezos(index_bits, m->k)));
}
