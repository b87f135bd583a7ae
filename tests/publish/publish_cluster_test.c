// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Three nodes with a filter each publish into one stream of a cluster of three servers. Each event
 * is offered to each node 1 to 5 times, at random offsets of 0 to 2 s; a consumer reads each
 * exactly once, whatever fails meanwhile. EVENTS=200000 offers more, RATE=N fresh ones a second;
 * SEED=N fails at other times.
 *
 * Not quick: three servers take two minutes of CPU time.
 */
#include "offers.h"
#include "stream_reader.h"

#define LOAD "--port 8001 --fpr 1e-9 --learn app --deliver xsk"
#define COPIES 5
#define SPREAD_MS 2000
#define RATE 1500	  /* fresh events a second */
#define FAULT_RATE 300	  /* so few that none finds no room while a node waits for the servers */
#define ROUND_EVENTS 1500 /* of one fault: 5 s, and the offsets */
#define BEFORE_MS 1000	  /* a fault begins so late in a round */

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
	jetstream_await_replicas();
	return err;
}

static double sum_of(const char *metric)
{
	double sum = 0;

	for (unsigned int n = 0; n < NODES; n++)
		sum += node_metric(n, metric);
	return sum;
}

TEST(each_event_is_there_once)
{
	uint32_t events = (uint32_t)environment_number("EVENTS", 20000);
	uint32_t rate = (uint32_t)environment_number("RATE", RATE);

	offers_send(&(struct offers_plan){ events, NODES, 1, COPIES, SPREAD_MS, rate,
					   environment_number("SEED", 1) });
	print_message("%zu packets in %.1f s\n", offers.cnt, offers_now_ms() / 1000.0);
	nodes_await_idle(NODES);
	print_message("published %.0f, duplicates of other nodes %.0f, retried %.0f, "
		      "overflow %.0f\n",
		      sum_of("sent_total"), sum_of("duplicate_total"), sum_of("retried_total"),
		      sum_of("overflow_total"));
	stream_assert_all_once(offers.plan.seed, events);
	assert_int_equal(sum_of("given_up_total"), 0);
	assert_true(sum_of("acknowledged_total") >= (double)events * NODES);
	for (unsigned int n = 0; n < NODES; n++)
		assert_int_equal(node_end(n, SIGTERM), 0);
}

/* Each of these makes a victim, a node or a server, fail, and then mends it. */

static void publisher_killed(unsigned int n, bool fails)
{
	if (fails) {
		assert_int_equal(node_end(n, SIGKILL), 128 + SIGKILL);
		return;
	}
	node_publish(n, "");
	node_await_ready(n);
}

static void server_killed(unsigned int n, bool fails)
{
	if (fails)
		jetstream_kill(n);
	else
		jetstream_start_one(n);
}

static void node_cut(unsigned int n, bool fails)
{
	hub_cut(NODE_PLACE(n), fails);
}

/* A server whose disk was full needs to be started again. */
static void disk_filled(unsigned int n, bool fails)
{
	jetstream_fill_disk(n, fails);
	if (fails)
		return;
	jetstream_kill(n);
	jetstream_start_one(n);
}

/* What fails, and for how long. */
static const struct fault {
	const char *name;
	void (*set)(unsigned int victim, bool fails);
	bool is_leader; /* the victim is the server that leads the stream */
	uint32_t ms;
} FAULTS[] = {
	{ "publisher_killed", publisher_killed, false, 1000 },
	{ "server_killed", server_killed, false, 3000 },
	{ "leader_killed", server_killed, true, 3000 },
	{ "node_cut_off", node_cut, false, 10000 },
	{ "server_cut_off", hub_cut, false, 5000 },
	{ "leader_cut_off", hub_cut, true, 5000 },
	{ "server_stopped", jetstream_stop, false, 3000 },
	{ "leader_stopped", jetstream_stop, true, 3000 },
	{ "disk_full", disk_filled, false, 3000 },
	{ "disk_of_leader_full", disk_filled, true, 3000 },
};

/* Events, and one fault meanwhile. Each event is there once in the end, as at least one node had
 * no fault, and found room for all.
 */
TEST_ROWS(one_fault, FAULTS)
{
	uint64_t random_state = environment_number("SEED", 1), seed = random_next(&random_state);
	unsigned int victim =
		row->is_leader ? jetstream_leader() : random_next(&random_state) % NODES;

	offers_start(&(struct offers_plan){ ROUND_EVENTS, NODES, 1, COPIES, SPREAD_MS, FAULT_RATE,
					    seed });
	usleep((BEFORE_MS + random_next(&random_state) % 1000) * 1000);
	row->set(victim, true);
	usleep(row->ms * 1000);
	row->set(victim, false);
	offers_wait();
	for (unsigned int n = 0; n < NODES; n++)
		node_await_ready(n);
	nodes_await_idle(NODES);
	jetstream_await_replicas();
	print_message(
		"victim %u, seed %ju: retried %.0f, given up %.0f, overflow %.0f, duplicates %.0f\n",
		victim, (uintmax_t)seed, sum_of("retried_total"), sum_of("given_up_total"),
		sum_of("overflow_total"), sum_of("duplicate_total"));
	stream_assert_all_once(seed, ROUND_EVENTS);
	assert_int_equal(sum_of("given_up_total"), 0); /* no fault is as long as the retries */
}

ROOT_MAIN(setup, offers_teardown)
