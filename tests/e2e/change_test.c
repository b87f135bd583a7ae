// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Filters that are changed under traffic: the senders know every event, and send copies of each over
 * both links, soon after it and long after. Whatever is done meanwhile, each is delivered once.
 */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "e2e_runner.h"
#include "output.h"

#define EVENTS 100000
#define COPIES 4
#define SPREAD (EVENTS / 10) /* events by which copies of one are apart, at most */
#define LOAD "load ve0 ve1 --name f --capacity 1M --window 60s --fpr 1e-6"
#define OPERATIONS_MAX 8

struct row {
	const char *name;
	double fpr;	  /* 0: too small to matter */
	const char *load; /* NULL: LOAD */
	const char *operations[OPERATIONS_MAX];
};

static const struct row ROWS[] = {
	{ "set-twice", 0, NULL, { "set f --ihave pass", "set f --ihave drop" } },
	{ "drop-for-a-time-and-for-ever", 0, NULL, { "set f --for 1h", "set f --action drop" } },
	{ "larger", 0, NULL, { "resize f --capacity 2M" } },
	{ "smaller", 0, NULL, { "resize f --capacity 500k" } },
	{ "again-and-again",
	  0,
	  NULL,
	  { "resize f --capacity 2M", "set f --ihave pass", "resize f --forget --fpr 1e-7" } },
	{ "to-flat", 0, NULL, { "resize f --layout flat" } },
	{ "to-countdown", 1e-3, NULL, { "resize f --layout countdown --fpr 1e-3 --capacity 250k" } },
	{ "from-flat", 0, LOAD " --layout flat", { "resize f --layout blocked --hash siphash" } },
	{ "from-countdown",
	  1e-3,
	  LOAD " --layout countdown --fpr 1e-3 --capacity 250k",
	  { "resize f --layout blocked" } },
	{ "another-window", 0, NULL, { "resize f --window 120s" } },
	{ "replace", 0, NULL, { "load --replace --name f", "load --replace --name f --fpr 1e-7" } },
};

/* By the tool of the next format. */
static const struct row UPGRADES[] = {
	{ "upgrade", 0, NULL, { "load --replace --name f", "load --replace --name f" } },
	{ "upgrade-larger", 0, NULL, { "load --replace --name f --capacity 2M", "set f --ihave pass" } },
	{ "upgrade-of-countdown",
	  1e-3,
	  LOAD " --layout countdown --fpr 1e-3 --capacity 250k",
	  { "load --replace --name f" } },
};

/* What is sent over one link: all events, each in half of its copies. */
struct feed {
	struct gossip_sender *s;
	uint32_t *order;
};

static void start_feed(struct feed *feed, int link, uint64_t seed)
{
	feed->s = e2e_sender(link, AF_INET, seed);
	feed->order = gossip_shuffle(EVENTS, COPIES / E2E_LINKS, SPREAD, seed + link);
	assert_non_null(feed->order);
	feed->s->rate_pps = 40000; /* half of what goes through here with the sanitizers on */
	assert_return_code(gossip_sender_start(feed->s, feed->order, EVENTS * COPIES / E2E_LINKS),
			   EAGAIN);
}

static void end_feed(struct feed *feed)
{
	assert_return_code(gossip_sender_wait(feed->s), EIO);
	e2e_close(feed->s, NULL);
	free(feed->order);
}

static void assert_counters(uint32_t lost)
{
	json_object *o = tool_status("f"), *counters = member(o, "counters");

	assert_number(counters, "new", EVENTS - lost);
	assert_number(counters, "duplicate", EVENTS * (COPIES - 1) + lost);
	assert_number(counters, "dropped", EVENTS * (COPIES - 1) + lost);
	json_object_put(o);
}

/* The changes are done by this tool; NULL: the one that is tested. */
static void change(const struct row *row, const char *by)
{
	struct feed feeds[E2E_LINKS];
	struct gossip_receiver *r;
	uint64_t seed;
	uint32_t lost;

	seed = gossip_now_ns();
	r = e2e_receiver(-1, AF_INET, seed, EVENTS);
	e2e_load("%s", row->load ?: LOAD);
	use_tool(by);
	assert_return_code(gossip_receiver_start(r), EAGAIN);
	for (int i = 0; i < E2E_LINKS; i++)
		start_feed(&feeds[i], i, seed);
	for (int i = 0; i < OPERATIONS_MAX && row->operations[i]; i++) {
		usleep(500000);
		e2e_tool("%s", row->operations[i]);
		assert_false(feeds[0].s->stop);
	}
	for (int i = 0; i < E2E_LINKS; i++)
		end_feed(&feeds[i]);
	assert_return_code(gossip_receiver_stop(r, 200), EIO);
	assert_int_equal(gossip_receiver_lost(r), 0);
	lost = gossip_delivered(r, 0);
	print_message("# once %u, never %u, twice %u\n", gossip_delivered(r, 1), lost,
		      gossip_delivered(r, 2));
	assert_true(lost <= (row->fpr > 0 ? poisson_bound(EVENTS * row->fpr) : 0));
	assert_int_equal(gossip_delivered(r, 1), EVENTS - lost);
	assert_counters(lost);
	e2e_close(NULL, r);
	e2e_tool("unload ve0 ve1");
}

static void test_change(void **state)
{
	change(*state, NULL);
}

static void test_upgrade(void **state)
{
	change(*state, next_tool());
}

int main(void)
{
	add_rows(ROWS, test_change, e2e_setup, e2e_teardown);
	add_rows(UPGRADES, test_upgrade, e2e_setup, e2e_teardown);
	return run_added_tests("change");
}
