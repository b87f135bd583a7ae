// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp_dedup_id_of() finds the id of a frame, and of a datagram from a UDP socket. It must be the id
 * that an AF_XDP receiver gets with the packet; if that gets none, there must be none.
 */
#include "packet.h"
#include "receive_runner.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plain_checksum.h"
#include "protocol_packets.h"
#include "xdp-dedup-streams.h"
#include "xdp-dedup.h"

#define COPIES 20
#define MULTICAST(n) .to_mac = { 1, 0, 0x5e, 0x7c, 0, n }, .to = { 233, 252, 0, n }
#define FEEDS                                           \
	"--profile a=moldudp64:26400@233.252.0.1#feed " \
	"--profile b=moldudp64:26400@233.252.0.2#feed"
#define GSP(type, count) "47535031 0" #type "0" #count "0000 00112233 44556677 8899aabb ccddeeff"
#define UDP(lines) "[profile own]\nlayer = udp\n" lines
#define GATE(name, value) \
	"[profile " name "]\nlayer = udp\nrequire = payload+0:1 == " value "\nid = payload+1:4\n"
#define OWN "--profile own:8001"
#define NUMBERS                                                               \
	UDP("source = ip+12:4 payload+0:4\nsequence = payload+4:3/0x0fffff\n" \
	    "count = payload+7:1\n")
#define NUMBER(bytes) UDP("source = payload+0:4\nsequence = payload+4:" bytes "\n")

enum {
	ID = 1,
	NO_ID_HERE = 0,
	UNTOLD = -ENODATA,
	NOT_IP = 99, /* a socket does not get it */
};

