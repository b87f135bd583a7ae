// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Delivery through AF_XDP: an application that reads a socket of the library's, and a UDP socket
 * beside it, has each event, whatever happens to it; and has it once as long as it keeps up.
 */
#include "open.h"
#include "receive_runner.h"

#include "receiver.h"
#include "xdp-dedup.h"

static void account(const struct xdp_dedup_packet *p)
{
	struct gossip_packet g;

	memcpy(&g, p->payload, sizeof(g));
	gossip_account(app.udp, &g, p->payload_len, 0);
	app.by_xsk++;
}

/* Ways in which all events come by AF_XDP. */
static const struct way {
	const char *name, *load;
	uint32_t events, copies, busy_poll_us;
} WAYS[] = {
	{ "all_by_af_xdp", APP_LOAD, 20000, 4, 0 },
	/* Packets that the stack has already taken up. */
	{ "generic_mode", APP_LOAD " --mode skb", 10000, 3, 0 },
	/* On a driver without busy polling, like veth's, it changes nothing. */
	{ "busy_polling", APP_LOAD, 10000, 3, 20 },
};

TEST_ROWS(all_come, WAYS)
{
	struct xdp_dedup_receive_options *o = app_options(NULL, 0, 0);
	struct app_traffic t = app_begin(row->events, row->copies);

	e2e_load("%s", row->load);
	o->busy_poll_us = row->busy_poll_us;
	app_open(o);
	app_send_all(&t, 200);
	assert_int_equal(app_end(&t).delivered, row->events);
	assert_int_equal(app_stats(app.rx[0]).received, row->events);
	assert_int_equal(app_stats(app.rx[0]).vanished, 0);
}

/* A reader that does not read: what finds no room goes to the stack. */
TEST(the_reader_stops)
{
	struct app_traffic t = app_begin(5000, 1);
	struct filter_counters c;

	app_start(128);
	while (app_send(&t, 5000))
		;
	c = app_end(&t);
	assert_int_equal(c.delivered, 128);
	assert_int_equal(c.no_room, 5000 - 128);
}

/* A reader that keeps packets for as long as it likes, and gives them back in any order. */
TEST(packets_are_kept)
{
	struct xdp_dedup_packet kept[256], now[16];
	struct app_traffic t = app_begin(30000, 2);
	uint64_t chance = t.s->seed;
	struct xdp_dedup_receiver *rx = app_start(256);
	unsigned int cnt = 0;
	int n;

	app.cnt = 0; /* it is read here */
	while (app_send(&t, 1 + random_next(&chance) % 100)) {
		n = xdp_dedup_receive(rx, now, 1 + random_next(&chance) % 16);
		assert_true(n >= 0);
		for (int i = 0; i < n; i++) {
			account(&now[i]);
			kept[cnt++] = now[i];
		}
		while (cnt && random_next(&chance) % 16) {
			unsigned int which = random_next(&chance) % cnt;
			struct gossip_packet g;
			uint8_t id[GSP_ID_BYTES];

			/* Nobody has written over it. */
			memcpy(&g, kept[which].payload, sizeof(g));
			gossip_id(t.s->seed, g.index, id);
			assert_memory_equal(g.id, id, sizeof(id));
			assert_memory_equal(kept[which].id, id, sizeof(id));
			xdp_dedup_give_back(rx, &kept[which], 1);
			kept[which] = kept[--cnt];
		}
		gossip_receive(app.udp, 0);
	}
	xdp_dedup_give_back(rx, kept, cnt);
	app.rx[app.cnt++] = rx;
	assert_true(app_end_untaken(&t).no_room > 0);
	assert_int_equal(app_stats(rx).vanished, 0);
}

/* While one packet is kept at most DEDUP_IN_FLIGHT_MAX others come; then the stack has them. */
TEST(one_packet_is_kept_for_ever)
{
	struct app_traffic t = app_begin(10000, 1);
	struct xdp_dedup_receiver *rx = app_start(0);
	struct xdp_dedup_packet p;
	struct filter_counters c;

	app_send(&t, 1);
	p = app_next(rx);
	account(&p);
	app_send_all(&t, 100);
	c = e2e_counters_after(APP_NAME, t.cnt);
	assert_int_equal(c.delivered, DEDUP_IN_FLIGHT_MAX);
	assert_int_equal(c.no_room, 10000 - DEDUP_IN_FLIGHT_MAX);
	xdp_dedup_give_back(rx, &p, 1);
	app_end(&t);
}

/* Giving a packet back for the second time does nothing, also once another one has its slot. */
TEST(given_back_twice)
{
	struct app_traffic t = app_begin(2 * DEDUP_IN_FLIGHT_MAX, 1);
	struct xdp_dedup_packet first, p;
	struct xdp_dedup_receiver *rx = app_start(64);
	uint8_t kept[32];

	app_send(&t, 1);
	first = p = app_next(rx);
	for (int i = 0; i < DEDUP_IN_FLIGHT_MAX; i++) {
		xdp_dedup_give_back(rx, &p, 1);
		app_send(&t, 1);
		p = app_next(rx);
	}
	assert_int_equal(p.number - first.number, DEDUP_IN_FLIGHT_MAX);
	memcpy(kept, p.id, sizeof(kept));
	xdp_dedup_give_back(rx, &first, 1);
	app_close(rx);
	rx = app_open(app_options("ve0", 0, 64));
	assert_int_equal(app_stats(rx).recovered, 0); /* wanted by the one that was closed */
	t.at--;
	app_send(&t, 1);
	p = app_next(rx);
	assert_int_equal(p.id_len, sizeof(kept));
	assert_memory_equal(p.id, kept, sizeof(kept));
	xdp_dedup_give_back(rx, &p, 1);
}

