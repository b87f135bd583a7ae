// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is reported of the paths of a numbered source, against a plain model. */
#include "unit.h"

#include "account_model.h"
#include "number_calls.h"
#include "accounts.h"
#include "profile_stream.h"
#include "sim.h"
#include "source_hand.h"
#include "source_note.h"

#define S 1000000000ULL
#define SOURCE 7

static struct sim sim;
static uint64_t sender = SOURCE; /* of what is judged */

static void start(const struct account_kind *kind)
{
	struct filter_spec spec = sim_spec(100, 1e-3, S);
	char lines[256];

	snprintf(lines, sizeof(lines), "layer = udp\nsource = payload+0:4\n%s", kind->keys);
	profile_stream(&spec.streams[0], "a", lines);
	spec.sources = 2;
	spec.paths = kind->paths;
	sim_start(&sim, &spec, 1);
	assert_int_equal(sim.config.sources.paths, kind->paths);
}

static void judge(void *arg, const struct account_packet *packet)
{
	const struct dedup_config *c = &sim.config;
	struct dedup_source_key source = { .words = 1, .id.word = { sender } };
	struct dedup_packet_numbers p = { .first = packet->number,
					  .now = packet->now,
					  .count = packet->cnt };

	(void)arg;
	dedup_source_of_realm(&source, c, c->policy.streams[0].realm_key, 0);
	dedup_see_source(&c->sources, &c->numbered[0].recovery, sim.filter.blocks, &source, &p);
	dedup_note_source(&c->sources, &c->numbered[0].recovery, sim.filter.blocks, &source, &p, 0,
			  packet->path, packet->ns);
}

static void random_feed(const struct account_kind *kind, uint64_t seed)
{
	struct account_clock clock = { .now = 1000, .ns = 77 * S };
	uint64_t paths[DEDUP_PATHS_MAX + 1];
	struct account_feed feed = { .kind = kind, .paths = paths, .judge = judge };
	struct source_figures s;

	start(kind);
	for (uint32_t i = 0; i < ARRAY_SIZE(paths); i++)
		paths[i] = dedup_path_key(sim.config.policy.streams[0].slot, i + 1);
	feed.model = account_model_open(&sim.filter, 0, 0);
	account_feed_begin(&feed, seed);
	for (int step = 0; step < 4000; step++)
		account_feed_step(&feed, &clock, step);
	account_model_compare(feed.model, 4000);
	assert_true(accounts_read(&sim.filter, 0, &s));
	assert_int_equal(s.words, 1);
	assert_int_equal(s.id.word[0], SOURCE);
	assert_false(accounts_read(&sim.filter, 1, &s));
	account_model_close(feed.model);
	sim_stop(&sim);
}

#define NUMBERS_32 "sequence = payload+4:4\nhistory = 256\nreset = 10ms"
#define NUMBERS_16 "sequence = payload+4:2\nreset = 10ms" /* no number is far from another */

/* Packets one after the other (number_calls.h). The reset is after 3 jiffies. */
static const struct script {
	const char *name, *keys, *packets;
	uint64_t messages, restarts, far; /* at the end */
	uint64_t lacks;			  /* messages that came on no path: lost or missing */
} SCRIPTS[] = {
/* Seven of another numbering, and after a silence one of the old: the new one begins. */
#define FAR_NUMBERS                                                                   \
	"1000@1000 1000000@1000 1000001@1000 1000002@1000 1000003@1000 1000004@1000 " \
	"1000005@1000 1000006@1000 1001@1005"
	{ "numbering-of-which-no-number-came", NUMBERS_32, FAR_NUMBERS " 1002@1010", 2, 0, 8, 0 },
	{ "packet-that-begins-before-a-history", NUMBERS_32,
	  FAR_NUMBERS " 999480@1005+39 1000007@1005", 998481, 0, 48, 998479 },
	{ "goes-on-after-a-silence", NUMBERS_32, "1000@1000 1003@1010", 4, 0, 0, 2 },
	/* RTP, 135,000 packets a second: both paths are down for 25 ms. */
	{ "outage-of-a-fast-sender-is-loss", NUMBERS_16, "1000@1000 4376@1010", 3377, 0, 0, 3375 },
	{ "packet-of-many-lost-after-a-silence-is-loss", NUMBERS_32, "1000@1000 1041@4000", 42, 0,
	  0, 40 },
	{ "outage-of-two-histories-is-loss", NUMBERS_32, "1000@1000 2025@1010", 1026, 0, 0, 1024 },
	{ "slow-path-after-an-outage-of-two-histories", NUMBERS_32,
	  "1000@1000+99 1000@1000+89:1 3000@1010 1090@1010+9:1 3000@1010:1", 2001, 0, 0, 1900 },
	/* The numbers between are not lost: they came, as far ones. */
	{ "goes-on-far-ahead-without-a-silence", NUMBERS_32,
	  "1000@1000 5000@1001+19 5020@1001+19 5040@1002+19 5060@1002+19"
	  " 5080@1003+7",
	  4048, 0, 40, 3999 },
	{ "restarts-too-far-ahead", NUMBERS_32, "1000@1000 0x80000500@1010", 2, 1, 0, 0 },
	/* A path whose copies come later than the history: each time it looks like a restart. */
	{ "comes-back-to-where-it-was", NUMBERS_32,
	  "100000@1000 5000@1010:1 100001@1020 5001@1030:1 100003@1040", 6, 2, 0, 1 },
	{ "slow-path-goes-on-after-a-silence", NUMBERS_32,
	  "1000@1000+99 1000@1000+9:1 1010@1010+9:1 1100@1010", 101, 0, 0, 0 },
	{ "path-ended-before-a-restart", NUMBERS_16,
	  "1000@1000+99 1000@1000+9:1 50000@1010 1010@1020:1 1011@1020", 16648, 1, 0, 16545 },
	{ "restarts-a-history-behind", NUMBERS_32, "1000@1000 745@1010", 2, 1, 0, 0 },
};

