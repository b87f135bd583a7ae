// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What packets are as an application has them by AF_XDP: as they came, whole, and none that the
 * network stack would have dropped. Which packets still go to the stack.
 */
#include "packet.h"
#include "receive_runner.h"

#include <linux/if_ether.h>
#include <linux/in.h>

#include "await.h"
#include "deliver.h"
#include "udp.h"
#include "xdp-dedup.h"

#define LAST_BROKEN 32 /* their ids are wanted */
#define LOAD "load ve0 --port 8001 --fpr 1e-9 --capacity 100k --deliver xsk"

static const uint8_t TO4[] = { 10, 77, 0, 1 };

/* A frame with right checksums, of a fresh event, whose body is chance. */
static struct frame *frame_of(struct frame_plan plan, struct id *id, uint64_t *chance)
{
	static struct frame f;

	for (int i = 0; i < (plan.count ?: 1); i++)
		id[i] = id_fresh();
	memcpy(plan.to, plan.ipv6 ? plan.to : TO4, sizeof(TO4));
	frame_build(&f, &plan, id);
	for (uint32_t i = 0; i < plan.body; i++)
		f.data[f.len - f.padding - 1 - i] = random_next(chance);
	frame_checksums(&f);
	return &f;
}

/* Loads the filter, and opens its queue with options that accept no unfinished checksums. */
static struct xdp_dedup_receiver *start(uint32_t frames_a_packet)
{
	struct xdp_dedup_receive_options *o = app_options("ve0", 0, 0);

	e2e_tool(LOAD);
	o->unfinished = false;
	o->frames_a_packet = frames_a_packet;
	return app_open(o);
}

/* Reads nothing until so many packets were broken. */
static void await_broken(struct xdp_dedup_receiver *rx, uint64_t broken)
{
	struct xdp_dedup_packet p;

	AWAIT((assert_int_equal(xdp_dedup_receive(rx, &p, 1), 0), app_stats(rx).broken == broken));
}

static uint64_t count(const char *counter)
{
	return tool_counter(APP_NAME, counter);
}

/* The packet is just what was sent. */
static void check_packet(const struct xdp_dedup_packet *p, const struct frame *f, const struct id *id)
{
	assert_int_equal(p->len, f->len);
	assert_memory_equal(p->data, f->data, f->len);
	assert_int_equal(p->id_len, sizeof(id->bytes));
	assert_memory_equal(p->id, id->bytes, sizeof(id->bytes));
	assert_int_equal(p->payload_len, f->len - f->padding - f->gsp);
	assert_ptr_equal(p->payload, (const uint8_t *)p->data + f->gsp);
	assert_int_equal(p->stream, 0);
}

/* Sends the frame, which comes, and gives it back. */
static void send_and_check(struct xdp_dedup_receiver *rx, const struct frame *f, const struct id *id)
{
	struct xdp_dedup_packet p;

	app_send_raw(f->data, f->len);
	p = app_next(rx);
	check_packet(&p, f, id);
	xdp_dedup_give_back(rx, &p, 1);
}

static const struct row {
	const char *name;
	struct frame_plan plan;
	const char *wrong; /* the name of the test with wrong bits; NULL: there is none */
} FRAMES[] = {
	{ "ipv4", { .ipv6 = false }, NULL },
	{ "ipv4-options", { .option_words = 10 }, "ipv4-options-wrong-bit" },
	{ "ipv4-body", { .body = 1200 }, NULL },
	{ "ipv4-odd", { .body = 1201 }, "ipv4-odd-wrong-bit" },
	{ "padding", { .padding = 20 }, "padding-wrong-bit" },
	{ "vlan", { .tags = { ETH_P_8021Q }, .body = 100 }, NULL },
	{ "two-vlans", { .tags = { ETH_P_8021AD, ETH_P_8021Q }, .body = 100 }, NULL },
	{ "ipv6", { .ipv6 = true, .body = 300 }, "ipv6-wrong-bit" },
	{ "ipv6-extensions",
	  { .ipv6 = true,
	    .body = 33,
	    .extensions = { IPPROTO_DSTOPTS, IPPROTO_ROUTING, IPPROTO_DSTOPTS },
	    .extensions_cnt = 3,
	    .extension_len = 1 },
	  NULL },
};

