// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Packets of one source that CPUs judge and note at one time, in every order in which they can read
 * and write what they share (interleave.h): each packet is noted once, and each figure is what the
 * plain model has of the packets in the order in which they were noted.
 *
 * Environment: SEED, CASES of any_race.
 */
#define NOTES_MAX 20
#define NOTED_SOURCES 2

/* What was noted of a source, in order; `near`: its word, as it was read for that. */
struct notes {
	unsigned long long cnt, holder; /* 2 + a CPU; 0: nobody */
	struct {
		unsigned long long call, near; /* call: below BEFORE_MAX what came before the race */
	} list[NOTES_MAX];
};

struct all_notes {
	struct notes of[NOTED_SOURCES];
	unsigned long long of_cpu[3], retired; /* retired: sources, by the hand */
};
#define INTERLEAVE_HOOKS
#define INTERLEAVE_KEPT struct all_notes

#include "interleave.h"

#include "model_account.h"
#include "number_races.h"
#include "source_hand.h"
#include "source_note.h"

#define PATHS 2
#define NS 1000000000ULL

_Static_assert(NOTED_SOURCES == SOURCES, "each source has notes");

static const struct row *race;
static struct dedup_config config;
static struct dedup_state filter_state;
static struct filter filter = { .config = &config, .state = &filter_state, .blocks = shared };
static int results[CPUS_MAX];
static unsigned long ends_cnt;

static const struct call *call_of(uint64_t i)
{
	return i < BEFORE_MAX ? &race->before[i] : &race->calls[i - BEFORE_MAX];
}

static uint64_t ns_of(uint64_t i)
{
	return NS + 3000 * (call_of(i)->number % 7 + i);
}

static uint64_t path_key(const struct call *c)
{
	return dedup_path_key(0, 1 + c->path % JUDGED);
}

/* Judges the packet, or notes it, or both; or has the hand pass. */
static int do_call(uint64_t i, bool judges, bool notes)
{
	const struct dedup_recovery *r = &config.numbered[0].recovery;
	const struct call *c = call_of(i);
	struct dedup_packet_numbers p = { c->number, c->now, 1 + c->more };
	struct dedup_source_key key = { .hash = 7, .words = 1, .id.word = { c->source } };
	int seen = DEDUP_SEEN;

	if (c->source == HAND) {
		for (uint32_t s = 0; s < SOURCES; s++)
			dedup_sources_pass(&config.sources, shared, s, 0, c->now);
		return DEDUP_SEEN;
	}
	if (judges)
		seen = dedup_see(&config.sources, r, shared, &key, &p);
	if (notes)
		dedup_note_source(&config.sources, r, shared, &key, &p, 0, path_key(c), ns_of(i));
	return seen;
}

static void make_call(int cpu)
{
	results[cpu] = do_call(BEFORE_MAX + (uint64_t)cpu, !(race->calls[cpu].path & JUDGED), true);
}

static uint64_t before_call; /* that is made */

/* Which source's word is it? -1: of none. */
static int source_of_word(const __u64 *word, uint32_t *block, uint32_t *in_block)
{
	uint32_t i = (uint32_t)(word - (__u64 *)shared), first = config.sources.slots;

	if (i / DEDUP_BLOCK_WORDS < first)
		return -1;
	*block = (i / DEDUP_BLOCK_WORDS - first) % config.sources.slot_blocks;
	*in_block = i % DEDUP_BLOCK_WORDS;
	return (int)((i / DEDUP_BLOCK_WORDS - first) / config.sources.slot_blocks);
}

static uint64_t near_of(int source)
{
	return shared[dedup_slot_block(&config.sources, source)].word[0];
}

/* A CPU that waits for an account's lock reads its version again, and does nothing else. */
static bool can_access(__u64 *word, enum access access)
{
	uint32_t block, in_block;
	int source = source_of_word(word, &block, &in_block);

	return source < 0 || access != READ || block != config.sources.account ||
	       in_block != DEDUP_ACCOUNT(version) || !(*word & 1);
}

/* Is it a key of a path, or `gave_up`? Who waits for the lock reads these. It matters to nobody
 * when, as nobody gives up here.
 */
static bool is_for_waiting(uint32_t block, uint32_t in_block)
{
	uint32_t i = (block - config.sources.account) * DEDUP_BLOCK_WORDS + in_block;
	uint32_t in_path = (i - DEDUP_ACCOUNT_PATHS) % DEDUP_PATH_WORDS;

	return block >= config.sources.account &&
	       (i - DEDUP_ACCOUNT_KEYS < DEDUP_PATHS_MAX ||
		(i - DEDUP_ACCOUNT_PATHS < PATHS * DEDUP_PATH_WORDS &&
		 in_path == DEDUP_PATH(gave_up)));
}

