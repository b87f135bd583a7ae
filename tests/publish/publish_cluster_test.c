// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Three nodes with a filter each publish into one stream of a cluster of three servers. Each event
 * is offered to each node 1 to 5 times, at random offsets of 0 to 2 s; a consumer reads each
 * exactly once, whatever fails meanwhile. EVENTS=200000 offers more, RATE=N fresh ones a second;
 * FAULTS=N SEED=N tries more faults.
 *
 * Not quick: three servers take two minutes of CPU time.
 */
#include "jetstream.h"
#include "node.h"
#include "offers.h"
#include "stream_reader.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LOAD "--port 8001 --fpr 1e-9 --deliver xsk"
#define COPIES 5
#define SPREAD_MS 2000
#define RATE 1500	  /* fresh events a second */
#define FAULT_RATE 300	  /* so few that none finds no room while a node waits for the servers */
#define ROUND_EVENTS 1500 /* of one fault: 5 s, and the offsets */
#define BEFORE_MS 1000	  /* a fault begins so late in a round */
#define ROUNDS_MAX 1000

static struct offers offers;
static uint64_t random_state;

static int setup(void **state)
{
	int err = hub_setup(state);

	jetstream_start(&(struct jetstream_plan){ .servers = JETSTREAM_SERVERS });
	for (unsigned int n = 0; n < NODES; n++) {
		node_add(n, LOAD);
		node_publish(n, "--create --replicas 3 --duplicates 10m");
	}
	for (unsigned int n = 0; n < NODES; n++)
		node_await_ready(n);
	jetstream_await_replicas(NODE_STREAM);
	return err;
}

static int teardown(void **state)
{
	offers_end(&offers);
	return hub_teardown(state);
}

static void await_idle(void)
{
	for (unsigned int n = 0; n < NODES; n++)
		node_await_idle(n);
}

static double sum_of(const char *metric)
{
	double sum = 0;

	for (unsigned int n = 0; n < NODES; n++)
		sum += node_metric(n, metric);
	return sum;
}

static void each_event_is_there_once(void **state)
{
	uint32_t events = (uint32_t)environment_number("EVENTS", 20000);
	uint32_t rate = (uint32_t)environment_number("RATE", RATE);

	(void)state;
	offers_start(&offers, &(struct offers_plan){ .events = events,
						     .nodes = NODES,
						     .copies_max = COPIES,
						     .spread_ms = SPREAD_MS,
						     .rate = rate,
						     .seed = environment_number("SEED", 1) });
	offers_wait(&offers);
	print_message("%zu packets in %.1f s\n", offers.cnt, offers_now_ms(&offers) / 1000.0);
	await_idle();
	print_message("published %.0f, duplicates of other nodes %.0f, retried %.0f, "
		      "overflow %.0f\n",
		      sum_of("sent_total"), sum_of("duplicate_total"), sum_of("retried_total"),
		      sum_of("overflow_total"));
	stream_assert_all_once(NODE_STREAM, offers.plan.seed, events);
	assert_int_equal(sum_of("given_up_total"), 0);
	assert_int_equal(sum_of("acknowledged_total"), (uint64_t)events * NODES);
	for (unsigned int n = 0; n < NODES; n++)
		assert_int_equal(node_end(n, SIGTERM), 0);
}

/* What fails, for how long, and what mends it. The victim is a node, or a server. */
struct fault {
	const char *name;
	void (*begin)(unsigned int victim);
	void (*end)(unsigned int victim);
	bool is_leader; /* the victim is the server that leads the stream */
	uint32_t ms;
};

static void kill_publisher(unsigned int n)
{
	assert_int_equal(node_end(n, SIGKILL), 128 + SIGKILL);
}

static void start_publisher(unsigned int n)
{
	node_publish(n, "");
	node_await_ready(n);
}

static void cut_node(unsigned int n)
{
	hub_cut(NODE_PLACE(n), true);
}

static void join_node(unsigned int n)
{
	hub_cut(NODE_PLACE(n), false);
}

static void cut_server(unsigned int n)
{
	hub_cut(n, true);
}

static void join_server(unsigned int n)
{
	hub_cut(n, false);
}

static void stop_server(unsigned int n)
{
	jetstream_stop(n, true);
}

static void continue_server(unsigned int n)
{
	jetstream_stop(n, false);
}

static void fill_disk(unsigned int n)
{
	jetstream_fill_disk(n, true);
}

/* A server whose disk was full needs to be started again. */
static void free_disk(unsigned int n)
{
	jetstream_fill_disk(n, false);
	jetstream_kill(n);
	jetstream_start_one(n);
}

