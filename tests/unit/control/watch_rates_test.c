// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What watch shows, from two readings: beside packets that are counted one by one. */
#include "unit.h"

#include "watch.h"

#define S 1000000000ULL
#define CPUS 3
#define STREAMS 2

static struct watch w;

static void assert_is(double value, double wanted)
{
	if (fabs(value - wanted) > 1e-9 * (1 + fabs(wanted)))
		fail_msg("%.15g is not %.15g", value, wanted);
}

/* What came of late, said plainly. */
struct plain {
	double packets, looked_at, fresh, learned, events, duplicates, dropped, delivered,
		undelivered;
};

static void expect(const struct watch_rates *r, const struct plain *p, double seconds)
{
	assert_is(r->packets, p->packets / seconds);
	assert_is(r->fresh, p->fresh / seconds);
	assert_is(r->duplicates, p->duplicates / seconds);
	assert_is(r->duplicate_bytes, 100 * p->duplicates / seconds);
	assert_is(r->dropped, p->dropped / seconds);
	assert_is(r->dropped_bytes, 100 * p->dropped / seconds);
	assert_is(r->delivered, p->delivered / seconds);
	assert_is(r->undelivered, p->undelivered / seconds);
	assert_is(r->share, p->looked_at > 0 ? p->duplicates / p->looked_at : 0);
	assert_is(r->copies, p->learned > 0 ? p->events / p->learned : 0);
}

/* Where a fresh one goes, if the filter delivers. */
static void count_delivery(struct filter_counters *c, struct plain *p, uint64_t where)
{
	c->delivered += where == 1;
	c->no_socket += where == 2;
	c->no_room += where == 3;
	c->too_large += where == 4;
	p->delivered += where == 1;
	p->undelivered += where > 1;
}

/* One packet, counted by the program and plainly. */
static void count(struct filter_counters *c, struct plain *p, uint64_t what)
{
	c->rx++;
	p->packets++;
	p->looked_at++;
	switch (what) {
	case 0:
		c->ignored++;
		p->looked_at--;
		break;
	case 1:
		c->new ++;
		p->fresh++;
		p->learned++;
		p->events++;
		count_delivery(c, p, c->new % 5);
		break;
	case 2:
		c->unlearned++;
		p->fresh++;
		break;
	case 3:
		c->bad_magic++;
		break;
	case 4:
		c->wanted++;
		p->events++;
		break;
	default:
		p->events += what > 5;
		c->duplicate += what > 5;
		c->ihave_duplicate += what == 5;
		c->duplicate_bytes += 100;
		c->dropped++;
		c->dropped_bytes += 100;
		p->duplicates++;
		p->dropped++;
	}
}

static struct watch_reading copy_of(const struct watch_reading *r)
{
	struct watch_reading copy = *r;

	copy.cpus = calloc(CPUS, sizeof(*copy.cpus));
	assert_non_null(copy.cpus);
	memcpy(copy.cpus, r->cpus, CPUS * sizeof(*copy.cpus));
	return copy;
}

