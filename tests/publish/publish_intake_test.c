// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The publisher's intake inside the test, step by step: what is taken, in which order, over changes
 * of the filter, and what happens to an event that is not stored.
 */
#include "parts.h"

#include <sys/resource.h>

#include "gossip.h"

#define STREAM_A "--profile a=gsp:8001 "

static void *allocate_nothing(size_t bytes)
{
	(void)bytes;
	return NULL;
}

/* By which way events come. */
static const struct way {
	const char *name, *load;
	enum publish_receive receive;
} NO_MEMORY[] = {
	{ "no_memory_udp", "", PUBLISH_UDP },
	{ "no_memory_xsk", "--deliver xsk", PUBLISH_XSK },
};

/* An event for which there is no memory is counted, and not learned: its next copy passes. */
TEST_ROWS(no_memory, NO_MEMORY)
{
	parts_open(row->load, row->receive);
	parts.intake.allocate = allocate_nothing;
	parts_leave(8001, "a");
	parts_take(64);
	assert_int_equal(parts.cnt, 0);
	assert_int_equal(parts.intake.counters.no_memory, 1);
	assert_int_equal(parts.intake.counters.not_events, 0);
	parts.intake.allocate = malloc;
	parts_get(8001, "a");
}

#define OWN "--profile own:8001 --profiles /mnt/own "

/* What teaches the filter when an event was stored, and what has happened since the event came. */
static const struct stored {
	const char *name, *load;
	enum publish_receive receive;
	bool is_learned;
	const char *change; /* a shell command on the node; NULL: none */
} STORED[] = {
	{ "stored_gsp", "", PUBLISH_UDP, true, NULL },
	{ "stored_digest", "--profile payload:8001 --fpr 1e-9", PUBLISH_UDP, true, NULL },
	{ "stored_xsk", "--deliver xsk", PUBLISH_XSK, true, NULL },
	{ "stored_digest_xsk", "--profile payload:8001 --fpr 1e-9 --learn app --deliver xsk",
	  PUBLISH_XSK, true, NULL },
	{ "stored_untaken", "--learn kernel --deliver xsk", PUBLISH_UDP, true, NULL },
	{ "stored_after_resize", "", PUBLISH_UDP, true, "$XD resize node0 --capacity 100k" },
	{ "stored_in_another_realm", "--profile own=gsp:8001 --fpr 1e-9", PUBLISH_UDP, false,
	  "$XD set node0 --profile b=gsp:8002#x --profile own=gsp:8001#x" },
	/* The filter that has learned it is gone. */
	{ "stored_after_reload", "", PUBLISH_UDP, false,
	  "$XD unload in && $XD load in --name node0 --port 8001 --fpr 1e-9" },
	/* Its bytes could be another event's id. */
	{ "stored_of_another_profile", OWN "--fpr 1e-9", PUBLISH_UDP, false,
	  "sed -i s/+9:4/+10:4/ /mnt/own && $XD set node0 " OWN },
};

static bool is_event_b(const struct intake_event *e)
{
	return ((const char *)e->payload)[offsetof(struct gossip_packet, id)] == 'b';
}

/* The filter knows an event that was stored. A copy that it lets pass comes before the next event. */
TEST_ROWS(stored_is_learned, STORED)
{
	sh("printf '[profile own]\\nlayer = udp\\nid = payload+9:4\\n' >/mnt/own");
	parts_open(row->load, row->receive);
	parts_get(8001, "aaaaaaaaaaaa");
	if (row->change)
		node_sh(0, "XD=%s; %s", tool(), row->change);
	intake_read_streams(&parts.intake);
	intake_end(&parts.intake, parts.events[0], INTAKE_STORED);
	parts.cnt = 0;
	if (row->change && strstr(row->change, "unload"))
		parts_reopen();
	parts_send(8001, "aaaaaaaaaaaa");
	parts_send(8001, "bbbb");
	AWAIT((parts_take(64), parts.cnt && is_event_b(parts.events[parts.cnt - 1])));
	assert_int_equal(parts.cnt, row->is_learned ? 1 : 2);
}

