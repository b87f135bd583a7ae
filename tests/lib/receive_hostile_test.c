// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is no grant, and holders that mean harm: each has its own queue, and nothing else. */
#include "open.h"
#include "receive_runner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <net/if.h>
#include <netinet/in.h>

#include "grant_program.h"
#include "queue_grant.h"

#define EVENTS 400

/* Accepts the queue of ve0 as what a queue grant is made of; the caller closes it. */
static void accept_grant(struct queue_grant *l)
{
	int from = app_grant();

	assert_int_equal(queue_grant_receive(from, l), 0);
	close(from);
}

/* The number of this process's descriptors of whose /proc/self/fdinfo this is part. */
static unsigned int descriptors_of(const char *what)
{
	DIR *d = opendir("/proc/self/fdinfo");
	unsigned int cnt = 0;

	assert_non_null(d);
	for (const struct dirent *e = readdir(d); e; e = readdir(d)) {
		char path[sizeof("/proc/self/fdinfo/") + sizeof(e->d_name)], text[1024] = { 0 };
		int fd;

		snprintf(path, sizeof(path), "/proc/self/fdinfo/%s", e->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (read(fd, text, sizeof(text) - 1) > 0)
			cnt += !!strstr(text, what);
		close(fd);
	}
	closedir(d);
	return cnt;
}

/* Neither those about sockets, which are for all queues, nor the ids that are wanted, nor the
 * configuration with its secrets.
 */
static void no_map_is_granted(void **state)
{
	struct queue_grant l;

	(void)state;
	e2e_load(APP_LOAD);
	accept_grant(&l);
	assert_int_equal(descriptors_of("map_type:"), 0);
	assert_int_equal(descriptors_of("prog_type:"), 1);
	queue_grant_close(&l);
}

/* Sends bytes and so many descriptors as a grant; -1: none is asked for, and none is there. */
static int accept_message(const void *bytes, size_t len, int fds_cnt)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(16 * sizeof(int))];
	} control = { .head = { .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS } };
	struct iovec iov = { (void *)bytes, len };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct xdp_dedup_receiver *rx = NULL;
	int pair[2], fds[16] = { 0 }, err;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	for (int i = 0; i < fds_cnt; i++)
		fds[i] = pair[0];
	memcpy(CMSG_DATA(&control.head), fds, fds_cnt * sizeof(int));
	control.head.cmsg_len = CMSG_LEN(fds_cnt * sizeof(int));
	m.msg_control = fds_cnt ? &control : NULL;
	m.msg_controllen = fds_cnt ? CMSG_SPACE(fds_cnt * sizeof(int)) : 0;
	assert_int_equal(sendmsg(pair[0], &m, 0), len);
	err = xdp_dedup_receive_accept(pair[1], NULL, &rx);
	assert_null(rx);
	close(pair[0]);
	close(pair[1]);
	return err;
}

static unsigned int open_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned int cnt = 0;

	assert_non_null(d);
	while (readdir(d))
		cnt++;
	closedir(d);
	return cnt;
}

/* What is no grant is not taken for one, and none of its descriptors is kept. */
static void wrong_grants_are_refused(void **state)
{
	unsigned int before = open_descriptors();
	struct xdp_dedup_receiver *rx = NULL;
	char bytes[1024] = { 0 };
	int pair[2];

	(void)state;
	for (int fds = 0; fds <= 16; fds++) {
		assert_int_equal(accept_message(bytes, 3, fds), -EPROTO);
		assert_int_equal(accept_message(bytes, sizeof(struct queue_grant), fds), -EPROTO);
		assert_int_equal(accept_message(bytes, sizeof(bytes), fds), -EPROTO);
		assert_int_equal(accept_message(bytes, 0, fds), fds ? -EPROTO : -ENODATA);
		assert_int_equal(open_descriptors(), before);
	}
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	close(pair[0]);
	assert_int_equal(xdp_dedup_receive_accept(pair[1], NULL, &rx), -ENODATA);
	assert_int_equal(xdp_dedup_receive_accept(-1, NULL, &rx), -EBADF);
	assert_null(rx);
	close(pair[1]);
}

/* A grant's descriptors find no room: that is not another version's message. */
static void no_room_for_descriptors(void **state)
{
	unsigned int before = open_descriptors();
	const struct queue_grant_facts facts = { 0 };
	int err;

	(void)state;
	limit_descriptors(2 + 2); /* a pair of sockets, and two more */
	err = accept_message(&facts, sizeof(facts), 3);
	limit_descriptors(-1);
	assert_int_equal(err, -EMFILE);
	assert_int_equal(open_descriptors(), before);
}

/* recvmsg() of this program, the library in it included. */
static bool other_level;
ssize_t recvmsg(int fd, struct msghdr *m, int flags)
{
	ssize_t n = syscall(SYS_recvmsg, fd, m, flags);

	if (n >= 0 && other_level && CMSG_FIRSTHDR(m))
		CMSG_FIRSTHDR(m)->cmsg_level = SOL_IP; /* where SCM_RIGHTS is IP_TOS */
	return n;
}