TEST(like_a_plain_model)
{
	static struct filter_counters cpus[CPUS];
	static struct watch_reading r = { .now_ns = 5 * S,
					  .streams_cnt = STREAMS,
					  .cpus = cpus,
					  .cpus_cnt = CPUS,
					  .ifaces_cnt = 2,
					  .ifaces = { { "v0", true, 0xffffff00, true },
						      { "v1", false, 0, false } } };
	double packets[200] = { 0 };
	uint64_t seed = 1;

	for (int n = 0; n < 200; n++) {
		struct plain all = { 0 }, by_stream[STREAMS] = { { 0 } }, by_cpu[CPUS] = { { 0 } };
		uint64_t step_ns = S / 2 + random_next(&seed) % S, cnt = random_next(&seed) % 300;
		struct watch_reading taken;

		for (uint64_t i = 0; i < cnt; i++) {
			uint64_t what = random_next(&seed) % 9;
			int stream = random_next(&seed) % STREAMS, cpu = random_next(&seed) % CPUS;

			count(&r.all, &all, what);
			count(&r.streams[stream], &by_stream[stream], what);
			count(&cpus[cpu], &by_cpu[cpu], what);
		}
		r.now_ns += step_ns;
		r.ifaces[0].received += cnt;
		taken = copy_of(&r);
		watch_take(&w, &taken);
		if (!n) { /* one reading is no rate */
			assert_true(w.seconds == 0 && !w.history_cnt);
			continue;
		}
		assert_is(w.seconds, step_ns / 1e9);
		assert_int_equal(w.recent.rx, cnt);
		expect(&w.all, &all, w.seconds);
		for (int i = 0; i < STREAMS; i++)
			expect(&w.streams[i], &by_stream[i], w.seconds);
		for (int i = 0; i < CPUS; i++)
			expect(&w.cpus[i], &by_cpu[i], w.seconds);
		assert_is(w.ifaces[0], cnt / w.seconds);
		assert_true(w.ifaces[1] < 0);
		packets[n] = all.packets / w.seconds;
		assert_int_equal(w.history_cnt, n < WATCH_HISTORY ? n : WATCH_HISTORY);
		for (int i = 0; i < w.history_cnt; i++)
			assert_is(w.packets[w.history_cnt - 1 - i], packets[n - i]);
	}
	watch_free(&w);
}

/* A filter that is loaded anew counts from 0; a change gives it other streams. */
TEST(another_filter_is_no_rate)
{
	struct watch_reading r = { .now_ns = S, .all = { .rx = 100, .new = 100 }, .streams_cnt = 1 };

	watch_take(&w, &r);
	r.now_ns = 2 * S;
	r.all.rx = r.all.new = 150;
	watch_take(&w, &r);
	assert_true(w.seconds == 1 && w.all.packets == 50);
	r.now_ns = 3 * S;
	r.all.rx = r.all.new = 149;
	watch_take(&w, &r);
	assert_true(w.seconds == 0 && w.history_cnt == 1);
	r.now_ns = 4 * S;
	r.streams_cnt = 2;
	watch_take(&w, &r);
	assert_true(w.seconds == 0 && w.history_cnt == 1);
	r.now_ns = 5 * S;
	watch_take(&w, &r);
	assert_true(w.seconds == 1 && w.all.packets == 0 && w.history_cnt == 2);
	r.now_ns = 6 * S;
	r.slots[0] = 1; /* another order, in which no counter has gone back */
	watch_take(&w, &r);
	assert_true(w.seconds == 0 && w.history_cnt == 2);
	r.streams[1].new = 1;
	watch_take(&w, &r); /* no time has passed */
	assert_true(w.seconds == 0);
	r.now_ns = 7 * S;
	r.streams[1].new = 0;
	watch_take(&w, &r);
	assert_true(w.seconds == 0);
	watch_free(&w);
}

TEST(sparks_are_as_high_as_they_should_be)
{
	static const double HISTORY[] = { 100, 0, 1, 40, 80, 79.9 };
	int heights[8];

	assert_int_equal(watch_spark(HISTORY, 6, 8, 5, heights), 5);
	assert_int_equal(heights[0], 0);
	assert_int_equal(heights[1], 1);
	assert_int_equal(heights[2], 4);
	assert_int_equal(heights[3], 8);
	assert_int_equal(heights[4], 8);
	assert_int_equal(watch_spark(HISTORY, 6, 8, 8, heights), 6);
	assert_int_equal(heights[0], 8);
	assert_int_equal(heights[4], 7);
	assert_int_equal(watch_spark(HISTORY + 1, 1, 8, 8, heights), 1);
	assert_int_equal(heights[0], 0);
	assert_int_equal(watch_spark(HISTORY, 0, 8, 8, heights), 0);
}

