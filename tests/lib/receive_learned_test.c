// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Delivery through AF_XDP: an id is learned when a socket takes its packet, and not before. In all
 * layouts, of all kinds of streams, on the fast path and on the slow one.
 */
#include "open.h"
#include "receive_runner.h"

#include <pthread.h>
#include <sched.h>

#include <bpf/bpf.h>
#include <net/if.h>

#include "delivery.h"
#include "packet.h"
#include "predecessor.h"
#include "protocol_packets.h"
#include "receiver.h"
#include "senders_seen.h"
#include "want.h"
#include "xdp-dedup.h"

#define FRAMES 64
#define ROW(row, profile, ...)                                                            \
	{                                                                                 \
		.name = row, .load = "--profile " profile " --deliver xsk", ##__VA_ARGS__ \
	}
#define GSP(row, options, ...)                                                                      \
	{                                                                                           \
		.name = row, .load = "--port 8001 --fpr 1e-6 --deliver xsk " options, ##__VA_ARGS__ \
	}
#define BYTES(row, options, ...)                                                        \
	ROW(row, "bytes:8001 --profiles /tmp/profiles " options, .protocol = MOLDUDP64, \
	    .count = 1, ##__VA_ARGS__)
#define DISCV4_ROW(row, options, ...) \
	ROW(row, "discv4:8001 " options, .protocol = DISCV4, ##__VA_ARGS__)
#define NUMBERED(row, messages, options, ...)                                   \
	ROW(row, "numbered:8001 --profiles /tmp/profiles --sources 16" options, \
	    .protocol = MOLDUDP64, .count = messages, ##__VA_ARGS__)

/* Filters, and one message of their streams. */
static const struct row {
	const char *name, *load;
	enum protocol protocol; /* NO_PACKET: an EVENT */
	uint16_t count;		/* of messages, of MOLDUDP64 */
	bool is_slow;		/* some other id is wanted: packets take the slow path */
	bool learns_not;	/* the application learns */
	const char *change;	/* once packets were untaken, before there is a reader */
} ROWS[] = {
	GSP("gsp", ""),
	GSP("gsp-slow", "", .is_slow = true),
	GSP("gsp-flat", "--layout flat"),
	GSP("gsp-countdown", "--layout countdown --hash tezos --capacity 10k"),
	GSP("gsp-cached", "--layout flat --hash fips --bits 64k --capacity 500"),
	GSP("gsp-learned-by-app", "--learn app", .learns_not = true),
	GSP("gsp-another-layout", "", .change = "resize ve0 --layout flat"),
	ROW("gsp-among-others", "gsp:8001 --profile rtp:9000 --sources 16"),
	BYTES("bytes-slow", "", .is_slow = true),
	DISCV4_ROW("digest", ""),
	DISCV4_ROW("streams", "--profile payload:8002"),
	NUMBERED("numbered", 1, ""),
	NUMBERED("numbered-several", 40, ""),
	NUMBERED("numbered-paths-several", 40, " --paths 2"),
	NUMBERED("numbered-resized", 1, "", .change = "resize ve0 --sources 64"),
	NUMBERED("numbered-paths-resized", 40, " --paths 2", .change = "resize ve0 --sources 64"),
};

static struct id ids[FRAMES + 8];
static uint32_t sent;

/* Makes the i-th message; if it is an EVENT, with this id. */
static void make_message(const struct row *row, uint32_t i, const struct id *id, struct frame *f)
{
	const struct protocol_packet p = { .protocol = row->protocol,
					   .body = row->count > 1 ? 8 : 64,
					   .fill = 1 + i,
					   .expires = 1 + i,
					   .session = 7,
					   .sequence = 1000 + i * row->count,
					   .count = row->count };

	if (p.protocol) {
		protocol_frame(f, &p);
	} else {
		frame_build(f, &(struct frame_plan){ .body = 64 }, id);
		ipv4_sum(f);
	}
}

/* Sends a copy of the i-th message. Returns the counters after it. */
static struct filter_counters send_copy(const struct row *row, uint32_t i)
{
	static struct frame f;

	make_message(row, i, &ids[i], &f);
	app_send_raw(f.data, f.len);
	return e2e_counters_after(APP_NAME, ++sent);
}

/* Has some other id wanted in stream 0 for a window. */
static void want_another(void)
{
	const struct id other = id_fresh();
	const struct dedup_id key = id_key(&other);
	struct filter f;

	assert_int_equal(filter_open(APP_NAME, &f), 0);
	assert_int_equal(want_key(&f, &key, 0), 1);
	filter_close(&f);
}

/* Returns how many packets the reader has; it gives them back. */
static unsigned int read_all(struct xdp_dedup_receiver *rx)
{
	struct xdp_dedup_packet packets[FRAMES];
	int n = xdp_dedup_receive(rx, packets, FRAMES);

	assert_true(n >= 0);
	xdp_dedup_give_back(rx, packets, n);
	return n;
}

static void begin(const struct row *row)
{
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		ids[i] = id_fresh();
	sent = 0;
	sh("mountpoint -q /tmp || mount -t tmpfs tmpfs /tmp");
	sh("printf '[profile numbered]\\nlayer = udp\\nsource = payload+0:10\\n"
	   "sequence = payload+10:8\\ncount = payload+18:2\\nreset = 5m\\n"
	   "[profile bytes]\\nlayer = udp\\nid = payload+0:20\\n' > /tmp/profiles");
	e2e_tool("load ve0 %s", row->load);
}

TEST_ROWS(learned_when_taken, ROWS)
{
	const uint32_t again = row->learns_not; /* a copy of what was taken is taken, too */
	struct xdp_dedup_receiver *rx;
	struct filter_counters c;

	begin(row);
	if (row->is_slow)
		want_another();
	send_copy(row, 0); /* nobody reads */
	c = send_copy(row, 0);
	assert_int_equal(c.untaken, 2);
	assert_int_equal(c.no_socket, 2);
	assert_int_equal(c.new, 0);
	if (row->change) {
		e2e_tool("%s", row->change);
		c = send_copy(row, 0);
		assert_int_equal(c.untaken, 3);
	}
	rx = app_open(app_options("ve0", 0, FRAMES));
	c = send_copy(row, 0);
	assert_int_equal(c.new, 1);
	assert_int_equal(c.delivered, 1);
	c = send_copy(row, 0);
	assert_int_equal(c.duplicate, 1 - again);
	assert_int_equal(c.delivered, 1 + again);
	for (uint32_t i = 1 + again; i < FRAMES; i++)
		c = send_copy(row, i);
	assert_int_equal(c.new, FRAMES);
	assert_int_equal(c.delivered, FRAMES);
	send_copy(row, FRAMES); /* its ring is full */
	c = send_copy(row, FRAMES);
	assert_int_equal(c.no_room, 2);
	assert_int_equal(c.new, FRAMES);
	c = send_copy(row, FRAMES - 1); /* what it has is known */
	assert_int_equal(c.duplicate, 2 * (1 - again));
	assert_int_equal(read_all(rx), FRAMES);
	c = send_copy(row, FRAMES);
	assert_int_equal(c.new, FRAMES + 1);
	c = send_copy(row, FRAMES);
	assert_int_equal(c.duplicate, 3 * (1 - again));
	assert_int_equal(c.delivered, FRAMES + 1 + again);
	assert_int_equal(read_all(rx), 1 + again);
	assert_int_equal(c.untaken, c.no_socket + c.no_room);
	assert_int_equal(c.new + c.untaken + c.duplicate, sent);
	assert_int_equal(app_stats(rx).vanished, 0);
}

/* A room that was given back while another CPU took the next one: no packet comes, and none is
 * waited for or wanted.
 */
TEST_WITH(room_that_was_given_back, app_setup, app_teardown)
{
	struct app_traffic t = app_begin(2 * FRAMES, 1);
	struct xdp_dedup_receiver *rx = app_start(FRAMES);
	struct dedup_in_flight *h = queue_in_flight(&rx->queue, rx->queue.socket->taken);

	h->frames = 1;
	h->given_back = 1;
	h->number = ++rx->queue.socket->taken;
	app_send_all(&t, FRAMES / 2);
	assert_int_equal(app_end(&t).delivered, 2 * FRAMES);
	assert_int_equal(rx->oldest, 2 * FRAMES + 1);
	assert_int_equal(app_stats(rx).vanished, 0);
	assert_int_equal(app_wanted(), 0);
}

/* Does want_key() for what the reader got as the first one. */
static void want_again(const struct xdp_dedup_packet *p)
{
	struct xdp_dedup_filter *f;

	assert_int_equal(xdp_dedup_open(APP_NAME, &f), 0);
	assert_int_equal(xdp_dedup_want(f, p->id, p->id_len), 1);
	xdp_dedup_close(f);
}

static const struct row WANTED[] = {
	GSP("wanted-gsp", ""),
	GSP("wanted-flat", "--layout flat"),
	NUMBERED("wanted-numbered", 1, ""),
};

/* An id that is wanted is so until a socket takes a copy. */
TEST_ROWS(wanted_until_taken, WANTED)
{
	struct xdp_dedup_receiver *rx;
	struct xdp_dedup_packet p;
	struct filter_counters c;

	begin(row);
	rx = app_open(app_options("ve0", 0, FRAMES));
	send_copy(row, 0);
	p = app_next(rx);
	xdp_dedup_give_back(rx, &p, 1);
	for (uint32_t i = 1; i <= FRAMES; i++)
		send_copy(row, i);
	want_again(&p);
	send_copy(row, 0);
	c = send_copy(row, 0);
	assert_int_equal(c.wanted, 2);
	assert_int_equal(c.no_room, 2);
	assert_int_equal(c.untaken, 0);
	read_all(rx);
	c = send_copy(row, 0);
	assert_int_equal(c.wanted, 3);
	assert_int_equal(c.delivered, 1 + FRAMES + 1);
	assert_int_equal(app_wanted(), 0);
	c = send_copy(row, 0);
	assert_int_equal(c.duplicate, 1);
	assert_int_equal(read_all(rx), 1);
}

/* A packet with some fresh numbers and some known ones is untaken, or learned, as a whole. */
TEST(some_numbers_are_fresh)
{
	static const struct row row = NUMBERED("", 40, "");
	struct row both = row;
	struct xdp_dedup_receiver *rx;
	struct filter_counters c;

	begin(&row);
	rx = app_open(app_options("ve0", 0, FRAMES));
	send_copy(&row, 0); /* 1000 to 1039 */
	for (uint32_t i = 2; i <= FRAMES; i++)
		send_copy(&row, i);
	both.count = 50; /* 1000 to 1049 */
	send_copy(&both, 0);
	c = send_copy(&both, 0);
	assert_int_equal(c.untaken, 2);
	assert_int_equal(c.new, FRAMES);
	c = send_copy(&row, 0);
	assert_int_equal(c.duplicate, 1);
	assert_int_equal(read_all(rx), FRAMES);
	c = send_copy(&both, 0);
	assert_int_equal(c.new, FRAMES + 1);
	c = send_copy(&both, 0);
	assert_int_equal(c.duplicate, 2);
	c = send_copy(&row, 1); /* 1040 to 1079: some of these are still fresh */
	assert_int_equal(c.new, FRAMES + 2);
	assert_int_equal(read_all(rx), 2);
}

/* What does not fit into a frame passes each time. */
TEST(large_ones_are_not_learned)
{
	static const struct row row = GSP("", "");
	struct filter_counters c;
	struct frame f;

	sh("ip link set ve0 mtu 9000");
	e2e_far_sh("ip link set pe0 mtu 9000");
	begin(&row);
	app_open(app_options("ve0", 0, FRAMES));
	frame_build(&f, &(struct frame_plan){ .body = 5000 }, &ids[0]);
	ipv4_sum(&f);
	for (int i = 0; i < 2; i++)
		app_send_raw(f.data, f.len);
	c = e2e_counters_after(APP_NAME, 2);
	assert_int_equal(c.untaken, 2);
	assert_int_equal(c.too_large, 2);
	sh("ip link set ve0 mtu 1500");
	e2e_far_sh("ip link set pe0 mtu 1500");
}

/* What brings a number is noted in the successor's account, whoever learns it: the predecessor
 * while it is in charge, the successor, or nobody, as no socket takes it.
 */
TEST(paths_of_a_successor)
{
	static const struct row row = NUMBERED("", 1, " --paths 2");
	struct xdp_dedup_receiver *rx;
	struct sender_seen s;
	struct filter f;

	begin(&row);
	rx = app_open(app_options("ve0", 0, FRAMES));
	send_copy(&row, 0);
	e2e_tool("resize ve0 --sources 64");
	assert_int_equal(filter_open(APP_NAME, &f), 0);
	assert_int_equal(filter_open_predecessor(&f), 0);
	f.predecessor->state->successor = DEDUP_CHARGE_CHANGES;
	send_copy(&row, 1); /* both learn it: the account begins behind it */
	f.predecessor->state->successor = DEDUP_PREDECESSOR_IN_CHARGE;
	send_copy(&row, 2);
	send_copy(&row, 2);
	app_close(rx);
	send_copy(&row, 3);
	f.predecessor->state->successor = DEDUP_SUCCESSOR_IN_CHARGE;
	send_copy(&row, 2);
	send_copy(&row, 3);
	app_open(app_options("ve0", 0, FRAMES));
	send_copy(&row, 3);
	send_copy(&row, 4);
	assert_int_equal(e2e_counters(APP_NAME).untaken, 2);
	s = sender_seen(APP_NAME);
	assert_int_equal(s.messages, 3);
	assert_int_equal(s.paths[0].packets, 8);
	assert_int_equal(s.paths[0].received, 3);
	assert_int_equal(s.paths[0].repeated, 4);
	assert_int_equal(s.paths[0].out_of_order, 0);
	assert_int_equal(s.paths[0].lost + s.paths[0].missing, 0);
	filter_close(&f);
}

#define RACES 20000

/* Two CPUs, each with an interface, run the program on copies of one message at one time. */
static struct race {
	const struct row *row;
	struct id ids[RACES];
	int prog;
	uint32_t arrived; /* CPUs at each message, both counted */
} race;

static void *run_race(void *ifname)
{
	static const uint32_t BOTH = 2;
	struct xdp_md ctx = { .ingress_ifindex = if_nametoindex(ifname) };
	struct frame *f = malloc(sizeof(*f));
	int err = f ? 0 : -ENOMEM;

	for (uint32_t i = 0; i < RACES && !err; i++) {
		LIBBPF_OPTS(bpf_test_run_opts, o, .data_in = f->data, .ctx_in = &ctx,
			    .ctx_size_in = sizeof(ctx), .repeat = 1);

		make_message(race.row, i, &race.ids[i], f);
		o.data_size_in = ctx.data_end = f->len;
		__atomic_fetch_add(&race.arrived, 1, __ATOMIC_SEQ_CST);
		while (__atomic_load_n(&race.arrived, __ATOMIC_SEQ_CST) < BOTH * (i + 1))
			sched_yield();
		err = bpf_prog_test_run_opts(race.prog, &o);
	}
	free(f);
	return (void *)(intptr_t)err;
}

static const struct row RACE_ROWS[] = {
	GSP("race-gsp", "--forwarded"),
	GSP("race-flat", "--layout flat --forwarded"),
	NUMBERED("race-numbered", 1, " --forwarded"),
	NUMBERED("race-several", 40, " --forwarded"),
};

/* Of copies that come at one time on two CPUs one is taken, and the others' room is given back. */
TEST_ROWS(one_of_simultaneous_copies, RACE_ROWS)
{
	struct filter_counters c;
	struct delivery d;
	struct filter f;
	pthread_t other;
	uint64_t taken = 0;
	void *err;

	race = (struct race){ .row = row };
	for (int i = 0; i < RACES; i++)
		race.ids[i] = id_fresh();
	begin(race.row);
	e2e_tool("set ve0 --add ve1");
	app_open(app_options("ve0", 0, FRAMES));
	app_open(app_options("ve1", 0, FRAMES));
	assert_int_equal(filter_open(APP_NAME, &f), 0);
	assert_int_equal(delivery_open(&f, &d), 0);
	for (int i = 0; i < 2; i++) { /* none of these packets comes to a ring */
		d.sockets[i].granted = 1ULL << 40;
		taken -= d.sockets[i].taken;
	}
	race.prog = bpf_obj_get("/sys/fs/bpf/xdp-dedup/ve0/prog");
	assert_return_code(race.prog, errno);
	assert_int_equal(pthread_create(&other, NULL, run_race, "ve1"), 0);
	assert_null(run_race("ve0"));
	pthread_join(other, &err);
	assert_null(err);
	for (int i = 0; i < 2; i++)
		taken += d.sockets[i].taken;
	c = e2e_counters_after(APP_NAME, 2 * RACES);
	assert_int_equal(c.delivered, RACES);
	assert_int_equal(c.new, RACES);
	assert_int_equal(c.duplicate, RACES);
	assert_int_equal(taken, RACES);
	close(race.prog);
	delivery_close(&d);
	filter_close(&f);
}

ROOT_MAIN(app_setup, app_teardown)
