// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What status reads from the bits. */
#include "unit.h"

#include "hand.h"
#include "sim.h"
#include "layout.h"
#include "stats.h"

#define S 1000000000ULL

static void learn_many(struct sim *s, uint64_t n, uint64_t *seed)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t id[4] = { random_next(seed), random_next(seed), 0, 1 };

		sim_learn(s, id);
	}
}

/* Also the last segment counts, which is shorter than the others. */
TEST(empty_and_full_and_one_block)
{
	struct filter_spec spec = sim_spec(100000, 1e-2, S);
	struct sim s;
	struct fill f;

	sim_start(&s, &spec, 7);
	if (s.config.memory.blocks % s.config.memory.segment_places == 0)
		s.config.memory.blocks--;
	f = stats_fill(&s.config, s.filter.blocks, 0, FILL_ALL);
	assert_true(f.current == 0 && f.previous == 0 && f.ids == 0 && f.fpr == 0);
	memset(s.filter.blocks[s.config.memory.blocks - 1].half[0], 0xff, 32);
	f = stats_fill(&s.config, s.filter.blocks, 0, FILL_ALL);
	assert_true(f.current > 0 && f.ids > 0 && f.fpr > 0);
	memset(s.filter.blocks, 0xff, s.config.memory.blocks * sizeof(struct dedup_block));
	f = stats_fill(&s.config, s.filter.blocks, 0, FILL_ALL);
	assert_true(f.current == 1 && f.previous == 1 && fabs(f.fpr - 1) < 1e-12);
	assert_true(isfinite(f.ids) && f.ids > 100000);
	sim_stop(&s);
}

/* The estimate follows the ids, at every geometry and wherever the hand is. */
TEST(ids_are_estimated)
{
	static const double RATES[] = { 0.1, 1e-2, 1e-4, 1e-6 };

	for (size_t i = 0; i < ARRAY_SIZE(RATES); i++) {
		struct filter_spec spec = sim_spec(50000, RATES[i], S);
		uint64_t seed = i;
		struct sim s;
		struct fill f;

		sim_start(&s, &spec, 3);
		learn_many(&s, 20000, &seed);
		sim_run_until(&s, s.now_ns + S / 3);
		learn_many(&s, 25000, &seed);
		f = stats_fill(&s.config, s.filter.blocks, s.state.hand, FILL_ALL);
		assert_true(fabs(f.ids / 45000 - 1) < (RATES[i] > 0.05 ? 0.10 : 0.03));
		assert_true(f.current > f.previous && f.previous > 0);
		sim_stop(&s);
	}
}

/* The rate is the blocks' own: ids that all fell into one half of the filter count
 * for that half only. Trying fresh ids shows this, too.
 */
TEST(rate_follows_the_bits)
{
	struct filter_spec spec = sim_spec(50000, 1e-2, S);
	uint64_t seed = 9, known = 0;
	struct fill even, uneven;
	struct sim s;

	sim_start(&s, &spec, 4);
	learn_many(&s, 50000, &seed);
	even = stats_fill(&s.config, s.filter.blocks, s.state.hand, FILL_ALL);
	memset(s.filter.blocks, 0, s.config.memory.blocks / 2 * sizeof(struct dedup_block));
	uneven = stats_fill(&s.config, s.filter.blocks, s.state.hand, FILL_ALL);
	assert_true(fabs(uneven.fpr / even.fpr - 0.5) < 0.05);
	assert_true(fabs(uneven.ids / even.ids - 0.5) < 0.05);
	for (int i = 0; i < 1000000; i++) {
		uint64_t id[4] = { random_next(&seed), 0, 0, 2 };

		known += sim_knows(&s, id);
	}
	assert_true(fabs(known / 1e6 / uneven.fpr - 1) < 0.1);
	sim_stop(&s);
}

