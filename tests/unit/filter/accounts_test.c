// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is reported of the paths of a numbered source, against a plain model; while packets change
 * it; and whatever a snapshot has brought.
 */
#include "unit.h"
#include "hostile.h"

#include <pthread.h>
#include <stdatomic.h>

#include "account_feed.h"
#include "number_calls.h"
#include "accounts.h"
#include "sender_list.h"
#include "sim.h"
#include "source_hand.h"
#include "source_note.h"

#define S 1000000000ULL
#define SOURCE 7

#define TWO_PATHS_32 "sequence = payload+4:4\nhistory = 256", 2, 2

static struct sim sim;

static void judge(void *arg, const struct account_packet *packet)
{
	(void)arg;
	sim_send(&sim, SOURCE, packet, 0);
}

/* A packet of one message comes on a path: 0, 1. */
static void come(uint64_t sender, uint64_t number, uint32_t path, struct model_account *m)
{
	struct account_packet p = { sim_path(&sim, 1 + path), number, 1, 1000, S };

	sim_send(&sim, sender, &p, 0);
	if (m)
		model_account_packet(m, &p);
}

static void random_feed(const struct account_kind *kind, uint64_t seed)
{
	struct account_clock clock = { .now = 1000, .ns = 77 * S };
	uint64_t paths[DEDUP_PATHS_MAX + 1];
	struct account_feed feed = { .kind = kind, .paths = paths, .judge = judge };
	struct source_figures s;

	sim_start_numbered(&sim, kind->keys, 2, kind->paths);
	assert_int_equal(sim.config.sources.paths, kind->paths);
	for (uint32_t i = 0; i < ARRAY_SIZE(paths); i++)
		paths[i] = sim_path(&sim, i + 1);
	feed.model = model_account_open(&sim.filter, 0, 0);
	account_feed_begin(&feed, seed);
	for (int step = 0; step < 4000; step++)
		account_feed_step(&feed, &clock, step);
	model_account_compare(feed.model, 4000);
	assert_true(accounts_read(&sim.filter, 0, &s));
	assert_int_equal(s.id.word[0], SOURCE);
	assert_false(accounts_read(&sim.filter, 1, &s));
	model_account_close(feed.model);
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
	struct model_account *m;
	struct source_figures s;
	struct call calls[16];
	int cnt;

	sim_start_numbered(&sim, row->keys, 2, 2);
	assert_int_equal(sim.config.numbered[0].recovery.reset_jiffies, 3);
	m = model_account_open(&sim.filter, 0, 0);
	cnt = parse_calls(row->packets, calls, ARRAY_SIZE(calls));
	for (int i = 0; i < cnt; i++) {
		const struct call *c = &calls[i];
		struct account_packet p = { sim_path(&sim, 1 + c->path), c->number, 1 + c->more,
					    c->now, c->now * S };

		judge(NULL, &p);
		model_account_packet(m, &p);
		model_account_compare(m, i);
	}
	assert_true(accounts_read(&sim.filter, 0, &s));
	assert_int_equal(s.messages, row->messages);
	assert_int_equal(s.restarts, row->restarts);
	assert_int_equal(s.paths[0].counted.far, row->far);
	assert_int_equal(s.lost + s.missing, row->lacks);
	model_account_close(m);
	sim_stop(&sim);
}

#define EDGE (1ULL << DEDUP_WIDTH_MAX)