TEST_ROWS(comes_as_it_was_sent, FRAMES)
{
	struct xdp_dedup_receiver *rx = start(0);
	uint64_t chance = 1, before;
	struct xdp_dedup_packet p;
	struct timespec now;
	struct id id;

	for (int i = 0; i < 50; i++) {
		struct frame *f = frame_of(row->plan, &id, &chance);

		before = gossip_now_ns();
		app_send_raw(f->data, f->len);
		p = app_next(rx);
		check_packet(&p, f, &id);
		clock_gettime(CLOCK_MONOTONIC, &now);
		assert_in_range(p.time_ns, before, now.tv_sec * 1000000000ULL + now.tv_nsec);
		assert_int_equal(p.source.any.sa_family, row->plan.ipv6 ? AF_INET6 : AF_INET);
		assert_int_equal(p.source.ipv4.sin_port, htons(4001)); /* where IPv6 has it, too */
		if (!row->plan.ipv6)
			assert_int_equal(p.source.ipv4.sin_addr.s_addr, htonl(0x0a000001));
		xdp_dedup_give_back(rx, &p, 1);
	}
	assert_int_equal(count("delivered"), 50);
	assert_int_equal(app_stats(rx).broken, 0);
}

/* Is the bit, counted from the IP header, in one of IPv6's fields that no checksum covers? */
static bool is_uncovered(const struct row *row, uint32_t bit)
{
	return row->plan.ipv6 && ((bit >= 8 && bit < 32) || bit / 8 == 7 || bit < 4);
}

/* One bit is another one: no packet is handed out that differs from what was sent, where a checksum
 * covers it; and the good copy that follows comes.
 */
static void one_bit_is_wrong(void **state)
{
	const struct row *row = *state;
	struct xdp_dedup_receiver *rx = start(0);
	uint64_t chance = 7, broken = 0;
	struct xdp_dedup_packet p;
	struct frame bad;
	struct id id;

	for (int i = 0; i < 300; i++) {
		const struct frame *f = frame_of(row->plan, &id, &chance);
		uint64_t before = e2e_counters(APP_NAME).rx;
		uint32_t covered = f->len - f->padding - f->ip, bit;

		do
			bit = random_next(&chance) % (8 * covered);
		while (is_uncovered(row, bit));
		bad = *f;
		bad.data[f->ip + bit / 8] ^= 1 << bit % 8;
		app_send_raw(bad.data, bad.len);
		AWAIT(e2e_counters(APP_NAME).rx > before);
		assert_int_equal(xdp_dedup_receive(rx, &p, 1), 0);
		send_and_check(rx, f, &id);
		broken = app_stats(rx).broken;
	}
	assert_true(broken > 100);
	assert_int_equal(app_stats(rx).received, 300);
	assert_int_equal(app_stats(rx).forgotten, 0);
}

#define FLOOD 5000 /* more than all ids that can be wanted */

/* Sends so many broken packets with fresh ids, behind as many others. */
static void send_broken(struct xdp_dedup_receiver *rx, uint64_t before, uint64_t cnt)
{
	struct xdp_dedup_packet p;
	uint64_t chance = 9;
	struct id id;

	for (uint64_t i = before + 1; i <= before + cnt; i++) {
		struct frame *f = frame_of((struct frame_plan){ .body = 20 }, &id, &chance);

		f->data[f->len - 1]++;
		app_send_raw(f->data, f->len);
		while (app_stats(rx).broken + 50 < i)
			assert_int_equal(xdp_dedup_receive(rx, &p, 1), 0);
	}
	await_broken(rx, before + cnt);
}

