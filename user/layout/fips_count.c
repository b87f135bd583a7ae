// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fips_count.h"

#include <math.h>
#include <string.h>

#include "array_rate.h"
#include "bits.h"
#include "positions.h"

#define COUNT_WORDS (FIPS_COUNT_BITS / DEDUP_WORD_BITS)

/* Copies of an array, shifted down by 0 to 7 bits, so that the bits from any position on can be
 * loaded as bytes of one copy. Each repeats the array once, so that no position wraps.
 */
struct shifted {
	uint64_t by[8][2 * COUNT_WORDS];
};

static void shift(const __u64 *bits, uint32_t words, struct shifted *out)
{
	for (uint32_t by = 0; by < 8; by++)
		for (uint32_t i = 0; i < 2 * words; i++) {
			uint64_t word = READ_ONCE(bits[i % words]);
			uint64_t next = READ_ONCE(bits[(i + 1) % words]);

			out->by[by][i] = by ? word >> by | next << (DEDUP_WORD_BITS - by) : word;
		}
}

/* 128 starts at a time, as every CPU has registers of so many bits. */
typedef uint64_t starts __attribute__((vector_size(16)));

#define STARTS (8 * sizeof(starts))
#define SUMS_MAX 31 /* sums of up to 8 that fit into a byte */

static starts load_starts(const uint8_t *bytes)
{
	starts s;

	memcpy(&s, bytes, sizeof(s));
	return s;
}

/* Counts the set bits of each byte, in that byte. Has no branch, so that no peer's bits can make it
 * slow.
 */
static starts count_in_bytes(starts s)
{
	s -= s >> 1 & 0x5555555555555555;
	s = (s & 0x3333333333333333) + (s >> 2 & 0x3333333333333333);
	return (s + (s >> 4)) & 0x0f0f0f0f0f0f0f0f;
}

static uint32_t sum_of_bytes(starts s)
{
	s = (s & 0x00ff00ff00ff00ff) + (s >> 8 & 0x00ff00ff00ff00ff);
	return (s[0] + s[1]) * 0x0001000100010001 >> 48;
}

/* Returns for how many of the m starts all k bits are set with this step. */
static uint32_t count_starts(const struct shifted *s, uint32_t step, uint32_t m, uint32_t k)
{
	const uint8_t *from[DEDUP_HASHES_MAX] = { (const uint8_t *)s->by[0] };
	uint32_t cnt = 0, at = 0, sums = 0;
	starts sum = { 0 };

	for (uint32_t i = 1; i < k; i++) {
		at = (at + step) % m;
		from[i] = (const uint8_t *)s->by[at % 8] + at / 8;
	}
	for (uint32_t byte = 0; byte < m / 8; byte += sizeof(starts)) {
		starts all = load_starts(from[0] + byte);

		for (uint32_t i = 1; i < k; i++)
			all &= load_starts(from[i] + byte);
		sum += count_in_bytes(all);
		if (++sums == SUMS_MAX) {
			cnt += sum_of_bytes(sum);
			sum = (starts){ 0 };
			sums = 0;
		}
	}
	return cnt + sum_of_bytes(sum);
}

double fips_counted_rate(const __u64 *bits, uint32_t m, uint32_t k)
{
	const __u64 twice[] = { READ_ONCE(bits[0]), READ_ONCE(bits[0]) };
	struct shifted s;
	uint64_t found = 0;

	/* A repeated array has the rate of the array. */
	if (m < STARTS)
		return fips_counted_rate(twice, STARTS, k);
	shift(bits, m / DEDUP_WORD_BITS, &s);
	/* A step and its negative visit one set of bits, from either end, so one counts for both.
	 * Steps 0 and m / 2 are their own negatives.
	 */
	for (uint32_t step = 0; step <= m / 2; step++)
		found += (step % (m / 2) ? 2ULL : 1ULL) * count_starts(&s, step, m, k);
	return (double)found / m / m;
}

/* Splits the array into parts of v1's size, and writes the bits that all parts have in common, or
 * `more` has. An array that is no larger is one part.
 */
static void fold_to_v1(const __u64 *array, uint32_t m, const __u64 *more, __u64 out[COUNT_WORDS])
{
	uint32_t words = (m < FIPS_COUNT_BITS ? m : FIPS_COUNT_BITS) / DEDUP_WORD_BITS;

	for (uint32_t i = 0; i < words; i++) {
		out[i] = ~0ULL;
		for (uint32_t at = i; at < m / DEDUP_WORD_BITS; at += words)
			out[i] &= READ_ONCE(array[at]);
		out[i] |= more ? more[i] : 0;
	}
}

double fips_excess(const __u64 *array, uint32_t m, uint32_t k, const __u64 *more)
{
	__u64 common[COUNT_WORDS] = { 0 };
	uint32_t small = m < FIPS_COUNT_BITS ? m : FIPS_COUNT_BITS;
	double fill, excess;

	fold_to_v1(array, m, more, common);
	fill = (double)dedup_bits_count(common, small) / small;
	if (!fill)
		return 0;
	excess = fips_counted_rate(common, small, k);
	/* Subtracts what array_rate_at() of the whole array contains already: the whole rate if the
	 * array itself was counted; else the chance that all k probes are set, as for bits that are
	 * common by chance.
	 */
	excess -= m > small ? pow(fill, k) : array_rate_at(DEDUP_FIPS, m, k, fill);
	return excess > 0 ? excess : 0;
}
