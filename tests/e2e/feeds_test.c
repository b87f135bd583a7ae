// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Streams on real sockets, between network namespaces: market data on an A and a B feed, of which
 * each loses packets; several receivers on one host.
 */
#include "e2e_runner.h"
#include "feed.h"
#include "udp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define NEAR "10.77.0.1" /* ve0's */

/* A and B feeds: the reader has joined the groups on both interfaces, which share a filter. What
 * both sides lose is sent to it alone, as the server of such a feed does, by the same port.
 */

#define FEED_PORT 26400
#define FEED_PACKETS 30000
#define FEED_RATE 20000

static const struct feed_row {
	const char *name, *load, *groups[FEED_SIDES];
	uint32_t loss_percent[FEED_SIDES];
} FEEDS[] = {
	{ "feed_a_loses", "--profile moldudp64:26400@239.1.1.1", { "239.1.1.1", "239.1.1.1" }, { 10, 0 } },
	{ "feed_b_loses", "--profile moldudp64:26400@239.1.1.1", { "239.1.1.1", "239.1.1.1" }, { 0, 10 } },
	{ "feeds_both_lose",
	  "--profile moldudp64:26400@239.1.1.1",
	  { "239.1.1.1", "239.1.1.1" },
	  { 10, 10 } },
	{ "feeds_by_two_groups_both_lose",
	  "--profile a=moldudp64:26400@239.1.1.1#feed --profile b=moldudp64:26400@239.1.1.2#feed",
	  { "239.1.1.1", "239.1.1.2" },
	  { 10, 10 } },
};

static struct feeds {
	struct feed feed;
	struct feed_sender senders[FEED_SIDES];
	struct feed_sender again;
	struct feed_receiver receiver;
	int err[FEED_SIDES];
} feeds;

static void open_feeds(const struct feed_row *row)
{
	struct feeds *f = &feeds;

	*f = (struct feeds){ .feed = { .seed = udp_now_ns(), .packets = FEED_PACKETS } };
	memcpy(f->feed.loss_percent, row->loss_percent, sizeof(row->loss_percent));
	print_message("# seed %llu\n", (unsigned long long)f->feed.seed);
	e2e_tool("load ve0 ve1 --name feeds %s", row->load);
	assert_int_equal(feed_receiver_open(&f->receiver, &f->feed, "0.0.0.0", FEED_PORT), 0);
	for (int i = 0; i < FEED_SIDES; i++) {
		char near[] = { 'v', 'e', '0' + i, 0 }, far[] = { 'p', 'e', '0' + i, 0 };
		int err;

		assert_int_equal(udp_join(f->receiver.fd, row->groups[i], near), 0);
		netns_enter(e2e_far());
		err = feed_sender_open(&f->senders[i], &f->feed, row->groups[i], FEED_PORT, far);
		netns_enter(0);
		assert_int_equal(err, 0);
		f->senders[i].rate_pps = FEED_RATE;
	}
	netns_enter(e2e_far());
	f->err[0] = feed_sender_open(&f->again, &f->feed, NEAR, FEED_PORT, NULL);
	netns_enter(0);
	assert_int_equal(f->err[0], 0);
}

static int close_feeds(void **state)
{
	for (int i = 0; i < FEED_SIDES; i++)
		feed_sender_close(&feeds.senders[i]);
	feed_sender_close(&feeds.again);
	feed_receiver_close(&feeds.receiver);
	return e2e_teardown(state);
}

static void *send_side(void *side)
{
	int i = (int)(intptr_t)side;

	feeds.err[i] = feed_send(&feeds.senders[i], i);
	return NULL;
}

/* Both sides at once; the reader reads afterwards, from a buffer that is large enough. */
static void send_feeds(void)
{
	pthread_t threads[FEED_SIDES];

	for (int i = 0; i < FEED_SIDES; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, send_side, (void *)(intptr_t)i),
				 0);
	for (int i = 0; i < FEED_SIDES; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < FEED_SIDES; i++)
		assert_int_equal(feeds.err[i], 0);
}

/* Reads until so many packets have been read, and looks whether more come. */
static void read_feed(uint64_t packets)
{
	struct feed_receiver *r = &feeds.receiver;

	for (int ms = 0; ms < PATIENCE_MS && r->packets < packets; ms += 10)
		assert_true(feed_receive(r, 10) >= 0);
	usleep(50000);
	assert_true(feed_receive(r, 0) >= 0);
	assert_int_equal(udp_lost(r->fd), 0);
	assert_int_equal(r->strangers, 0);
	assert_int_equal(r->packets, packets);
}

static bool every_hundredth(const struct feed *f, uint32_t packet)
{
	return packet % 100 == 0 && !feed_both_lose(f, packet);
}

/* What is sent to the reader alone passes, whether the filter knows it or not, and as often as it
 * is asked for.
 */
static void ask_again(void)
{
	uint32_t messages = feed_messages(&feeds.feed), once;
	uint64_t packets = feeds.receiver.packets;

	assert_int_equal(feed_send_again(&feeds.again, feed_both_lose), 0);
	read_feed(packets + feeds.again.sent);
	assert_int_equal(feed_delivered(&feeds.receiver, 1), messages);

	assert_int_equal(feed_send_again(&feeds.again, every_hundredth), 0);
	assert_int_equal(feed_send_again(&feeds.again, every_hundredth), 0);
	read_feed(packets + feeds.again.sent);
	once = feed_delivered(&feeds.receiver, 1);
	assert_true(once < messages);
	assert_int_equal(once + feed_delivered(&feeds.receiver, 3), messages);
}