/* A grant, but for the level of its control message, whose numbers are no descriptors then. */
static void another_level_is_no_descriptor(void **state)
{
	struct xdp_dedup_receiver *rx = NULL;
	int from, err;

	(void)state;
	e2e_load(APP_LOAD);
	from = app_grant();
	other_level = true;
	err = xdp_dedup_receive_accept(from, NULL, &rx);
	other_level = false;
	close(from);
	assert_int_equal(err, -EPROTO);
	assert_null(rx);
}

/* Passes a grant on, as its holder may. What accepting it then says. */
static int pass_on(const struct queue_grant *l)
{
	struct xdp_dedup_receiver *rx = NULL;
	int pair[2], err;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	assert_int_equal(queue_grant_send(l, pair[0]), 0);
	err = xdp_dedup_receive_accept(pair[1], NULL, &rx);
	xdp_dedup_receive_close(rx);
	close(pair[0]);
	close(pair[1]);
	return err;
}

/* Facts out of their ranges: each is used as a size, or as an index. */
static void wrong_facts_are_refused(void **state)
{
	int memory = memfd_create("odd", MFD_CLOEXEC);
	struct queue_grant good, bad;

	(void)state;
	e2e_load(APP_LOAD);
	accept_grant(&good);
#define REFUSED(field, value)                             \
	do {                                              \
		bad = good;                               \
		bad.facts.field = value;                  \
		assert_int_equal(pass_on(&bad), -EPROTO); \
	} while (0)
	REFUSED(format, DEDUP_FORMAT - 1);
	REFUSED(parts, 0);
	REFUSED(parts, QUEUE_GRANT_PARTS_MAX + 1);
	REFUSED(frames, 0);
	REFUSED(frames, 2 * good.facts.frames); /* the memory is smaller */
	REFUSED(frames, 2 * XSK_FRAMES_MAX);
	REFUSED(streams_cnt, DEDUP_STREAMS_MAX + 1);
	REFUSED(forms[0].bytes[7], 9);
#undef REFUSED
	assert_int_equal(ftruncate(memory, 96 * XSK_FRAME_BYTES), 0);
	bad = good;
	bad.facts.frames = 96;
	bad.xsk.memory_fd = memory;
	assert_int_equal(pass_on(&bad), -EPROTO);
	assert_int_equal(pass_on(&good), 0);
	queue_grant_close(&good);
	close(memory);
}

/* The maps of which nothing is granted. */
static struct delivery open_delivery(void)
{
	struct delivery d;
	struct filter f;

	assert_int_equal(filter_open(APP_NAME, &f), 0);
	assert_int_equal(delivery_open(&f, &d), 0);
	filter_close(&f);
	return d;
}

/* The place of ve0's queue. */
static uint32_t slot_of_ve0(const struct delivery *d)
{
	uint64_t owner = dedup_queue_word((struct dedup_queue){ if_nametoindex("ve0"), 0 });
	uint32_t place = 0;

	while (place < DEDUP_SOCKETS_MAX - 1 && d->sockets[place].owner != owner)
		place++;
	assert_int_equal(d->sockets[place].owner, owner);
	return place;
}

/* Asks whatever can be asked: of packets that the socket of ve1 has, among others. */
static void ask_anything(const struct queue_grant *l, uint64_t *chance)
{
	struct dedup_ask *a = &l->copy->ask;
	uint64_t *word = (uint64_t *)a;

	for (size_t i = 0; i < sizeof(*a) / 8; i++)
		word[i] = random_next(chance) >> random_next(chance) % 64;
	for (uint32_t i = 0; i < DEDUP_ASK_MAX; i++)
		a->packets[i].number = random_next(chance) % EVENTS;
	a->cnt = random_next(chance) % 4 ? DEDUP_ASK_MAX : (uint32_t)random_next(chance);
	a->slot = random_next(chance) % 2 ? 0 : (uint32_t)random_next(chance);
	grant_program_ask(l->ask_fd, a, random_next(chance) % 8);
}

