// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sequence recovery against a dictionary of what has come from random senders (senders.h). */
#include "unit.h"

#include "memory.h"
#include "senders.h"
#include "number_calls.h"
#include "source_hand.h"

struct row {
	const char *name;
	enum sender_kind kind;
};

/* Calls one after the other. The first number begins the source. */
struct script {
	const char *name;
	uint32_t width, ring_shift;
	const char *calls;
};

#define RESET 5
#define LAPS_MAX (1 << 20) /* more than there are here */

static struct arrivals arrivals;
/* Of each message: in which numbering it was fresh; 0: it has not come. */
static uint64_t fresh_in[SENDER_MESSAGES];

static uint64_t below(uint64_t *seed, uint64_t n)
{
	return random_next(seed) % n;
}

static void fail_at(const struct sender *s, uint32_t i, int seen, const char *what)
{
	fail_msg("width %u, ring 2^%u, reset %" PRIu64
		 ", %g a jiffy: arrival %u at %g, number %" PRIu64 ": %d, %s",
		 s->recovery.width, s->recovery.ring_shift, (uint64_t)s->recovery.reset_jiffies,
		 s->numbers_a_jiffy, i, arrivals.list[i].at,
		 (uint64_t)dedup_number(&s->recovery, arrivals.list[i].number), seen, what);
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
	const struct arrival *a = &arrivals.list[i];

	if (seen == DEDUP_BUSY || seen == DEDUP_SPENT)
		fail_at(s, i, seen, "which nothing here is");
	if (a->message == SENDER_FORGED)
		return;
	if ((s->kind == SENDER_EXACT || s->kind == SENDER_PACKED) && seen != expected(a, numbering))
		fail_at(s, i, seen, "which the dictionary does not have");
	/* A forger may have sent this very number. */
	if ((s->kind == SENDER_RESTART || s->kind == SENDER_FAST) && seen == DEDUP_SEEN &&
	    !fresh_in[a->message])
		fail_at(s, i, seen, "but it has not come before");
	for (uint32_t j = 0; j < a->count && seen != DEDUP_SEEN; j++)
		fresh_in[a->message + j] = numbering;
}

static struct dedup_block blocks[DEDUP_SLOT_BLOCKS + (1 << 8)]; /* of up to 2^16 numbers */

static void begin(const struct dedup_recovery *r, uint64_t number, uint64_t now)
{
	memset(blocks, 0, sizeof(blocks));
	dedup_source_begin(r, (struct dedup_source *)&blocks[DEDUP_SLOT_SOURCE], number, now);
}

/* As the packet program: quickly, if all are in one word. */
static int see(const struct dedup_recovery *r, uint64_t number, uint32_t count, uint64_t now)
{
	struct dedup_source_at at = { blocks, DEDUP_SLOT_SOURCE };
	struct dedup_packet_numbers p = { number, now, count };
	struct dedup_source *s = (struct dedup_source *)&blocks[DEDUP_SLOT_SOURCE];
	__u64 bit = number % DEDUP_WORD_NUMBERS, *word = dedup_word_at(r, &at, number);
	struct dedup_numbers n = { number, now, dedup_word_bits(bit, count) };
	struct dedup_quick quick;
	int seen = DEDUP_AGAIN;

	if (dedup_is_in_a_word(&p))
		seen = dedup_look_quickly(r, s, word, &n, LAPS_MAX, &quick);
	if (seen == DEDUP_FRESH)
		seen = dedup_learn_quickly(r, s, word, &n, &quick);
	return seen == DEDUP_AGAIN ? dedup_see_packet(r, &at, &p) : seen;
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
	for (uint32_t i = 0; i < arrivals.cnt; i++) {
		const struct arrival *a = &arrivals.list[i];
		uint64_t now = (uint64_t)a->at;
		bool has_come = a->message != SENDER_FORGED && fresh_in[a->message];
		int seen;

		if (!i)
			begin(r, a->number, now);
		else if (now - last > r->reset_jiffies)
			numbering++;
		last = now;
		seen = see(r, a->number, a->count, now);
		wrong += a->message != SENDER_FORGED && has_come != (seen == DEDUP_SEEN);
		check(s, i, seen, numbering);
	}
	return wrong;
}

