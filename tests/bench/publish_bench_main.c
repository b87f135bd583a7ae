// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What publishing into JetStream costs: xdp-dedup-publish beside a plain publisher, which reads a
 * UDP socket and publishes everything under the same ids (plain_publisher_main.c). For `make
 * bench-publish`, without sanitizers. CPU times are those of the processes: publishers, and
 * nats-server.
 */
#include "jetstream.h"
#include "node.h"
#include "offers.h"
#include "stream_reader.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define ROUNDS_MAX 99
#define EVENTS 20000
#define RATE 4000 /* a second: so slow that nothing is lost on two CPUs */
#define GOSSIP_EVENTS 3000
#define GOSSIP_RATE 500
#define GOSSIP_COPIES 10 /* 90 % duplicates at each node */
#define GOSSIP_SPREAD_MS 500
#define SEED 3

static struct offers offers;

/* How a node receives and publishes. */
static const struct way {
	const char *text, *load; /* options of the filter; NULL: there is none */
	const char *options;	 /* of xdp-dedup-publish; NULL: the plain publisher */
} WAYS[] = {
	{ "xdp-dedup-publish, AF_XDP", "--deliver xsk", "--receive xsk" },
	{ "xdp-dedup-publish, UDP", "", "--receive udp" },
	{ "plain publisher, filter in front", "", NULL },
	{ "plain publisher, no filter", NULL, NULL },
};

/* What one run has cost, for each event of the stream. */
struct cost {
	double node_us; /* CPU time of the publishers of one node */
	double engine_us;
	double messages; /* that reached the engine */
};

static struct {
	struct cost costs[ROUNDS_MAX];
} found[2][ARRAY_SIZE(WAYS)];

static int teardown(void **state)
{
	offers_end(&offers);
	return hub_teardown(state);
}

static void start_node(unsigned int n, const struct way *w)
{
	char text[512], name[16];

	snprintf(text, sizeof(text), "--port 8001 --fpr 1e-9 %s", w->load ?: "");
	node_add(n, text);
	if (!w->load) /* it looks at another port */
		sh("nsenter --net=/proc/%d/ns/net %s unload in", hub_place(NODE_PLACE(n)), tool());
	if (w->options) {
		node_publish(n, w->options);
		node_await_ready(n);
		return;
	}
	snprintf(name, sizeof(name), "plain%u", n);
	snprintf(text, sizeof(text), "build/tests/plain_publisher %s gossip.gsp %s 8001",
		 jetstream_urls(), node_address(n));
	node_start(n, name, text);
	process_await(node_publisher(n), "ready");
}

/* Messages that a node has sent to the engine, all of which are acknowledged. */
static double messages_of(unsigned int n, const struct way *w)
{
	double sent = 0;
	FILE *log;

	if (w->options) {
		node_await_idle(n);
		assert_int_equal(node_metric(n, "overflow_total"), 0);
		return node_metric(n, "sent_total");
	}
	assert_int_equal(node_end(n, SIGTERM), 0);
	log = fopen(node_publisher(n)->log, "re");
	assert_non_null(log);
	assert_int_equal(fscanf(log, "ready published %lf failed 0 lost 0", &sent), 1);
	fclose(log);
	return sent;
}

/* Offers the events to so many nodes, and adds up. */
static struct cost run(const struct way *w, const struct offers_plan *plan)
{
	double engine_s, nodes_s = 0;
	struct cost c = { 0 };
	jsStreamConfig config;

	hub_setup(NULL);
	jetstream_start(&(struct jetstream_plan){ .servers = 1 });
	jsStreamConfig_Init(&config);
	jetstream_add(NODE_STREAM, &config);
	for (unsigned int n = 0; n < plan->nodes; n++)
		start_node(n, w);
	engine_s = process_cpu(jetstream_process(0));
	for (unsigned int n = 0; n < plan->nodes; n++)
		nodes_s -= process_cpu(node_publisher(n));
	offers_start(&offers, plan);
	offers_wait(&offers);
	usleep(500000);
	engine_s = process_cpu(jetstream_process(0)) - engine_s;
	for (unsigned int n = 0; n < plan->nodes; n++)
		nodes_s += process_cpu(node_publisher(n));
	for (unsigned int n = 0; n < plan->nodes; n++)
		c.messages += messages_of(n, w) / plan->events;
	stream_assert_all_once(NODE_STREAM, SEED, plan->events);
	c.engine_us = engine_s * 1e6 / plan->events;
	c.node_us = nodes_s * 1e6 / plan->events / plan->nodes;
	teardown(NULL);
	return c;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* The median of a member of these costs. */
static double median(const struct cost *costs, uint64_t cnt, size_t at)
{
	double values[ROUNDS_MAX] = { 0 };

	for (uint64_t i = 0; i < cnt; i++)
		values[i] = ((const double *)&costs[i])[at / sizeof(double)];
	qsort(values, cnt, sizeof(*values), compare);
	return cnt % 2 ? values[cnt / 2] : (values[cnt / 2 - 1] + values[cnt / 2]) / 2;
}

#define MEDIAN(part, way, member) \
	median(found[part][way].costs, rounds, offsetof(struct cost, member))

static void print_all(uint64_t rounds)
{
	printf("\n  One node, %d fresh events, %d a second. CPU time of the publisher and of\n"
	       "  nats-server for each event, and events a second that one core publishes.\n\n"
	       "  %-34s %9s %10s %10s\n",
	       EVENTS, RATE, "", "publisher", "a second", "engine");
	for (size_t w = 0; w < ARRAY_SIZE(WAYS); w++)
		printf("  %-34s %6.1f us %10.0f %7.1f us\n", WAYS[w].text, MEDIAN(0, w, node_us),
		       1e6 / MEDIAN(0, w, node_us), MEDIAN(0, w, engine_us));
	printf("\n  Three nodes, %d events, each %d times at each node. For each event:\n\n"
	       "  %-34s %9s %10s %10s\n",
	       GOSSIP_EVENTS, GOSSIP_COPIES, "", "publisher", "messages", "engine");
	for (size_t w = 0; w < ARRAY_SIZE(WAYS); w++)
		printf("  %-34s %6.1f us %10.1f %7.1f us\n", WAYS[w].text, MEDIAN(1, w, node_us),
		       MEDIAN(1, w, messages), MEDIAN(1, w, engine_us));
}

/* Rounds are interleaved: each has every way. */
static void measure(void **state)
{
	static const struct offers_plan PLANS[] = {
		{ .events = EVENTS, .nodes = 1, .copies_max = 1, .rate = RATE, .seed = SEED },
		{ .events = GOSSIP_EVENTS,
		  .nodes = NODES,
		  .copies_min = GOSSIP_COPIES,
		  .copies_max = GOSSIP_COPIES,
		  .spread_ms = GOSSIP_SPREAD_MS,
		  .rate = GOSSIP_RATE,
		  .seed = SEED },
	};
	uint64_t rounds = environment_number("ROUNDS", 5);

	(void)state;
	assert_true(rounds > 0 && rounds <= ROUNDS_MAX);
	for (uint64_t i = 0; i < rounds; i++)
		for (size_t part = 0; part < ARRAY_SIZE(PLANS); part++)
			for (size_t w = 0; w < ARRAY_SIZE(WAYS); w++)
				found[part][w].costs[i] = run(&WAYS[w], &PLANS[part]);
	print_all(rounds);
}

int main(void)
{
	static struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(measure, teardown),
	};

	return run_root_tests("publish_bench", tests, ARRAY_SIZE(tests));
}