/* Two copies are broken, and then so many other packets that the first one is forgotten. */
TEST(broken_twice_it_still_comes)
{
	struct xdp_dedup_receiver *rx = start(0);
	uint64_t chance = 13;
	struct frame good, bad;
	struct id id;

	good = bad = *frame_of((struct frame_plan){ .body = 20 }, &id, &chance);
	bad.data[bad.len - 1]++;
	for (uint64_t i = 1; i <= 2; i++) {
		app_send_raw(bad.data, bad.len);
		await_broken(rx, i);
	}
	send_broken(rx, 2, LAST_BROKEN - 1);
	send_and_check(rx, &good, &id);
}

/* A sender of broken packets can send any number. Ids can still be wanted, by the application, and
 * of packets that it had not given back.
 */
TEST(broken_packets_leave_room_for_wants)
{
	struct xdp_dedup_receiver *rx = start(0);
	static struct frame frames[300];
	struct xdp_dedup_filter *filter;
	struct xdp_dedup_packet p;
	uint64_t chance = 11;
	struct id id;

	for (size_t i = 0; i < ARRAY_SIZE(frames); i++)
		frames[i] = *frame_of((struct frame_plan){ .body = 20 }, &id, &chance);
	send_broken(rx, 0, FLOOD);
	assert_int_equal(xdp_dedup_open(APP_NAME, &filter), 0);
	id = id_fresh();
	assert_int_equal(xdp_dedup_add(filter, id.bytes, sizeof(id.bytes)), 0);
	assert_int_equal(xdp_dedup_want(filter, id.bytes, sizeof(id.bytes)), 1);
	xdp_dedup_close(filter);
	for (size_t i = 0; i < ARRAY_SIZE(frames); i++) {
		app_send_raw(frames[i].data, frames[i].len);
		app_next(rx);
	}
	app_close(rx); /* wants them, as the next to open the queue does after a kill */
	rx = app_open(app_options("ve0", 0, 0));
	for (size_t i = 0; i < ARRAY_SIZE(frames); i++) {
		app_send_raw(frames[i].data, frames[i].len);
		p = app_next(rx);
		xdp_dedup_give_back(rx, &p, 1);
	}
}

/* The time is there if it was asked for; else none, also where the log had one for another packet. */
TEST(timestamps_are_asked_for)
{
	struct xdp_dedup_receive_options *o = app_options("ve0", 0, 0);
	struct xdp_dedup_receiver *rx;
	uint64_t chance = 3;

	e2e_tool(LOAD);
	rx = app_open(o);
	for (int i = 0; i < DEDUP_IN_FLIGHT_MAX + 100; i++) {
		struct id id;
		struct frame *f = frame_of(FRAMES[0].plan, &id, &chance);
		struct xdp_dedup_packet p;

		if (i == DEDUP_IN_FLIGHT_MAX) {
			app_close(rx);
			o->timestamps = false;
			rx = app_open(o);
		}
		app_send_raw(f->data, f->len);
		p = app_next(rx);
		check_packet(&p, f, &id);
		assert_true(i < DEDUP_IN_FLIGHT_MAX ? p.time_ns > 0 : p.time_ns == 0);
		xdp_dedup_give_back(rx, &p, 1);
	}
}

/* A local sender's checksum, which its device would have computed: only with the option. */
TEST(unfinished_checksums)
{
	struct xdp_dedup_receive_options *o = app_options("ve0", 0, 0);
	uint64_t seed = gossip_now_ns();
	struct gossip_sender *s;
	uint32_t zero = 0;

	app.udp = e2e_receiver(0, AF_INET, seed, 10);
	e2e_load("load ve0 --fpr 1e-9 --capacity 100k --deliver xsk");
	s = e2e_sender(0, AF_INET, seed);
	o->unfinished = false;
	app_open(o);
	assert_return_code(gossip_send(s, &zero, 1), EIO);
	e2e_counters_after(APP_NAME, 1);
	assert_int_equal(app_read(), 0);
	assert_int_equal(app_stats(app.rx[0]).unfinished, 1);
	assert_int_equal(app_stats(app.rx[0]).broken, 0);
	app_close_all();
	app_open(app_options("ve0", 0, 0));
	assert_return_code(gossip_send(s, &zero, 1), EIO); /* it is wanted */
	e2e_counters_after(APP_NAME, 2);
	assert_int_equal(app_read(), 1);
	assert_int_equal(app_stats(app.rx[0]).unfinished, 1);
}