/* A datagram of which only the frame has the id is counted apart from what is no event. */
TEST(unreadable_is_counted)
{
	parts_open("--profile mirror --profile gsp:8001", PUBLISH_UDP);
	parts_leave(8001, "a");
	parts_take(64);
	assert_int_equal(parts.intake.counters.unreadable, 1);
	assert_int_equal(parts.intake.counters.not_events, 0);
}

static void change_and_keep(void *arg, struct intake_event *e)
{
	(void)arg;
	if (!parts.cnt)
		parts_set("--profile b=gsp:8002 " STREAM_A);
	parts.events[parts.cnt++] = e;
}

/* `set` changes the order of the streams. Events that come before the next intake_refresh(), also
 * by the same call, are not taken for another stream's, and not lost.
 */
TEST(streams_are_followed_in_a_batch)
{
	parts_open(STREAM_A "--profile b=gsp:8002 --fpr 1e-9", PUBLISH_UDP);
	parts_send(8001, "a");
	parts_send(8001, "b");
	AWAIT((intake_take(&parts.intake, 64, change_and_keep, NULL), parts.cnt == 2));
	assert_string_equal(parts.events[1]->stream->is.name, "a");
	parts_refresh(1);
}

/* What is in a socket is not lost by `set`. */
TEST(sockets_stay_over_set)
{
	parts_open(STREAM_A "--fpr 1e-9", PUBLISH_UDP);
	parts_leave(8001, "a");
	parts_set("--profile b=gsp:8002 " STREAM_A);
	parts_refresh(1);
	parts_await_events(1);
	parts_get(8002, "b");
}

/* A socket whose port is in no stream any more is closed: ports that come and go are never too many. */
TEST(many_ports_come_and_go)
{
	parts_open("--port 8001-8040 --fpr 1e-9", PUBLISH_UDP);
	parts_set("--port 8101-8140");
	parts_refresh(1);
	assert_int_equal(parts.intake.sockets.cnt, 40);
	parts_get(8140, "a");
	assert_string_equal(diags_all(), "");
}

/* Opens a socket of another program at this port. */
static int take_port(uint16_t port)
{
	const struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd;

	node_enter(0);
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	netns_enter(0);
	assert_return_code(bind(fd, (const struct sockaddr *)&at, sizeof(at)), errno);
	return fd;
}

static const struct taken_port {
	const char *name, *load, *said;
	int err;
} TAKEN_PORTS[] = {
	{ "taken_port", "", "UDP port 8001: Address already in use\n", -EADDRINUSE },
	{ "taken_port_xsk", "--deliver xsk",
	  "note: UDP port 8001: Address already in use; packets without room in an AF_XDP socket "
	  "are not published\n",
	  0 },
};

/* Another program has the port. Without AF_XDP nothing could be received: it does not start. */
TEST_ROWS(taken_port, TAKEN_PORTS)
{
	int fd;

	parts_load(row->load, PUBLISH_AUTO);
	fd = take_port(8001);
	assert_int_equal(parts_try_intake(), row->err);
	assert_non_null(strstr(diags_all(), row->said));
	close(fd);
}

/* Another program has a port that `set` adds. It is opened once it is free. */
TEST(taken_port_is_tried_again)
{
	int fd;

	parts_open("", PUBLISH_UDP);
	fd = take_port(8002);
	parts_set("--port 8001-8003");
	parts_refresh(3);
	assert_string_equal(diags_all(), "UDP port 8002: Address already in use\n");
	parts_get(8003, "a");
	close(fd);
	parts_refresh(1);
	parts_get(8002, "b");
}

/* No stream can be opened: the reason is logged, and nothing is taken meanwhile. */
TEST(no_descriptor_for_a_stream)
{
	parts_open(STREAM_A "--fpr 1e-9", PUBLISH_UDP);
	parts_set("--profile b=gsp:8002 " STREAM_A);
	parts_leave(8001, "a");
	limit_descriptors(0);
	assert_int_equal(parts_take(64), 0);
	assert_true(parts.intake.is_unreadable);
	for (int i = 1; i < 5; i++)
		assert_int_equal(intake_refresh(&parts.intake), 0);
	assert_int_equal(intake_refresh(&parts.intake), -EMFILE);
	limit_descriptors(-1);
	assert_string_equal(diags_all(), "filter node0 cannot be read: Too many open files\n");
	parts_await_events(1);
	assert_false(parts.intake.is_unreadable);
}