static const struct row {
	const char *name, *options;
	const char *own; /* a file of profiles */
	struct protocol_packet packet;
	const char *hex;     /* what its payload begins with */
	int frame, datagram; /* results */
	uint32_t stream, messages;
	uint64_t number;
} ROWS[] = {
#define R(name_, options_, own_, hex_, frame_, datagram_, ...)                                       \
	{                                                                                            \
		name_, options_, own_, { .protocol = __VA_ARGS__ }, hex_, frame_, datagram_, 0, 1, 0 \
	}
#define STREAM(n, messages_, number_, name_, options_, own_, hex_, ...)                         \
	{                                                                                       \
		name_, options_, own_, { .protocol = __VA_ARGS__ }, hex_, ID, ID, n, messages_, \
			number_                                                                 \
	}
#define UNTOLD_OF(n, messages_, number_, name_, options_, own_, hex_)                             \
	{                                                                                         \
		name_, options_, own_, { .protocol = DATAGRAM, .body = 50 }, hex_, ID, UNTOLD, n, \
			messages_, number_                                                        \
	}
#define FRAME(profile, protocol_)                                                                \
	{                                                                                        \
		profile, "--profile " profile, NULL,                                             \
			{ .protocol = protocol_, .sequence = 5, .body = 50 }, "", ID, NOT_IP, 0, \
			1, 5                                                                     \
	}
	/* GSP/1, without streams and as one of them. */
	R("gsp", "--port 8001", NULL, GSP(1, 1), ID, ID, DATAGRAM, .body = 60),
	R("gsp-ipv6", "--port 8001", NULL, GSP(1, 1), ID, ID, DATAGRAM, .body = 60, .ipv6 = true),
	R("gsp-shortest", "--port 8001", NULL, GSP(1, 1), ID, ID, DATAGRAM, .body = 40),
	R("gsp-to", "--port 8001 --to 10.10.10.10", NULL, GSP(1, 1), ID, ID, DATAGRAM, .body = 60),
	R("gsp-vlan", "--port 8001 --vlan 7", NULL, GSP(1, 1), ID, ID, DATAGRAM, .body = 60,
	  .tags = { 0x8100 }, .tci = { 7 }),
	R("gsp-other-vlan", "--port 8001 --vlan 7", NULL, GSP(1, 1), 0, ID, DATAGRAM, .body = 60,
	  .tags = { 0x8100 }, .tci = { 8 }),
	R("gsp-untagged", "--port 8001 --vlan none,7", NULL, GSP(1, 1), ID, ID, DATAGRAM, .body = 60),
	R("gsp-forwarded", "--port 8001 --forwarded", NULL, GSP(1, 1), ID, ID, DATAGRAM, .body = 60,
	  .to_mac = { 2, 9 }),
	R("gsp-ihave", "--port 8001", NULL, GSP(2, 1), 0, 0, DATAGRAM, .body = 60),
	R("gsp-iwant", "--port 8001", NULL, GSP(3, 1), 0, 0, DATAGRAM, .body = 60),
	R("gsp-two-ids", "--port 8001", NULL, GSP(1, 2), 0, 0, DATAGRAM, .body = 90),
	R("gsp-too-short", "--port 8001", NULL, GSP(1, 1), 0, 0, DATAGRAM, .body = 39),
	R("gsp-no-magic", "--port 8001", NULL, "47535032 0101", 0, 0, DATAGRAM, .body = 60),
	R("gsp-other-port", "--port 8001", NULL, GSP(1, 1), 0, 0, DATAGRAM, .body = 60, .port = 8002),
	R("gsp-other-host", "--port 8001 --to 10.10.10.11", NULL, GSP(1, 1), 0, 0, DATAGRAM,
	  .body = 60),
	R("gsp-fragment", "--port 8001", NULL, GSP(1, 1), 0, ID, DATAGRAM, .body = 60,
	  .fragment = 0x2000),
	STREAM(1, 1, 0, "gsp-stream", "--profile payload:5000 --profile gsp:8001", NULL, GSP(1, 1),
	       DATAGRAM, .body = 60),
	R("gsp-stream-ihave", "--profile payload:5000 --profile gsp:8001", NULL, GSP(2, 1), 0, 0,
	  DATAGRAM, .body = 60),

	/* The other built-in profiles. */
	R("shred-data", "--profile solana-shred:8001", NULL, "", ID, ID, SHRED, .variant = 0x96),
	R("shred-code", "--profile solana-shred:8001", NULL, "", ID, ID, SHRED, .variant = 0x66,
	  .ipv6 = true),
	R("shred-none", "--profile solana-shred:8001", NULL, "", 0, 0, SHRED, .variant = 0xc6),
	R("shred-short", "--profile solana-shred:8001", NULL, "", 0, 0, DATAGRAM, .body = 64),
	R("discv4", "--profile discv4", NULL, "", ID, ID, DISCV4, .port = 30303),
	R("discv5", "--profile discv4", NULL, "", 0, 0, DISCV4, .packet_type = 9, .port = 30303),
	R("payload", "--profile payload:8001", NULL, "", ID, ID, DATAGRAM, .body = 1400),
	R("payload-ipv6", "--profile payload:8001", NULL, "", ID, ID, DATAGRAM, .body = 1400,
	  .ipv6 = true),
	R("payload-of-a-byte", "--profile payload:8001", NULL, "", ID, ID, DATAGRAM, .body = 1),
	R("payload-padded", "--profile payload:8001", NULL, "", ID, ID, DATAGRAM, .body = 3,
	  .padding = 15),
	R("payload-empty", "--profile payload:8001", NULL, "", 0, 0, DATAGRAM),
	R("payload-options", "--profile payload:8001", NULL, "", ID, ID, DATAGRAM, .body = 50,
	  .option_words = 10),
	STREAM(1, 3, 77, "moldudp64", FEEDS, NULL, "", MOLDUDP64, .sequence = 77, .count = 3,
	       .port = 26400, MULTICAST(2)),
	STREAM(0, 1, UINT64_MAX - 1, "moldudp64-last", FEEDS, NULL, "", MOLDUDP64,
	       .sequence = UINT64_MAX - 1, .count = 1, .port = 26400, MULTICAST(1)),
	R("moldudp64-heartbeat", FEEDS, NULL, "", 0, 0, MOLDUDP64, .count = 0, .port = 26400,
	  MULTICAST(1)),
	R("moldudp64-end", FEEDS, NULL, "", 0, 0, MOLDUDP64, .count = 0xffff, .port = 26400,
	  MULTICAST(1)),
	R("moldudp64-other-group", FEEDS, NULL, "", 0, 0, MOLDUDP64, .count = 1, .port = 26400,
	  MULTICAST(3)),
	STREAM(0, 1, 65535, "rtp", "--profile rtp:5004", NULL, "", RTP, .sequence = 65535,
	       .body = 20, .port = 5004),
	R("rtcp", "--profile rtp:5004", NULL, "", 0, 0, RTCP, .port = 5004),
	FRAME("r-tag", R_TAG),
	FRAME("hsr", HSR),
	FRAME("prp", PRP),
	R("mirror", "--profile mirror", NULL, "", ID, UNTOLD, DATAGRAM, .body = 50, .to_mac = { 2 }),
	R("mirror-tcp", "--profile mirror", NULL, "", ID, NOT_IP, IP_PACKET, .body = 50),
	R("mirror-l2", "--profile mirror-l2", NULL, "", ID, NOT_IP, OTHER_FRAME, .body = 50,
	  .ethertype = 0x8899),
	R("mirror-l2-ip", "--profile mirror-l2", NULL, "", 0, 0, DATAGRAM, .body = 50),

	/* Several streams. */
	STREAM(1, 1, 0, "by-gate", "--profile one:8001 --profile two:8001",
	       GATE("one", "0x01") GATE("two", "0x02"), "02 a1b2c3d4", DATAGRAM, .body = 50),
	R("by-no-gate", "--profile one:8001 --profile two:8001",
	  GATE("one", "0x01") GATE("two", "0x02"), "03 a1b2c3d4", 0, 0, DATAGRAM, .body = 50),
	STREAM(1, 1, 0, "by-port", "--profile a=payload:5000#x --profile b=payload:8000-8009#x",
	       NULL, "", DATAGRAM, .body = 50),
	STREAM(1, 1, 0, "behind-frames", "--profile r-tag --profile payload:8001", NULL, "",
	       DATAGRAM, .body = 50),
	R("before-mirror", "--profile payload:8001 --profile mirror", NULL, "", ID, ID, DATAGRAM,
	  .body = 50),

	/* What a socket tells. */
	R("addresses", OWN, UDP("id = ip+12:8 payload+0:4\n"), "", ID, ID, DATAGRAM, .body = 50,
	  .from = 9),
	R("addresses-ipv6", OWN, UDP("id = ip+8:32 payload+0:4\n"), "", ID, ID, DATAGRAM,
	  .body = 50, .ipv6 = true, .from = 9),
	R("addresses-by-tag", OWN, UDP("id = tag+16:4 payload+0:4\n"), "", ID, ID, DATAGRAM,
	  .body = 50),
	R("ports", OWN, UDP("id = ip+20:4 payload+0:4\n"), "", ID, ID, DATAGRAM, .body = 50),
	R("ports-ipv6", OWN, UDP("id = ip+40:4 payload+0:4\n"), "", ID, ID, DATAGRAM, .body = 50,
	  .ipv6 = true),
	R("lengths", OWN, UDP("id = ip+2:2 ip+24:2 payload+0:4\n"), "", ID, ID, DATAGRAM, .body = 50),
	R("lengths-ipv6", OWN, UDP("id = ip+4:3 ip+44:2 payload+0:4\n"), "", ID, ID, DATAGRAM,
	  .body = 50, .ipv6 = true),
	R("version", OWN, UDP("require = ip+0:1 == 0x45\nrequire = ip+9:1 == 0x11\nid = payload\n"),
	  "", ID, ID, DATAGRAM, .body = 50),
	R("version-ipv6", OWN, UDP("require = ip+0:1/0xf0 == 0x60\nid = payload\n"), "", ID, ID,
	  DATAGRAM, .body = 50, .ipv6 = true),
	R("ethertype", OWN, UDP("require = tag-2:2 == 0x0800\nid = payload\n"), "", ID, ID,
	  DATAGRAM, .body = 50),
	R("longest", OWN, UDP("id = payload+0:64\n"), "", ID, ID, DATAGRAM, .body = 64),
	R("too-short", OWN, UDP("id = payload+0:64\n"), "", 0, 0, DATAGRAM, .body = 63),
	R("zeros", OWN, UDP("id = payload+0:6\n"), "00000000 0000", 0, 0, DATAGRAM, .body = 20),
	R("masked", OWN, UDP("id = payload+3:5/0xf0f0f0f00f payload\n"), "", ID, ID, DATAGRAM,
	  .body = 50),
	R("ip-behind-the-headers", OWN, UDP("id = ip+30:12\n"), "", ID, ID, DATAGRAM, .body = 50),
	STREAM(0, 7, 0xabcde, "numbers", OWN, NUMBERS, "01020304 fabcde 07", DATAGRAM, .body = 20),
	/* A number that does not fill its bytes: of other bits, or beside them. */
	STREAM(0, 1, 0xabcde, "number-between-bits", OWN, NUMBER("4/0x0fffff00"),
	       "01020304 fabcde99", DATAGRAM, .body = 20),
	STREAM(0, 1, 0xabc, "number-across-bytes", OWN, NUMBER("2/0x3ffc"), "01020304 eaf3",
	       DATAGRAM, .body = 20),
	STREAM(0, 1, 0xabcd, "number-of-lower-bits", OWN, NUMBER("8/0x000000000000ffff"),
	       "01020304 998877665544abcd", DATAGRAM, .body = 20),
	STREAM(0, 1, 0xabcdef012345678, "number-of-upper-bits", OWN, NUMBER("8/0xfffffffffffffff0"),
	       "01020304 abcdef0123456789", DATAGRAM, .body = 20),
	STREAM(0, 1, 0x8000000000000000, "number-of-64-bits", OWN, NUMBER("8"),
	       "01020304 8000000000000000", DATAGRAM, .body = 20),
	R("numbers-none", OWN, NUMBERS, "01020304 fabcde 00", 0, 0, DATAGRAM, .body = 20),

	/* What it does not tell. */
	R("dscp", OWN, UDP("id = ip+1:1 payload+0:4\n"), "", ID, UNTOLD, DATAGRAM, .body = 50),
	R("ip-id", OWN, UDP("id = ip+4:2 payload+0:4\n"), "", ID, UNTOLD, DATAGRAM, .body = 50),
	R("ip-id-alone", OWN, UDP("id = ip+4:2\n"), "", ID, UNTOLD, DATAGRAM, .ip_id = 5),
	R("ttl", OWN, UDP("id = ip+8:1 payload+0:4\n"), "", ID, UNTOLD, DATAGRAM, .body = 50),
	R("ttl-of-a-gate", OWN, UDP("require = ip+8:1 == 0x40\nid = payload+0:4\n"), "", ID, UNTOLD,
	  DATAGRAM, .body = 50),
	R("other-ttl", OWN, UDP("require = ip+8:1 == 0x41\nid = payload+0:4\n"), "", 0, UNTOLD,
	  DATAGRAM, .body = 50),
	R("ip-checksum", OWN, UDP("id = ip+10:2 payload+0:4\n"), "", ID, UNTOLD, DATAGRAM, .body = 50),
	R("checksum", OWN, UDP("id = ip+26:2 payload+0:4\n"), "", ID, UNTOLD, DATAGRAM, .body = 50),
	R("flow-label", OWN, UDP("id = ip+0:4 payload+0:4\n"), "", ID, UNTOLD, DATAGRAM, .body = 50,
	  .ipv6 = true, .ip_id = 5),
	R("hop-limit", OWN, UDP("id = ip+7:1 payload+0:4\n"), "", ID, UNTOLD, DATAGRAM, .body = 50,
	  .ipv6 = true),
	R("mac", OWN, UDP("id = frame+6:6 payload+0:4\n"), "", ID, UNTOLD, DATAGRAM, .body = 50),
	R("end", OWN, UDP("id = end-4:4\n"), "", ID, UNTOLD, DATAGRAM, .body = 50),
	UNTOLD_OF(0, 2, 3, "count-of-a-mac", OWN,
		  UDP("source = payload+0:4\nsequence = payload+4:3\ncount = frame+6:1\n"),
		  "00000000 000003"),
	R("before-a-mac", "--profile payload:8001 --profile own:8001",
	  UDP("require = frame+6:1 == 0x55\nid = payload+0:4\n"), "", ID, ID, DATAGRAM, .body = 50),
	R("other-ttl-behind", "--profile one:8001 --profile own:8001",
	  GATE("one", "0xee") UDP("require = ip+8:1 == 0x41\nid = payload+0:4\n"), "", 0, UNTOLD,
	  DATAGRAM, .body = 50),
	STREAM(1, 1, 0, "behind-a-mac-of-ipv4", "--profile own:8001@10.0.0.0/8 --profile payload:8001",
	       UDP("require = frame+6:1 == 0x55\nid = payload+0:4\n"), "", DATAGRAM, .body = 50,
	       .ipv6 = true),
	STREAM(1, 1, 0, "behind-a-mac-elsewhere", "--profile own:8002 --profile payload:8001",
	       UDP("require = frame+6:1 == 0x55\nid = payload+0:4\n"), "", DATAGRAM, .body = 50),
	R("behind-mirror", "--profile mirror --profile payload:8001", NULL, "", ID, UNTOLD,
	  DATAGRAM, .body = 50),
	UNTOLD_OF(1, 1, 0, "behind-a-mac", "--profile own:8001 --profile payload:8001",
		  UDP("require = frame+6:1 == 0x55\nid = payload+0:4\n"), ""),
};