static void test_feeds(void **state)
{
	const struct feed_row *row = *state;
	uint32_t others, sent, fresh, messages;
	struct filter_counters c;
	struct feed_loss lost;

	open_feeds(row);
	send_feeds();
	lost = feed_lost(&feeds.feed);
	messages = feed_messages(&feeds.feed);
	others = FEED_SIDES * (feed_heartbeats(&feeds.feed) + FEED_ENDS);
	sent = feeds.senders[0].sent + feeds.senders[1].sent;
	fresh = FEED_PACKETS - lost.packets;
	c = e2e_counters_after("feeds", sent + others);
	read_feed(fresh + others);

	print_message("# A sent %u of %u packets, B %u; read %u, dropped %llu; both lost %u\n",
		      feeds.senders[0].sent, FEED_PACKETS, feeds.senders[1].sent, fresh,
		      (unsigned long long)c.dropped, lost.packets);
	/* Every message that any side has brought, once; and every heartbeat of both. */
	assert_int_equal(feed_delivered(&feeds.receiver, 1), messages - lost.messages);
	assert_int_equal(feed_delivered(&feeds.receiver, 0), lost.messages);
	assert_int_equal(feeds.receiver.heartbeats, FEED_SIDES * feed_heartbeats(&feeds.feed));
	assert_int_equal(feeds.receiver.ends, FEED_SIDES * FEED_ENDS);
	assert_int_equal(c.new, fresh);
	assert_int_equal(c.duplicate, sent - fresh);
	assert_int_equal(c.dropped, c.duplicate);
	assert_int_equal(c.exempt, others);
	/* They did lose: of 10 % a tenth is six standard deviations. */
	for (int i = 0; i < FEED_SIDES; i++)
		assert_in_range(FEED_PACKETS - feeds.senders[i].sent,
				row->loss_percent[i] * FEED_PACKETS / 110,
				row->loss_percent[i] * FEED_PACKETS / 90);
	ask_again();
}

/* Two receivers on one host: each event is sent to both ports, on both links. */

#define TWO_EVENTS 20000
#define TWO_PORT 8001
#define BY_EVENT "[profile mine]\nlayer = udp\nid = payload+8:32"

static const struct two_row {
	const char *name, *profiles, *load;
	bool one_realm; /* then each event is for one of them, else for each */
} TWO[] = {
	{ "two_receivers_of_gsp", "", "--profile one=gsp:8001 --profile two=gsp:8002", false },
	{ "two_receivers_of_gsp_in_one_realm", "",
	  "--profile one=gsp:8001#r --profile two=gsp:8002#r", true },
	{ "two_receivers_by_their_profile", BY_EVENT,
	  "--profiles /dev/stdin --profile one=mine:8001 --profile two=mine:8002", false },
	{ "two_receivers_by_their_profile_in_one_realm", BY_EVENT,
	  "--profiles /dev/stdin --profile one=mine:8001#r --profile two=mine:8002#r", true },
};

/* To both ports over both links, each in an order of its own. */
static void send_to_both(uint64_t seed)
{
	struct gossip_sender *s[2 * E2E_LINKS];
	uint32_t *order[2 * E2E_LINKS];

	for (int i = 0; i < 2 * E2E_LINKS; i++) {
		order[i] = gossip_shuffle(TWO_EVENTS, 1, 1000, seed + i);
		assert_non_null(order[i]);
		s[i] = e2e_sender_to(i / 2, AF_INET, TWO_PORT + i % 2, seed);
	}
	for (int i = 0; i < 2 * E2E_LINKS; i++)
		assert_int_equal(gossip_sender_start(s[i], order[i], TWO_EVENTS), 0);
	for (int i = 0; i < 2 * E2E_LINKS; i++) {
		assert_int_equal(gossip_sender_wait(s[i]), 0);
		e2e_close(s[i], NULL);
		free(order[i]);
	}
}

static void test_two_receivers(void **state)
{
	const struct two_row *row = *state;
	const uint64_t sent = 2 * E2E_LINKS * TWO_EVENTS;
	uint64_t seed = gossip_now_ns(), expected = row->one_realm ? TWO_EVENTS : 2 * TWO_EVENTS;
	struct gossip_receiver *r[2];
	struct filter_counters c;

	sh("echo '%s' | %s load ve0 ve1 --name streams --fpr 1e-9 %s", row->profiles, tool(),
	   row->load);
	for (int i = 0; i < 2; i++) {
		r[i] = e2e_receiver_at(-1, AF_INET, TWO_PORT + i, seed, TWO_EVENTS);
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
	for (int i = 0; i < TWO_EVENTS; i++) {
		assert_int_equal(r[0]->copies[i] + r[1]->copies[i], row->one_realm ? 1 : 2);
		assert_true(row->one_realm || r[0]->copies[i] == 1);
	}
	assert_int_equal(r[0]->packets + r[1]->packets, expected);
	assert_int_equal(c.new, expected);
	assert_int_equal(c.dropped, sent - expected);
}

int main(void)
{
	add_rows(FEEDS, test_feeds, e2e_setup, close_feeds);
	add_rows(TWO, test_two_receivers, e2e_setup, e2e_teardown);
	return run_added_tests("feeds");
}