/* Packets of every length around what so many frames take, and more, which go to the stack. */
static void jumbo_frames(void **state)
{
	static const uint32_t LENGTHS[] = { 1500, 3519, 3520, 3521, 3600, 3840,
					    3841, 4096, 7040, 7041, 8900 };
	uint32_t parts = *(const uint32_t *)*state, most;
	uint64_t chance = 3, large = 0;
	struct xdp_dedup_receiver *rx;
	struct id id;

	sh("ip link set ve0 mtu 9000");
	e2e_far_sh("ip link set pe0 mtu 9000");
	rx = start(parts);
	most = app_stats(rx).frames_a_packet * 3520;
	assert_in_range(app_stats(rx).frames_a_packet, 1, parts);
	for (int round = 0; round < 40; round++)
		for (size_t i = 0; i < ARRAY_SIZE(LENGTHS); i++) {
			struct frame_plan plan = { .body = LENGTHS[i] - ETH_HLEN - 20 - 8 - 8 - 32 };
			const struct frame *f = frame_of(plan, &id, &chance);

			assert_int_equal(f->len, LENGTHS[i]);
			large += f->len > most;
			if (f->len > most)
				app_send_raw(f->data, f->len);
			else
				send_and_check(rx, f, &id);
		}
	AWAIT(count("too_large") == large);
	assert_int_equal(count("delivered"), 40 * ARRAY_SIZE(LENGTHS) - large);
	assert_int_equal(count("no_room"), 0);
	assert_int_equal(app_stats(rx).vanished, 0);
	print_message("# %u frames a packet of %u\n", app_stats(rx).frames_a_packet, parts);
}

/* Only fresh events of the streams that are named; all else goes to the stack. */
TEST(other_packets_go_to_the_stack)
{
	static const struct frame_plan PLANS[] = { { .type = GSP_IHAVE, .count = 2 },
						   { .type = GSP_IWANT, .count = 2 },
						   { .type = 9 } };
	int fd = udp_receiver("10.77.0.1", 8001);
	struct xdp_dedup_receiver *rx;
	struct xdp_dedup_packet p;
	uint64_t chance = 1;
	struct frame *f;
	struct id ids[2];
	char bytes[2048];

	e2e_tool(LOAD);
	rx = app_open(app_options("ve0", 0, 0));
	for (size_t i = 0; i < ARRAY_SIZE(PLANS); i++) {
		f = frame_of(PLANS[i], ids, &chance);
		app_send_raw(f->data, f->len);
		assert_int_equal(recv(fd, bytes, sizeof(bytes), 0), f->len - f->gsp);
		assert_memory_equal(bytes, f->data + f->gsp, f->len - f->gsp);
	}
	close(fd);
	assert_int_equal(xdp_dedup_receive(rx, &p, 1), 0);
	assert_int_equal(count("delivered"), 0);
	assert_int_equal(count("ihave_new") + count("exempt") + count("bad_type"), 3);
	f = frame_of((struct frame_plan){ .ipv6 = false }, ids, &chance);
	app_send_raw(f->data, f->len);
	p = app_next(rx);
	assert_int_equal(count("delivered"), 1);
	xdp_dedup_give_back(rx, &p, 1);
}

int main(void)
{
	add_own_tests(app_setup, app_teardown);
	for (size_t i = 0; i < ARRAY_SIZE(FRAMES); i++)
		if (FRAMES[i].wrong)
			add_test(FRAMES[i].wrong, one_bit_is_wrong, app_setup, app_teardown,
				 &FRAMES[i]);
	add_test("jumbo_frames_to_the_stack", jumbo_frames, app_setup, app_teardown,
		 &(uint32_t){ 1 });
	add_test("jumbo_frames_in_parts", jumbo_frames, app_setup, app_teardown, &(uint32_t){ 4 });
	return run_added_tests("receive_packets");
}