/* What two interfaces received between two readings, and what the filter saw. */
static const struct unseen_row {
	const char *name;
	uint64_t received[2], seen;
	bool sees_all[2];
	const char *unseen; /* NULL: none */
} UNSEEN[] = {
	{ "all-is-seen", { 1000, 500 }, 1500, { true, true }, NULL },
	{ "nothing-is-seen", { 500, 1000 }, 0, { true, true }, "v1" },
	{ "the-first-is-lost", { 500, 1000 }, 1000, { true, true }, "v0" },
	{ "of-equal-ones", { 1000, 1000 }, 1000, { true, true }, "v0" },
	{ "a-few-are-under-way", { 1000, 19 }, 1000, { true, true }, NULL },
	{ "enough-are-not", { 100, 20 }, 100, { true, true }, "v1" },
	{ "a-small-part-is-not-told", { 100000, 5000 }, 100000, { true, true }, NULL },
	{ "some-are-missing", { 1000, 1000 }, 1500, { true, true }, NULL },
	{ "nothing-is-seen-and-one-is-not-compared", { 1000, 9000 }, 0, { true, false }, "v0" },
	{ "one-that-is-not-compared-shows-few", { 1000, 9000 }, 90, { true, false }, "v0" },
	{ "what-is-seen-may-be-of-the-other", { 1000, 1000 }, 1000, { true, false }, NULL },
	{ "none-is-compared", { 1000, 1000 }, 0, { false, false }, NULL },
};

TEST_ROWS(run_unseen, UNSEEN)
{
	struct watch_reading first = { .now_ns = S,
				       .all = { .rx = 7 },
				       .rx_before = 7,
				       .ifaces_cnt = 2,
				       .ifaces = { { "v0", true, 1ULL << 32, row->sees_all[0] },
						   { "v1", true, 3, row->sees_all[1] } } };
	struct watch_reading last = first;

	last.now_ns = 2 * S;
	last.all.rx += row->seen;
	for (int i = 0; i < 2; i++)
		last.ifaces[i].received += row->received[i];
	watch_take(&w, &first);
	assert_string_equal(w.unseen, "");
	watch_take(&w, &last);
	assert_string_equal(w.unseen, row->unseen ?: "");
	watch_free(&w);
}

/* The process was off the CPU between the two, while 900 packets came. */
TEST(the_filter_may_be_read_late)
{
	struct watch_reading first = { .all = { .rx = 900 },
				       .ifaces_cnt = 1,
				       .ifaces = { { "v0", true, 0, true } } };
	struct watch_reading last = first;

	last.ifaces[0].received = 1000;
	last.all.rx = 1000;
	assert_null(watch_unseen(&first, &last));
	last.ifaces[0].received = 20000; /* and then no more are seen */
	assert_string_equal(watch_unseen(&first, &last), "v0");
}

/* Of an interface that was not there before, or is another one of its name, or is not counted. */
TEST(unseen_needs_two_readings)
{
	struct watch_reading first = { .ifaces_cnt = 1, .ifaces = { { "v0", true, 1000, true } } };
	struct watch_reading last = first;

	last.ifaces[0].received = 2000;
	assert_string_equal(watch_unseen(&first, &last), "v0");
	first.rx_before = WATCH_UNKNOWN;
	assert_null(watch_unseen(&first, &last));
	first.rx_before = 0;
	first.ifaces[0].name[1] = '1';
	assert_null(watch_unseen(&first, &last));
	first.ifaces[0] = last.ifaces[0];
	last.ifaces[0].received = 1999;
	assert_null(watch_unseen(&first, &last));
	last.ifaces[0].received = 3000;
	first.ifaces[0].is_counted = false;
	assert_null(watch_unseen(&first, &last));
	first.ifaces[0].is_counted = true;
	first.ifaces[0].sees_all = false;
	assert_null(watch_unseen(&first, &last));
}

UNIT_MAIN()