/* Who has an account's lock alone accesses the account: note_access() checks it. */
static bool is_alone(int cpu, __u64 *word)
{
	uint32_t block, in_block;
	int source = source_of_word(word, &block, &in_block);

	if (source < 0 || block < config.sources.account ||
	    (block == config.sources.account && in_block == DEDUP_ACCOUNT(version)))
		return false;
	return kept.of[source].holder == (uint64_t)cpu + 2 || is_for_waiting(block, in_block);
}

static void note_access(__u64 *word, enum access access, __u64 is, __u64 to)
{
	uint32_t block, in_block;
	int source = source_of_word(word, &block, &in_block), cpu = accessing_cpu();
	struct notes *n = &kept.of[source < 0 ? 0 : source];
	bool in_account;

	if (source < 0)
		return;
	in_account = block == config.sources.account;
	if (block == DEDUP_SLOT_ABOUT && in_block == DEDUP_SLOT_STATE && access == STORE) {
		kept.retired += to == DEDUP_SLOT_RESTING;
		if (to == DEDUP_SLOT_IN_USE) /* of another source, which has no notes yet */
			n->cnt = 0;
	}
	assert_true(block < config.sources.account || n->holder == (uint64_t)(cpu + 2) ||
		    (access == READ && is_for_waiting(block, in_block)) ||
		    (in_account && in_block == DEDUP_ACCOUNT(version)) ||
		    (in_account && in_block == DEDUP_ACCOUNT(numbering) && access == STORE && !to));
	if (in_account && in_block == DEDUP_ACCOUNT(version) && is != to && to % 2) {
		assert_true(n->cnt < NOTES_MAX);
		n->list[n->cnt].call = cpu < 0 ? before_call : BEFORE_MAX + (uint64_t)cpu;
		n->list[n->cnt].near = near_of(source);
		n->cnt++;
		n->holder = cpu + 2;
		if (cpu >= 0)
			kept.of_cpu[cpu]++;
	} else if (in_account && in_block == DEDUP_ACCOUNT(version) && is != to) {
		n->holder = 0;
	} else if (!block && !in_block && access == READ && n->holder == (uint64_t)(cpu + 2)) {
		n->list[n->cnt - 1].near = is;
	}
}

/* Which order was tried last, if that failed. */
static int tell_order(void **test_state)
{
	(void)test_state;
	if (running || !race)
		return 0;
	tell_race(race);
	print_message("in the order %s; seen %d %d %d\n", order, results[0], results[1], results[2]);
	return 0;
}

/* What was noted of a source, against the model. */
static void compare_source(uint32_t source)
{
	const struct notes *n = &kept.of[source];
	struct model_account *m;

	if (!n->cnt)
		return;
	m = model_account_open(&filter, source, 0);
	for (uint64_t i = 0; i < n->cnt; i++) {
		const struct call *c = call_of(n->list[i].call);

		model_account_packet_near(m,
					  &(struct account_packet){ .path = path_key(c),
								    .number = c->number,
								    .cnt = 1 + c->more,
								    .now = c->now,
								    .ns = ns_of(n->list[i].call) },
					  n->list[i].near);
	}
	model_account_compare(m, (int)source);
	model_account_close(m);
}

/* A copy may be known in a source that was taken out: its account is gone. */
static void check_end(void)
{
	for (int i = 0; i < cpus_cnt; i++)
		if (race->calls[i].source != HAND && results[i] != DEDUP_NO_ROOM)
			assert_true(kept.of_cpu[i] == 1 || (!kept.of_cpu[i] && kept.retired));
	for (uint32_t s = 0; s < SOURCES; s++)
		if (shared[dedup_slot_block(&config.sources, s) + DEDUP_SLOT_ABOUT]
			    .word[DEDUP_SLOT_STATE] == DEDUP_SLOT_IN_USE)
			compare_source(s);
	ends_cnt++;
}

static void start(void)
{
	struct dedup_sources *t = &config.sources;
	uint32_t account = DEDUP_SLOT_BLOCKS + dedup_ring_blocks(race->ring_shift);

	config.format = DEDUP_FORMAT;
	config.numbered[0] =
		(struct dedup_numbered){ .width = race->width, .recovery = recovery_of(race) };
	config.policy.streams_cnt = 1;
	config.policy.streams[0].words = 2;
	*t = sources_of(race, account + dedup_account_blocks(PATHS, race->ring_shift));
	t->paths = PATHS;
	t->account = account;
	assert_true(dedup_sources_blocks(t) <= ARRAY_SIZE(shared));
	for (before_call = 0; before_call < BEFORE_MAX && call_of(before_call)->now; before_call++)
		do_call(before_call, true, true);
	for (int i = 0; i < cpus_cnt; i++)
		if (race->calls[i].path & JUDGED)
			do_call(BEFORE_MAX + (uint64_t)i, true, false);
}

