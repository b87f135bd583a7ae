// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Delivery through AF_XDP: an application that reads sockets of the library's, and a UDP socket
 * beside them, has each event once, whatever happens to it.
 */
#include "receive_runner.h"

#include <errno.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <bpf/libbpf.h>
#include <net/if.h>

#include "deliver.h"
#include "xdp-dedup.h"
#include "xsk.h"

#define LOAD "load ve0 --fpr 1e-9 --deliver xsk"

/* Events of one seed, each in several copies, in an order of their own. */
struct traffic {
	struct gossip_sender *s;
	uint32_t *order;
	size_t cnt, at;
	uint32_t events;
};

static struct traffic begin(uint32_t events, uint32_t copies)
{
	uint64_t seed = gossip_now_ns();
	struct traffic t = {
		.s = e2e_sender(0, AF_INET, seed),
		.order = gossip_shuffle(events, copies, events / 10, seed),
		.cnt = (size_t)events * copies,
		.events = events,
	};

	assert_non_null(t.order);
	app.udp = e2e_receiver(-1, AF_INET, seed, events);
	return t;
}

/* Sends the next ones; false: that were all. */
static bool send_some(struct traffic *t, uint32_t burst)
{
	size_t n = t->cnt - t->at < burst ? t->cnt - t->at : burst;

	assert_return_code(gossip_send(t->s, t->order + t->at, n), EIO);
	t->at += n;
	return t->at < t->cnt;
}

/* Every event has come once, and the filter has counted each way that they took. */
static struct filter_counters end(struct traffic *t)
{
	struct filter_counters c = e2e_counters_after(APP_NAME, t->cnt);

	while (app_read())
		;
	free(t->order);
	assert_int_equal(gossip_delivered(app.udp, 1), t->events);
	assert_int_equal(app.udp->strangers, 0);
	assert_int_equal(c.delivered, app.by_xsk);
	assert_int_equal(c.delivered + c.no_socket + c.no_room + c.too_large, t->events);
	return c;
}

static void all_by_af_xdp(void **state)
{
	struct traffic t = begin(20000, 4);

	(void)state;
	e2e_load(LOAD);
	app_open(app_options(NULL, 0, 0));
	while (send_some(&t, 200))
		app_read();
	assert_int_equal(end(&t).delivered, 20000);
	assert_int_equal(app_stats(app.rx[0]).received, 20000);
	assert_int_equal(app_stats(app.rx[0]).vanished, 0);
}

static void nobody_has_a_socket(void **state)
{
	struct traffic t = begin(2000, 2);

	(void)state;
	e2e_load(LOAD);
	while (send_some(&t, 200))
		app_read();
	assert_int_equal(end(&t).no_socket, 2000);
}

/* A reader that does not read: what finds no room goes to the stack. */
static void the_reader_stops(void **state)
{
	struct traffic t = begin(5000, 1);
	struct filter_counters c;

	(void)state;
	e2e_load(LOAD);
	app_open(app_options("ve0", 0, 128));
	while (send_some(&t, 5000))
		;
	c = end(&t);
	assert_int_equal(c.delivered, 128);
	assert_int_equal(c.no_room, 5000 - 128);
}

static void small_rings_and_large_bursts(void **state)
{
	struct traffic t = begin(50000, 2);
	struct filter_counters c;

	(void)state;
	e2e_load(LOAD);
	app_open(app_options("ve0", 0, 64));
	while (send_some(&t, 10000))
		app_read();
	c = end(&t);
	assert_true(c.no_room > 0);
	assert_true(c.delivered >= 64);
}

