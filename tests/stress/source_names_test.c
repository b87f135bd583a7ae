// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Senders in the buckets of the table of sources: whatever their names are, they spread over the
 * buckets as if by chance. So with half of --sources in use no sender lacks room.
 *
 * Each row has names that are alike: consecutive ones, or names that somebody chooses who knows the
 * hash, but no secret. A load has a new secret. A bucket gets a Poisson number of half a sender; it
 * has room for 14. By chance 15 come with a probability of 1.5e-17: with 2^20 senders, in one of
 * 10^11 loads. The test compares how many buckets have 3 to 7 senders with this distribution.
 *
 * Environment: SEED, LOADS.
 */
#include "unit.h"

#include "source_table.h"

#define SOURCES (2 * NAMES)
#define NAMES 200
#define COMPARED 7

static uint64_t big_endian(uint64_t value, int bytes)
{
	return __builtin_bswap64(value) >> (64 - 8 * bytes);
}

static void consecutive_4_bytes(uint64_t i, __u64 *w)
{
	w[0] = big_endian(0x0a000001 + i, 4);
}

/* As in 802.1CB: two MACs and a VLAN. */
static void streams_of_bridges(uint64_t i, __u64 *w)
{
	w[0] = big_endian(0x0180c2000000 + i % 20, 6);
	w[1] = big_endian(0x0030480012f0 + i / 20, 6);
	w[2] = big_endian(100 + i % 7, 2);
}

/* Of a product with a word's key only the bits above the word's lowest one count. */
static void only_upper_bits(uint64_t i, __u64 *w)
{
	for (int k = 0; k < DEDUP_SOURCE_WORDS; k++)
		w[k] = (i >> 2 * k & 3) << 62;
}

static void upper_bits_of_halves(uint64_t i, __u64 *w)
{
	for (int k = 0; k < DEDUP_SOURCE_WORDS; k++)
		w[k] = (i >> 2 * k & 1) << 31 | (i >> (2 * k + 1) & 1) << 63;
}

static void opposite_halves(uint64_t i, __u64 *w)
{
	w[0] = i << 32 | (uint32_t)-i;
	w[1] = -i;
}

static const struct row {
	const char *name;
	void (*make)(uint64_t i, __u64 *words);
	uint32_t words;
} ROWS[] = {
	{ "consecutive-4-bytes", consecutive_4_bytes, 1 },
	{ "streams-of-bridges", streams_of_bridges, 3 },
	{ "only-upper-bits", only_upper_bits, 4 },
	{ "upper-bits-of-halves", upper_bits_of_halves, 4 },
	{ "opposite-halves", opposite_halves, 2 },
};

static uint64_t seed;

/* Adds to cnt[n] how many buckets of a load have n senders. */
static void load(const struct row *row, uint64_t *cnt)
{
	static const struct dedup_sources TABLE = { .buckets = DEDUP_BUCKET_BLOCKS * SOURCES };
	uint8_t senders[SOURCES] = { 0 };
	uint32_t secret[DEDUP_KEYS];
	uint64_t realm = random_next(&seed);

	for (int i = 0; i < DEDUP_KEYS; i++)
		secret[i] = (uint32_t)random_next(&seed);
	for (uint64_t i = 0; i < NAMES; i++) {
		struct dedup_source_key key = { .words = row->words,
						.id.word[DEDUP_SOURCE_WORDS] = realm };
		uint8_t *is;

		row->make(i, key.id.word);
		is = &senders[dedup_home(&TABLE, dedup_source_hash(&key, secret)) / DEDUP_BUCKET_BLOCKS];
		if (++*is > DEDUP_BUCKET_BLOCKS * DEDUP_ENTRIES)
			fail_msg("a sender has no room");
	}
	for (int i = 0; i < SOURCES; i++)
		cnt[senders[i]]++;
}

/* Buckets of `buckets` that have so many senders or more, by chance. */
static double by_chance(double buckets, int least)
{
	double each = (double)NAMES / SOURCES, p = exp(-each), below = 0;

	for (int n = 0; n < least; n++, p *= each / n)
		below += p;
	return buckets * (1 - below);
}

TEST_ROWS(spread_as_if_by_chance, ROWS)
{
	uint64_t loads = environment_number("LOADS", tries(10000, 100000)), more = 0;
	uint64_t cnt[DEDUP_BUCKET_BLOCKS * DEDUP_ENTRIES + 1] = { 0 };

	seed = environment_number("SEED", 1);
	for (uint64_t i = 0; i < loads; i++)
		load(row, cnt);
	for (int n = ARRAY_SIZE(cnt) - 1; n >= 3; n--) {
		double expected = by_chance((double)loads * SOURCES, n);

		more += cnt[n];
		if (n <= COMPARED && more > 1.05 * expected + 5 * sqrt(expected) + 2)
			fail_msg("%" PRIu64 " buckets have %d senders or more, not %.1f", more, n,
				 expected);
	}
}

UNIT_MAIN()