static struct frame frame; /* of the row */

static void build_frame(const struct row *row)
{
	uint8_t bytes[64];
	size_t len = from_hex(row->hex, bytes, sizeof(bytes));

	protocol_frame(&frame, &row->packet);
	memcpy(frame.data + frame.gsp, bytes, len);
	if (row->datagram != NOT_IP && !row->packet.fragment)
		plain_checksums(frame.data, frame.ip, frame.udp, row->packet.ipv6);
}

/* Loads the row's filter, and opens it. */
static struct xdp_dedup_filter *load_filter(const struct row *row)
{
	struct xdp_dedup_filter *f;

	e2e_tool("load ve0 --deliver xsk %s%s <<'END'\n%sEND\n", row->options,
		 row->own ? " --profiles /dev/stdin" : "", row->own ?: "");
	assert_int_equal(xdp_dedup_open(APP_NAME, &f), 0);
	return f;
}

/* An end of the datagram in the frame. `as_ipv6`: IPv4 is written as IPv6. */
static union address {
	struct sockaddr any;
	struct sockaddr_in ipv4;
	struct sockaddr_in6 ipv6;
} end_of(bool source, bool as_ipv6)
{
	const uint8_t *udp = frame.data + frame.udp;
	union address a = { .any.sa_family = AF_INET };
	bool ipv6 = frame.data[frame.ip] >> 4 == 6;
	const uint8_t *ip = frame.data + frame.ip + (ipv6 ? 8 : 12) + (source ? 0 : ipv6 ? 16 : 4);
	uint16_t port;

	memcpy(&port, udp + (source ? 0 : 2), 2);
	if (!ipv6 && !as_ipv6) {
		a.ipv4.sin_port = port;
		memcpy(&a.ipv4.sin_addr, ip, 4);
		return a;
	}
	a.ipv6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = port };
	memcpy(&a.ipv6.sin6_addr, &(struct in6_addr){ .s6_addr = { [10] = 0xff, 0xff } }, 16);
	memcpy(a.ipv6.sin6_addr.s6_addr + (ipv6 ? 0 : 12), ip, ipv6 ? 16 : 4);
	return a;
}

