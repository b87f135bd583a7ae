// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Accounts that are read while packets change them: what is `lost` is never too high, so it never
 * goes back. The packets come so that nothing is ever lost, but words of numbers are begun late.
 * Accounts that a snapshot has brought are read whatever is in them.
 */
#include "unit.h"
#include "hostile.h"

#include <pthread.h>
#include <stdatomic.h>

#include "accounts.h"
#include "profile_stream.h"
#include "sender_list.h"
#include "sim.h"
#include "source_note.h"
#include "source_table.h"

#define S 1000000000ULL
#define WORD 32
#define GAP 3 /* words that are left out, and come late */

static struct sim sim;
static atomic_bool is_over;

static void start(const char *keys)
{
	struct filter_spec spec = sim_spec(100, 1e-3, S);
	char lines[256];

	snprintf(lines, sizeof(lines), "layer = udp\nsource = payload+0:4\n%s", keys);
	profile_stream(&spec.streams[0], "a", lines);
	spec.sources = 1;
	spec.paths = 2;
	sim_start(&sim, &spec, 1);
}

/* A packet with all numbers of a word. */
static void send_word(uint64_t word, uint32_t path)
{
	const struct dedup_config *c = &sim.config;
	struct dedup_source_key source = { .words = 1 };
	struct dedup_packet_numbers p = { .first = word * WORD, .now = 1000, .count = WORD };

	dedup_source_of_realm(&source, c, c->policy.streams[0].realm_key, 0);
	dedup_see_source(&c->sources, &c->numbered[0].recovery, sim.filter.blocks, &source, &p);
	dedup_note_source(&c->sources, &c->numbered[0].recovery, sim.filter.blocks, &source, &p, 0,
			  dedup_path_key(c->policy.streams[0].slot, path), S);
}

/* Each word comes on both paths, those of a gap after the word behind it. */
static void *send_packets(void *arg)
{
	(void)arg;
	for (uint64_t word = 0; !is_over; word += GAP + 1) {
		for (uint32_t path = 1; path <= 2; path++)
			send_word(word + GAP, path);
		for (uint64_t late = word; late < word + GAP; late++)
			for (uint32_t path = 1; path <= 2; path++)
				send_word(late, path);
	}
	return NULL;
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

static void any_account_is_read(void **state)
{
	char text[SENDER_TEXT_MAX];
	struct sender_list list;
	uint64_t seed = 1;

	(void)state;
	start("sequence = payload+4:4\nhistory = 512");
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

static const struct kind {
	const char *name, *keys;
	int quick, rest; /* readings */
} KINDS[] = {
	{ "short-history", "sequence = payload+4:4\nhistory = 512", 50000, 200000 },
	{ "long-history", "sequence = payload+4:4\nhistory = 131072", 500, 5000 },
};

TEST_ROWS(nothing_seems_lost, KINDS)
{
	uint32_t read = 0, wanted = tries(row->quick, row->rest);
	struct source_figures s = { .lost = 0 };
	pthread_t sender;

	start(row->keys);
	send_word(0, 1); /* both paths begin with the first number */
	send_word(0, 2);
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

int main(void)
{
	add_test("any-account-is-read", any_account_is_read, NULL, NULL, NULL);
	add_own_tests(NULL, NULL);
	return run_added_any_tests("accounts, live");
}
