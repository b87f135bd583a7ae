// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sequence recovery against a dictionary of what has come: senders of any width and rate, up to
 * four paths with loss, delay and reordering, outages, pauses, restarts and forged numbers, as far
 * as recovery.h promises anything (its h, r, skew and reset).
 */
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "sources.h"

#define MESSAGES 3000 /* of a sender */
#define PATHS_MAX 4
#define FORGED UINT32_MAX

enum kind {
	EXACT,	 /* each verdict is the dictionary's */
	PACKED,	 /* and each path packs messages into packets in its own way */
	RESTART, /* the sender begins anew without a pause */
	FORGERY, /* somebody else sends numbers, too */
};

struct row {
	const char *name;
	enum kind kind;
};

/* Calls one after the other, up to the one whose time is 0. The first number begins the source. */
struct script {
	const char *name;
	uint32_t width, ring_shift;
	struct {
		uint64_t number, now;
		enum dedup_recovered seen;
		uint32_t more; /* numbers in the packet, beside this one */
	} calls[20];
};

#define RESET 5

struct sender {
	struct dedup_recovery recovery;
	enum kind kind;
	double numbers_a_jiffy;
	uint32_t paths;
	double delay[PATHS_MAX], jitter, loss[PATHS_MAX];
	double outage, pause, restart, forgery; /* how probable, at each message */
};

struct arrival {
	double at; /* jiffies */
	uint64_t number;
	uint32_t message; /* the first one, or FORGED */
	uint32_t count;
};

static struct arrival arrivals[(PATHS_MAX + 1) * MESSAGES];
static uint32_t arrivals_cnt;
/* Of each message: in which numbering it was fresh; 0: it has not come. */
static uint64_t fresh_in[MESSAGES];

static uint64_t below(uint64_t *seed, uint64_t n)
{
	return random_next(seed) % n;
}

/* From 0 up to 1. */
static double part(uint64_t *seed)
{
	return (double)(random_next(seed) >> 11) / (1ULL << 53);
}

static bool happens(uint64_t *seed, double probability)
{
	return part(seed) < probability;
}

/* The h of recovery.h. */
static uint64_t half(const struct dedup_recovery *r)
{
	return 1ULL << (r->ring_shift < r->width - 1 ? r->ring_shift : r->width - 1);
}

/* Any sender for which recovery.h promises something. */
static void any_sender(struct sender *s, enum kind kind, uint64_t *seed)
{
	static const uint32_t WIDTHS[] = { 8, 12, 16, 17, 24, 32, 33, 40 };
	struct dedup_recovery *r = &s->recovery;
	double skew, most;

	*s = (struct sender){ .kind = kind };
	r->width = WIDTHS[below(seed, ARRAY_SIZE(WIDTHS))];
	if (kind == RESTART || kind == PACKED) /* of fewer bits none is far, nor has a packet room */
		r->width = 17 + below(seed, 24);
	r->ring_shift = r->width <= 16 ? r->width : 8 + below(seed, 6);
	if (kind == PACKED)
		r->ring_shift = 16;
	r->reset_jiffies = 2 + below(seed, 20);
	s->paths = 1 + below(seed, PATHS_MAX);
	s->jitter = below(seed, 2) ? part(seed) : part(seed) * 20;
	for (uint32_t p = 0; p < s->paths; p++) {
		s->delay[p] = part(seed) * 30;
		s->loss[p] = below(seed, 2) ? part(seed) * 0.3 : 0;
	}
	skew = 30 + s->jitter;
	/* 64: a word is replaced as a whole, and `near` begins one. */
	most = ((double)half(r) - 64) / (skew + (double)r->reset_jiffies + 2);
	s->numbers_a_jiffy = most * (below(seed, 2) ? 1 : part(seed) + 0.001);
	s->outage = below(seed, 2) ? 0.003 : 0;
	s->pause = below(seed, 2) ? 0.002 : 0;
	s->restart = kind == RESTART ? 0.001 : 0;
	s->forgery = kind == FORGERY ? 0.01 : 0;
}

static void arrive(double at, uint64_t number, uint32_t message, uint32_t count)
{
	arrivals[arrivals_cnt++] = (struct arrival){ at, number, message, count };
}

