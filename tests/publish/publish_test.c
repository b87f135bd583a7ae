// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp-dedup-publish on one node and one server: what it publishes, how it names that, and what it
 * refuses.
 */
#include "offers.h"
#include "stream_reader.h"

#include <regex.h>

#include "packet.h"
#include "udp.h"

#define FPR " --fpr 1e-9 "
#define SECRET "--secret /mnt/secret"
#define EVENTS 500
#define MESSAGES_MAX 4096

static struct stream_message kept[MESSAGES_MAX]; /* what the stream has */
static size_t kept_cnt;

static int setup(void **state)
{
	int err = hub_setup(state);

	sh("umask 077; head -c 32 /dev/zero | tr '\\0' a >/mnt/secret");
	return err;
}

static void keep(void *ctx, const struct stream_message *m)
{
	(void)ctx;
	assert_true(kept_cnt < MESSAGES_MAX);
	kept[kept_cnt++] = *m;
}

/* Waits for so many messages, and reads all. */
static void read_kept(uint64_t messages)
{
	stream_await(messages);
	kept_cnt = 0;
	stream_read(keep, NULL);
	assert_int_equal(kept_cnt, messages);
}

static void assert_like(const char *text, const char *pattern)
{
	regex_t re;

	assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
	if (regexec(&re, text, 0, NULL, 0))
		fail_msg("\"%s\" is not like %s", text, pattern);
	regfree(&re);
}

/* Offers events to node 0, and waits until all are sent. */
static void offer(void)
{
	offers_send(&(struct offers_plan){
		.events = EVENTS, .copies_max = 5, .spread_ms = 300, .rate = 1000, .seed = 1 });
}

/* How events come in. */
static const struct way {
	const char *name, *load, *publish;
	bool is_xsk;
	bool copies_come; /* the filter learns nothing, as no AF_XDP socket takes anything */
} WAYS[] = {
	{ "udp", "", "--receive udp", false, false },
	{ "udp_beside_a_filter_that_delivers", "--deliver xsk", "--receive udp", false, true },
	{ "xsk", "--deliver xsk", "--receive xsk", true, false },
	{ "auto_takes_xsk", "--deliver xsk", "", true, false },
	{ "auto_takes_udp", "", "--receive auto", false, false },
	{ "learn_app_udp", "--learn app", "", false, false },
	{ "learn_app_xsk", "--learn app --deliver xsk", "", true, false },
};

/* Each event is there once, with its headers; once they are acknowledged, none comes again. */
TEST_ROWS(each_event_is_there_once, WAYS)
{
	double received;

	node_serve(row->load, row->publish);
	offer();
	stream_assert_all_once(1, EVENTS);
	node_await_idle(0);
	read_kept(EVENTS);
	for (size_t i = 0; i < kept_cnt; i++) {
		assert_string_equal(kept[i].subject, "gossip.gsp");
		assert_string_equal(kept[i].stream, "gsp");
		assert_like(kept[i].source, "^10\\.78\\.0\\.1:[0-9]+$");
		assert_like(kept[i].arrival, "^20[0-9-]{8}T[0-9:]{8}\\.[0-9]{9}Z$");
		assert_string_equal(kept[i].machine, "node0");
		assert_int_equal(kept[i].payload_len, sizeof(struct gossip_packet));
	}

	received = node_metric(0, "received_total");
	if (!strstr(row->load, "app") && !row->copies_come)
		assert_int_equal(received, EVENTS);
	assert_int_equal(
		node_metric_of(0, "received_total", row->is_xsk ? "way=\"udp\"" : "way=\"xsk\""), 0);
	offer();
	usleep(200000);
	if (row->copies_come)
		node_await_idle(0);
	else
		assert_int_equal(node_metric(0, "received_total"), received);
	assert_int_equal(node_metric(0, "pending"), 0);
	assert_int_equal(node_metric(0, "given_up_total"), 0);
	assert_int_equal(node_metric(0, "acknowledged_total"), node_metric(0, "sent_total"));
	assert_int_equal(stream_messages(), EVENTS);
	assert_int_equal(node_end(0, SIGTERM), 0);
}

/* How --create makes the stream: as asked, or by defaults. */
static const struct created {
	const char *name, *options;
	int64_t duplicates_ns, max_bytes, max_age_ns;
} CREATED[] = {
	{ "creates_as_asked", "--replicas 1 --duplicates 90s --max-bytes 10M --max-age 1h",
	  90000000000, 10000000, 3600000000000 },
	{ "creates_by_defaults", "", 120000000000, -1, 0 },
};

TEST_ROWS(creates_the_stream, CREATED)
{
	jsStreamInfo *info;

	node_serve("", row->options);
	info = jetstream_info();
	assert_int_equal(info->Config->Storage, js_FileStorage);
	assert_int_equal(info->Config->Replicas, 1);
	assert_int_equal(info->Config->Duplicates, row->duplicates_ns);
	assert_int_equal(info->Config->MaxBytes, row->max_bytes);
	assert_int_equal(info->Config->MaxAge, row->max_age_ns);
	assert_int_equal(info->Config->SubjectsLen, 1);
	assert_string_equal(info->Config->Subjects[0], "gossip.gsp");
	jsStreamInfo_Destroy(info);
	assert_int_equal(node_end(0, SIGINT), 0);
}

