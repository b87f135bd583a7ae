// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fips_count.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "array_rate.h"
#include "bits.h"
#include "positions.h"

#define WORDS (FIPS_COUNT_BITS / DEDUP_WORD_BITS)

/* An array twice over, so that no position goes round; and that shifted down by 1 to 7 bits:
 * the 64 bits from any position on are 8 bytes of one of them.
 */
struct shifted {
	uint64_t by[8][2 * WORDS];
};

static void shift(const __u64 *bits, uint32_t words, struct shifted *out)
{
	for (uint32_t by = 0; by < 8; by++)
		for (uint32_t i = 0; i < 2 * words; i++) {
			uint64_t here = READ_ONCE(bits[i % words]);
			uint64_t next = READ_ONCE(bits[(i + 1) % words]);

			out->by[by][i] = by ? here >> by | next << (DEDUP_WORD_BITS - by) : here;
		}
}

static uint64_t load(const uint8_t *bytes)
{
	uint64_t word;

	memcpy(&word, bytes, sizeof(word));
	return word;
}

/* Starts from which, at this step, k set bits are met. */
static uint32_t starts(const struct shifted *s, uint32_t step, uint32_t m, uint32_t k)
{
	const uint8_t *from[DEDUP_HASHES_MAX] = { (const uint8_t *)s->by[0] };
	uint32_t cnt = 0, at = 0;

	for (uint32_t i = 1; i < k; i++) {
		at = (at + step) % m;
		from[i] = (const uint8_t *)s->by[at % 8] + at / 8;
	}
	for (uint32_t byte = 0; byte < m / 8; byte += sizeof(uint64_t)) {
		uint64_t all = load(from[0] + byte);

		for (uint32_t i = 1; i < k && all; i++)
			all &= load(from[i] + byte);
		for (; all; all &= all - 1)
			cnt++;
	}
	return cnt;
}

double fips_counted_rate(const __u64 *bits, uint32_t m, uint32_t k)
{
	struct shifted s;
	uint64_t found = 0;

	shift(bits, m / DEDUP_WORD_BITS, &s);
	/* A step back finds what the same step forward finds, from the other end. */
	for (uint32_t step = 0; step <= m / 2; step++)
		found += (step % (m / 2) ? 2ULL : 1ULL) * starts(&s, step, m, k);
	return (double)found / m / m;
}

/* Of a larger array, what all repetitions of v1's size have in common; itself, if not. */
static void fold(const __u64 *array, uint32_t m, const __u64 *more, __u64 out[WORDS])
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
	__u64 common[WORDS] = { 0 };
	uint32_t small = m < FIPS_COUNT_BITS ? m : FIPS_COUNT_BITS;
	double fill, excess;

	fold(array, m, more, common);
	fill = (double)dedup_bits_count(common, small) / small;
	if (!fill)
		return 0;
	excess = fips_counted_rate(common, small, k);
	/* All probes set by chance is in array_rate_at() already; in the array itself all is. */
	excess -= m > small ? pow(fill, k) : array_rate_at(DEDUP_FIPS, m, k, fill);
	return excess > 0 ? excess : 0;
}
