// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp-dedup-publish beyond one JetStream stream: events spread over several by their ids, a stream
 * for each of the filter's, a change of their number under traffic, and leaf nodes that hold events
 * while the hub is away.
 */
#include "offers.h"
#include "stream_reader.h"

#define SEED 11
#define EVENTS 900
#define SKEW_MS 2000
#define SHARDS "--stream EVENTS-{shard} --subject gossip.{shard}.{stream} --shards "
#define HUB_WINDOW_MS 15000
#define MORE "--stream MORE-{shard} --subject more.{shard}.{stream} --create --shards 3"

static const struct offers_plan TO_BOTH = {
	.events = EVENTS, .nodes = 2, .copies_max = 3, .spread_ms = 200, .rate = 1000, .seed = SEED
};

/* Reads the shards of streams with these names. No event may be there twice. Returns how many are
 * there.
 */
static uint32_t read_shards(const char *const *streams, uint32_t events)
{
	struct stream_counts c = stream_count(SEED, events);
	uint32_t once;

	for (; *streams; streams++) {
		jetstream_stream = *streams;
		stream_count_more(&c);
		assert_in_range(stream_messages(), events / 10, events);
	}
	once = gossip_delivered(&c.events, 1);
	assert_int_equal(once + gossip_delivered(&c.events, 0), events);
	gossip_receiver_close(&c.events);
	return once;
}

/* Two machines agree on the stream of each event. One with another number of them is refused. */
TEST(shards)
{
	nodes_serve(2, "", SHARDS "3");
	offers_send(&TO_BOTH);
	nodes_await_idle(2);
	assert_int_equal(read_shards((const char *[]){ "EVENTS-0", "EVENTS-1", "EVENTS-2", NULL },
				     EVENTS),
			 EVENTS);
	assert_int_equal(node_metric(0, "duplicate_total") + node_metric(1, "duplicate_total"),
			 EVENTS);
	assert_int_equal(node_end(1, SIGTERM), 0);
	node_publish(1, "--create " SHARDS "2");
	process_await(node_publisher(1), "with another number of shards (--shards)");
}

/* From two streams to three of another name, as the page says: with one machine, then with the others. */
TEST(streams_change_under_traffic)
{
	uint32_t there;

	nodes_serve(2, "--learn app", SHARDS "2");
	offers_start(&(struct offers_plan){ .events = 5 * EVENTS,
					    .nodes = 2,
					    .copies_min = 3,
					    .copies_max = 3,
					    .spread_ms = SKEW_MS - 500,
					    .rate = 500,
					    .seed = SEED });
	usleep(1500000);
	assert_int_equal(node_end(1, SIGTERM), 0);
	usleep(SKEW_MS * 1000);
	assert_int_equal(node_end(0, SIGTERM), 0);
	node_publish(0, MORE);
	node_await_ready(0);
	usleep(SKEW_MS * 1000);
	node_publish(1, MORE);
	node_await_ready(1);
	offers_wait();
	nodes_await_idle(2);
	there = read_shards((const char *[]){ "EVENTS-0", "EVENTS-1", "MORE-0", "MORE-1", "MORE-2",
					      NULL },
			    5 * EVENTS);
	print_message("%u events came only while no publisher ran\n", 5 * EVENTS - there);
	assert_true(there > 4 * EVENTS);
}

/* `set` adds a stream of the filter. If its JetStream stream is missing, others go on. */
TEST(stream_for_each_stream)
{
	node_serve("--profile a=gsp:8001 --profile b=gsp:8002 --fpr 1e-9",
		   "--stream EVENTS-{stream}");
	node_send_event(0, 8001, "a");
	node_send_event(0, 8002, "b");
	jetstream_stream = "EVENTS-a";
	stream_await(1);
	jetstream_stream = "EVENTS-b";
	stream_await(1);
	assert_int_equal(node_end(0, SIGTERM), 0);
	node_publish(0, "--stream EVENTS-{stream}");
	node_await_ready(0);
	node_sh(0, "%s set node0 --profile a=gsp:8001 --profile b=gsp:8002 --profile c=gsp:8003",
		tool());
	process_await(node_publisher(0),
		      "events of node0/c are given up: JetStream does not take them");
	assert_true(process_has_said(node_publisher(0), "there is no stream EVENTS-c"));
	node_send_event(0, 8003, "c");
	node_send_event(0, 8002, "d");
	stream_await(2);
	node_await_metric(0, "given_up_total", 1);
	assert_int_equal(node_metric(0, "connections_total"), 1);
}