/* -ENETDOWN is no end: once the interface is up again, packets come. -ENXIO is one: it has gone. */
TEST(the_interface_goes_down)
{
	struct app_traffic t = app_begin(2, 1);
	struct xdp_dedup_receiver *rx = app_start(0);
	struct xdp_dedup_packet p;
	int n = 0;

	sh("ip link set ve0 down");
	app_await_error(rx, -ENETDOWN);
	sh("ip link set ve0 up");
	for (n = 0; !n && app_send(&t, 1); usleep(10000)) { /* once the link is there */
		for (int i = 0; i < 10 && !n; i++, usleep(10000))
			n = xdp_dedup_receive(rx, &p, 1);
		t.at = 0;
	}
	assert_int_equal(n, 1);
	xdp_dedup_give_back(rx, &p, 1);
	sh("ip link del ve0");
	app_await_error(rx, -ENXIO);
	e2e_add_link(0);
}

/* Of two streams one is delivered. */
TEST(one_stream_of_two)
{
	uint64_t seed = gossip_now_ns();
	struct gossip_sender *s[2];
	struct filter_counters c;

	app.udp = e2e_receiver_at(0, AF_INET, e2e_port(), seed, 1000);
	e2e_tool("load ve0 --profile a=gsp:%d --profile b=gsp:%d --fpr 1e-9 --deliver xsk:b",
		 e2e_port(), e2e_port() + 1);
	app_open(app_options("ve0", 0, 0));
	for (int i = 0; i < 2; i++)
		s[i] = e2e_sender_to(0, AF_INET, e2e_port() + i, seed);
	for (uint32_t i = 0; i < 1000; i++) {
		assert_return_code(gossip_send(s[i % 2], &i, 1), EIO);
		assert_return_code(gossip_send(s[i % 2], &i, 1), EIO);
		app_read();
	}
	c = e2e_counters_after(APP_NAME, 2000);
	app_read();
	assert_int_equal(gossip_delivered(app.udp, 1), 1000);
	assert_int_equal(app.by_xsk, 500);
	assert_int_equal(c.delivered, 500);
	assert_int_equal(c.no_socket + c.no_room, 0);
}

/* Changes of the filter while it is read. */
static const struct change {
	const char *name, *commands[4];
	int then; /* what xdp_dedup_receive() returns in the end */
} CHANGES[] = {
	{ "goes-on-set", { "set ve0 --action count", "set ve0 --action drop" }, 0 },
	{ "goes-on-resized", { "resize ve0 --capacity 2M", "resize ve0 --forget --capacity 10M" }, 0 },
	{ "goes-on-replaced", { "load --replace --name ve0", "load --replace --name ve0" }, 0 },
	{ "goes-on-restored", { "save ve0 /tmp/snapshot", "restore ve0 /tmp/snapshot" }, 0 },
	{ "turned-off", { "set ve0 --deliver stack" }, -ESTALE },
	{ "turned-off-and-on", { "set ve0 --deliver stack", "set ve0 --deliver xsk" }, -ESTALE },
	{ "unloaded", { "unload ve0" }, -ESTALE },
};

TEST_ROWS(filter_changes, CHANGES)
{
	struct app_traffic t = app_begin(20000, 3);

	sh("mountpoint -q /tmp || mount -t tmpfs tmpfs /tmp");
	e2e_load("load ve0 --fpr 1e-9 --capacity 1M --deliver xsk");
	app_open(app_options("ve0", 0, 0));
	for (int i = 0; i < 4 && row->commands[i]; i++) {
		for (int j = 0; j < 20 && !(row->then && i); j++) {
			app_send(&t, 200);
			app_read();
		}
		e2e_tool("%s", row->commands[i]);
	}
	if (!row->then) {
		while (app_send(&t, 200))
			app_read();
		while (app_read())
			;
		assert_true(gossip_delivered(app.udp, 0) == 0);
	}
	app_await_error(app.rx[0], row->then);
}

/* A hand that is late, as all of a virtual machine may have been held up, is no end. One that steps
 * no more is.
 */
TEST(hand_is_late)
{
	struct xdp_dedup_receiver *rx = app_start(256);
	struct xdp_dedup_packet p;
	struct filter f;

	assert_int_equal(filter_open(APP_NAME, &f), 0);
	for (int i = 1; i < 50; i++) {
		WRITE_ONCE(f.state->last_ns, i); /* until its next step */
		assert_int_equal(xdp_dedup_receive(rx, &p, 1), 0);
		usleep(1000);
	}
	filter_close(&f);
	e2e_tool("unload ve0");
	app_await_error(rx, -ESTALE);
}

