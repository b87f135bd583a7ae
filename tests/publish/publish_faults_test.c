// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp-dedup-publish on one node, with one server that is away, slow, full or hostile, or refuses
 * it; and the program itself ended or killed. Nothing that was received is lost, nothing is there
 * twice. FAULT=NAME tries one fault of tests/fixture/publish/fake_server.py.
 */
#include "offers.h"
#include "parts.h"
#include "stream_reader.h"

#define SEED 5
#define DISK_EVENTS 3000

/* Offers the events twice to node 0, within this time, and waits until all are sent. */
static void offer(uint32_t events, uint32_t rate)
{
	offers_send(&(struct offers_plan){
		.events = events, .copies_max = 2, .spread_ms = 100, .rate = rate, .seed = SEED });
}

/* The stream has all events once, and the program ends. */
static void assert_published(uint32_t events)
{
	stream_assert_all_once(SEED, events);
	assert_int_equal(node_end(0, SIGTERM), 0);
}

static void publish(const char *load, const char *options)
{
	char all[256];

	node_add(0, load);
	snprintf(all, sizeof(all), "--create %s", options);
	node_publish(0, all);
}

/* The program goes on, after its last start was cut off. */
static void publish_again(void)
{
	node_publish(0, "");
	node_await_ready(0);
}

/* Filters that deliver, and filters that do not. */
struct way {
	const char *name, *load;
};

static const struct way AWAY_AT_START[] = {
	{ "server_away_at_start_udp", "" },
	{ "server_away_at_start_xsk", "--deliver xsk" },
};

/* Nothing spins meanwhile. */
TEST_ROWS(server_away_at_start, AWAY_AT_START)
{
	double cpu;

	jetstream_start(&(struct jetstream_plan){ 0 });
	jetstream_kill(0);
	publish(row->load, "");
	node_await_metric(0, "connected", 0);
	offer(300, 1000);
	cpu = process_cpu(node_publisher(0));
	assert_int_equal(process_wait(node_publisher(0), 1000), -ETIMEDOUT);
	assert_true(process_cpu(node_publisher(0)) - cpu < 0.3);
	assert_int_equal(node_metric(0, "connected"), 0);
	jetstream_start_one(0);
	node_await_ready(0);
	assert_published(300);
}

static const struct way AWAY_AND_BACK[] = {
	{ "server_away_and_back_udp", "" },
	{ "server_away_and_back_xsk", "--deliver xsk" },
	{ "server_away_and_back_learn_app", "--deliver xsk --learn app" },
};

/* Pending fills up; then packets go to the stack, and its sockets' buffers. All is published once
 * the server is back.
 */
TEST_ROWS(server_away_and_back, AWAY_AND_BACK)
{
	bool is_xsk = *row->load;

	node_serve(row->load, "--pending 256");
	offer(200, 1000);
	stream_await(200);
	jetstream_kill(0);
	offer(1200, 2000); /* of which 200 are known */
	assert_int_equal(node_metric(0, "pending"), 256);
	assert_int_equal(node_metric(0, "connected"), 0);
	if (is_xsk)
		assert_true(tool_counter("node0", "no_room") > 0);
	jetstream_start_one(0);
	node_await_ready(0);
	stream_await(1200 - node_metric(0, "overflow_total"));
	assert_int_equal(node_metric(0, "overflow_total"), 0);
	stream_assert_all_once(SEED, 1200);
	assert_true(node_metric(0, "connections_total") >= 2);
	assert_int_equal(node_metric(0, "given_up_total"), 0);
	assert_int_equal(node_end(0, SIGTERM), 0);
}

/* No more than --pending-bytes wait, and one packet. */
TEST(pending_bytes_are_bounded)
{
	node_add(0, "");
	node_publish_to(0, "nats://10.76.0.10:4222", "--pending-bytes 100k");
	node_await_metric(0, "connected", 0);
	process_signal(node_publisher(0), SIGSTOP); /* so it finds much at once */
	offer(1000, 0);
	process_signal(node_publisher(0), SIGCONT);
	node_await_metric(0, "pending_bytes", 100000);
	assert_true(node_metric(0, "pending_bytes") < 100000 + sizeof(struct gossip_packet));
	assert_int_equal(node_end(0, SIGTERM), 0);
}

/* The filter has one more stream, for which there is no descriptor. The loop does not turn for
 * packets that it cannot take.
 */