/* A step may end within a segment: the age is the next one's, round the corner too. */
TEST(oldest_within_a_segment)
{
	struct filter_spec spec = sim_spec(100000, 1e-2, S);
	struct sim s;

	sim_start(&s, &spec, 8);
	s.state.started_ns = 1;
	for (int i = 0; i < 2 * DEDUP_MARKS; i++)
		s.state.marks[i].at_ns = 1000 + i;
	s.config.memory.segment_places = 5;
	s.config.memory.blocks = s.config.memory.places = 53;
	s.state.hand = 4ULL << 32 | 6;
	assert_int_equal(stats_oldest_ns(&s.config, &s.state, 9000), 9000 - 1002);
	s.state.hand = 4ULL << 32 | 51;
	assert_int_equal(stats_oldest_ns(&s.config, &s.state, 9000), 9000 - 1000 - DEDUP_MARKS);
	/* countdown: this segment's, one turn ago */
	s.config.memory.layout = DEDUP_COUNTDOWN;
	s.state.hand = 4ULL << 32 | 6;
	assert_int_equal(stats_oldest_ns(&s.config, &s.state, 9000), 9000 - 1001 - DEDUP_MARKS);
	/* no id is older than the filter */
	s.state.started_ns = 8000;
	assert_int_equal(stats_oldest_ns(&s.config, &s.state, 9000), 1000);
	s.config.memory.layout = DEDUP_BLOCKED;
	sim_stop(&s);
}

/* And a hand that stopped is seen. */
TEST(oldest_is_one_to_two_turns)
{
	struct filter_spec spec = sim_spec(1000, 1e-3, S);
	struct sim s;
	uint64_t start;

	sim_start(&s, &spec, 5);
	start = s.now_ns;
	sim_run_until(&s, start + S / 2);
	assert_true(llabs((int64_t)(stats_oldest_ns(&s.config, &s.state, s.now_ns) - S / 2)) <
		    (int64_t)S / 100);
	assert_false(stats_stopped(&s.config, &s.state, s.state.last_ns + s.config.memory.stale_ns));
	assert_true(
		stats_stopped(&s.config, &s.state, s.state.last_ns + s.config.memory.stale_ns + 1));
	sim_run_until(&s, start + 4 * S + S / 3);
	assert_true(fabs(stats_oldest_ns(&s.config, &s.state, s.now_ns) /
				 (2.0 * s.config.memory.window_ns) -
			 1) < 0.01);
	/* Asked to turn at once, nothing old is left. */
	sim_pass(&s, 2ULL * s.config.memory.blocks);
	assert_true(stats_oldest_ns(&s.config, &s.state, s.now_ns) <= S / 10);
	sim_stop(&s);
}

/* Small memories are read whole. */
TEST(small_is_exact)
{
	struct filter_spec spec = sim_spec(100000, 1e-4, S);
	uint64_t seed = 3;
	struct sim s;
	struct fill all, some;

	sim_start(&s, &spec, 1);
	assert_true(s.config.memory.blocks <= FILL_BLOCKS_MAX);
	learn_many(&s, 30000, &seed);
	all = stats_fill(&s.config, s.filter.blocks, s.state.hand, FILL_ALL);
	some = stats_fill(&s.config, s.filter.blocks, s.state.hand, fill_sample(&s.config, 77));
	assert_memory_equal(&all, &some, sizeof(all));
	assert_true(all.read_part == 1 && all.ids_error == 0);
	s.config.memory.blocks = FILL_BLOCKS_MAX;
	assert_int_equal(fill_sample(&s.config, 1).stride, 1);
	s.config.memory.blocks++;
	assert_int_equal(fill_sample(&s.config, 1).stride, 2);
	sim_stop(&s);
}

static const struct sampled {
	const char *name;
	enum dedup_layout layout;
	uint32_t stride;
	double fpr;
	uint64_t capacity, ids;
} SAMPLED[] = {
	{ "sample_agrees_blocked", DEDUP_BLOCKED, 7, 1e-4, 400000, 300000 },
	{ "sample_agrees_blocked_full", DEDUP_BLOCKED, 3, 1e-2, 1000000, 990000 },
	{ "sample_agrees_blocked_few", DEDUP_BLOCKED, 16, 1e-4, 400000, 2000 },
	{ "sample_agrees_flat", DEDUP_FLAT, 7, 1e-4, 400000, 300000 },
	{ "sample_agrees_flat_few", DEDUP_FLAT, 16, 1e-4, 400000, 500 },
	{ "sample_agrees_countdown", DEDUP_COUNTDOWN, 7, 1e-3, 100000, 90000 },
};

