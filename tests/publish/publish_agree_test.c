// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Machines that publish into one JetStream stream make equal ids: one that makes other ids is
 * refused by name and reason, publishes nothing, and goes on once both agree.
 */
#include "await.h"
#include "offers.h"
#include "stream_reader.h"

#define FPR " --fpr 1e-9 "
#define OWN "--profile own:8001 --profiles /mnt/own" FPR
#define SECRET "--secret /mnt/secret"
#define OTHER "--secret /mnt/other"
#define RULE "$KV.xdp-dedup.EVENTS.gsp"
#define REFUSED "this machine publishes none of it until both agree"

static int setup(void **state)
{
	int err = hub_setup(state);

	node_use_next_version(false);
	sh("cd /mnt; umask 077; for c in secret other third; do yes $c | head -c 32 >$c; done\n"
	   "printf '[profile own]\nlayer = udp\nid = payload+8:40\n' >own\n"
	   "printf '[profile own]\nlayer = udp\nid = payload+9:40\n' >own2");
	return err;
}

/* A second machine, of a fresh stream. */
static const struct machine {
	const char *name;
	struct {
		const char *load, *publish;
	} node[2];
	const char *words; /* of the refusal; NULL: they agree */
	bool next;	   /* node 1 has the next version of the program */
	uint16_t port;	   /* where the event comes to node 1; 0: as to node 0 */
} MACHINES[] = {
	{ "another_secret",
	  { { OWN, SECRET }, { OWN, OTHER } },
	  .words = "machine node0 publishes own into stream EVENTS with another secret (--secret): " REFUSED },
	{ "another_secret_of_a_clone",
	  { { OWN, SECRET }, { OWN, OTHER " --machine node0" } },
	  .words = "machine node0 publishes own into stream EVENTS with another secret (--secret): " REFUSED },
	{ "another_profile",
	  { { OWN, SECRET }, { "--profile own:8001 --profiles /mnt/own2" FPR, SECRET } },
	  .words = "machine node0 publishes own into stream EVENTS with another profile: " REFUSED },
	{ "another_realm",
	  { { "", "" }, { "--profile a=gsp:8002#x --profile gsp:8001#x" FPR, "" } },
	  .words = "machine node0 publishes gsp into stream EVENTS with other streams in its realm: " REFUSED },
	{ "another_version",
	  { { OWN, SECRET }, { OWN, SECRET } },
	  .words = "machine node0 publishes own into stream EVENTS with ids of another version of this program: " REFUSED,
	  .next = true },
	{ "agrees_without_hashes", { { "", SECRET }, { "", OTHER } }, .words = NULL },
	{ "agrees_on_another_port",
	  { { "", "" }, { "--profile gsp:8001,8002" FPR, "" } },
	  .words = NULL },
	{ "agrees_with_more_streams",
	  { { "", "" }, { "--profile a=gsp:8002 --profile gsp:8001" FPR, "" } },
	  .words = NULL },
	{ "agrees_over_streams_of_a_realm",
	  { { "--profile a=gsp:8002#x --profile gsp:8001#x" FPR, "" },
	    { "--profile gsp:8001#x --profile a=gsp:8002#x" FPR, "" } },
	  .port = 8002 },
};

TEST_ROWS(compares, MACHINES)
{
	jetstream_start(&(struct jetstream_plan){ 0 });
	jetstream_put(0, 0);
	for (unsigned int n = 0; n < 2; n++) {
		node_add(n, row->node[n].load);
		node_use_next_version(row->next && n);
		node_publish(n, row->node[n].publish);
		if (!n || !row->words)
			node_await_ready(n);
	}
	if (row->words)
		process_await(node_publisher(1), row->words);
	node_send_event(1, row->port ?: 8001, "event");
	node_await_metric(1, row->words ? "given_up_total" : "acknowledged_total", 1);
	node_send_event(0, 8001, "event");
	node_await_metric(0, "acknowledged_total", 1);
	assert_int_equal(node_metric(0, "duplicate_total"), row->words == NULL);
	assert_int_equal(stream_messages(), 1);
	assert_int_equal(node_metric(1, "connected"), row->words == NULL);
	assert_int_equal(node_end(1, SIGTERM), 0);
}

/* Of machines that start at once, with a secret each, one publishes. */
TEST(all_start_at_once)
{
	static const char *const SECRETS[NODES] = { SECRET, OTHER, "--secret /mnt/third" };

	jetstream_start(&(struct jetstream_plan){ 0 });
	for (unsigned int n = 0; n < NODES; n++)
		node_add(n, OWN);
	for (unsigned int n = 0; n < NODES; n++) {
		char options[64];

		snprintf(options, sizeof(options), "--create %s", SECRETS[n]);
		node_publish(n, options);
	}
	for (unsigned int n = 0; n < NODES; n++)
		AWAIT_EVERY(50,
			    process_has_said(node_publisher(n), REFUSED) ||
				    process_has_said(node_publisher(n), "connected"),
			    process_show(node_publisher(n)));
	AWAIT(node_metric(0, "connected") + node_metric(1, "connected") + node_metric(2, "connected") ==
	      1);
}

