// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Several queues, of one interface and of two, with readers of ours, of others, or none. */
#include "open.h"
#include "receive_runner.h"

#include <net/if.h>

#include "sockets.h"
#include "xsk.h"

static void have_two_queues(void)
{
	sh("ethtool -L ve0 rx 2");
	e2e_far_sh("ethtool -L pe0 tx 2");
}

/* Sends the events from one port after the other, so that they come by both queues. */
static void send_from_many_ports(struct app_traffic *t)
{
	uint64_t seed = t->s->seed;

	for (bool more = true; more;) {
		e2e_close(t->s, NULL);
		t->s = e2e_sender(0, AF_INET, seed);
		more = app_send(t, 50);
		app_read();
	}
}

static struct delivery open_delivery(void)
{
	struct delivery d;
	struct filter f;

	assert_int_equal(filter_open(APP_NAME, &f), 0);
	assert_int_equal(delivery_open(&f, &d), 0);
	filter_close(&f);
	return d;
}

/* Says of the open socket that it is a zero-copy one, which veth does not have. */
static void pretend_zerocopy(void)
{
	struct delivery d = open_delivery();

	assert_true(d.sockets[0].owner != 0);
	d.sockets[0].zerocopy = 1;
	delivery_close(&d);
}

/* Readers of zero-copy sockets have a second to leave before a driver takes their queues away. */
TEST(unload_awaits_readers)
{
	static const char *const COMMANDS[] = { "unload ve0", "unload --name ve0",
						"set ve0 --remove ve0" };

	for (size_t i = 0; i < ARRAY_SIZE(COMMANDS); i++) {
		uint64_t began_ns;

		e2e_load(APP_LOAD_BOTH);
		app_open(app_options("ve0", 0, 0));
		pretend_zerocopy();
		began_ns = gossip_now_ns();
		e2e_tool("%s", COMMANDS[i]);
		assert_true(gossip_now_ns() - began_ns >= 1000000000ULL);
		app_close_all();
		e2e_tool("unload --all");
	}
}

TEST(two_queues_and_two_readers)
{
	struct app_traffic t = app_begin(10000, 2);

	have_two_queues();
	app_start(0);
	app_open(app_options("ve0", 1, 0));
	send_from_many_ports(&t);
	assert_int_equal(app_end(&t).no_room, 0);
	for (int i = 0; i < 2; i++)
		assert_true(app_stats(app.rx[i]).received > 1000);
}

/* One queue number of two interfaces. */
TEST(two_interfaces_and_two_readers)
{
	struct app_traffic t = app_begin(10000, 2);
	uint64_t seed = t.s->seed;
	int link = 0;

	e2e_load(APP_LOAD_BOTH);
	app_open(app_options("ve0", 0, 0));
	app_open(app_options("ve1", 0, 0));
	e2e_close(t.s, NULL);
	for (bool more = true; more; link ^= 1) {
		t.s = e2e_sender(link, AF_INET, seed);
		more = app_send(&t, 100);
		app_read();
		e2e_close(t.s, NULL);
	}
	assert_int_equal(app_end(&t).delivered, 10000);
	for (int i = 0; i < 2; i++)
		assert_true(app_stats(app.rx[i]).received > 1000);
}

TEST(the_queue_is_taken)
{
	struct xdp_dedup_receiver *rx = NULL;

	app_start(0);
	assert_int_equal(xdp_dedup_receive_open(APP_NAME, app_options("ve0", 0, 0), &rx), -EBUSY);
	app_close_all();
	app_open(app_options("ve0", 0, 0)); /* though the kernel is not done with the first one yet */
}

/* One without a program of its own: what comes for its queue goes to the stack. */
TEST(another_program_has_a_queue)
{
	const struct xsk_binding where = { .ifindex = if_nametoindex("ve0"), .queue = 1 };
	struct app_traffic t = app_begin(10000, 2);
	struct xdp_dedup_receiver *rx;
	struct filter_counters c;
	struct xsk other;

	have_two_queues();
	e2e_load(APP_LOAD);
	assert_int_equal(xsk_open(&other, 64), 0);
	assert_int_equal(xsk_bind(&other, &where), 0);
	assert_int_equal(xdp_dedup_receive_open(APP_NAME, app_options("ve0", 1, 0), &rx), -EBUSY);
	app_open(app_options("ve0", 0, 0));
	send_from_many_ports(&t);
	c = app_end_untaken(&t);
	assert_true(c.delivered > 1000 && c.no_socket > 1000);
	assert_int_equal(c.no_room + c.too_large, 0);
	xsk_close(&other);
}