/* Over many samples the mean is the exact value, and the error is the reported one. */
TEST_ROWS(sample_agrees, SAMPLED)
{
	struct filter_spec spec = sim_spec(row->capacity, row->fpr, 600 * S);
	double ids = 0, ids2 = 0, fpr = 0, fpr2 = 0, set = 0, error = 0, n = 300;
	uint64_t seed = 5;
	struct fill all;
	struct sim s;

	spec.layout = row->layout;
	sim_start(&s, &spec, 2);
	learn_many(&s, row->ids / 2, &seed);
	sim_run_until(&s, s.now_ns + 200 * S);
	learn_many(&s, row->ids - row->ids / 2, &seed);
	all = stats_fill(&s.config, s.filter.blocks, s.state.hand, FILL_ALL);
	for (int i = 0; i < n; i++) {
		struct sample sample = { row->stride, random_next(&seed) };
		struct fill f = stats_fill(&s.config, s.filter.blocks, s.state.hand, sample);

		/* Segments seldom divide by it: the last block drawn then stands for fewer. */
		assert_true(f.read_part * row->stride > 0.99 && f.read_part * row->stride < 1.5);
		ids += (f.ids - all.ids) / n;
		ids2 += (f.ids - all.ids) * (f.ids - all.ids) / n;
		fpr += (f.fpr - all.fpr) / n;
		fpr2 += (f.fpr - all.fpr) * (f.fpr - all.fpr) / n;
		set += ((double)f.set_current + f.set_previous - all.set_current - all.set_previous) /
		       n;
		error += f.ids_error / n;
	}
	/* Of sums no bias; of the ids, which are none, what a segment's logarithm makes. */
	assert_true(fabs(fpr) <= 4 * sqrt(fpr2 / n) + 1e-18);
	assert_true(fabs(ids) <= 4 * sqrt(ids2 / n) + 0.001 * all.ids);
	assert_true(fabs(set / ((double)all.set_current + all.set_previous)) <=
		    4 * sqrt(ids2 / n) / all.ids);
	assert_true(sqrt(ids2) < 1.25 * error && sqrt(ids2) > 0.6 * error);
	sim_stop(&s);
}

TEST(a_fresh_id_is_lost_by_either_filter)
{
	assert_true(stats_rate_of_both(0.5, 0.5) == 0.75 && stats_rate_of_both(0, 0.5) == 0.5);
	assert_true(stats_rate_of_both(1, 1) == 1);
}

/* What comes back every so many blocks is no more or less likely to be seen. */
TEST(sample_of_a_pattern_is_fair)
{
	struct filter_spec spec = sim_spec(400000, 1e-3, S);
	double mean = 0;
	struct sim s;

	spec.layout = DEDUP_FLAT;
	sim_start(&s, &spec, 6);
	for (uint32_t i = 0; i < s.config.memory.places; i += 16)
		memset(&s.filter.blocks[i], 0xff, sizeof(struct dedup_block));
	for (uint64_t seed = 0; seed < 100; seed++)
		mean += stats_fill(&s.config, s.filter.blocks, 0, (struct sample){ 16, seed }).current /
			100;
	assert_true(fabs(mean * 16 - 1) < 0.1);
	sim_stop(&s);
}

/* The histogram's sum is all cells, and its parts are those of the memory. */
TEST(histogram_is_sampled)
{
	struct filter_spec spec = sim_spec(100000, 1e-3, S);
	uint64_t all[16], some[16], seed = 8, sum = 0;
	struct sim s;

	spec.layout = DEDUP_COUNTDOWN;
	sim_start(&s, &spec, 6);
	assert_int_equal(s.config.memory.places, 15);
	learn_many(&s, 50000, &seed);
	LAYOUT_COUNTDOWN.histogram(&s.config, s.filter.blocks, s.state.hand, FILL_ALL, all);
	LAYOUT_COUNTDOWN.histogram(&s.config, s.filter.blocks, s.state.hand,
				   (struct sample){ 7, 1 }, some);
	for (int i = 0; i < 16; i++) {
		sum += some[i];
		assert_true(fabs((double)some[i] - all[i]) <= 0.05 * all[i]);
	}
	assert_int_equal(sum, s.config.memory.m);
	assert_true(all[15] > 100000 && all[0] > 100000);
	sim_stop(&s);
}

UNIT_MAIN()