/* A queue to which nothing comes ends, and is opened again once the filter delivers again. */
TEST(idle_queue_ends)
{
	parts_open("--deliver xsk", PUBLISH_AUTO);
	assert_non_null(parts.intake.queues[0].receiver);
	parts_set("--deliver stack");
	parts_refresh(1);
	assert_null(parts.intake.queues[0].receiver);
	parts_set("--deliver xsk");
	parts_refresh(12); /* where there is none, it is tried every 10th time */
	parts_get(8001, "a");
	assert_non_null(parts.events[0]->queue);
}

/* The kernel is not done yet with a queue that was just closed: that is waited for. */
TEST(closed_queue_is_opened_at_once)
{
	parts_open("--deliver xsk", PUBLISH_AUTO);
	parts_set("--deliver stack");
	parts_set("--deliver xsk");
	parts_refresh(1);
	assert_string_equal(diags_all(), "");
	assert_false(parts.intake.queues[0].has_ended);
}

/* Lost datagrams are counted while nothing is taken, as in an outage. */
TEST(overflow_is_counted_at_once)
{
	int bytes = 4096;

	parts_open("", PUBLISH_UDP);
	assert_return_code(setsockopt(parts.intake.sockets.list[0].fd, SOL_SOCKET, SO_RCVBUF,
				      &bytes, sizeof(bytes)),
			   errno);
	parts_send_many(8001, 100);
	AWAIT((parts_refresh(1), parts.intake.counters.overflow));
	while (parts_take(64))
		;
	parts_refresh(1);
	assert_int_equal(parts.cnt + parts.intake.counters.overflow, 100);
}

/* Streams that there were are forgotten, but not while an event points to them. */
TEST(old_streams_are_forgotten)
{
	int cnt = 0;

	parts_open(STREAM_A "--fpr 1e-9", PUBLISH_UDP);
	parts_get(8001, "a");
	for (int i = 0; i < 3; i++) {
		parts_set("--profile b=gsp:8002");
		parts_refresh(1);
		parts_set("--profile c=gsp:8003");
		parts_refresh(1);
	}
	for (const struct publish_stream *one = parts.streams.all; one; one = one->next)
		cnt++;
	assert_int_equal(cnt, 2); /* a is held */
	assert_string_equal(parts.events[0]->stream->is.name, "a");
	intake_end(&parts.intake, parts.events[0], INTAKE_UNUSED);
	parts.cnt = 0;
	parts_set(STREAM_A);
	parts_refresh(1);
	assert_ptr_equal(parts.streams.all, parts.streams.now[0]);
	assert_null(parts.streams.all->next);
}

/* What this shell command prints of the groups that the node has joined. */
static void assert_groups(const char *command, const char *groups)
{
	char out[256];

	node_enter(0);
	sh_out(out, sizeof(out), "%s", command);
	netns_enter(0);
	out[strcspn(out, "\n")] = '\0';
	assert_string_equal(out, groups);
}

/* Multicast groups, that are joined whatever sockets the intake has. */
static const struct groups {
	const char *name, *load, *listen;
	const char *count; /* a shell command */
	const char *cnt;
} GROUPS[] = {
	{ "more_groups_than_a_socket_may_join", "--port 8001 --to $(seq -s, -f 239.9.9.%g 1 25)",
	  NULL, "ip maddr show dev in | grep -c 239.9.9.", "25" },
	{ "group_of_another_family", "--port 8001 --to ff05::7,239.9.9.1", "0.0.0.0:8001",
	  "ip maddr show dev in | grep -c 'ff05::7\\|239.9.9.1'", "2" },
};