/* Nor do broken packets that come just then hold up those that come later. */
TEST(broken_while_the_hand_is_late)
{
	struct xdp_dedup_receive_options *o = app_options("ve0", 0, 256);
	struct app_traffic t = app_begin(12000, 1);
	struct xdp_dedup_receiver *rx;
	struct xdp_dedup_packet p;
	struct filter f;

	e2e_load(APP_LOAD);
	o->unfinished = false;
	rx = app_open(o);
	assert_int_equal(filter_open(APP_NAME, &f), 0);
	app_send(&t, 100);
	for (int i = 1; i < PATIENCE_MS && app_stats(rx).unfinished < 90; i++) {
		WRITE_ONCE(f.state->last_ns, i);
		if (xdp_dedup_receive(rx, &p, 1))
			xdp_dedup_give_back(rx, &p, 1);
	}
	filter_close(&f);
	for (int ms = 0; ms < PATIENCE_MS && app_stats(rx).unfinished < 2 * DEDUP_IN_FLIGHT_MAX;
	     ms++) {
		app_send(&t, ms % 10 ? 0 : 50);
		if (xdp_dedup_receive(rx, &p, 1))
			xdp_dedup_give_back(rx, &p, 1);
		usleep(1000);
	}
	assert_true(app_stats(rx).unfinished >= 2 * DEDUP_IN_FLIGHT_MAX);
	assert_int_equal(app_stats(rx).forgotten, 0);
}

/* What open says. */
static const struct wrong {
	const char *name, *load, *filter;
	struct xdp_dedup_receive_options o;
	int err;
} WRONG[] = {
	{ "no-filter", NULL, "ve0", { 0 }, -ENOENT },
	{ "not-delivering", "load ve0", "ve0", { 0 }, -EOPNOTSUPP },
	{ "few-frames", APP_LOAD, "ve0", { .frames = 32 }, -EINVAL },
	{ "odd-frames", APP_LOAD, "ve0", { .frames = 96 }, -EINVAL },
	{ "many-frames", APP_LOAD, "ve0", { .frames = 8192 }, -EINVAL },
	{ "many-parts", APP_LOAD, "ve0", { .frames_a_packet = 5 }, -EINVAL },
	{ "no-such-queue", APP_LOAD, "ve0", { .queue = 999 }, -EINVAL },
	{ "no-such-interface", APP_LOAD, "ve0", { .ifname = "none" }, -ENODEV },
	{ "not-on-it", APP_LOAD, "ve0", { .ifname = "ve1" }, -ENODEV },
	{ "on-which", "load ve0 ve1 --name ve0 --deliver xsk", "ve0", { 0 }, -EINVAL },
	{ "no-zerocopy", APP_LOAD, "ve0", { .zerocopy = true }, -EOPNOTSUPP },
	{ "both-ways", APP_LOAD, "ve0", { .zerocopy = true, .copy = true }, -EINVAL },
};

TEST_ROWS(wrong_is_said, WRONG)
{
	struct xdp_dedup_receive_options o = row->o;
	struct xdp_dedup_receiver *rx = NULL;

	o.size = sizeof(o);
	if (row->load)
		e2e_load("%s", row->load);
	assert_int_equal(xdp_dedup_receive_open(row->filter, &o, &rx), row->err);
	assert_null(rx);
}

/* Options of no version: of none of these sizes, and none that this version lacks. */
TEST(wrong_sizes_are_said)
{
	struct {
		struct xdp_dedup_receive_options o;
		uint8_t later[8];
	} options = { *app_options("ve0", 0, 0), { 0 } };
	struct xdp_dedup_receiver *rx = NULL;

	e2e_load(APP_LOAD);
	for (options.o.size = 0; options.o.size < sizeof(options.o) - 4; options.o.size++)
		assert_int_equal(xdp_dedup_receive_open(APP_NAME, &options.o, &rx), -EINVAL);
	options.o.size = sizeof(options);
	options.later[7] = 1;
	assert_int_equal(xdp_dedup_receive_open(APP_NAME, &options.o, &rx), -EINVAL);
	assert_null(rx);
	options.later[7] = 0;
	app_open(&options.o);
}

/* An application that calls all the time, and polls, would otherwise never ask whether packets may
 * still come: that is put off only after asking, for 10 ms.
 */
TEST(polling_puts_no_question_off)
{
	struct xdp_dedup_receive_options *o = app_options(NULL, 0, 0);
	struct xdp_dedup_receiver *rx;
	struct xdp_dedup_packet p;

	e2e_load(APP_LOAD);
	o->busy_poll_us = 20;
	rx = app_open(o);
	for (int i = 0; i < 50; i++) {
		uint64_t checked_ns = rx->checked_ns;

		assert_int_equal(xdp_dedup_receive(rx, &p, 1), 0);
		if (rx->checked_ns != checked_ns)
			assert_true(rx->checked_ns - checked_ns >= 10000000);
		usleep(5000);
	}
}

ROOT_MAIN(app_setup, app_teardown)