static int by_time(const void *a, const void *b)
{
	double x = ((const struct arrival *)a)->at, y = ((const struct arrival *)b)->at;

	return (x > y) - (x < y);
}

/* What arrives, in order. In an outage all is lost, though the sender goes on. */
static void send_all(const struct sender *s, uint64_t *seed)
{
	double now = 1000, outage_until = 0;
	uint64_t number = random_next(seed);

	arrivals_cnt = 0;
	for (uint32_t i = 0; i < MESSAGES; i++) {
		now += 1 / s->numbers_a_jiffy;
		number++;
		if (happens(seed, s->outage))
			outage_until = now + part(seed) * (double)s->recovery.reset_jiffies;
		if (happens(seed, s->pause))
			now += part(seed) * 100;
		if (happens(seed, s->restart))
			number += (1ULL << s->recovery.width) / 2;
		if (happens(seed, s->forgery))
			arrive(now, below(seed, 2) ? random_next(seed) : number + below(seed, 1000),
			       FORGED, 1);
		for (uint32_t p = 0; p < s->paths && now >= outage_until; p++)
			if (!happens(seed, s->loss[p]))
				arrive(now + s->delay[p] + part(seed) * s->jitter, number, i, 1);
	}
}

/* What arrives on each path, where a packet waits for its last message. */
static void send_packed(const struct sender *s, uint64_t *seed)
{
	uint64_t first = random_next(seed);
	uint32_t most = below(seed, 2) ? 60 : 1200, count;

	arrivals_cnt = 0;
	for (uint32_t p = 0; p < s->paths; p++)
		for (uint32_t i = 0; i < MESSAGES; i += count) {
			count = 1 + (uint32_t)below(seed, most);
			if (i + count > MESSAGES)
				count = MESSAGES - i;
			if (!happens(seed, s->loss[p]))
				arrive(1000 + (i + count) / s->numbers_a_jiffy + s->delay[p],
				       first + i, i, count);
		}
}

static void fail_at(const struct sender *s, uint32_t i, int seen, const char *what)
{
	fail_msg("width %u, ring 2^%u, reset %" PRIu64
		 ", %g a jiffy: arrival %u at %g, number %" PRIu64 ": %d, %s",
		 s->recovery.width, s->recovery.ring_shift, (uint64_t)s->recovery.reset_jiffies,
		 s->numbers_a_jiffy, i, arrivals[i].at,
		 (uint64_t)dedup_number(&s->recovery, arrivals[i].number), seen, what);
}

/* The verdict that the dictionary has, in the n-th numbering. */
static int expected(const struct arrival *a, uint64_t numbering)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (fresh_in[a->message + i] != numbering)
			return DEDUP_FRESH;
	return DEDUP_SEEN;
}

static void check(const struct sender *s, uint32_t i, int seen, uint64_t numbering)
{
	const struct arrival *a = &arrivals[i];

	if (seen == DEDUP_BUSY || seen == DEDUP_SPENT)
		fail_at(s, i, seen, "which nothing here is");
	if (a->message == FORGED)
		return;
	if ((s->kind == EXACT || s->kind == PACKED) && seen != expected(a, numbering))
		fail_at(s, i, seen, "which the dictionary does not have");
	/* A forger may have sent this very number. */
	if (s->kind == RESTART && seen == DEDUP_SEEN && !fresh_in[a->message])
		fail_at(s, i, seen, "but it has not come before");
	for (uint32_t j = 0; j < a->count && seen != DEDUP_SEEN; j++)
		fresh_in[a->message + j] = numbering;
}

/* Blocks of a source. */
enum { SOURCE, OPEN, RING };

static struct dedup_block blocks[RING + (1 << 8)]; /* of up to 2^16 numbers */

static void begin(const struct dedup_recovery *r, uint64_t number, uint64_t now)
{
	memset(blocks, 0, sizeof(blocks));
	dedup_source_begin(r, (struct dedup_source *)&blocks[SOURCE], number, now);
}

static int see(const struct dedup_recovery *r, uint64_t number, uint32_t count, uint64_t now)
{
	struct dedup_source_at at = { blocks, SOURCE, OPEN, RING };
	struct dedup_packet_numbers p = { number, now, count };

	return dedup_see_packet(r, &at, &p);
}