/* The numbers of each path, of which some are lost, cross 2^40, also if all are lost there. */
TEST(numbers_cross_2_to_the_40th)
{
	static const uint64_t AROUND[] = { 0, 1, 100 }; /* numbers lost on both paths */

	for (size_t i = 0; i < ARRAY_SIZE(AROUND); i++) {
		uint64_t lost_of[2] = { 0 }, received[2] = { 0 }, lost = 0, all = 4000;
		struct source_figures s;
		uint32_t senders = 0;

		sim_start_numbered(&sim, "sequence = payload+4:8\nhistory = 256", 2, 2);
		for (uint64_t k = 0; k < all; k++) {
			uint64_t number = EDGE - all / 2 + k;
			bool gone = number + AROUND[i] / 2 >= EDGE &&
				    number - EDGE + AROUND[i] / 2 < AROUND[i];
			bool came[2] = { k == 0 || (!gone && k % 5), k == 0 || (!gone && k % 3) };

			lost += !came[0] && !came[1] && k < all - 1;
			for (uint32_t path = 0; path < 2; path++) {
				if (came[path] || k == all - 1)
					come(SOURCE, number, path, NULL);
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
TEST(nothing_counts_that_was_seen_before)
{
	const uint64_t behind = 400;
	struct source_figures s;

	sim_start_numbered(&sim, TWO_PATHS_32);
	for (uint64_t k = 0; k < 2000; k++)
		for (uint32_t path = 0; path < 2; path++) {
			struct account_packet p = { sim_path(&sim, 1 + path),
						    5001 + k - path * behind, 1, 1000 + k, S };

			if (path ? k % 3 != 1 : k)
				sim_send(&sim, SOURCE, &p, 5000 + 1);
		}
	assert_true(accounts_read(&sim.filter, 0, &s));
	assert_int_equal(s.messages, 2000);
	assert_int_equal(s.since_ns, S);
	assert_int_equal(s.lost + s.missing, 1); /* 5001 */
	sim_stop(&sim);
}

/* A source has the memory of one that was taken out: nothing of that one is counted. */
TEST(source_is_recycled)
{
	const struct dedup_sources *t = &sim.config.sources;
	uint64_t now = 1000 + 1000000;
	struct model_account *m;

	sim_start_numbered(&sim, TWO_PATHS_32);
	for (uint64_t n = 5000; n < 5500; n++)
		for (uint32_t path = 0; path < 2; path++)
			come(1, n, path, NULL);
	come(2, 6000, 0, NULL);
	for (int i = 0; i < 2; i++, now += 1000) /* out, and free; the last one is used first */
		for (uint32_t source = 2; source--;)
			dedup_sources_pass(t, sim.filter.blocks, source, 0, now);
	m = model_account_open(&sim.filter, 0, 0);
	for (uint64_t n = 7000; n < 7600; n++) {
		for (uint32_t path = 0; path < 2; path++)
			if (n % (path ? 5 : 3)) /* others are lost on this path */
				come(3, n, path, m);
		if (n % 60 == 59)
			model_account_compare(m, (int)n);
	}
	model_account_close(m);
	sim_stop(&sim);
}

/* One sender in two streams, which have a realm each, is two sources. */
TEST(a_source_is_of_the_stream_of_its_realm)
{
	struct filter_spec spec = sim_spec(100, 1e-3, S);
	struct source_figures s;

	spec.streams_cnt = spec.sources = spec.paths = 2;
	for (uint32_t n = 0; n < 2; n++)
		profile_stream(&spec.streams[n], n ? "b" : "a",
			       "layer = udp\nsource = payload+0:4\n" NUMBERS_32);
	spec.streams[1].ports[0] = (struct dedup_ports){ 8002, 8002 };
	spec.streams[1].ports_cnt = 1;
	sim_start(&sim, &spec, 1);
	sim.config.policy.streams[1].realm_key = 5;
	for (sim.stream = 0; sim.stream < 2; sim.stream++)
		sim_send(&sim, 7, &(struct account_packet){ sim_path(&sim, 1), 1000, 1, 1000, S }, 0);
	for (uint32_t n = 0; n < 2; n++) {
		assert_true(accounts_read(&sim.filter, n, &s));
		assert_int_equal(s.stream, n);
	}
	sim_stop(&sim);
}

static atomic_bool is_over;

#define WORD 32
#define GAP 3 /* words that are left out, and come late */

/* A packet with all numbers of a word, on both paths. */
static void send_word(uint64_t word)
{
	for (uint32_t path = 1; path <= 2; path++)
		sim_send(&sim, 0,
			 &(struct account_packet){ sim_path(&sim, path), word * WORD, WORD, 1000, S },
			 0);
}

static void *send_packets(void *arg)
{
	(void)arg;
	for (uint64_t word = 0; !is_over; word += GAP + 1) {
		send_word(word + GAP);
		for (uint64_t late = word; late < word + GAP; late++)
			send_word(late);
	}
	return NULL;
}

static const struct live {
	const char *name, *keys;
	int quick, rest; /* readings */
} LIVE[] = {
	{ "short-history", "sequence = payload+4:4\nhistory = 512", 50000, 200000 },
	{ "long-history", "sequence = payload+4:4\nhistory = 131072", 500, 5000 },
};

/* What is `lost` is never too high, so it never goes back. The packets come so that nothing is ever
 * lost, but words of numbers are begun late.
 */
TEST_ROWS(nothing_seems_lost, LIVE)
{
	uint32_t read = 0, wanted = tries(row->quick, row->rest);
	struct source_figures s = { .lost = 0 };
	pthread_t sender;

	sim_start_numbered(&sim, row->keys, 1, 2);
	send_word(0); /* both paths begin with the first number */
	is_over = false;
	assert_int_equal(pthread_create(&sender, NULL, send_packets, NULL), 0);
	for (uint32_t i = 0; i < wanted; i++) {
		if (!accounts_read(&sim.filter, 0, &s))
			continue;
		read++;
		if (s.lost || s.paths[0].lost || s.paths[1].lost)
			break;
	}
	is_over = true;
	pthread_join(sender, NULL);
	if (s.lost || s.paths[0].lost || s.paths[1].lost)
		fail_msg("reading %u: lost %" PRIu64 ", %" PRIu64 ", %" PRIu64, read, s.lost,
			 s.paths[0].lost, s.paths[1].lost);
	assert_int_equal(read, wanted);
	sim_stop(&sim);
}

/* A sender of the filter's realm with any account. */
static void bring_sender(uint32_t source, uint64_t *seed)
{
	const struct dedup_sources *t = &sim.config.sources;
	struct dedup_block *at = &sim.filter.blocks[dedup_slot_block(t, source)];
	struct dedup_slot *slot = (struct dedup_slot *)at;

	for (uint64_t i = 0; i < t->slot_blocks * sizeof(*at) / 8; i++)
		((uint64_t *)at)[i] = random_next(seed) >> random_next(seed) % 64;
	at[DEDUP_SLOT_ABOUT].word[DEDUP_SLOT_STATE] = DEDUP_SLOT_IN_USE;
	slot->key[DEDUP_SOURCE_WORDS] =
		sim.config.policy.streams[0].realm_key + sim.state.sources_era;
	at[t->account].word[DEDUP_ACCOUNT(version)] &= ~(random_next(seed) & 1);
}

TEST(any_account_is_read)
{
	char text[SENDER_TEXT_MAX];
	struct sender_list list;
	uint64_t seed = 1;

	sim_start_numbered(&sim, "sequence = payload+4:4\nhistory = 512", 1, 2);
	for (int i = 0; i < 400; i++) {
		bring_sender(0, &seed);
		assert_int_equal(sender_list_read(&sim.filter, 3, &list), 0);
		for (uint32_t k = 0; k < list.cnt; k++) {
			hostile_assert_shown(sender_text(&sim.config, &list.list[k], text));
			accounts_skew_quantile(&list.list[k].paths[0].counted, 0.99);
		}
		sender_list_free(&list);
	}
	sim_stop(&sim);
}

static void equals_a_model_memory(void **state)
{
	for (uint64_t seed = 1; seed <= tries(5, 20); seed++)
		random_feed(*state, seed);
}

int main(void)
{
	for (uint32_t i = 0; i < ACCOUNT_KINDS_CNT; i++)
		add_test(ACCOUNT_KINDS[i].name, equals_a_model_memory, NULL, NULL, &ACCOUNT_KINDS[i]);
	add_own_tests(NULL, NULL);
	return run_added_any_tests("accounts");
}