static int id_of_datagram(const struct xdp_dedup_filter *f, bool as_ipv6,
			  struct xdp_dedup_identity *out)
{
	union address from = end_of(true, as_ipv6), to = end_of(false, as_ipv6);
	struct xdp_dedup_datagram d = {
		.payload_len = frame.len - frame.padding - frame.gsp,
		.from = &from.any,
		.to = &to.any,
	};
	uint8_t *copy = malloc(d.payload_len ?: 1); /* of just these bytes */
	int result;

	assert_non_null(copy);
	memcpy(copy, frame.data + frame.gsp, d.payload_len);
	d.payload = copy;
	result = xdp_dedup_id_of(f, &d, out, sizeof(*out));
	free(copy);
	return result;
}

static int id_of_frame(const struct xdp_dedup_filter *f, struct xdp_dedup_identity *out)
{
	struct xdp_dedup_datagram d = { .frame_len = frame.len };
	uint8_t *copy = malloc(frame.len);
	int result;

	assert_non_null(copy);
	d.frame = memcpy(copy, frame.data, frame.len);
	result = xdp_dedup_id_of(f, &d, out, sizeof(*out));
	free(copy);
	return result;
}

/* The number that an id's bytes have, by the stream's description. */
static uint64_t number_in(const struct xdp_dedup_stream *s, const uint8_t *id)
{
	uint64_t number = 0;

	for (uint32_t i = s->bytes - s->number_bytes; i < s->bytes; i++)
		number = number << 8 | id[i];
	number >>= s->number_shift;
	return s->number_bits < 64 ? number & ((1ULL << s->number_bits) - 1) : number;
}