/* Returns how many of the sender's messages passed more than once, or, as a forger was first, not
 * at all.
 */
static uint32_t run(const struct sender *s)
{
	const struct dedup_recovery *r = &s->recovery;
	uint64_t numbering = 1, last = 0;
	uint32_t wrong = 0;

	memset(fresh_in, 0, sizeof(fresh_in));
	for (uint32_t i = 0; i < arrivals_cnt; i++) {
		const struct arrival *a = &arrivals[i];
		uint64_t now = (uint64_t)a->at;
		bool has_come = a->message != FORGED && fresh_in[a->message];
		int seen;

		if (!i)
			begin(r, a->number, now);
		else if (now - last > r->reset_jiffies)
			numbering++;
		last = now;
		seen = see(r, a->number, a->count, now);
		wrong += a->message != FORGED && has_come != (seen == DEDUP_SEEN);
		check(s, i, seen, numbering);
	}
	return wrong;
}

static void test_senders(void **state)
{
	const struct row *row = *state;
	uint64_t seed = 7, wrong = 0, all = 0;
	struct sender s;

	for (uint64_t i = 0; i < tries(300, 3000); i++) {
		any_sender(&s, row->kind, &seed);
		if (row->kind == PACKED)
			send_packed(&s, &seed);
		else
			send_all(&s, &seed);
		qsort(arrivals, arrivals_cnt, sizeof(arrivals[0]), by_time);
		wrong += run(&s);
		all += arrivals_cnt;
	}
	print_message("%s: of %" PRIu64 " packets %" PRIu64 " passed again or were foretold\n",
		      row->name, all, wrong);
}

static void test_script(void **state)
{
	const struct script *script = *state;
	struct dedup_recovery r = { script->width, script->ring_shift, RESET };

	begin(&r, script->calls[0].number, script->calls[0].now);
	for (size_t i = 0; i < ARRAY_SIZE(script->calls) && script->calls[i].now; i++) {
		int seen = see(&r, script->calls[i].number, 1 + script->calls[i].more,
			       script->calls[i].now);

		if (seen != (int)script->calls[i].seen)
			fail_msg("call %zu: %d, not %d", i, seen, script->calls[i].seen);
	}
}

#define SOURCES 16
#define SENDERS 40
#define IDLE 20

/* A table that is too small for all senders. What each has sent, and since when it was silent. */
struct feed {
	uint64_t number, last;
	uint64_t taken_out_last; /* `last` of when it was in before */
	bool is_in;		 /* its last packet found room */
};

static struct dedup_block table_blocks[1024];

/* The sources for which there may be memory that is not free yet: of senders of which a packet came
 * within this time and found room, or that have come in anew since.
 */
static uint32_t feeds_in_use(const struct feed *feeds, uint64_t now, uint64_t jiffies)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < SENDERS; i++)
		cnt += (feeds[i].is_in && now - feeds[i].last <= jiffies) +
		       (now - feeds[i].taken_out_last <= jiffies);
	return cnt;
}

/* A new number comes twice; then the one before, if the source cannot have been taken out. */
static void send_twice(const struct dedup_sources *t, struct feed *feeds, uint32_t i, uint64_t now)
{
	struct feed *f = &feeds[i];
	struct dedup_source_key key = { .hash = (i * 0x9e3779b97f4a7c15), .word = { i, 1, 2, 3, 4 } };
	struct dedup_packet_numbers p = { ++f->number, now, 1 };
	bool was_in = f->is_in && now - f->last <= IDLE;
	int seen = dedup_see_source(t, table_blocks, &key, &p);

	if (seen != DEDUP_FRESH && seen != DEDUP_NO_ROOM)
		fail_msg("sender %u at %" PRIu64 ": a fresh number: %d", i, now, seen);
	/* In use, or taken out, and not free again before the hand has passed it two times more. */
	if (seen == DEDUP_NO_ROOM)
		assert_true(!was_in &&
			    feeds_in_use(feeds, now, IDLE + DEDUP_GRACE_JIFFIES + 3) >= SOURCES);
	if (f->is_in && !was_in)
		f->taken_out_last = f->last;
	f->is_in = seen == DEDUP_FRESH;
	f->last = now;
	assert_int_equal(dedup_see_source(t, table_blocks, &key, &p),
			 f->is_in ? DEDUP_SEEN : DEDUP_NO_ROOM);
	p.first--;
	if (was_in && p.first)
		assert_int_equal(dedup_see_source(t, table_blocks, &key, &p), DEDUP_SEEN);
}

