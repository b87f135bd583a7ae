// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Accounts that are read while packets change them: what is `lost` is never too high, so it never
 * goes back. The packets come so that nothing is ever lost, but words of numbers are begun late.
 */
#include "support.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "accounts.h"
#include "profile_stream.h"
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
	dedup_note_source(&c->sources, &c->numbered[0].recovery, sim.filter.blocks, &source, &p,
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

static const struct kind {
	const char *name, *keys;
	int quick, rest; /* readings */
} KINDS[] = {
	{ "short-history", "sequence = payload+4:4\nhistory = 512", 50000, 200000 },
	{ "long-history", "sequence = payload+4:4\nhistory = 131072", 500, 5000 },
};

static void nothing_seems_lost(void **state)
{
	const struct kind *k = *state;
	uint32_t read = 0, wanted = tries(k->quick, k->rest);
	struct source_figures s = { .lost = 0 };
	pthread_t sender;

	start(k->keys);
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
	add_rows(KINDS, nothing_seems_lost, NULL, NULL);
	return run_added_any_tests("accounts, live");
}