/* Digests: a hash under the secret, equal on all machines, though their filters hash otherwise. */
TEST(digests_are_hashed)
{
	nodes_serve(2, "--profile payload:8001" FPR, SECRET);
	node_send(0, 8001, "one", 3);
	stream_await(1);
	node_send(1, 8001, "one", 3);
	node_await_metric(1, "duplicate_total", 1);
	node_send(1, 8001, "two", 3);
	read_kept(2);
	for (int i = 0; i < 2; i++) {
		assert_like(kept[i].id, "^payload:[0-9a-f]{32}$");
		assert_string_equal(kept[i].subject, "gossip.payload");
	}
	assert_string_not_equal(kept[0].id, kept[1].id);
}

/* A packet is known by its session, number and count of messages. */
TEST(moldudp64)
{
	uint8_t packet[] = "session000\0\0\0\0\0\0\0\1\0\2\0\1x\0\1y"; /* 1, of two */

	node_serve("--profile moldudp64:8001@10.78.0.2", "");
	for (int copies = 0; copies < 2; copies++)
		node_send(0, 8001, packet, sizeof(packet) - 1);
	packet[17] = 2; /* 2 is known, 3 is not */
	node_send(0, 8001, packet, sizeof(packet) - 1);
	read_kept(2);
	assert_string_equal(kept[0].id, "moldudp64:73657373696f6e303030:1:2");
	assert_string_equal(kept[1].id, "moldudp64:73657373696f6e303030:2:2");
}

/* RTP's numbers have 16 bits, and come again in the duplicate window. */
TEST(rtp)
{
	uint32_t first = 0xff00, packets = tries(1000, 2 * 65536 + 1000);
	uint8_t bytes[12 + 8] = { 0x80, 96 };
	struct gossip_sender pace = { 0 };
	int sender;

	node_serve("--profile rtp:8001", SECRET);
	sender = udp_sender(node_address(0), 8001, NULL);
	assert_return_code(sender, -sender);
	for (uint32_t i = 0; i < packets; i++) {
		uint16_t be16 = htons((uint16_t)(first + i));
		uint32_t be32 = htonl(i);

		if (i % 4 == 0)
			udp_pace(&pace.next_ns, 500, 1); /* so 2,000 a second */
		memcpy(bytes + 2, &be16, 2);
		memcpy(bytes + 4, &be32, 4);
		for (int copies = 0; copies < 2; copies++)
			assert_int_equal(send(sender, bytes, sizeof(bytes), 0), sizeof(bytes));
	}
	stream_await(packets);
	node_await_metric(0, "acknowledged_total", packets);
	assert_int_equal(node_metric(0, "overflow_total"), 0);
	assert_int_equal(stream_messages(), packets);
	if (packets < MESSAGES_MAX) {
		read_kept(packets);
		assert_like(kept[0].id, "^rtp:[0-9a-f]+:65280:[0-9a-f]{32}$");
	}
	close(sender);
}

/* Each stream has its subject; ids of different realms never match. One that is not UDP is left out. */
TEST(several_streams)
{
	static const struct {
		const char *subject, *stream, *id;
	} WANT[] = {
		{ "gossip.node0.a", "a", "^a:6964(00){30}$" },
		{ "gossip.node0.c", "c", "^c:[0-9a-f]{32}$" },
		{ "gossip.node0.d", "d", "^d:6964(00){30}$" },
	};

	node_serve("--profile a=gsp:8001#x --profile b=gsp:8002#x --profile c=payload:8003 "
		   "--profile d=gsp:8004 --profile r-tag" FPR,
		   SECRET " --subject 'gossip.{machine}.{stream}'");
	process_await(node_publisher(0), "r-tag");
	for (uint16_t port = 8001; port <= 8004; port++)
		for (int copies = 0; copies < 2; copies++)
			node_send_event(0, port, "id");
	stream_await(3);
	usleep(200000);
	kept_cnt = 0;
	stream_read(keep, NULL);
	assert_int_equal(kept_cnt, 3); /* b has a's realm: it has no fresh event */
	for (size_t i = 0; i < kept_cnt; i++) {
		assert_string_equal(kept[i].subject, WANT[i].subject);
		assert_string_equal(kept[i].stream, WANT[i].stream);
		assert_like(kept[i].id, WANT[i].id);
	}
}

/* `set` adds a stream, and somebody its subject to the JetStream stream, which this program never
 * changes. Until then its events are given up, and others are published.
 */
TEST(set_adds_a_stream)
{

	node_serve("--profile a=gsp:8001" FPR, "");
	node_sh(0, "%s set node0 --profile a=gsp:8001 --profile b=gsp:8002", tool());
	process_await(node_publisher(0), "stream EVENTS does not take the subject gossip.b");
	node_send_event(0, 8002, "id");
	node_send_event(0, 8001, "id");
	node_await_metric(0, "given_up_total", 1);
	stream_await(1);
	jetstream_put(0, 0);
	process_await(node_publisher(0), "events of node0/b go to stream EVENTS now");
	node_send_event(0, 8002, "another"); /* the filter has learned the first one */
	stream_await(2);
	assert_int_equal(node_metric(0, "connections_total"), 1);
	assert_int_equal(node_end(0, SIGTERM), 0);
}

ROOT_MAIN(setup, offers_teardown)