/* Sources come, go, and come again, more than there is room for; each bucket has room for all. */
static void sources_are_recycled_when_idle(void **state)
{
	struct dedup_sources t = { .recovery = { 16, 8, RESET + IDLE },
				   .idle_jiffies = IDLE,
				   .first = 3,
				   .buckets = 64,
				   .sources = SOURCES };
	struct feed feeds[SENDERS] = { 0 };
	uint64_t seed = 3;
	uint32_t most = SENDERS;

	(void)state;
	assert_true(t.first + dedup_sources_blocks(&t) <= ARRAY_SIZE(table_blocks));
	for (uint64_t now = 1000; now < 6000; now++) {
		if (now % 200 == 0)
			most = 1 + (uint32_t)below(&seed, SENDERS);
		for (uint64_t n = below(&seed, 10); n; n--)
			send_twice(&t, feeds, (uint32_t)below(&seed, most), now);
		for (uint32_t slot = 0; slot < SOURCES; slot++)
			dedup_sources_pass(&t, table_blocks, slot, now);
	}
}

/* Sources with one hash are told apart, and there are 7 at most. */
static void sources_of_one_hash_are_told_apart(void **state)
{
	struct dedup_sources t = {
		.recovery = { 16, 8, RESET }, .idle_jiffies = IDLE, .buckets = 1, .sources = SOURCES
	};

	(void)state;
	memset(table_blocks, 0, sizeof(table_blocks));
	for (uint64_t round = 0; round < 2; round++)
		for (uint64_t i = 0; i < DEDUP_ENTRIES + 1; i++) {
			struct dedup_source_key key = { .hash = 5, .word = { 1, 1, 1, 1, i } };
			struct dedup_packet_numbers p = { 9, 1, 1 };

			assert_int_equal(dedup_see_source(&t, table_blocks, &key, &p),
					 i == DEDUP_ENTRIES ? DEDUP_NO_ROOM
					 : round	    ? DEDUP_SEEN
							    : DEDUP_FRESH);
		}
}

#define F DEDUP_FRESH
#define S DEDUP_SEEN