TEST_ROWS(follows_a_script, SCRIPTS)
{
	const struct account_kind kind = { .keys = row->keys, .paths = 2 };
	struct account_model *m;
	struct source_figures s;
	struct call calls[16];
	int cnt;

	start(&kind);
	assert_int_equal(sim.config.numbered[0].recovery.reset_jiffies, 3);
	m = account_model_open(&sim.filter, 0, 0);
	cnt = parse_calls(row->packets, calls, ARRAY_SIZE(calls));
	for (int i = 0; i < cnt; i++) {
		const struct call *c = &calls[i];
		struct account_packet p = { dedup_path_key(sim.config.policy.streams[0].slot,
							   1 + c->path),
					    c->number, 1 + c->more, c->now, c->now * S };

		judge(NULL, &p);
		account_model_packet(m, &p);
		account_model_compare(m, i);
	}
	assert_true(accounts_read(&sim.filter, 0, &s));
	assert_int_equal(s.messages, row->messages);
	assert_int_equal(s.restarts, row->restarts);
	assert_int_equal(s.paths[0].counted.far, row->far);
	assert_int_equal(s.lost + s.missing, row->lacks);
	account_model_close(m);
	sim_stop(&sim);
}

static void send_numbers(uint64_t of, uint64_t first, uint32_t cnt, struct account_model *m)
{
	for (uint32_t i = 0; i < cnt; i++)
		for (uint32_t path = 0; path < 2; path++) {
			struct account_packet p = { dedup_path_key(sim.config.policy.streams[0].slot,
								   1 + path),
						    first + i, 1, 1000, S };

			if (m && i % (path ? 5 : 3) == 0)
				continue; /* it is lost on this path */
			sender = of;
			judge(NULL, &p);
			if (m)
				account_model_packet(m, &p);
		}
	sender = SOURCE;
}

#define EDGE (1ULL << DEDUP_WIDTH_MAX)

/* A message of a sender with 64-bit numbers comes on a path. */
static void come(uint64_t number, uint32_t path)
{
	const struct dedup_config *c = &sim.config;
	struct dedup_id id = { .word = { sender, __builtin_bswap64(number) } };
	struct dedup_packet_numbers p = { .now = 1000, .count = 1 };
	struct dedup_source_key key;

	dedup_read_number(&key, &p, &id, 2, &c->numbered[0]);
	dedup_source_of_realm(&key, c, c->policy.streams[0].realm_key, 0);
	dedup_see_source(&c->sources, &c->numbered[0].recovery, sim.filter.blocks, &key, &p);
	dedup_note_source(&c->sources, &c->numbered[0].recovery, sim.filter.blocks, &key, &p, 0,
			  dedup_path_key(c->policy.streams[0].slot, 1 + path), S);
}