static const struct fault FAULTS[] = {
	{ "publisher_killed", kill_publisher, start_publisher, false, 1000 },
	{ "server_killed", jetstream_kill, jetstream_start_one, false, 3000 },
	{ "leader_killed", jetstream_kill, jetstream_start_one, true, 3000 },
	{ "node_cut_off", cut_node, join_node, false, 10000 },
	{ "server_cut_off", cut_server, join_server, false, 5000 },
	{ "leader_cut_off", cut_server, join_server, true, 5000 },
	{ "server_stopped", stop_server, continue_server, false, 3000 },
	{ "leader_stopped", stop_server, continue_server, true, 3000 },
	{ "disk_full", fill_disk, free_disk, false, 3000 },
	{ "disk_of_leader_full", fill_disk, free_disk, true, 3000 },
};

/* Reports events of a round that are missing, or there twice. */
static void check_round(const struct fault *f, uint64_t seed, uint32_t events)
{
	struct stream_account a;
	uint32_t missing, once;

	stream_account_read(&a, NODE_STREAM, seed, events);
	missing = gossip_delivered(&a.counts, 0);
	once = gossip_delivered(&a.counts, 1);
	if (once != events) {
		print_error("%s, seed %ju: of %u events %u are missing, %u are there twice\n",
			    f->name, (uintmax_t)seed, events, missing, events - missing - once);
		for (uint32_t e = 0; e < events && seed == offers.plan.seed; e++)
			if (a.counts.copies[e] != 1)
				print_error("  event %u: %u times, offered from %u to %u ms\n", e,
					    a.counts.copies[e], offers.first_ms[e],
					    offers.last_ms[e]);
		for (unsigned int n = 0; n < NODES; n++)
			process_show(node_publisher(n));
	}
	assert_int_equal(once, events);
	assert_int_equal(a.wrong_ids, 0);
	stream_account_free(&a);
}

/* Events, and one fault meanwhile. Each event is there once in the end, as at least one node had
 * no fault, and found room for all.
 */
static void run_fault(const struct fault *f, uint64_t seed)
{
	unsigned int victim = random_next(&random_state) % NODES;

	if (f->is_leader)
		victim = jetstream_leader(NODE_STREAM);
	offers_end(&offers);
	offers_start(&offers, &(struct offers_plan){ .events = ROUND_EVENTS,
						     .nodes = NODES,
						     .copies_max = COPIES,
						     .spread_ms = SPREAD_MS,
						     .rate = FAULT_RATE,
						     .seed = seed });
	usleep((BEFORE_MS + random_next(&random_state) % 1000) * 1000);
	f->begin(victim);
	usleep(f->ms * 1000);
	f->end(victim);
	offers_wait(&offers);
	for (unsigned int n = 0; n < NODES; n++)
		node_await_ready(n);
	await_idle();
	jetstream_await_replicas(NODE_STREAM);
	print_message("%s, victim %u: retried %.0f, given up %.0f, overflow %.0f, duplicates %.0f\n",
		      f->name, victim, sum_of("retried_total"), sum_of("given_up_total"),
		      sum_of("overflow_total"), sum_of("duplicate_total"));
	check_round(f, seed, ROUND_EVENTS);
	assert_int_equal(sum_of("given_up_total"), 0); /* no fault is as long as the retries */
}

static void one_fault(void **state)
{
	const struct fault *f = *state;

	random_state = environment_number("SEED", 1);
	run_fault(f, random_next(&random_state));
}

/* Random faults, one after another. What was there once stays. */
static void faults_in_a_loop(void **state)
{
	uint64_t faults = environment_number("FAULTS", 0), seeds[ROUNDS_MAX];
	const struct fault *had[ROUNDS_MAX];

	(void)state;
	if (!faults)
		skip();
	assert_true(faults <= ROUNDS_MAX);
	random_state = environment_number("SEED", 1);
	for (uint64_t i = 0; i < faults; i++) {
		seeds[i] = random_next(&random_state);
		had[i] = &FAULTS[random_next(&random_state) % ARRAY_SIZE(FAULTS)];
		run_fault(had[i], seeds[i]);
	}
	for (uint64_t i = 0; i < faults; i++)
		check_round(had[i], seeds[i], ROUND_EVENTS);
}

int main(void)
{
	add_test("each_event_is_there_once", each_event_is_there_once, setup, teardown, NULL);
	add_rows(FAULTS, one_fault, setup, teardown);
	add_test("faults_in_a_loop", faults_in_a_loop, setup, teardown, NULL);
	return run_added_tests("publish_cluster");
}