static const struct script SCRIPTS[] = {
	{ "late",
	  40,
	  8,
	  { { 1000, 1, F, 0 },
	    { 1247, 1, F, 0 },
	    { 1256, 1, F, 0 },
	    { 1000, 1, DEDUP_LATE, 0 },
	    { 1256, 1, S, 0 },
	    { 1001, 1, DEDUP_LATE, 0 },
	    { 1247, 1, S, 0 } } },
	{ "a-ring-ahead", 40, 8, { { 1000, 1, F, 0 }, { 1248, 1, DEDUP_FAR, 0 }, { 1247, 1, F, 0 } } },
	{ "a-ring-behind",
	  40,
	  8,
	  { { 1000, 1, F, 0 }, { 735, 1, DEDUP_FAR, 0 }, { 736, 1, DEDUP_LATE, 0 }, { 768, 1, F, 0 } } },
	{ "restart",
	  40,
	  8,
	  { { 100, 1, F, 0 },
	    { 5000, 1, DEDUP_FAR, 0 },
	    { 5001, 1, DEDUP_FAR, 0 },
	    { 5001, 1, S, 0 },
	    { 5002, 1, DEDUP_FAR, 0 },
	    { 5003, 1, DEDUP_FAR, 0 },
	    { 5004, 1, DEDUP_FAR, 0 },
	    { 5005, 1, DEDUP_FAR, 0 },
	    { 5006, 1, DEDUP_FAR, 0 },
	    { 5007, 2, DEDUP_FAR, 0 },
	    { 5007, 2, S, 0 },
	    { 4992, 3, F, 0 },
	    { 5000, 3, S, 0 },
	    { 5007, 3, S, 0 },
	    { 4993, 3, F, 0 },
	    { 5008, 3, F, 0 },
	    { 5007, 4, S, 0 },
	    { 100, 4, DEDUP_FAR, 0 } } },
	{ "run-ends-by-a-number-that-is-near",
	  40,
	  8,
	  { { 100, 1, F, 0 },
	    { 5000, 1, DEDUP_FAR, 0 },
	    { 5000, 1, S, 0 },
	    { 101, 2, F, 0 },
	    { 5000, 2, DEDUP_FAR, 0 } } },
	{ "run-moves-forward-only",
	  40,
	  8,
	  { { 100, 1, F, 0 },
	    { 5000, 1, DEDUP_FAR, 0 },
	    { 5020, 1, DEDUP_FAR, 0 },
	    { 5000, 1, DEDUP_FAR, 0 },
	    { 5000, 1, DEDUP_FAR, 0 },
	    { 5020, 1, S, 0 },
	    { 9000, 1, DEDUP_FAR, 0 },
	    { 5020, 1, DEDUP_FAR, 0 } } },
	{ "pause", 16, 16, { { 100, 1, F, 0 }, { 100, 6, S, 0 }, { 100, 12, F, 0 }, { 100, 12, S, 0 } } },
	{ "pause-then-a-lap-before",
	  16,
	  16,
	  { { 60000, 1, F, 0 }, { 100, 7, F, 0 }, { 60000, 7, F, 0 }, { 60000, 7, S, 0 } } },
	{ "pause-then-a-copy-of-a-far-one",
	  40,
	  8,
	  { { 100, 1, F, 0 }, { 5000, 1, DEDUP_FAR, 0 }, { 5000, 7, S, 0 }, { 5001, 7, F, 0 } } },
	{ "long-pause-then-a-far-one",
	  40,
	  8,
	  { { 100, 1, F, 0 }, { 5000, 1, DEDUP_FAR, 0 }, { 5000, 13, F, 0 }, { 5001, 13, F, 0 } } },
	{ "far-packets",
	  40,
	  8,
	  { { 100, 1, F, 0 },
	    { 5000, 1, DEDUP_FAR, 3 },
	    { 5000, 1, S, 3 },
	    { 5001, 1, S, 1 },
	    { 5000, 1, DEDUP_FAR, 7 },
	    { 5000, 1, S, 7 },
	    { 5004, 1, DEDUP_FAR, 7 },
	    { 5004, 1, DEDUP_FAR, 7 },
	    { 5000, 1, DEDUP_FAR, 40 },
	    { 5000, 1, DEDUP_FAR, 40 } } },
	{ "restart-by-a-packet",
	  40,
	  8,
	  { { 100, 1, F, 0 }, { 5000, 3, F, 8 }, { 5000, 3, S, 8 }, { 5004, 3, S, 0 } } },
	{ "half-known",
	  40,
	  8,
	  { { 100, 1, F, 0 },
	    { 101, 1, F, 40 },
	    { 101, 1, S, 40 },
	    { 141, 1, F, 1 },
	    { 100, 1, S, 42 },
	    { 99, 1, F, 43 } } },
	{ "a-lap-later",
	  8,
	  8,
	  { { 10, 1, F, 0 },
	    { 110, 1, F, 0 },
	    { 210, 1, F, 0 },
	    { 10, 1, F, 0 },
	    { 10, 1, S, 0 },
	    { 110, 1, F, 0 },
	    { 110, 1, S, 0 },
	    { 210, 1, F, 0 } } },
};

#undef F
#undef S

static const struct row ROWS[] = {
	{ "exact", EXACT },
	{ "packed-differently", PACKED },
	{ "restarted", RESTART },
	{ "forged", FORGERY },
};

int main(void)
{
	const struct CMUnitTest TABLE[] = {
		cmocka_unit_test(sources_are_recycled_when_idle),
		cmocka_unit_test(sources_of_one_hash_are_told_apart),
	};

	add_rows(SCRIPTS, test_script, NULL, NULL);
	add_tests(TABLE, ARRAY_SIZE(TABLE));
	add_rows(ROWS, test_senders, NULL, NULL);
	repeat_in_rest("*");
	return run_added_any_tests("recovery");
}