/* The numbers of each path, of which some are lost, cross 2^40, also if all are lost there. */
static void numbers_cross_2_to_the_40th(void **state)
{
	static const struct account_kind KIND = { .keys = "sequence = payload+4:8\nhistory = 256",
						  .paths = 2 };
	static const uint64_t AROUND[] = { 0, 1, 100 }; /* numbers lost on both paths */

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(AROUND); i++) {
		uint64_t lost_of[2] = { 0 }, received[2] = { 0 }, lost = 0, all = 4000;
		struct source_figures s;
		uint32_t senders = 0;

		start(&KIND);
		for (uint64_t k = 0; k < all; k++) {
			uint64_t number = EDGE - all / 2 + k;
			bool gone = number + AROUND[i] / 2 >= EDGE &&
				    number - EDGE + AROUND[i] / 2 < AROUND[i];
			bool came[2] = { k == 0 || (!gone && k % 5), k == 0 || (!gone && k % 3) };

			lost += !came[0] && !came[1] && k < all - 1;
			for (uint32_t path = 0; path < 2; path++) {
				if (came[path] || k == all - 1)
					come(number, path);
				lost_of[path] += !came[path] && k < all - 1;
				received[path] += came[path] || k == all - 1;
			}
		}
		for (uint32_t source = 0; source < 2; source++)
			senders += accounts_read(&sim.filter, source, &s);
		assert_int_equal(senders, 1);
		assert_int_equal(s.messages, all);
		assert_int_equal(s.lost + s.missing, lost);
		assert_true(s.lost > 0);
		for (uint32_t path = 0; path < 2; path++) {
			assert_int_equal(s.paths[path].ifindex, 1 + path);
			assert_int_equal(s.paths[path].messages, all);
			assert_int_equal(s.paths[path].counted.received, received[path]);
			assert_int_equal(s.paths[path].lost + s.paths[path].missing, lost_of[path]);
		}
		assert_false(s.redundant);
		sim_stop(&sim);
	}
}

/* An account of a filter with a predecessor, whose account has seen up to 5,000, begins with a
 * packet of a path that is far behind. What that path loses up to there the other one has brought.
 */
static void nothing_counts_that_was_seen_before(void **state)
{
	static const struct account_kind KIND = { .keys = "sequence = payload+4:4\nhistory = 256",
						  .paths = 2 };
	const struct dedup_config *c = &sim.config;
	uint64_t behind = *(const uint64_t *)*state;
	struct dedup_source_key key = { .words = 1, .id.word = { SOURCE } };
	struct source_figures s;

	start(&KIND);
	dedup_source_of_realm(&key, c, c->policy.streams[0].realm_key, 0);
	for (uint64_t k = 0; k < 2000; k++)
		for (uint32_t path = 0; path < 2; path++) {
			struct dedup_packet_numbers p = { 5001 + k - path * behind, 1000 + k, 1 };

			if (path ? k % 3 == 1 : !k)
				continue;
			dedup_see_source(&c->sources, &c->numbered[0].recovery, sim.filter.blocks,
					 &key, &p);
			dedup_note_source(&c->sources, &c->numbered[0].recovery, sim.filter.blocks,
					  &key, &p, 5000 + 1,
					  dedup_path_key(c->policy.streams[0].slot, 1 + path), S);
		}
	assert_true(accounts_read(&sim.filter, 0, &s));
	assert_int_equal(s.messages, 2000);
	assert_int_equal(s.since_ns, S);
	assert_int_equal(s.lost + s.missing, 1); /* 5001 */
	sim_stop(&sim);
}

static const uint64_t BEHIND = 400;

/* A source has the memory of one that was taken out: nothing of that one is counted. */
static void source_is_recycled(void **state)
{
	static const struct account_kind KIND = { .keys = "sequence = payload+4:4\nhistory = 256",
						  .paths = 2 };
	const struct dedup_sources *t = &sim.config.sources;
	uint64_t now = 1000 + 1000000;
	struct account_model *m;

	(void)state;
	start(&KIND);
	send_numbers(1, 5000, 500, NULL);
	send_numbers(2, 6000, 1, NULL);
	for (int i = 0; i < 2; i++, now += 1000) /* out, and free; the last one is used first */
		for (uint32_t source = 2; source--;)
			dedup_sources_pass(t, sim.filter.blocks, source, 0, now);
	m = account_model_open(&sim.filter, 0, 0);
	for (uint64_t n = 7000; n < 7600; n += 60) {
		send_numbers(3, n, 60, m);
		account_model_compare(m, (int)n);
	}
	account_model_close(m);
	sim_stop(&sim);
}

static void equals_a_plain_model(void **state)
{
	for (uint64_t seed = 1; seed <= tries(5, 20); seed++)
		random_feed(*state, seed);
}

int main(void)
{
	for (uint32_t i = 0; i < ACCOUNT_KINDS_CNT; i++)
		add_test(ACCOUNT_KINDS[i].name, equals_a_plain_model, NULL, NULL, &ACCOUNT_KINDS[i]);
	add_test("source-is-recycled", source_is_recycled, NULL, NULL, NULL);
	add_test("numbers-cross-2-to-the-40th", numbers_cross_2_to_the_40th, NULL, NULL, NULL);
	add_test("nothing-counts-that-was-seen-before", nothing_counts_that_was_seen_before, NULL,
		 NULL, &BEHIND);
	add_own_tests(NULL, NULL);
	return run_added_any_tests("accounts");
}