static unsigned long try_orders(const struct row *r)
{
	race = r;
	cpus_cnt = r->cpus_cnt;
	return try_race(start);
}

static const struct race_text ROWS[] = {
	{ "copies", 16, 8, "100@1", "101@1 101@1:1" },
	{ "copies-of-one-path", 16, 8, "100@1", "101@1 101@1" },
	{ "copies-in-the-next-word", 16, 8, "100@1", "130@1 130@1:1" },
	{ "neighbours-of-one-path", 16, 8, "100@1", "101@1 102@1" },
	{ "three", 16, 8, "100@1", "101@1 101@1:1 102@1:1" },
	{ "a-path-too-many", 16, 8, "100@1", "101@1:1 101@1:2" },
	{ "first", 16, 8, "", "7@1 7@1:1" },
	{ "first-neighbours", 16, 8, "", "7@1 9@1:1" },
	{ "first-three", 16, 8, "", "7@1! 8@1:1! 9@1!" },
	{ "first-of-many", 16, 8, "", "7@1+40 7@1+40:1" },
	{ "first-of-a-path", 16, 8, "100@1", "101@1 100@1+3:1" },
	{ "packets-of-two-words", 16, 8, "100@1", "120@1+20 120@1+20:1" },
	{ "packets-that-overlap", 16, 8, "100@1", "120@1+20 130@1+20:1" },
	{ "next-lap", 16, 8, "10@1 10@1:1 120@1 230@1:1", "270@1 271@1:1" },
	{ "next-lap-and-the-last", 16, 8, "10@1 120@1 230@1:1", "270@1 11@1:1" },
	{ "lap-on-lap", 8, 8, "10@1 120@1 230@1", "11@1 11@1:1" },
	{ "after-silence", 16, 8, "100@1", "7@7 7@7:1" },
	{ "after-silence-goes-on", 16, 8, "100@1", "101@7 102@7:1" },
	{ "silence-for-one-of-two", 16, 8, "100@1", "101@6 101@7:1" },
	{ "silence-for-one-of-two-far", 40, 8, "100@1", "5000@6 5000@7:1" },
	{ "silence-for-one-and-one-of-before", 16, 8, "100@1", "101@6 101@7:1 102@1:1!" },
	{ "restarted-and-one-of-before", 40, 8, RESTARTING " 5006@3", "5007@3 101@3:1!" },
	{ "far", 40, 8, "100@1", "5000@1 5000@1:1" },
	{ "restarting", 40, 8, RESTARTING, "5006@3 5007@3:1" },
	{ "restarting-and-an-old-one", 40, 8, RESTARTING " 5006@3", "5007@3 101@3:1" },
	{ "restarted", 40, 8, RESTARTING " 5006@3", "5007@3 5007@3:1" },
	{ "new-source", 16, 8, "100@1", "7@1/1 7@1/1:1" },
	{ "no-room", 16, 8, "1@1 1@1/1", "7@1/2 8@1/2:1" },
	{ "recycled", 16, 8, "1@1 1@11/1", "2@12 hand@12" },
	{ "recycled-copies", 16, 8, "1@1 1@11/1", "2@12 1@1:1! hand@12" },
	{ "recycled-and-a-new-one", 16, 8, "1@1 1@1/1:1 hand@12", "2@15/2 hand@15" },
};

TEST_ROWS_WITH(orders, ROWS, NULL, tell_order)
{
	static struct row r;
	unsigned long cnt;

	r = row_of(row, CPUS_MAX);
	ends_cnt = 0;
	cnt = try_orders(&r);
	print_message("%s: %lu states, %lu ends\n", race->name, cnt, ends_cnt);
	race = NULL;
}

TEST_WITH(any_race, NULL, tell_order)
{
	uint64_t seed = environment_number("SEED", 1);
	uint64_t cases = environment_number("CASES", tries(1, 15));
	static const uint32_t SHAPES[][2] = { { 16, 8 }, { 20, 8 }, { 40, 8 }, { 40, 6 } };
	unsigned long cnt = 0;
	static struct row r;

	for (uint64_t i = 0; i < cases; i++) {
		const uint32_t *shape = SHAPES[random_below(&seed, ARRAY_SIZE(SHAPES))];

		make_race(&r, &seed, shape[0], shape[1], true);
		cnt += try_orders(&r);
	}
	race = NULL;
	print_message("any: %lu states, %lu ends\n", cnt, ends_cnt);
}

UNIT_MAIN()
