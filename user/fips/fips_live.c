// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fips_live.h"

#include <errno.h>
#include <math.h>

#include "array_rate.h"
#include "fips_count.h"
#include "flat.h"
#include "open_filter.h"
#include "plan.h"
#include "stats.h"

int fips_live_check(const struct filter *f)
{
	const struct dedup_config *c = f->config;

	if (c->memory.layout != DEDUP_FLAT || c->memory.hash != DEDUP_FIPS ||
	    c->memory.m < DEDUP_WORD_BITS || c->memory.m & (c->memory.m - 1))
		return -EOPNOTSUPP;
	return 0;
}

/* Returns the words of array 0 or 1. */
static __u64 *array_of(const struct filter *f, uint32_t array)
{
	return f->blocks[array * f->config->memory.places].word;
}

#define V1_WORDS (FIPS_COUNT_BITS / DEDUP_WORD_BITS)

_Static_assert(FIPS_BITS(FIPS_V1_SIZE_CLASS) == FIPS_COUNT_BITS, "what messages bring");

/* A v1 filter in the form in which it is added to the array: folded if the array is smaller, and
 * repeated every `words` words.
 */
struct pattern {
	__u64 word[V1_WORDS];
	uint32_t words;
};

static uint32_t words_of(const struct filter *f)
{
	return f->config->memory.m / DEDUP_WORD_BITS;
}

/* Adds the bits of `from` to `to`: folded if `to` has fewer words, repeated if it has more. Both
 * numbers of words are powers of 2.
 */
static void add_bits(__u64 *to, uint32_t to_words, const __u64 *from, uint32_t from_words)
{
	uint32_t words = to_words > from_words ? to_words : from_words;

	for (uint32_t i = 0; i < words; i++)
		to[i % to_words] |= READ_ONCE(from[i % from_words]);
}

static struct pattern pattern_of(const struct filter *f, const struct fips_filter *from)
{
	struct pattern p = { .words = words_of(f) < V1_WORDS ? words_of(f) : V1_WORDS };

	add_bits(p.word, p.words, from->word, V1_WORDS);
	return p;
}

/* Returns the rate that one array may have, so that two arrays together keep the filter's rate. */
static double rate_of_one(const struct filter *f)
{
	double fpr = plan_fpr(f->config);

	return fpr < 1 ? -expm1(log1p(-fpr) / 2) : 1;
}

/* Returns the most ids with which an array has at most this rate. */
static double ids_for(const struct filter *f, double rate)
{
	double lo = 0,
	       hi = array_ids(f->config->memory.m, f->config->memory.k, f->config->memory.m - 0.5);

	for (int i = 0; i < 50; i++) {
		double mid = (lo + hi) / 2;

		if (array_rate(DEDUP_FIPS, f->config->memory.m, f->config->memory.k, mid) <= rate)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* Returns the most ids with which an array keeps its rate if bits that are not random add `excess`
 * to it; -INFINITY if it cannot.
 */
static double ids_beside(const struct filter *f, double excess)
{
	double rate = rate_of_one(f) - excess;

	return rate > 0 ? ids_for(f, rate) : -INFINITY;
}

/* Returns how many more ids may be learned now. */
static uint64_t free_ids(const struct dedup_state *st)
{
	uint64_t learned = READ_ONCE(st->learned), limit = READ_ONCE(st->limit);

	return limit > learned ? limit - learned : 0;
}

/* Returns the number of ids as which the pattern counts in this array (fips_live_absorb); 0 if it
 * sets no new bit; INFINITY or NAN if there can be no room for it.
 */
static double count_pattern(const struct filter *f, const __u64 *array, const struct pattern *p)
{
	uint32_t m = f->config->memory.m, k = f->config->memory.k, set = dedup_bits_count(array, m),
		 more = 0;
	double ids, now, then; /* now, then: fips_excess() without and with the pattern */

	for (uint32_t i = 0; i < words_of(f); i++)
		more += __builtin_popcountll(p->word[i % p->words] & ~READ_ONCE(array[i]));
	if (!more)
		return 0;
	ids = array_ids(m, k, (double)set + more) - array_ids(m, k, set);
	if (!(ids <= free_ids(f->state)))
		return INFINITY; /* before fips_excess(), which takes most of the time */
	then = fips_excess(array, m, k, p->word);
	now = then > 0 ? fips_excess(array, m, k, NULL) : 0;
	if (then > now)
		ids += ids_beside(f, now) - ids_beside(f, then);
	return ceil(fmax(ids, 1));
}

/* Counts this many ids as learned, or none, with -ENOSPC. Other threads may learn concurrently. */
static int learn_ids(struct dedup_state *st, double ids)
{
	uint64_t learned, limit;

	if (ids == 0)
		return 0;
	do {
		learned = READ_ONCE(st->learned);
		limit = READ_ONCE(st->limit);
		if (learned >= limit || !(ids <= limit - learned))
			return -ENOSPC;
	} while (!__sync_bool_compare_and_swap(&st->learned, learned, learned + (uint64_t)ids));
	return 0;
}

static bool is_epoch(const struct filter *f, uint32_t epoch)
{
	return dedup_hand_epoch(READ_ONCE(f->state->hand)) == epoch;
}

int fips_live_absorb(struct filter *f, const struct fips_filter *from, double fpr_max)
{
	struct pattern p = pattern_of(f, from);
	double rate = fips_counted_rate(from->word, FIPS_COUNT_BITS, f->config->memory.k);
	uint32_t epoch;

	if (!(rate <= fpr_max))
		return -EDOM;
	if (f->config->memory.m < FIPS_COUNT_BITS)
		rate = fips_counted_rate(p.word, f->config->memory.m, f->config->memory.k);
	/* A filter with all bits set would find every item. */
	if (rate == 1 || rate > rate_of_one(f))
		return -EDOM;
	do {
		uint64_t hand = READ_ONCE(f->state->hand);
		__u64 *array = array_of(f, dedup_flat_current(hand));
		int err = learn_ids(f->state, count_pattern(f, array, &p));

		if (err)
			return err;
		epoch = dedup_hand_epoch(hand);
		/* The ids were counted for this generation only: if the hand passes, the loop
		 * stops, and the next generation gets all bits and counts the ids again.
		 */
		for (uint32_t i = 0; i < words_of(f) && is_epoch(f, epoch); i++)
			if (p.word[i % p.words])
				__sync_fetch_and_or(&array[i], p.word[i % p.words]);
	} while (!is_epoch(f, epoch));
	return 0;
}

/* Adds the bits of both generations. */
static void add_generations(const struct filter *f, struct fips_filter *to)
{
	uint64_t hand = READ_ONCE(f->state->hand);
	uint32_t current = dedup_flat_current(hand);

	add_bits(to->word, V1_WORDS, array_of(f, current), words_of(f));
	if (dedup_flat_has_previous(hand))
		add_bits(to->word, V1_WORDS, array_of(f, current ^ 1), words_of(f));
}

int fips_live_filter(const struct filter *f, struct fips_filter *out)
{
	int err = fips_live_check(f) ?: fips_init(out, f->config->memory.k, FIPS_V1_SIZE_CLASS);

	if (err)
		return err;
	add_generations(f, out);
	if (stats_uses_predecessor(f) && !fips_live_check(f->predecessor) &&
	    f->predecessor->config->memory.k == f->config->memory.k)
		add_generations(f->predecessor, out);
	return 0;
}