static void check_number(const struct xdp_dedup_filter *f, const struct row *row, const uint8_t *id)
{
	struct xdp_dedup_stream streams[4];

	assert_in_range(xdp_dedup_streams(f, streams, sizeof(*streams), 4), row->stream + 1, 4);
	if (streams[row->stream].number_bytes)
		assert_int_equal(number_in(&streams[row->stream], id), row->number);
}

static void check_id(const struct row *row, const struct xdp_dedup_identity *id,
		     const struct xdp_dedup_packet *p)
{
	assert_int_equal(id->stream, row->stream);
	assert_int_equal(id->stream, p->stream);
	assert_int_equal(id->messages, row->messages);
	assert_int_equal(id->number, row->number);
	assert_int_equal(id->len, p->id_len);
	assert_memory_equal(id->bytes, p->id, p->id_len);
}

/* The filter takes the packet for a fresh one, and delivers it. */
static void compare_with_receiver(const struct row *row, const struct xdp_dedup_filter *f)
{
	struct xdp_dedup_receiver *rx = app_open(app_options("ve0", 0, 0));
	struct xdp_dedup_identity id;
	struct xdp_dedup_packet p;

	app_send_raw(frame.data, frame.len);
	p = app_next(rx);
	assert_int_equal(p.len, frame.len);
	assert_memory_equal(p.data, frame.data, frame.len);
	assert_int_equal(id_of_frame(f, &id), 1);
	check_id(row, &id, &p);
	check_number(f, row, id.bytes);
	for (int as_ipv6 = 0; as_ipv6 < 2 && row->datagram == ID; as_ipv6++) {
		assert_int_equal(id_of_datagram(f, as_ipv6, &id), 1);
		check_id(row, &id, &p);
	}
	xdp_dedup_give_back(rx, &p, 1);
}

