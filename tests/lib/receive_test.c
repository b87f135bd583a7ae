// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Delivery through AF_XDP: an application that reads sockets of the library's, and a UDP socket
 * beside them, has each event once, whatever happens to it.
 */
#include "lib_runner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xdp-dedup-receive.h"

#define NAME "ve0"
#define BATCH 64

/* An application: it reads both ways, and accounts what it has. */
static struct app {
	struct xdp_dedup_receiver *rx[4];
	int cnt;
	struct gossip_receiver *udp;
	uint64_t by_xsk;
} app;

static const struct xdp_dedup_receive_options *options_of(const char *ifname, uint32_t queue,
							  uint32_t frames)
{
	static struct xdp_dedup_receive_options o;

	o = (struct xdp_dedup_receive_options){
		.size = sizeof(o),
		.ifname = ifname,
		.queue = queue,
		.frames = frames,
		.unfinished = true, /* these come over a veth pair */
	};
	return &o;
}

static void app_open(const struct xdp_dedup_receive_options *o)
{
	assert_int_equal(xdp_dedup_receive_open(NAME, o, &app.rx[app.cnt]), 0);
	app.cnt++;
}

static void app_close(void)
{
	while (app.cnt)
		xdp_dedup_receive_close(app.rx[--app.cnt]);
}

static void take_packet(const struct xdp_dedup_packet *p)
{
	struct gossip_packet g = { 0 };

	assert_non_null(p->payload);
	memcpy(&g, p->payload, p->payload_len < sizeof(g) ? p->payload_len : sizeof(g));
	assert_int_equal(p->id_len, GSP_ID_BYTES);
	assert_memory_equal(p->id, g.id, GSP_ID_BYTES);
	gossip_account(app.udp, &g, p->payload_len, p->time_ns);
	app.by_xsk++;
}

/* Reads what is there. Returns how many packets that was. */
static int app_read(void)
{
	struct xdp_dedup_packet packets[BATCH];
	int total = 0, n;

	for (int i = 0; i < app.cnt; i++) {
		while ((n = xdp_dedup_receive(app.rx[i], packets, BATCH)) > 0) {
			for (int j = 0; j < n; j++)
				take_packet(&packets[j]);
			xdp_dedup_give_back(app.rx[i], packets, n);
			total += n;
		}
		assert_int_equal(n, 0);
	}
	n = gossip_receive(app.udp, 0);
	assert_return_code(n, -n);
	return total + n;
}

static int setup(void **state)
{
	app = (struct app){ 0 };
	return e2e_setup(state);
}

static int teardown(void **state)
{
	app_close();
	return e2e_teardown(state);
}

#define EVENTS 20000
#define COPIES 4

/* Sends the events in several copies, and reads meanwhile. */
static void send_and_read(struct gossip_sender *s, uint32_t events, uint32_t burst)
{
	uint32_t *order = gossip_shuffle(events, COPIES, events / 10, s->seed);
	size_t cnt = (size_t)events * COPIES;

	assert_non_null(order);
	for (size_t at = 0; at < cnt; at += burst) {
		size_t n = cnt - at < burst ? cnt - at : burst;

		assert_return_code(gossip_send(s, order + at, n), EIO);
		app_read();
	}
	e2e_counters_after(NAME, cnt);
	app_read();
	free(order);
}

static void each_event_comes_once(void **state)
{
	uint64_t seed = gossip_now_ns();
	struct gossip_sender *s = e2e_sender(0, AF_INET, seed);
	struct xdp_dedup_receive_stats stats;
	struct filter_counters c;

	(void)state;
	app.udp = e2e_receiver(0, AF_INET, seed, EVENTS);
	e2e_load("load ve0 --fpr 1e-9 --deliver xsk");
	app_open(options_of(NULL, 0, 0));
	send_and_read(s, EVENTS, 200);
	assert_int_equal(gossip_delivered(app.udp, 1), EVENTS);
	c = e2e_counters(NAME);
	xdp_dedup_receive_stats(app.rx[0], &stats, sizeof(stats));
	print_message("# %lu of %d by AF_XDP\n", app.by_xsk, EVENTS);
	assert_int_equal(c.new, EVENTS);
	assert_int_equal(c.delivered, EVENTS);
	assert_int_equal(app.by_xsk, EVENTS);
	assert_int_equal(stats.received, EVENTS);
	assert_int_equal(stats.vanished, 0);
}

int main(void)
{
	add_test("each_event_comes_once", each_event_comes_once, setup, teardown, NULL);
	return run_added_tests("receive");
}