TEST(no_descriptor_is_left)
{
	const struct process *p;
	double cpu;

	node_add(0, "--profile a=gsp:8001 --fpr 1e-9");
	node_publish_to(0, "nats://10.76.0.10:4222", "");
	node_await_metric(0, "connected", 0);
	p = node_publisher(0);
	sh("prlimit --pid %d --nofile=3:", p->pid);
	node_sh(0, "%s set node0 --profile a=gsp:8001 --profile b=gsp:8002", tool());
	offer(10, 1000);
	cpu = process_cpu(p);
	usleep(2000000);
	assert_true(process_cpu(p) - cpu < 0.3);
	sh("prlimit --pid %d --nofile=1024:", p->pid);
	node_await_metric(0, "received_total", 10);
	assert_int_equal(node_end(0, SIGTERM), 0);
}

/* Answers come too late: messages are published again, and the engine knows them. */
TEST(slow_server)
{
	node_serve("--deliver xsk", "--ack-timeout 1s");
	jetstream_stop(0, true);
	offer(500, 1000);
	usleep(2500000);
	jetstream_stop(0, false);
	node_await_metric(0, "acknowledged_total", 500);
	assert_true(node_metric(0, "retried_total") > 0);
	assert_int_equal(node_metric(0, "given_up_total"), 0);
	assert_published(500);
}

static const struct way FULL[] = {
	{ "full_stream_udp", "--learn app" },
	{ "full_stream_xsk", "--deliver xsk --learn app" },
};

/* The stream takes no more: events are given up, and their next copies published once it does. */
TEST_ROWS(full_stream, FULL)
{
	jetstream_start(&(struct jetstream_plan){ 0 });
	jetstream_put(0, 100);
	publish(row->load, "--retries 2 --ack-timeout 100ms");
	node_await_ready(0);
	offer(100, 1000);
	stream_await(100);
	offer(150, 1000);
	node_await_metric(0, "given_up_total", 50);
	node_await_idle(0);
	assert_true(node_metric(0, "retried_total") >= 100);
	jetstream_put(0, 0);
	offer(150, 1000);
	assert_published(150);
}

/* No server has the stream, as while a cluster elects its leader: events wait, without a try that
 * counts.
 */
TEST(stream_gone_and_back)
{
	jetstream_start(&(struct jetstream_plan){ 0 });
	jetstream_put(0, 0);
	node_add(0, "--deliver xsk");
	node_publish(0, "--retries 1 --ack-timeout 200ms");
	node_await_ready(0);
	jetstream_delete();
	offer(200, 1000);
	usleep(1500000);
	assert_int_equal(node_metric(0, "given_up_total"), 0);
	assert_int_equal(node_metric(0, "pending"), 200);
	jetstream_put(0, 0);
	node_await_idle(0);
	assert_published(200);
}

/* While the program runs, and is to create it. */
TEST(deleted_stream_is_created_again)
{
	node_serve("", "");
	offer(100, 1000);
	stream_await(100);
	jetstream_delete();
	offer(300, 1000); /* of which 100 are known */
	stream_await(200);
	assert_int_equal(node_metric(0, "given_up_total"), 0);
	assert_int_equal(node_end(0, SIGTERM), 0);
}

/* No byte is left on the server's disk: nats-server 2.9 then answers nothing about the stream until
 * it is started again, newer ones may refuse messages. What they acknowledged stays.
 */
TEST(full_disk)
{
	jetstream_start(&(struct jetstream_plan){ .disk_mb = 16 });
	publish("--deliver xsk --learn app", "--retries 2 --ack-timeout 200ms");
	node_await_ready(0);
	offer(100, 1000);
	stream_await(100);
	jetstream_fill_disk(0, true);
	offer(DISK_EVENTS, 2000);
	AWAIT_EVERY(1,
		    process_has_said(node_publisher(0), "the connection is lost") ||
			    process_has_said(node_publisher(0), "is given up: "),
		    process_show(node_publisher(0)));
	jetstream_fill_disk(0, false);
	jetstream_kill(0);
	jetstream_start_one(0);
	node_await_ready(0);
	node_await_idle(0);
	offer(DISK_EVENTS, 2000); /* those that were given up */
	assert_published(DISK_EVENTS);
}

/* What keeps the program from storing first copies, and how it goes on: all have later copies,
 * which are offered at the step 'o'.
 */