/* The filter does not look the packet up, among a few that the kernel sends. */
static void compare_with_counters(void)
{
	uint64_t before = e2e_counters(APP_NAME).rx;

	for (int i = 0; i < COPIES; i++)
		app_send_raw(frame.data, frame.len);
	for (int ms = 0; ms < PATIENCE_MS && e2e_counters(APP_NAME).rx < before + COPIES; ms++)
		usleep(1000);
	assert_true(e2e_counters(APP_NAME).rx >= before + COPIES);
	assert_int_equal(e2e_counters(APP_NAME).new, 0);
}

static void is_that_of_the_receiver(void **state)
{
	const struct row *row = *state;
	struct xdp_dedup_filter *f = load_filter(row);
	struct xdp_dedup_identity id;

	build_frame(row);
	assert_int_equal(id_of_frame(f, &id), row->frame);
	if (row->datagram != NOT_IP) {
		assert_int_equal(id_of_datagram(f, false, &id), row->datagram);
		assert_int_equal(id_of_datagram(f, true, &id), row->datagram);
	}
	if (row->frame == ID)
		compare_with_receiver(row, f);
	else
		compare_with_counters();
	xdp_dedup_close(f);
}

static bool is_up; /* the links, which all tests have */

static int unload(void **state)
{
	if (!is_up)
		app_setup(state);
	is_up = true;
	app_close_all();
	e2e_tool("unload --all");
	return 0;
}

int main(void)
{
	int failed;

	add_rows(ROWS, is_that_of_the_receiver, unload, NULL);
	failed = run_added_tests("lib_identity");
	if (is_up)
		app_teardown(NULL);
	return failed;
}