TEST_ROWS(groups_are_joined, GROUPS)
{
	parts_load(row->load, PUBLISH_UDP);
	if (row->listen) {
		assert_int_equal(socket_address_read(row->listen, parts.options.listen), 0);
		parts.options.listen_cnt = 1;
	}
	assert_int_equal(parts_try_intake(), 0);
	assert_groups(row->count, row->cnt);
	parts_send_to("239.9.9.1", 8001, "a", 0);
	parts_await_events(1);
	assert_string_equal(diags_all(), "");
}

/* The table is full of groups that are not wanted any more. Then the interface has no IPv6, so that
 * a group cannot be joined.
 */
TEST(groups_follow_set_though_some_fail)
{
	struct intake_sockets *g = &parts.intake.groups;

	parts_open("--port 8001 --to 239.9.9.1", PUBLISH_UDP);
	while (g->cnt < INTAKE_GROUPS_MAX)
		g->list[g->cnt++] = (struct intake_socket){ .fd = -1 };
	parts_set("--port 8001 --to 239.9.9.2");
	parts_refresh(1);
	assert_groups("ip maddr show dev in | grep -o '239.*' | tr '\\n' ' '", "239.9.9.2 ");
	assert_string_equal(diags_all(), "");
	node_sh(0, "ip link set in mtu 1000");
	parts_set("--port 8001 --to 239.9.9.3,ff05::7");
	parts_refresh(2); /* what was wanted at the second attempt stays for one more */
	assert_groups("ip maddr show dev in | grep -o '239.*' | tr '\\n' ' '", "239.9.9.3 ");
	assert_non_null(strstr(diags_all(), "a multicast group cannot be joined"));
}

/* A group is not left before there are sockets for all those that replace it. */
TEST(groups_stay_without_descriptors)
{
	parts_open("--port 8001 --to 239.9.9.1", PUBLISH_UDP);
	parts_set("--port 8001 --to $(seq -s, -f 239.9.9.%g 2 31)");
	node_enter(0);
	assert_int_equal(intake_read_streams(&parts.intake), 1);
	limit_descriptors(20);
	intake_sockets_refresh(&parts.intake);
	limit_descriptors(-1);
	netns_enter(0);
	assert_string_equal(diags_all(),
			    "note: a multicast group cannot be joined: Too many open files\n");
	assert_groups("ip maddr show dev in | grep -cw 239.9.9.1", "1");
	parts_refresh(1);
	assert_groups("ip maddr show dev in | grep -cw 239.9.9.1", "0");
	assert_groups("ip maddr show dev in | grep -c 239.9.9", "30");
}

/* Loads the filter on two interfaces, which it lists. Another program has the first one's queue. */
static struct xdp_dedup_receiver *load_with_taken_queue(struct xdp_dedup_interface at[2],
							enum publish_receive receive)
{
	struct xdp_dedup_receive_options options = { .size = sizeof(options) };
	struct xdp_dedup_receiver *other;

	parts_load("", receive);
	node_enter(0);
	sh("ip link add in2 type veth peer name out2 && ip link set in2 up && ip link set out2 up &&"
	   "%s unload in && %s load in in2 --name node0 --port 8001 --fpr 1e-9 --deliver xsk",
	   tool(), tool());
	assert_int_equal(publish_streams_open(&parts.streams, &parts.options), 0);
	assert_int_equal(xdp_dedup_interfaces(parts.streams.filter, at, sizeof(*at), 2), 2);
	publish_streams_close(&parts.streams);
	options.ifname = at[0].name;
	assert_int_equal(xdp_dedup_receive_open("node0", &options, &other), 0);
	return other;
}

/* How often this thread has waited: 200 times for one queue that is busy. */
static long waits(void)
{
	struct rusage usage;

	assert_return_code(getrusage(RUSAGE_THREAD, &usage), errno);
	return usage.ru_nvcsw;
}

/* An interface without AF_XDP does not keep the others from it. When it is tried again, nothing has
 * to wait for that.
 */