static void test_senders(void **state)
{
	const struct row *row = *state;
	uint64_t seed = 7, wrong = 0, all = 0;
	struct sender s;

	for (uint64_t i = 0; i < tries(300, 1500); i++) {
		sender_any(&s, row->kind, &seed);
		sender_send(&s, &seed, &arrivals);
		wrong += run(&s);
		all += arrivals.cnt;
	}
	print_message("%s: of %" PRIu64 " packets %" PRIu64 " passed again or were foretold\n",
		      row->name, all, wrong);
}

static void test_script(void **state)
{
	const struct script *script = *state;
	struct dedup_recovery r = { .width = script->width,
				    .ring_shift = script->ring_shift,
				    .number_bits = script->width > 32 ? DEDUP_WIDTH_MAX : 32,
				    .reset_jiffies = RESET };
	struct call calls[20] = { 0 };
	int cnt = parse_calls(script->calls, calls, ARRAY_SIZE(calls));

	begin(&r, calls[0].number, calls[0].now);
	for (int i = 0; i < cnt; i++) {
		int seen = see(&r, calls[i].number, 1 + calls[i].more, calls[i].now);

		if (seen != (int)calls[i].seen)
			fail_msg("call %d: %d, not %d", i, seen, calls[i].seen);
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

static const struct dedup_recovery TABLE_RECOVERY = {
	.width = 16, .ring_shift = 8, .number_bits = 32, .reset_jiffies = RESET + IDLE
};

/* A new number comes twice; then the one before, if the source cannot have been taken out. */
static void send_twice(const struct dedup_sources *t, struct feed *feeds, uint32_t i, uint64_t now)
{
	struct feed *f = &feeds[i];
	struct dedup_source_key key = { .hash = (i * 0x9e3779b97f4a7c15),
					.words = DEDUP_SOURCE_WORDS,
					.id.word = { i, 1, 2, 3, 4 } };
	struct dedup_packet_numbers p = { ++f->number, now, 1 };
	bool was_in = f->is_in && now - f->last <= IDLE;
	int seen = dedup_see(t, &TABLE_RECOVERY, table_blocks, &key, &p);

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
	assert_int_equal(dedup_see(t, &TABLE_RECOVERY, table_blocks, &key, &p),
			 f->is_in ? DEDUP_SEEN : DEDUP_NO_ROOM);
	p.first--;
	if (was_in && p.first)
		assert_int_equal(dedup_see(t, &TABLE_RECOVERY, table_blocks, &key, &p), DEDUP_SEEN);
}

/* Sources come, go, and come again, more than there is room for; each bucket has room for all. */
TEST(sources_are_recycled_when_idle)
{
	struct dedup_sources t = { .slots = 3 + 128 + 1,
				   .slot_blocks = DEDUP_SLOT_BLOCKS + 1,
				   .number_bits = 32,
				   .idle_jiffies = IDLE,
				   .first = 3,
				   .buckets = 128,
				   .sources = SOURCES };
	struct feed feeds[SENDERS] = { 0 };
	uint64_t seed = 3;
	uint32_t most = SENDERS;

	assert_true(t.first + dedup_sources_blocks(&t) <= ARRAY_SIZE(table_blocks));
	for (uint64_t now = 1000; now < 6000; now++) {
		if (now % 200 == 0)
			most = 1 + (uint32_t)below(&seed, SENDERS);
		for (uint64_t n = below(&seed, 10); n; n--)
			send_twice(&t, feeds, (uint32_t)below(&seed, most), now);
		for (uint32_t slot = 0; slot < SOURCES; slot++)
			dedup_sources_pass(&t, table_blocks, slot, 0, now);
	}
}

/* Sources with one hash are told apart, and there are 14 at most. */
#define ENTRIES (DEDUP_BUCKET_BLOCKS * DEDUP_ENTRIES)

TEST(sources_of_one_hash_are_told_apart)
{
	struct dedup_sources t = {
		.buckets = DEDUP_BUCKET_BLOCKS,
		.slots = DEDUP_BUCKET_BLOCKS + 1,
		.slot_blocks = DEDUP_SLOT_BLOCKS + 1,
		.number_bits = 32,
		.idle_jiffies = IDLE,
		.sources = SOURCES,
	};

	memset(table_blocks, 0, sizeof(table_blocks));
	for (uint64_t round = 0; round < 2; round++)
		for (uint64_t i = 0; i < ENTRIES + 1; i++) {
			struct dedup_source_key key = { .hash = 5,
							.words = DEDUP_SOURCE_WORDS,
							.id.word = { 1, 1, 1, 1, i } };
			struct dedup_packet_numbers p = { 9, 1, 1 };

			assert_int_equal(dedup_see(&t, &TABLE_RECOVERY, table_blocks, &key, &p),
					 i == ENTRIES ? DEDUP_NO_ROOM
					 : round      ? DEDUP_SEEN
						      : DEDUP_FRESH);
		}
}

static const struct script SCRIPTS[] = {
	{ "late", 40, 8, "1000@1 1247@1 1256@1 1000@1?late 1256@1?seen 1001@1?late 1247@1?seen" },
	/* After a silence the laps go on, and old words have laps that far numbers would have. */
	{ "far-after-silence", 40, 8, "1000@1 1024@1+31 2155@10 1300@10?far 2156@10" },
	{ "a-ring-ahead", 40, 8, "1000@1 1248@1?far 1247@1" },
	{ "a-ring-behind", 40, 8, "1000@1 735@1?far 736@1?late 768@1" },
	{ "restart", 40, 8,
	  "100@1 5000@1?far 5001@1?far 5001@1?seen 5002@1?far 5003@1?far 5004@1?far"
	  " 5005@1?far 5006@1?far 5007@2?far 5007@2?seen 4992@3 5000@3?seen 5007@3?seen"
	  " 4993@3 5008@3 5007@4?seen 100@4?far" },
	{ "run-ends-by-a-number-that-is-near", 40, 8,
	  "100@1 5000@1?far 5000@1?seen 101@2 5000@2?far" },
	{ "run-moves-forward-only", 40, 8,
	  "100@1 5000@1?far 5020@1?far 5000@1?far 5000@1?far 5020@1?seen 9000@1?far"
	  " 5020@1?far" },
	{ "pause", 16, 16, "100@1 100@6?seen 100@12 100@12?seen" },
	{ "pause-then-a-lap-before", 16, 16, "60000@1 100@7 60000@7 60000@7?seen" },
	{ "pause-then-a-copy-of-a-far-one", 40, 8, "100@1 5000@1?far 5000@7?seen 5001@7" },
	/* A sender that starts again twice, the second time after a reset. */
	{ "pause-then-a-far-one-again", 40, 8, "100@1 5000@1?far 5000@9 5000@9?seen" },
	{ "long-pause-then-a-far-one", 40, 8, "100@1 5000@1?far 5000@13 5001@13" },
	{ "far-packets", 40, 8,
	  "100@1 5000@1+3?far 5000@1+3?seen 5001@1+1?seen 5000@1+7?far 5000@1+7?seen"
	  " 5004@1+7?far 5004@1+7?far 5000@1+40?far 5000@1+40?far" },
	{ "restart-by-a-packet", 40, 8, "100@1 5000@3+8 5000@3+8?seen 5004@3?seen" },
	{ "half-known", 40, 8, "100@1 101@1+40 101@1+40?seen 141@1+1 100@1+42?seen 99@1+43" },
	{ "a-lap-later", 8, 8, "10@1 110@1 210@1 10@1 10@1?seen 110@1 110@1?seen 210@1" },
};

static const struct row ROWS[] = {
	{ "exact", SENDER_EXACT },
	{ "packed-differently", SENDER_PACKED },
	{ "restarted", SENDER_RESTART },
	{ "forged", SENDER_FORGERY },
	{ "faster-than-the-ring", SENDER_FAST },
};

int main(void)
{
	add_rows(SCRIPTS, test_script, NULL, NULL);
	add_own_tests(NULL, NULL);
	add_rows(ROWS, test_senders, NULL, NULL);
	return run_added_any_tests("recovery");
}