/* A reader that keeps packets for as long as it likes, and gives them back in any order. */
static void packets_are_kept(void **state)
{
	struct xdp_dedup_packet kept[256], now[16];
	struct traffic t = begin(30000, 2);
	uint64_t chance = t.s->seed;
	struct xdp_dedup_receiver *rx;
	unsigned int cnt = 0;
	int n;

	(void)state;
	e2e_load(LOAD);
	rx = app_open(app_options("ve0", 0, 256));
	app.cnt = 0; /* it is read here */
	while (send_some(&t, 1 + random_next(&chance) % 100)) {
		n = xdp_dedup_receive(rx, now, 1 + random_next(&chance) % 16);
		assert_true(n >= 0);
		for (int i = 0; i < n; i++) {
			struct gossip_packet g;

			memcpy(&g, now[i].payload, sizeof(g));
			gossip_account(app.udp, &g, now[i].payload_len, 0);
			app.by_xsk++;
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
	assert_true(end(&t).no_room > 0);
	assert_int_equal(app_stats(rx).vanished, 0);
}

/* While one packet is kept at most DEDUP_HANDED_MAX others come; then the stack has them. */
static void one_packet_is_kept_for_ever(void **state)
{
	struct traffic t = begin(10000, 1);
	struct xdp_dedup_receiver *rx;
	struct xdp_dedup_packet p;
	struct gossip_packet g;
	struct filter_counters c;

	(void)state;
	e2e_load(LOAD);
	rx = app_open(app_options("ve0", 0, 0));
	send_some(&t, 1);
	p = app_next(rx);
	memcpy(&g, p.payload, sizeof(g));
	gossip_account(app.udp, &g, p.payload_len, 0);
	app.by_xsk++;
	while (send_some(&t, 100))
		app_read();
	c = e2e_counters_after(APP_NAME, t.cnt);
	assert_int_equal(c.delivered, DEDUP_HANDED_MAX);
	assert_int_equal(c.no_room, 10000 - DEDUP_HANDED_MAX);
	xdp_dedup_give_back(rx, &p, 1);
	end(&t);
}

/* What readers have read, in memory that outlives them. */
static struct shared {
	uint64_t recovered, forgotten;
	uint8_t copies[];
} * had;

/* Reads until it is killed. Its UDP socket is its parent's. */
static void be_reader(uint32_t frames, int ready)
{
	struct xdp_dedup_packet packets[16];
	struct xdp_dedup_receiver *rx;
	struct pollfd fd = { .events = POLLIN };

	if (xdp_dedup_receive_open(APP_NAME, app_options("ve0", 0, frames), &rx))
		_exit(1);
	had->recovered += app_stats(rx).recovered;
	had->forgotten += app_stats(rx).forgotten;
	fd.fd = xdp_dedup_receive_fd(rx);
	if (write(ready, "", 1) != 1)
		_exit(1);
	while (getppid() != 1) {
		int n = xdp_dedup_receive(rx, packets, 16);

		for (int i = 0; i < n; i++) {
			struct gossip_packet g;

			memcpy(&g, packets[i].payload, sizeof(g));
			had->copies[g.index]++;
		}
		if (n > 0)
			xdp_dedup_give_back(rx, packets, n);
		else
			poll(&fd, 1, 10);
	}
	_exit(0);
}

static pid_t start_reader(uint32_t frames)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready), 0);
	pid = fork();
	assert_return_code(pid, errno);
	if (!pid)
		be_reader(frames, ready[1]);
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

