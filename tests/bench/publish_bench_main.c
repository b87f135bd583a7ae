// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What publishing into JetStream costs: xdp-dedup-publish beside a plain publisher, which reads a
 * UDP socket and publishes everything under the same ids (plain_publisher_main.c). For `make
 * bench-publish`, without sanitizers. CPU times are those of the processes: publishers, and
 * nats-server.
 */
#include "offers.h"
#include "stream_reader.h"

#include <time.h>

#include "bench.h"
#include "clock.h"

#define ROUNDS_MAX 99
#define EVENTS 20000
#define RATE 4000 /* a second: so slow that nothing is lost on two CPUs */
#define GOSSIP_EVENTS 3000
#define GOSSIP_RATE 500
#define GOSSIP_COPIES 10 /* 90 % duplicates at each node */
#define GOSSIP_SPREAD_MS 500
#define FULL_EVENTS 400000 /* as fast as a sender goes: some are lost */
#define STEP_MS 100
#define CALM_MS 500
#define SEED 3

/* How a node receives and publishes. */
static const struct way {
	const char *text, *load; /* options of the filter; NULL: there is none */
	const char *options;	 /* of xdp-dedup-publish; NULL: the plain publisher */
	const char *headers;	 /* of the plain publisher */
} WAYS[] = {
	{ "xdp-dedup-publish, AF_XDP", "--deliver xsk", "--receive xsk", NULL },
	{ "xdp-dedup-publish, UDP", "", "--receive udp", NULL },
	{ "plain publisher, these headers", "", NULL, "headers" },
	{ "plain publisher, filter in front", "", NULL, "" },
	{ "plain publisher, no filter", NULL, NULL, "" },
};

/* What one run has cost, for each event that the stream has at its end. */
struct cost {
	double node_us; /* CPU time of the publishers of one node */
	double engine_us;
	double messages; /* that reached the engine */
	double rate;	 /* events that were stored in a second */
};

enum { STEADY, GOSSIP, FULL, PARTS };

static struct {
	struct cost costs[ROUNDS_MAX];
} found[PARTS][ARRAY_SIZE(WAYS)];

static void start_node(unsigned int n, const struct way *w)
{
	char text[512], name[16];

	node_add(n, w->load ?: "");
	if (!w->load)
		node_sh(n, "%s unload in", tool());
	if (w->options) {
		node_publish(n, w->options);
		node_await_ready(n);
		return;
	}
	snprintf(name, sizeof(name), "plain%u", n);
	snprintf(text, sizeof(text), "build/tests/plain_publisher %s gossip.gsp %s 8001 %s",
		 jetstream_urls(), node_address(n), w->headers);
	node_start(n, name, text);
	process_await(node_publisher(n), "ready");
}

/* Messages that a node has sent to the engine, all of which are acknowledged. */
static double messages_of(unsigned int n, const struct way *w, bool may_lose)
{
	double sent = 0, lost = 0;
	FILE *log;

	if (w->options) {
		node_await_idle(n);
		if (!may_lose)
			assert_int_equal(node_metric(n, "overflow_total"), 0);
		return node_metric(n, "sent_total");
	}
	assert_int_equal(node_end(n, SIGTERM), 0);
	log = fopen(node_publisher(n)->log, "re");
	assert_non_null(log);
	assert_int_equal(fscanf(log, "ready published %lf failed 0 lost %lf", &sent, &lost), 2);
	fclose(log);
	if (!may_lose)
		assert_int_equal(lost, 0);
	return sent;
}

/* Waits until no more events are stored. Returns how many are, and since when. */
static uint64_t await_calm(uint64_t *ret_ns)
{
	uint64_t messages = 0, before = 0;

	*ret_ns = clock_ns(CLOCK_MONOTONIC);
	for (int calm_ms = 0; calm_ms < CALM_MS; calm_ms += STEP_MS) {
		messages = stream_messages();
		if (messages != before) {
			*ret_ns = clock_ns(CLOCK_MONOTONIC);
			calm_ms = 0;
		}
		before = messages;
		usleep(STEP_MS * 1000);
	}
	return messages;
}

static void start_all(const struct way *w, unsigned int nodes)
{
	hub_setup(NULL);
	jetstream_start(&(struct jetstream_plan){ 0 });
	jetstream_put(0, 0);
	for (unsigned int n = 0; n < nodes; n++)
		start_node(n, w);
}