/* Whatever it asks for: other queues have what they had, and get what they get. */
static void a_holder_asks_what_it_likes(void **state)
{
	struct app_traffic t = app_begin(EVENTS, 1);
	size_t bytes = DEDUP_SOCKETS_MAX * DEDUP_IN_FLIGHT_MAX * sizeof(struct dedup_in_flight);
	struct dedup_in_flight *in_flight = malloc(bytes);
	struct dedup_socket sockets[DEDUP_SOCKETS_MAX];
	uint64_t chance = t.s->seed;
	uint32_t place;
	struct delivery d;
	struct queue_grant l;

	(void)state;
	assert_non_null(in_flight);
	e2e_load("load ve0 ve1 --name ve0 --fpr 1e-9 --capacity 100k --deliver xsk");
	accept_grant(&l);
	app_open(app_options("ve1", 0, 0));
	assert_return_code(gossip_send(e2e_sender(1, AF_INET, t.s->seed), t.order, EVENTS), EIO);
	assert_int_equal(e2e_counters_after(APP_NAME, EVENTS).delivered, EVENTS);
	d = open_delivery();
	place = slot_of_ve0(&d);
	memcpy(sockets, d.sockets, sizeof(sockets));
	memcpy(in_flight, d.in_flight, bytes);
	for (int i = 0; i < 20000; i++)
		ask_anything(&l, &chance);
	sockets[place].granted = d.sockets[place].granted;
	sockets[place].frames_max = d.sockets[place].frames_max;
	sockets[place].pid = d.sockets[place].pid;
	sockets[place].timestamps = d.sockets[place].timestamps;
	assert_memory_equal(sockets, d.sockets, sizeof(sockets));
	assert_memory_equal(in_flight, d.in_flight, bytes);
	e2e_tool("status --json");
	assert_int_equal(app_read(), EVENTS);
	delivery_close(&d);
	queue_grant_close(&l);
	free(in_flight);
	free(t.order);
}

/* What it says of its own queue leads to no packet that takes another's entry, or more frames than
 * the socket can have.
 */
static void a_holder_says_what_it_likes(void **state)
{
	static const uint64_t MOST[] = { DEDUP_IN_FLIGHT_MAX + 1, 1ULL << 40, UINT64_MAX };
	const struct dedup_socket *s;
	struct dedup_in_flight *h;
	struct delivery d;
	struct queue_grant l;

	(void)state;
	e2e_load(APP_LOAD);
	accept_grant(&l);
	d = open_delivery();
	s = &d.sockets[slot_of_ve0(&d)];
	h = delivery_in_flight(&d, slot_of_ve0(&d), 0);
	for (size_t i = 0; i < ARRAY_SIZE(MOST); i++) {
		l.socket->granted = MOST[i];
		l.socket->frames_max = i ? UINT32_MAX : l.facts.parts;
		queue_grant_tell(&l);
		assert_false(queue_grant_is_lost(&l));
		assert_int_equal(s->frames_max, l.facts.parts);
		assert_int_equal(s->granted, s->taken + DEDUP_IN_FLIGHT_MAX);
	}
	l.copy->ask.cnt = UINT32_MAX;
	queue_grant_tell(&l);
	assert_false(queue_grant_is_lost(&l));
	h->number = 1 + DEDUP_IN_FLIGHT_MAX; /* of a later packet than the first */
	for (uint64_t number = 0; number <= DEDUP_IN_FLIGHT_MAX; number += DEDUP_IN_FLIGHT_MAX) {
		queue_grant_note_cleared(&l, number);
		queue_grant_tell(&l);
		assert_int_equal(h->number, number ? 0 : 1 + DEDUP_IN_FLIGHT_MAX);
	}
	delivery_close(&d);
	queue_grant_close(&l);
}

/* It closes its socket, and keeps the program: that does nothing for it once another process has
 * opened the queue.
 */
static void who_has_lost_the_queue_is_refused(void **state)
{
	static const uint32_t WHAT[] = { DEDUP_ASK_FETCH, DEDUP_ASK_TELL };
	struct app_traffic t = app_begin(EVENTS, 1);
	struct dedup_ask ask = { .cnt = DEDUP_ASK_MAX };
	struct queue_grant l;
	int fd;

	(void)state;
	e2e_load(APP_LOAD);
	accept_grant(&l);
	fd = fcntl(l.ask_fd, F_DUPFD_CLOEXEC, 0);
	queue_grant_close(&l);
	app_open(app_options("ve0", 0, 0));
	app_send(&t, EVENTS);
	assert_int_equal(e2e_counters_after(APP_NAME, EVENTS).delivered, EVENTS);
	for (uint32_t i = 0; i < DEDUP_ASK_MAX; i++)
		ask.packets[i].number = i;
	for (size_t i = 0; i < ARRAY_SIZE(WHAT); i++) {
		assert_int_equal(grant_program_ask(fd, &ask, WHAT[i]), -ESTALE);
		assert_int_equal(ask.packets[1].number, 1);
	}
	assert_int_equal(app_read(), EVENTS);
	close(fd);
	free(t.order);
}

int main(void)
{
	static const struct CMUnitTest TESTS[] = {
		cmocka_unit_test_setup_teardown(no_map_is_granted, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(wrong_grants_are_refused, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(no_room_for_descriptors, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(wrong_facts_are_refused, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(another_level_is_no_descriptor, app_setup,
						app_teardown),
		cmocka_unit_test_setup_teardown(a_holder_asks_what_it_likes, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(a_holder_says_what_it_likes, app_setup, app_teardown),
		cmocka_unit_test_setup_teardown(who_has_lost_the_queue_is_refused, app_setup,
						app_teardown),
	};

	add_tests(TESTS, ARRAY_SIZE(TESTS));
	return run_added_tests("receive_hostile");
}