/* `--check` with a trial secret is no rule for others. */
TEST(a_check_writes_no_rule)
{
	jetstream_start(&(struct jetstream_plan){ 0 });
	jetstream_put(0, 0);
	for (unsigned int n = 0; n < 2; n++)
		node_add(n, OWN);
	node_publish(0, "--check " SECRET);
	assert_int_equal(node_end(0, 0), 0);
	node_publish(1, OTHER);
	node_await_ready(1);
}

/* Puts this text in place of a rule, as `nats kv put` does; "": deletes it. */
static void put_rule(const char *text)
{
	struct jetstream j = jetstream_connect();

	AWAIT(js_Publish(NULL, j.js, RULE, text, (int)strlen(text), NULL, NULL) == NATS_OK);
	jetstream_disconnect(&j);
}

/* A rule that changes is noticed at once; so is another version's, and a text that is none. */
TEST(rule_changes)
{
	static const char *const OTHERS[] = {
		"format=999 machine=new",
		"format=999 realm=gsp profile=0123456789abcdef secret=- machine=new",
		"%s%n\xff",
	};

	node_serve("", "");
	for (size_t i = 0; i < ARRAY_SIZE(OTHERS); i++) {
		put_rule(OTHERS[i]);
		AWAIT(node_metric(0, "connected") == 0);
		process_await(node_publisher(0), "with ids of another version of this program");
		put_rule("");
		node_await_ready(0);
	}
}

/* `set` gives a stream another profile than it has on another machine. No event of it is published
 * before that is known.
 */
TEST(set_changes_a_profile)
{
	nodes_serve(2, OWN "--learn app", SECRET);
	node_sh(1, "%s set node1 --profile own:8001 --profiles /mnt/own2", tool());
	node_send_event(1, 8001, "event");
	process_await(node_publisher(1), "with another profile");
	node_await_metric(1, "given_up_total", 1);
	assert_int_equal(stream_messages(), 0);
	node_sh(1, "%s set node1 --profile own:8001 --profiles /mnt/own", tool());
	node_await_metric(1, "connected", 1);
	node_send_event(1, 8001, "event");
	stream_await(1);
}

/* Of two streams one differs: the other one is published. */
TEST(one_stream_differs)
{
	jetstream_start(&(struct jetstream_plan){ 0 });
	for (unsigned int n = 0; n < 2; n++) {
		node_add(n,
			 "--profile own:8001 --profile gsp:8002 --profiles /mnt/own --learn app" FPR);
		node_publish(n, n ? OTHER : "--create " SECRET);
		node_await_ready(n);
	}
	process_await(node_publisher(1),
		      "events of node1/own are given up: another machine makes other ids");
	node_send_event(1, 8001, "event");
	node_send_event(1, 8002, "event");
	node_await_metric(1, "given_up_total", 1);
	node_await_metric(1, "acknowledged_total", 1);
	assert_int_equal(stream_messages(), 1);
}

/* A machine with another secret begins no other stream: the next machine can. */
TEST(one_that_differs_writes_no_rule)
{
	static const char STREAMS[] =
		"--profile b=own:8002 --profile own:8001 --profiles /mnt/own" FPR;

	jetstream_start(&(struct jetstream_plan){ 0 });
	jetstream_put(0, 0);
	for (unsigned int n = 0; n < NODES; n++) {
		node_add(n, n ? STREAMS : OWN);
		node_publish(n, n == 1 ? OTHER : SECRET);
		if (n != 1)
			node_await_ready(n);
		else
			process_await(node_publisher(1), "no machine publishes b yet");
	}
	node_send_event(2, 8002, "event");
	node_await_metric(2, "acknowledged_total", 1);
}

/* Unknown is not taken for equal. */
static const struct unknown {
	const char *name, *right, *deny, *words;
} UNKNOWN[] = {
	{ "no_right_to_read", "publish", "$JS.API.STREAM.MSG.GET.KV_xdp-dedup",
	  "ids of gsp is unknown: bucket xdp-dedup cannot be read: no answer; the account may lack the right" },
	{ "no_right_to_write", "publish", "$KV.>", "cannot be written: no answer" },
	{ "no_right_to_create", "publish", "$JS.API.STREAM.CREATE.KV_xdp-dedup",
	  "cannot be created: no answer" },
	{ "no_right_to_subscribe", "subscribe", "$KV.>",
	  "note: the server says: Permissions Violation for Subscription to \"$KV.xdp-dedup.EVENTS.*\"" },
};