static double nodes_cpu(unsigned int nodes)
{
	double seconds = 0;

	for (unsigned int n = 0; n < nodes; n++)
		seconds += process_cpu(node_publisher(n));
	return seconds;
}

/* Offers the events to so many nodes, and adds up. */
static struct cost run(const struct way *w, const struct offers_plan *plan)
{
	uint64_t begin_ns, end_ns, stored;
	double engine_s, nodes_s;
	struct cost c = { 0 };

	start_all(w, plan->nodes);
	engine_s = process_cpu(jetstream_process(0));
	nodes_s = nodes_cpu(plan->nodes);
	begin_ns = clock_ns(CLOCK_MONOTONIC);
	offers_send(plan);
	stored = await_calm(&end_ns);
	engine_s = process_cpu(jetstream_process(0)) - engine_s;
	nodes_s = nodes_cpu(plan->nodes) - nodes_s;
	for (unsigned int n = 0; n < plan->nodes; n++)
		c.messages += messages_of(n, w, !plan->rate) / stored;
	if (plan->rate)
		stream_assert_all_once(SEED, plan->events);
	c.engine_us = engine_s * 1e6 / stored;
	c.node_us = nodes_s * 1e6 / stored / plan->nodes;
	c.rate = stored * 1e9 / (end_ns - begin_ns);
	offers_teardown(NULL);
	return c;
}

/* The median of a member of these costs. */
static double median(const struct cost *costs, uint64_t cnt, size_t at)
{
	double values[ROUNDS_MAX] = { 0 };

	for (uint64_t i = 0; i < cnt; i++)
		values[i] = ((const double *)&costs[i])[at / sizeof(double)];
	return bench_quartiles(values, (int)cnt).median;
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
		printf("  %-34s %6.1f us %10.0f %7.1f us\n", WAYS[w].text, MEDIAN(STEADY, w, node_us),
		       1e6 / MEDIAN(STEADY, w, node_us), MEDIAN(STEADY, w, engine_us));
	printf("\n  One node, %d fresh events, as fast as a sender goes: more than can be\n"
	       "  published. For each event that was stored, and how many were in a second:\n\n"
	       "  %-34s %9s %10s %10s\n",
	       FULL_EVENTS, "", "publisher", "stored/s", "engine");
	for (size_t w = 0; w < ARRAY_SIZE(WAYS); w++)
		printf("  %-34s %6.1f us %10.0f %7.1f us\n", WAYS[w].text, MEDIAN(FULL, w, node_us),
		       MEDIAN(FULL, w, rate), MEDIAN(FULL, w, engine_us));
	printf("\n  Three nodes, %d events, each %d times at each node. For each event:\n\n"
	       "  %-34s %9s %10s %10s\n",
	       GOSSIP_EVENTS, GOSSIP_COPIES, "", "publisher", "messages", "engine");
	for (size_t w = 0; w < ARRAY_SIZE(WAYS); w++)
		printf("  %-34s %6.1f us %10.1f %7.1f us\n", WAYS[w].text, MEDIAN(GOSSIP, w, node_us),
		       MEDIAN(GOSSIP, w, messages), MEDIAN(GOSSIP, w, engine_us));
}

/* Rounds are interleaved: each has every way. */
static void measure(void **state)
{
	static const struct offers_plan PLANS[PARTS] = {
		[STEADY] = { .events = EVENTS, .nodes = 1, .copies_max = 1, .rate = RATE, .seed = SEED },
		[GOSSIP] = { .events = GOSSIP_EVENTS,
			     .nodes = NODES,
			     .copies_min = GOSSIP_COPIES,
			     .copies_max = GOSSIP_COPIES,
			     .spread_ms = GOSSIP_SPREAD_MS,
			     .rate = GOSSIP_RATE,
			     .seed = SEED },
		[FULL] = { .events = FULL_EVENTS, .nodes = 1, .copies_max = 1, .seed = SEED },
	};
	uint64_t rounds = environment_number("ROUNDS", 5);

	(void)state;
	assert_true(rounds > 0 && rounds <= ROUNDS_MAX);
	for (uint64_t i = 0; i < rounds; i++)
		for (size_t part = 0; part < PARTS; part++)
			for (size_t w = 0; w < ARRAY_SIZE(WAYS); w++)
				found[part][w].costs[i] = run(&WAYS[w], &PLANS[part]);
	print_all(rounds);
}

int main(void)
{
	add_test("measure", measure, NULL, offers_teardown, NULL);
	return run_added_tests("publish_bench");
}