static void kill_reader(pid_t pid)
{
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

#define KILLS 30 /* with at most 128 ids each there is room for all in the map `wanted` */
#define FLOOD_EVENTS 600000
#define FLOOD_COPIES 3

/* Sends the events of the order once more, and reads them here. */
static void send_again(struct gossip_sender *s, const uint32_t *order, uint32_t cnt)
{
	for (uint32_t at = 0; at < cnt; at += 200) {
		assert_return_code(gossip_send(s, order + at, cnt - at < 200 ? cnt - at : 200), EIO);
		app_read();
	}
}

/* Readers are killed and started while a flood goes on. Copies that come later bring what a dead
 * one had in its ring; and what it had read but not given back comes again.
 */
static void readers_are_killed(void **state)
{
	uint64_t seed = gossip_now_ns(), chance = seed, twice = 0, missing = 0, sent;
	uint32_t *order = gossip_shuffle(FLOOD_EVENTS, FLOOD_COPIES, 20000, seed);
	struct gossip_sender *s = e2e_sender(0, AF_INET, seed);

	(void)state;
	assert_non_null(order);
	had = mmap(NULL, sizeof(*had) + FLOOD_EVENTS, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(had != MAP_FAILED);
	app.udp = e2e_receiver(0, AF_INET, seed, FLOOD_EVENTS);
	e2e_load("load ve0 --fpr 1e-9 --capacity 3M --deliver xsk");
	assert_return_code(gossip_receiver_start(app.udp), EAGAIN);
	assert_return_code(gossip_sender_start(s, order, FLOOD_EVENTS * FLOOD_COPIES), EAGAIN);
	for (int i = 0; i < KILLS; i++) {
		pid_t pid = start_reader(64 << random_next(&chance) % 2);

		usleep(random_next(&chance) % 30000);
		kill_reader(pid);
		if (random_next(&chance) % 4 == 0)
			usleep(random_next(&chance) % 10000);
	}
	s->stop = true;
	assert_return_code(gossip_sender_wait(s), EIO);
	s->stop = false;
	sent = s->sent;
	e2e_counters_after(APP_NAME, sent);
	assert_return_code(gossip_receiver_stop(app.udp, 50), EIO);
	app_open(app_options("ve0", 0, 0));
	had->recovered += app_stats(app.rx[0]).recovered;
	had->forgotten += app_stats(app.rx[0]).forgotten;
	send_again(s, order, sent);
	e2e_counters_after(APP_NAME, 2 * sent);
	app_read();
	for (uint64_t at = 0; at < sent; at++) {
		unsigned int copies = had->copies[order[at]] + app.udp->copies[order[at]];

		missing += !copies;
		twice += copies > 1;
	}
	print_message(
		"# of %lu packets %lu by AF_XDP; %lu were in the rings of %d dead readers, %lu "
		"came twice\n",
		sent, (uint64_t)e2e_counters(APP_NAME).delivered, had->recovered, KILLS, twice);
	assert_int_equal(gossip_receiver_lost(app.udp), 0);
	assert_int_equal(had->forgotten, 0);
	assert_true(had->recovered > 0);
	assert_int_equal(missing, 0);
	assert_true(twice <= KILLS * 16 * FLOOD_COPIES); /* a batch each */
	munmap(had, sizeof(*had) + FLOOD_EVENTS);
	free(order);
}

/* A process without any right, to which a queue was lent, reads until its parent is done. */
static void be_borrower(int from, int ready)
{
	struct xdp_dedup_packet packets[16];
	struct xdp_dedup_receiver *rx;
	int err;

	if (setgroups(0, NULL) || setgid(65534) || setuid(65534))
		_exit(10);
	if (xdp_dedup_receive_open(APP_NAME, app_options("ve0", 0, 0), &rx) >= 0)
		_exit(11); /* it has rights */
	err = xdp_dedup_receive_borrow(from, app_options(NULL, 0, 0), &rx);
	if (err)
		_exit(-err);
	if (write(ready, "", 1) != 1)
		_exit(12);
	for (int n = 0; n >= 0; usleep(1000)) {
		while ((n = xdp_dedup_receive(rx, packets, 16)) > 0) {
			for (int i = 0; i < n; i++) {
				struct gossip_packet g;

				memcpy(&g, packets[i].payload, sizeof(g));
				had->copies[g.index]++;
			}
			xdp_dedup_give_back(rx, packets, n);
		}
		if (n == -ESTALE)
			break;
	}
	xdp_dedup_receive_close(rx);
	_exit(0);
}

static void a_queue_is_lent(void **state)
{
	struct traffic t = begin(5000, 3);
	int ready[2], pair[2], status;
	char byte;
	pid_t pid;

	(void)state;
	had = mmap(NULL, sizeof(*had) + t.events, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(had != MAP_FAILED);
	e2e_load(LOAD);
	e2e_tool("set ve0 --action count"); /* a filter that has been changed is lent as well */
	e2e_tool("set ve0 --action drop");
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	assert_int_equal(xdp_dedup_receive_lend("none", NULL, 0, pair[0]), -ENOENT);
	assert_int_equal(xdp_dedup_receive_lend(APP_NAME, "ve1", 0, pair[0]), -ENODEV);
	assert_int_equal(xdp_dedup_receive_lend(APP_NAME, NULL, 0, pair[0]), 0);
	close(pair[0]);
	pid = fork();
	assert_return_code(pid, errno);
	if (!pid)
		be_borrower(pair[1], ready[1]);
	close(ready[1]);
	close(pair[1]);
	if (read(ready[0], &byte, 1) != 1) {
		waitpid(pid, &status, 0);
		fail_msg("exit %d", WEXITSTATUS(status));
	}
	while (send_some(&t, 100))
		gossip_receive(app.udp, 0);
	e2e_counters_after(APP_NAME, t.cnt);
	for (int ms = 0; ms < PATIENCE_MS; ms += 10) {
		uint32_t came = 0;

		gossip_receive(app.udp, 0);
		for (uint32_t i = 0; i < t.events; i++)
			came += had->copies[i] + app.udp->copies[i];
		if (came >= t.events)
			break;
		usleep(10000);
	}
	for (uint32_t i = 0; i < t.events; i++)
		assert_int_equal(had->copies[i] + app.udp->copies[i], 1);
	assert_true(e2e_counters(APP_NAME).delivered > 0);
	e2e_tool("set ve0 --action count"); /* ends what was lent */
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	munmap(had, sizeof(*had) + t.events);
	free(t.order);
}

/* What is no loan, is not taken for one. */
static void wrong_loans_are_refused(void **state)
{
	struct xdp_dedup_receiver *rx = NULL;
	char bytes[512] = { 0 };
	int pair[2];

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	assert_int_equal(write(pair[0], bytes, 3), 3);
	assert_int_equal(xdp_dedup_receive_borrow(pair[1], NULL, &rx), -EPROTO);
	assert_int_equal(write(pair[0], bytes, sizeof(bytes)), sizeof(bytes));
	assert_int_equal(xdp_dedup_receive_borrow(pair[1], NULL, &rx), -EPROTO);
	close(pair[0]);
	assert_int_equal(xdp_dedup_receive_borrow(pair[1], NULL, &rx), -ENODATA);
	assert_int_equal(xdp_dedup_receive_borrow(-1, NULL, &rx), -EBADF);
	assert_null(rx);
	close(pair[1]);
}

/* What a receiver that is closed has not handed out, or not got back, comes again. */
static void closed_with_packets(void **state)
{
	struct traffic t = begin(300, 2);
	struct xdp_dedup_packet kept[100];
	struct xdp_dedup_receiver *rx;

	(void)state;
	e2e_load(LOAD);
	free(t.order);
	t.order = gossip_shuffle(300, 2, 0, 1); /* 0 0 1 1 2 2 ... */
	assert_non_null(t.order);
	for (uint32_t i = 0; i < 600; i++)
		t.order[i] = i % 300;
	rx = app_open(app_options("ve0", 0, 0));
	send_some(&t, 300);
	e2e_counters_after(APP_NAME, 300);
	assert_int_equal(xdp_dedup_receive(rx, kept, 100), 100);
	app_close(rx);
	rx = app_open(app_options("ve0", 0, 0));
	assert_int_equal(app_stats(rx).recovered, 0); /* it was all wanted by close */
	send_some(&t, 300);
	e2e_counters_after(APP_NAME, 600);
	app_read();
	assert_int_equal(gossip_delivered(app.udp, 1), 300);
	free(t.order);
}

/* The next copy of an event that is wanted comes by AF_XDP, too. */
static void wanted_events_are_delivered(void **state)
{
	struct traffic t = begin(1, 3);
	struct xdp_dedup_filter *f;
	uint8_t id[GSP_ID_BYTES];

	(void)state;
	e2e_load(LOAD);
	app_open(app_options("ve0", 0, 0));
	send_some(&t, 1);
	e2e_counters_after(APP_NAME, 1);
	assert_int_equal(app_read(), 1);
	assert_int_equal(xdp_dedup_open(APP_NAME, &f), 0);
	gossip_id(t.s->seed, 0, id);
	assert_int_equal(xdp_dedup_want(f, id, sizeof(id)), 1);
	xdp_dedup_close(f);
	send_some(&t, 2);
	e2e_counters_after(APP_NAME, 3);
	assert_int_equal(app_read(), 1);
	assert_int_equal(app.by_xsk, 2);
	free(t.order);
}

/* Sends the events from one port after the other, so that they come by both queues. */
static void send_from_many_ports(struct traffic *t, int link)
{
	uint64_t seed = t->s->seed;

	for (bool more = true; more;) {
		t->s = e2e_sender(link, AF_INET, seed);
		more = send_some(t, 50);
		app_read();
		e2e_close(t->s, NULL);
	}
}

static void two_queues_and_two_readers(void **state)
{
	struct traffic t = begin(10000, 2);

	(void)state;
	sh("ethtool -L ve0 rx 2");
	e2e_far_sh("ethtool -L pe0 tx 2");
	e2e_load(LOAD);
	app_open(app_options("ve0", 0, 0));
	app_open(app_options("ve0", 1, 0));
	e2e_close(t.s, NULL);
	send_from_many_ports(&t, 0);
	assert_int_equal(end(&t).no_room, 0);
	for (int i = 0; i < 2; i++)
		assert_true(app_stats(app.rx[i]).received > 1000);
}

/* One of two queues has a reader. */
static void a_queue_without_a_reader(void **state)
{
	struct traffic t = begin(10000, 2);
	struct filter_counters c;

	(void)state;
	sh("ethtool -L ve0 rx 2");
	e2e_far_sh("ethtool -L pe0 tx 2");
	e2e_load(LOAD);
	app_open(app_options("ve0", 1, 0));
	e2e_close(t.s, NULL);
	send_from_many_ports(&t, 0);
	c = end(&t);
	assert_true(c.no_socket > 1000);
	assert_true(c.delivered > 1000);
}

/* The same queue number of two interfaces. */
static void two_interfaces_and_two_readers(void **state)
{
	struct traffic t = begin(10000, 2);
	uint64_t seed = t.s->seed;
	int link = 0;

	(void)state;
	e2e_load("load ve0 ve1 --name ve0 --fpr 1e-9 --deliver xsk");
	app_open(app_options("ve0", 0, 0));
	app_open(app_options("ve1", 0, 0));
	e2e_close(t.s, NULL);
	for (bool more = true; more; link ^= 1) {
		t.s = e2e_sender(link, AF_INET, seed);
		more = send_some(&t, 100);
		app_read();
		e2e_close(t.s, NULL);
	}
	assert_int_equal(end(&t).delivered, 10000);
	for (int i = 0; i < 2; i++)
		assert_true(app_stats(app.rx[i]).received > 1000);
}

/* Of two streams one is delivered. */
static void one_stream_of_two(void **state)
{
	uint64_t seed = gossip_now_ns();
	struct gossip_sender *s[2];
	struct filter_counters c;

	(void)state;
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
	{ "goes-on-restored", { "save ve0 /tmp/image", "restore ve0 /tmp/image" }, 0 },
	{ "turned-off", { "set ve0 --deliver stack" }, -ESTALE },
	{ "turned-off-and-on", { "set ve0 --deliver stack", "set ve0 --deliver xsk" }, -ESTALE },
	{ "unloaded", { "unload ve0" }, -ESTALE },
};

static void filter_changes(void **state)
{
	const struct change *row = *state;
	struct xdp_dedup_packet packets[64];
	struct traffic t = begin(20000, 3);
	int n = 0;

	sh("mountpoint -q /tmp || mount -t tmpfs tmpfs /tmp");
	e2e_load("load ve0 --fpr 1e-9 --capacity 1M --deliver xsk");
	app_open(app_options("ve0", 0, 0));
	for (int i = 0; i < 4 && row->commands[i]; i++) {
		for (int j = 0; j < 20 && !(row->then && i); j++) {
			send_some(&t, 200);
			app_read();
		}
		e2e_tool("%s", row->commands[i]);
	}
	if (!row->then) {
		while (send_some(&t, 200))
			app_read();
		while (app_read())
			;
		assert_true(gossip_delivered(app.udp, 0) == 0);
	}
	for (int ms = 0; ms < PATIENCE_MS && n != row->then; ms += 10) {
		n = xdp_dedup_receive(app.rx[0], packets, 64);
		usleep(10000);
	}
	assert_int_equal(n, row->then);
	free(t.order);
}

/* What open says. */
static const struct wrong {
	const char *name, *load, *filter;
	struct xdp_dedup_receive_options o;
	int err;
} WRONG[] = {
	{ "no-filter", NULL, "ve0", { 0 }, -ENOENT },
	{ "not-delivering", "load ve0", "ve0", { 0 }, -EOPNOTSUPP },
	{ "few-frames", LOAD, "ve0", { .frames = 32 }, -EINVAL },
	{ "odd-frames", LOAD, "ve0", { .frames = 96 }, -EINVAL },
	{ "many-frames", LOAD, "ve0", { .frames = 8192 }, -EINVAL },
	{ "many-parts", LOAD, "ve0", { .frames_a_packet = 5 }, -EINVAL },
	{ "no-such-queue", LOAD, "ve0", { .queue = 999 }, -EINVAL },
	{ "no-such-interface", LOAD, "ve0", { .ifname = "none" }, -ENODEV },
	{ "not-on-it", LOAD, "ve0", { .ifname = "ve1" }, -ENODEV },
	{ "on-which", "load ve0 ve1 --name ve0 --deliver xsk", "ve0", { 0 }, -EINVAL },
	{ "no-zerocopy", LOAD, "ve0", { .zerocopy = true }, -EOPNOTSUPP },
	{ "both-ways", LOAD, "ve0", { .zerocopy = true, .copy = true }, -EINVAL },
};

static void wrong_is_said(void **state)
{
	const struct wrong *row = *state;
	struct xdp_dedup_receive_options o = row->o;
	struct xdp_dedup_receiver *rx = NULL;

	o.size = sizeof(o);
	if (row->load)
		e2e_load("%s", row->load);
	assert_int_equal(xdp_dedup_receive_open(row->filter, &o, &rx), row->err);
	assert_null(rx);
}

static void the_queue_is_taken(void **state)
{
	struct xdp_dedup_receiver *rx = NULL;

	(void)state;
	e2e_load(LOAD);
	app_open(app_options("ve0", 0, 0));
	assert_int_equal(xdp_dedup_receive_open(APP_NAME, app_options("ve0", 0, 0), &rx), -EBUSY);
	app_close_all();
	app_open(app_options("ve0", 0, 0)); /* though the kernel is not done with the first one yet */
}

/* One without a program of its own: what comes for its queue goes to the stack. */
static void another_program_has_a_queue(void **state)
{
	const struct xsk_where where = { .ifindex = if_nametoindex("ve0"), .queue = 1 };
	struct traffic t = begin(10000, 2);
	struct xdp_dedup_receiver *rx;
	struct filter_counters c;
	struct xsk other;

	(void)state;
	sh("ethtool -L ve0 rx 2");
	e2e_far_sh("ethtool -L pe0 tx 2");
	e2e_load(LOAD);
	assert_int_equal(xsk_set_up(&other, socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0), 64), 0);
	assert_int_equal(xsk_bind(&other, &where), 0);
	assert_int_equal(xdp_dedup_receive_open(APP_NAME, app_options("ve0", 1, 0), &rx), -EBUSY);
	app_open(app_options("ve0", 0, 0));
	e2e_close(t.s, NULL);
	send_from_many_ports(&t, 0);
	c = end(&t);
	assert_true(c.delivered > 1000 && c.no_socket > 1000);
	assert_int_equal(c.no_room + c.too_large, 0);
	xsk_close(&other);
}

/* In generic XDP, on packets that the stack has already taken up. */
static void generic_mode(void **state)
{
	struct traffic t = begin(10000, 3);

	(void)state;
	e2e_load(LOAD " --mode skb");
	app_open(app_options(NULL, 0, 0));
	while (send_some(&t, 200))
		app_read();
	assert_int_equal(end(&t).delivered, 10000);
}

/* On a driver that has nothing of it, like veth's, it changes nothing. */
static void busy_polling(void **state)
{
	struct xdp_dedup_receive_options *o = app_options(NULL, 0, 0);
	struct traffic t = begin(10000, 3);

	(void)state;
	e2e_load(LOAD);
	o->busy_poll_us = 20;
	app_open(o);
	while (send_some(&t, 200))
		app_read();
	assert_int_equal(end(&t).delivered, 10000);
}

static void only_our_program_is_there(void **state)
{
	uint32_t before = 0, after = 0;

	(void)state;
	e2e_load(LOAD);
	assert_int_equal(bpf_xdp_query_id((int)if_nametoindex("ve0"), 0, &before), 0);
	app_open(app_options("ve0", 0, 0));
	assert_int_equal(bpf_xdp_query_id((int)if_nametoindex("ve0"), 0, &after), 0);
	assert_int_equal(before, after);
}

int main(void)
{
	static const struct CMUnitTest TESTS[] = {
		cmocka_unit_test_setup_teardown(all_by_af_xdp, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(nobody_has_a_socket, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(the_reader_stops, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(small_rings_and_large_bursts, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(packets_are_kept, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(one_packet_is_kept_for_ever, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(readers_are_killed, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(closed_with_packets, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(wanted_events_are_delivered, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(two_queues_and_two_readers, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(a_queue_without_a_reader, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(two_interfaces_and_two_readers, app_setup,
						app_teardown),
		cmocka_unit_test_setup_teardown(one_stream_of_two, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(a_queue_is_lent, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(wrong_loans_are_refused, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(the_queue_is_taken, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(another_program_has_a_queue, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(generic_mode, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(busy_polling, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(only_our_program_is_there, app_setup, app_teardown),
	};

	add_tests(TESTS, ARRAY_SIZE(TESTS));
	add_rows(CHANGES, filter_changes, app_setup, app_teardown);
	add_rows(WRONG, wrong_is_said, app_setup, app_teardown);
	return run_added_tests("receive");
}