/* Starts a leaf node at a place: its own JetStream, and a connection to the server at place 0. */
static void start_leaf(unsigned int place)
{
	char name[16], command[64];

	hub_place(place);
	sh("printf '%%b\n' 'server_name: leaf%u\\nlisten: \"%s:4222\"\\n"
	   "jetstream { store_dir: /mnt/leaf%u, domain: leaf%u }\\n"
	   "leafnodes { remotes: [ { url: \"nats://10.76.0.10:7422\" } ] }' >/mnt/leaf%u.conf",
	   place, hub_address(place), place, place, place);
	snprintf(name, sizeof(name), "leaf%u", place);
	snprintf(command, sizeof(command), "nats-server -c /mnt/leaf%u.conf", place);
	process_await(hub_start(place, name, command), "Server is ready");
}

/* A stream of the hub has no subjects: it takes what the streams of these leaf nodes have. */
static void make_hub_stream(const char *name, unsigned int first, unsigned int last)
{
	struct jetstream j = jetstream_connect();
	jsExternalStream at[] = { { "$JS.leaf1.API", "" }, { "$JS.leaf2.API", "" } };
	jsStreamSource sources[2], *taken[2];
	jsStreamConfig c;

	jsStreamConfig_Init(&c);
	c.Name = name;
	c.Duplicates = HUB_WINDOW_MS * 1000000LL;
	c.Sources = taken;
	for (unsigned int i = first; i <= last; i++) {
		taken[c.SourcesLen++] = &sources[i];
		jsStreamSource_Init(&sources[i]);
		sources[i].Name = JETSTREAM_STREAM;
		sources[i].External = &at[i];
	}
	assert_int_equal(js_AddStream(NULL, j.js, &c, NULL, NULL), NATS_OK);
	jetstream_disconnect(&j);
}

/* Each machine publishes into a leaf node beside it. */
static void start_leaf_nodes(void)
{
	jetstream_start(&(struct jetstream_plan){ .lines = "leafnodes { listen: \"0.0.0.0:7422\" }" });
	for (unsigned int n = 0; n < 2; n++) {
		char url[64], options[64];

		start_leaf(n + 1);
		node_add(n, "--learn app");
		snprintf(url, sizeof(url), "nats://%s:4222", hub_address(n + 1));
		snprintf(options, sizeof(options), "--create --subject place%u.{stream}", n);
		node_publish_to(n, url, options);
		node_await_ready(n);
	}
}

/* The hub is away while all events come; the leaf nodes store them. */
static void send_without_hub(void)
{
	hub_cut(0, true);
	offers_send(&TO_BOTH);
	for (unsigned int n = 0; n < 2; n++) {
		node_await_idle(n);
		assert_true(node_metric(n, "acknowledged_total") >= EVENTS);
	}
	hub_cut(0, false);
}

/* With one stream of the hub for each leaf node, each of them has each event once. */
TEST(leaf_nodes_hold_events)
{
	start_leaf_nodes();
	make_hub_stream("PLACE0", 0, 0);
	make_hub_stream("PLACE1", 1, 1);
	send_without_hub();
	jetstream_stream = "PLACE0";
	stream_assert_all_once(SEED, EVENTS);
	jetstream_stream = "PLACE1";
	stream_assert_all_once(SEED, EVENTS);
}

/* One stream of the hub for both has each event once, also after its duplicate window: older
 * servers ask for a duplicate again and again, and then store it.
 */
TEST(hub_drops_copies_of_leaf_nodes)
{
	char out[64];

	if (sh_out(out, sizeof(out),
		   "printf '2.12.6\\n%%s\\n' \"$(nats-server --version | sed 's/.*v//')\" | sort -VC"))
		skip();
	start_leaf_nodes();
	make_hub_stream("BOTH", 0, 1);
	send_without_hub();
	jetstream_stream = "BOTH";
	stream_assert_all_once(SEED, EVENTS);
	usleep(2 * HUB_WINDOW_MS * 1000);
	stream_assert_all_once(SEED, EVENTS);
}

ROOT_MAIN(hub_setup, offers_teardown)