/* How many queues have had a socket, and packets of theirs that were not given back. */
static int sockets_cnt(uint32_t *unreturned)
{
	struct sockets *sockets;
	struct filter f;
	int cnt;

	assert_int_equal(filter_open(APP_NAME, &f), 0);
	assert_int_equal(sockets_open(&f, &sockets), 0);
	cnt = sockets->cnt;
	*unreturned = 0;
	for (int i = 0; i < cnt; i++)
		*unreturned += sockets->list[i].unreturned;
	sockets_free(sockets);
	filter_close(&f);
	return cnt;
}

/* Queues that there are not take no place. */
TEST(failed_opens_leave_nothing)
{
	struct xdp_dedup_receiver *rx = NULL;
	uint32_t unreturned;

	e2e_load(APP_LOAD);
	for (uint32_t queue = 1000; queue <= 1000 + DEDUP_SOCKETS_MAX; queue++)
		assert_int_equal(xdp_dedup_receive_open(APP_NAME, app_options("ve0", queue, 0), &rx),
				 -EINVAL);
	assert_int_equal(sockets_cnt(&unreturned), 0);
	app_open(app_options("ve0", 0, 0));
	assert_int_equal(sockets_cnt(&unreturned), 1);
}

/* Takes all places that are free, for queues of ve1 that nobody has. */
static void take_free_places(void)
{
	uint32_t ve1 = if_nametoindex("ve1");
	struct delivery d = open_delivery();

	for (uint32_t i = 0; i < DEDUP_SOCKETS_MAX; i++)
		if (!d.sockets[i].owner)
			d.sockets[i].owner = dedup_queue_word((struct dedup_queue){ ve1, 1000 + i });
	delivery_close(&d);
}

/* The filter leaves a receiver's interface, and another queue gets its slot: the receiver reports
 * that, and does its successor no harm when it goes.
 */
TEST(a_place_is_lost)
{
	struct app_traffic t = app_begin(2 * DEDUP_IN_FLIGHT_MAX, 1);
	struct xdp_dedup_packet kept[2];
	struct xdp_dedup_receiver *loser;
	struct filter_counters c;
	uint32_t unreturned;

	e2e_load(APP_LOAD_BOTH);
	assert_int_equal(xdp_dedup_receive_open(APP_NAME, app_options("ve0", 0, 4096), &loser), 0);
	app_send(&t, 2);
	for (int i = 0; i < 2; i++)
		kept[i] = app_next(loser);
	take_free_places();
	e2e_tool("unload ve0");
	app_open(app_options("ve1", 0, 64));
	assert_int_equal(app_stats(app.rx[0]).recovered, 2);
	app_await_error(loser, -ESTALE);
	xdp_dedup_give_back(loser, &kept[1], 1); /* grants nothing */
	e2e_close(t.s, NULL);
	t.s = e2e_sender(1, AF_INET, t.s->seed);
	app_send(&t, 100);
	c = e2e_counters_after(APP_NAME, 102);
	assert_int_equal(c.delivered, 2 + 64);
	assert_int_equal(c.no_room, 36);
	app_read();
	while (app.by_xsk <
	       DEDUP_IN_FLIGHT_MAX - 2) { /* until its number is kept[0]'s, a round later */
		app_send(&t, 1);
		e2e_counters_after(APP_NAME, t.at);
		app_read();
	}
	app_send(&t, 1);
	e2e_counters_after(APP_NAME, t.at);
	xdp_dedup_give_back(loser, &kept[0], 1);
	sockets_cnt(&unreturned);
	assert_int_equal(unreturned, 1);
	xdp_dedup_receive_close(loser);
	assert_int_equal(app_read(), 1);
	app_send(&t, 1);
	e2e_counters_after(APP_NAME, t.at);
	assert_int_equal(app_read(), 1);
	assert_int_equal(app.by_xsk, DEDUP_IN_FLIGHT_MAX);
}

ROOT_MAIN(app_setup, app_teardown)
