// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Two receivers on one host: each event is sent to both ports, on both links. */
#include "e2e_runner.h"

#include <errno.h>
#include <sys/socket.h>

#define EVENTS 20000
#define PORT 8001
#define BY_EVENT "[profile mine]\nlayer = udp\nid = payload+8:32"

static const struct row {
	const char *name, *profiles, *load;
	bool one_realm; /* then each event is for one of them, else for each */
} ROWS[] = {
	{ "gsp", "", "--profile one=gsp:8001 --profile two=gsp:8002", false },
	{ "gsp_in_one_realm", "", "--profile one=gsp:8001#r --profile two=gsp:8002#r", true },
	{ "by_their_profile", BY_EVENT,
	  "--profiles /dev/stdin --profile one=mine:8001 --profile two=mine:8002", false },
	{ "by_their_profile_in_one_realm", BY_EVENT,
	  "--profiles /dev/stdin --profile one=mine:8001#r --profile two=mine:8002#r", true },
};

/* To both ports over both links, each in an order of its own. */
static void send_to_both(uint64_t seed)
{
	struct gossip_sender *s[2 * E2E_LINKS];
	uint32_t *order[2 * E2E_LINKS];

	for (int i = 0; i < 2 * E2E_LINKS; i++) {
		order[i] = gossip_shuffle(EVENTS, 1, 1000, seed + i);
		assert_non_null(order[i]);
		s[i] = e2e_sender_to(i / 2, AF_INET, PORT + i % 2, seed);
	}
	for (int i = 0; i < 2 * E2E_LINKS; i++)
		assert_int_equal(gossip_sender_start(s[i], order[i], EVENTS), 0);
	for (int i = 0; i < 2 * E2E_LINKS; i++) {
		assert_int_equal(gossip_sender_wait(s[i]), 0);
		e2e_close(s[i], NULL);
		free(order[i]);
	}
}

static void test_two_receivers(void **state)
{
	const struct row *row = *state;
	const uint64_t sent = 2 * E2E_LINKS * EVENTS;
	uint64_t seed = gossip_now_ns(), expected = row->one_realm ? EVENTS : 2 * EVENTS;
	struct gossip_receiver *r[2];
	struct filter_counters c;

	sh("echo '%s' | %s load ve0 ve1 --name streams --fpr 1e-9 %s", row->profiles, tool(),
	   row->load);
	for (int i = 0; i < 2; i++) {
		r[i] = e2e_receiver_at(-1, AF_INET, PORT + i, seed, EVENTS);
		assert_int_equal(gossip_receiver_start(r[i]), 0);
	}
	send_to_both(seed);
	c = e2e_counters_after("streams", sent);
	for (int i = 0; i < 2; i++) {
		assert_return_code(gossip_receiver_stop(r[i], 50), EIO);
		assert_int_equal(gossip_receiver_lost(r[i]), 0);
		assert_int_equal(r[i]->strangers, 0);
	}
	print_message("# sent %llu to two ports, read %llu and %llu\n", (unsigned long long)sent,
		      (unsigned long long)r[0]->packets, (unsigned long long)r[1]->packets);
	for (int i = 0; i < EVENTS; i++) {
		assert_int_equal(r[0]->copies[i] + r[1]->copies[i], row->one_realm ? 1 : 2);
		assert_true(row->one_realm || r[0]->copies[i] == 1);
	}
	assert_int_equal(r[0]->packets + r[1]->packets, expected);
	assert_int_equal(c.new, expected);
	assert_int_equal(c.dropped, sent - expected);
}

int main(void)
{
	add_rows(ROWS, test_two_receivers, e2e_setup, e2e_teardown);
	return run_added_tests("two_receivers");
}