TEST_ROWS(unknown_is_not_equal, UNKNOWN)
{
	static const char USER[] = "--create --user u --password-file /mnt/password";
	char lines[512];

	sh("echo p >/mnt/password; chmod 600 /mnt/password");
	snprintf(lines, sizeof(lines),
		 "authorization { users: [ { user: all, password: p }, { user: u, password: p, "
		 "permissions: { %s: { deny: [ \"%s\" ] } } } ] }",
		 row->right, row->deny);
	jetstream_start(&(struct jetstream_plan){ .lines = lines, .options = "all:p@" });
	node_add(0, "");
	node_publish(0, USER);
	process_await(node_publisher(0), row->words);
	if (strcmp(row->name, "no_right_to_create") != 0)
		return;
	node_end(0, SIGTERM);
	node_publish(0, USER + strlen("--create ")); /* there is a stream now, without a bucket */
	process_await(node_publisher(0), "there is no bucket xdp-dedup");
}

#define ROLL_EVENTS 9000
#define ROLL_RATE 300
#define ROLL_SPREAD_MS 1000 /* less than --skew */
#define ROLL_OPTIONS "--skew 2s "
#define NEW_IDS \
	"%s node0 --server %s --stream EVENTS --subject 'gossip.{stream}' %s --check --new-ids"

/* No event is there twice. One is missing only if all its copies came while nobody published. */
static void assert_rolled(uint32_t end_ms, uint32_t begin_ms)
{
	struct stream_counts c = stream_count(offers.plan.seed, ROLL_EVENTS);
	const uint16_t *copies = c.events.copies;
	uint32_t lost = 0;

	stream_count_more(&c);
	assert_int_equal(c.events.strangers, 0);
	for (uint32_t e = 0; e < ROLL_EVENTS; e++) {
		bool may_miss = offers.last_ms[e] >= end_ms && offers.first_ms[e] <= begin_ms;

		lost += !copies[e];
		if (copies[e] > 1 || (!copies[e] && !may_miss))
			fail_msg("event %u: %u times, offered from %u to %u ms; published until %u, from %u",
				 e, copies[e], offers.first_ms[e], offers.last_ms[e], end_ms,
				 begin_ms);
	}
	print_message("nobody published for %u ms; %u of %d events are missing\n",
		      begin_ms - end_ms, lost, ROLL_EVENTS);
	gossip_receiver_close(&c.events);
}

/* Three machines are changed one after another, under traffic, as USAGE.md says. */
static const struct roll {
	const char *name, *secret, *words;
	bool next;
} ROLLS[] = {
	{ "secret_is_changed", OTHER, "with another secret", .next = false },
	{ "version_makes_other_ids", SECRET, "with ids of another version", .next = true },
};

TEST_ROWS(rolls, ROLLS)
{
	uint32_t end_ms = 0, begin_ms;
	char options[128];

	snprintf(options, sizeof(options), ROLL_OPTIONS "%s", row->secret);
	nodes_serve(NODES, OWN "--learn app", ROLL_OPTIONS SECRET);
	offers_start(&(struct offers_plan){ .events = ROLL_EVENTS,
					    .nodes = NODES,
					    .copies_max = 3,
					    .spread_ms = ROLL_SPREAD_MS,
					    .rate = ROLL_RATE,
					    .seed = 1 });
	for (unsigned int n = 0; n < NODES; n++) {
		usleep(1500000);
		end_ms = offers_now_ms();
		assert_int_equal(node_end(n, SIGTERM), 0);
		node_use_next_version(row->next);
		node_publish(n, options);
		process_await(node_publisher(n), row->words);
		if (!n) { /* while another machine publishes, nothing changes */
			node_sh(0,
				"! " NEW_IDS " >/mnt/new 2>&1 && "
				"grep -q 'while a machine publishes, ids cannot change' /mnt/new",
				node_publish_program(), jetstream_urls(), options);
		}
	}
	node_sh(0, "until " NEW_IDS " 2>/mnt/new; do sleep 0.2; done", node_publish_program(),
		jetstream_urls(), options);
	for (unsigned int n = 0; n < NODES; n++)
		node_await_ready(n);
	begin_ms = offers_now_ms();
	offers_wait();
	nodes_await_idle(NODES);
	assert_rolled(end_ms, begin_ms);
}

/* A new stream needs nothing of it: machines that lack it go on, and it begins with the first one
 * that has it. So does a new version that makes equal ids.
 */
TEST(stream_is_added)
{
	jetstream_start(&(struct jetstream_plan){ 0 });
	jetstream_put(0, 0);
	for (unsigned int n = 0; n < NODES; n++) {
		node_add(n, "--profile z=gsp:8001 --learn app" FPR);
		node_publish(n, "");
		node_await_ready(n);
	}
	offers_start(&(struct offers_plan){ .events = 3000,
					    .nodes = NODES,
					    .copies_max = 3,
					    .spread_ms = ROLL_SPREAD_MS,
					    .rate = ROLL_RATE,
					    .seed = 1 });
	for (unsigned int n = 0; n < NODES; n++) {
		usleep(1000000);
		node_sh(n, "%s set node%u --profile a=gsp:8002 --profile z=gsp:8001", tool(), n);
	}
	offers_wait();
	nodes_await_idle(NODES);
	stream_await(3000);
	assert_int_equal(stream_messages(), 3000);
}

ROOT_MAIN(setup, offers_teardown)