TEST(queues_of_other_interfaces)
{
	struct xdp_dedup_interface at[2];
	struct xdp_dedup_receiver *other = load_with_taken_queue(at, PUBLISH_AUTO);
	int open = 0;
	long before;

	assert_int_equal(parts_try_intake(), 0);
	for (int i = 0; i < INTAKE_QUEUES_MAX; i++)
		if (parts.intake.queues[i].receiver) {
			assert_string_equal(parts.intake.queues[i].interface.name, at[1].name);
			open++;
		}
	assert_true(open > 0);
	before = waits();
	parts_refresh(12); /* it is tried every 10th time */
	assert_in_range(waits() - before, 0, 100);
	xdp_dedup_receive_close(other);
	AWAIT((parts_refresh(1), parts.intake.queues[open].receiver));
}

/* The queue of an interface that gets another name is open already. */
TEST(renamed_interface)
{
	parts_open("--deliver xsk", PUBLISH_AUTO);
	node_sh(0, "ip link set in down && ip link set in name in9 && ip link set in9 up");
	parts_refresh(1);
	assert_string_equal(diags_all(), "");
	assert_non_null(parts.intake.queues[0].receiver);
	assert_null(parts.intake.queues[1].receiver);
}

/* With --receive xsk it does not start if one of the interfaces has no AF_XDP. */
TEST(xsk_is_a_must_on_all_interfaces)
{
	struct xdp_dedup_interface at[2];
	struct xdp_dedup_receiver *other = load_with_taken_queue(at, PUBLISH_XSK);

	assert_int_equal(parts_try_intake(), -EBUSY);
	assert_non_null(strstr(diags_all(), "no AF_XDP socket: Device or resource busy"));
	xdp_dedup_receive_close(other);
}

/* What open returns and says if the interfaces are unknown. */
static const struct unknown {
	const char *name;
	enum publish_receive receive;
	int err;
	const char *said;
} UNKNOWN[] = {
	{ "unknown_interfaces_xsk", PUBLISH_XSK, -ENOENT,
	  "node0: its interfaces are unknown: No such file or directory\n" },
	{ "unknown_interfaces_auto", PUBLISH_AUTO, 0,
	  "note: node0: its interfaces are unknown: No such file or directory; events come by UDP sockets\n" },
};

/* The filter is changed after its streams were listed, and cannot be opened as it is then. */
TEST_ROWS(unknown_interfaces, UNKNOWN)
{
	parts_load("--deliver xsk", row->receive);
	node_enter(0);
	assert_int_equal(publish_streams_open(&parts.streams, &parts.options), 0);
	parts.has_streams = true;
	parts_set("--port 8001-8002");
	node_enter(0);
	sh("rm -r /sys/fs/bpf/xdp-dedup/node0");
	assert_int_equal(intake_open(&parts.intake, &parts.options, &parts.streams), row->err);
	parts.has_intake = !row->err;
	assert_string_equal(diags_all(), row->said);
}

/* Once it has started it goes on, and says once that it waits for AF_XDP. */
TEST(lost_xsk_is_said_once)
{
	const char *words = "the driver does not deliver by AF_XDP", *said;

	parts_open("--deliver xsk", PUBLISH_XSK);
	parts_set("--deliver stack");
	parts_refresh(24); /* it is tried every 10th time */
	said = strstr(diags_all(), words);
	assert_non_null(said);
	assert_null(strstr(said + 1, words));
}

/* Where there is room for one event at a time, no socket takes it all. */
TEST(sockets_take_turns)
{
	static const char *const A[] = { "a0", "a1", "a2" }, *const B[] = { "b0", "b1", "b2" };

	parts_open("--port 8001-8002 --fpr 1e-9", PUBLISH_UDP);
	for (int i = 0; i < 3; i++) {
		parts_send(8001, A[i]);
		parts_send(8002, B[i]);
	}
	parts_await_readable(2);
	for (int i = 0; i < 6; i++)
		assert_int_equal(parts_take(1), 1);
	for (int i = 0; i < 3; i++) {
		assert_string_equal(parts_id(parts.events[2 * i]), A[i]);
		assert_string_equal(parts_id(parts.events[2 * i + 1]), B[i]);
	}
}

ROOT_MAIN(hub_setup, parts_teardown)