static const struct loss {
	const char *name, *load, *steps;
	uint32_t events;
} LOSSES[] = {
	{ "away", "--learn app", "eop", 300 },
	{ "away_xsk", "--learn app --deliver xsk", "eop", 300 },
	{ "killed", "--learn app", "kop", 300 },
	/* Messages are pending, or on their way, and acknowledgements, too. */
	{ "killed_in_flight", "--learn app", "SokCp", 300 },
	{ "killed_in_flight_xsk", "--learn app --deliver xsk", "SokCp", 300 },
	{ "killed_in_flight_xsk_learn_kernel", "--deliver xsk", "SokCp", 300 },
	{ "ended_in_flight", "--learn app", "SoeCp", 300 },
	{ "ended_in_flight_xsk", "--learn app --deliver xsk", "SoeCp", 300 },
	{ "ended_in_flight_xsk_learn_kernel", "--deliver xsk", "SoeCp", 300 },
	{ "full_socket", "--learn app", "soc", 40000 },
	/* The filter is loaded anew, and what it lets pass lies in sockets of a program that knows
	 * the old one: that ends, and the unit starts it again.
	 */
	{ "reload", "--learn app", "slSocxCp", 500 },
	{ "reload_xsk", "--learn app --deliver xsk", "slSocxCp", 500 },
};

static void do_step(char step, const struct loss *l)
{
	if (step == 'o')
		offer(l->events, l->events > 1000 ? 0 : 1000);
	else if (step == 's' || step == 'c')
		process_signal(node_publisher(0), step == 's' ? SIGSTOP : SIGCONT);
	else if (step == 'S' || step == 'C')
		jetstream_stop(0, step == 'S');
	else if (step == 'k')
		assert_int_equal(node_end(0, SIGKILL), 128 + SIGKILL);
	else if (step == 'e')
		assert_int_equal(node_end(0, SIGTERM), 0);
	else if (step == 'x') /* it ends by itself */
		assert_int_equal(node_end(0, 0), 1);
	else if (step == 'l')
		node_sh(0, "%s unload in && %s load in --name node0 --port 8001 --fpr 1e-9 %s",
			tool(), tool(), l->load);
	else
		publish_again();
}

/* With --learn app nothing is lost that has a later copy. */
TEST_ROWS(loses_nothing, LOSSES)
{
	bool overflows = row->events > 1000;

	node_serve(row->load, "--ack-timeout 1s");
	offer(100, 1000);
	stream_await(100);
	for (const char *step = row->steps; *step; step++)
		do_step(*step, row);
	if (overflows) {
		node_await_metric(0, "overflow_total", 1);
		node_await_idle(0);
	}
	for (uint32_t copies = 0; copies < 2 && stream_messages() < row->events; copies++) {
		offer(row->events, overflows ? 20000 : 1000);
		node_await_idle(0);
	}
	assert_published(row->events);
}

/* SIGTERM while nothing is acknowledged ends in time, before systemd kills. */
TEST(ends_before_systemd_kills)
{
	uint64_t began_ns;

	node_serve("--deliver xsk", "--ack-timeout 10m");
	jetstream_stop(0, true);
	offer(200, 1000);
	began_ns = gossip_now_ns();
	assert_int_equal(node_end(0, SIGTERM), 0);
	assert_true(gossip_now_ns() - began_ns < 80 * 1000000000ULL);
	process_await(node_publisher(0), "200 events were not acknowledged");
}

/* SIGTERM under traffic: all that was received until then is there, or passes again. */
TEST(ends_under_traffic)
{
	node_serve("--deliver xsk --learn app", "");
	offers_start(&(struct offers_plan){
		.events = 3000, .copies_max = 1, .rate = 2000, .seed = SEED });
	usleep(700000);
	assert_int_equal(node_end(0, SIGTERM), 0);
	publish_again();
	offers_wait();
	offer(3000, 3000);
	stream_assert_all_once(SEED, 3000);
}

#define OPERATOR "tests/fixture/publish/credentials.py operator /mnt events"
#define USER(path, options) \
	"tests/fixture/publish/credentials.py user /mnt " path " events " options
#define OPERATOR_PLAN                                                              \
	{                                                                          \
		.lines = "include operator.conf", .credentials = "/mnt/test.creds" \
	}

/* Servers that let in only some; /mnt/own is the node's file. */
static const struct access {
	const char *name;
	struct jetstream_plan plan;
	const char *options;
	const char *words;	   /* in the log, with the wrong file */
	const char *wrong, *right; /* shell commands that make it */
} ACCESS[] = {
	{ "user_and_password",
	  { .lines = "authorization { user: u, password: right }", .options = "u:right@" },
	  "--user u --password-file /mnt/own",
	  "uthorization",
	  "echo wrong >/mnt/own",
	  "echo right >/mnt/own" },
	{ "token",
	  { .lines = "authorization { token: secret }", .options = "secret@" },
	  "--token-file /mnt/own",
	  "uthorization",
	  "echo wrong >/mnt/own",
	  "echo secret >/mnt/own" },
	{ "tls",
	  { .lines = "tls { cert_file: /mnt/server.pem, key_file: /mnt/server.key }",
	    .tls_ca = "/mnt/ca.pem" },
	  "--tls-ca /mnt/own",
	  "certificate",
	  "cp /mnt/other.pem /mnt/own",
	  "cp /mnt/ca.pem /mnt/own" },
	{ "credentials", OPERATOR_PLAN, "--credentials /mnt/own", "Authorization Violation",
	  OPERATOR " && " USER("/mnt/test.creds", "") " && " USER("/mnt/own", "other_key"),
	  "umask 077; " USER("/mnt/own", "") },
};

/* With a wrong file it is not let in, says so, and tries again. The file is read for each
 * connection: with a right one it publishes.
 */
TEST_ROWS(access_is_checked, ACCESS)
{
	if (row->plan.tls_ca)
		jetstream_make_certificates();
	sh("umask 077; %s", row->wrong);
	jetstream_start(&row->plan);
	publish("", row->options);
	process_await(node_publisher(0), row->words);
	assert_int_equal(process_wait(node_publisher(0), 300), -ETIMEDOUT);
	assert_int_equal(node_metric(0, "connected"), 0);
	sh("%s", row->right);
	node_await_ready(0);
	offer(50, 1000);
	assert_published(50);
}

/* The server ends the connection when the JWT expires. The file has been replaced before. */
TEST(credentials_are_renewed)
{
	const struct jetstream_plan plan = OPERATOR_PLAN;

	sh("umask 077; " OPERATOR
	   " && " USER("/mnt/test.creds", "") " && " USER("/mnt/own", "expires=8"));
	jetstream_start(&plan);
	publish("", "--credentials /mnt/own");
	node_await_ready(0);
	sh("umask 077; " USER("/mnt/own", ""));
	node_await_metric(0, "connections_total", 2);
	node_await_ready(0);
	offer(50, 1000);
	assert_published(50);
}

#define HOSTILE_STEP 9 /* `make test` tries one fault of so many */

/* With a fault, it neither crashes nor hangs nor spins. Without it, it goes on by itself. */
static void survives(const char *fault, struct process *server)
{
	int before;

	parts_set_fault(fault);
	offer(5, 1000);
	usleep(600000);
	if (process_wait(node_publisher(0), 0) != -ETIMEDOUT) {
		process_show(node_publisher(0));
		fail_msg("%s ended it", fault);
	}
	before = process_lines(server, "connection");
	usleep(300000);
	if (process_lines(server, "connection") - before > 5)
		fail_msg("%s: %d connections in 0.3 s", fault,
			 process_lines(server, "connection") - before);
	parts_set_fault("good");
	node_await_ready(0);
}

TEST(hostile_server)
{
	char faults[8192], *rest = faults;
	struct process *server;
	unsigned int n = 0;

	server = parts_fake_server("good");
	node_add(0, "");
	assert_int_equal(
		sh_out(faults, sizeof(faults), "tests/fixture/publish/fake_server.py --list"), 0);
	for (char *fault; (fault = strsep(&rest, "\n")) && *fault;) {
		const char *only = getenv("FAULT");

		if (only ? strcmp(only, fault) != 0 : n++ % tries(HOSTILE_STEP, 1))
			continue;
		print_message("%s\n", fault);
		parts_set_fault(fault);
		node_publish_to(0, "nats://10.76.0.10:4222", "--ack-timeout 200ms --retries 2");
		survives(fault, server);
		assert_int_equal(node_end(0, SIGTERM), 0);
	}
}

/* A server crashes libnats, and so the program: its unit starts it again. Nothing was
 * acknowledged, so the filter has learned nothing, and later copies are published.
 */
TEST(crash_in_libnats_loses_no_event)
{
	int status;

	parts_fake_server("good");
	node_add(0, "--port 8001 --fpr 1e-9 --learn app");
	node_publish_to(0, "nats://10.76.0.10:4222", "");
	node_await_ready(0);
	parts_set_fault("message_size_is_largest");
	offer(5, 1000);
	status = process_wait(node_publisher(0), 3000);
	print_message("status %d\n", status);
	if (status == -ETIMEDOUT) /* a version of libnats that does not crash */
		status = node_end(0, SIGKILL);
	assert_int_not_equal(status, 0); /* sanitizers make it 1 */
	parts_set_fault("good");
	node_publish_to(0, "nats://10.76.0.10:4222", "");
	node_await_ready(0);
	offer(5, 1000);
	node_await_metric(0, "acknowledged_total", 5);
	assert_int_equal(node_metric(0, "given_up_total"), 0);
	assert_int_equal(node_end(0, SIGTERM), 0);
}

ROOT_MAIN(hub_setup, offers_teardown)
