// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp_dedup_id_of() finds the id of a frame, and of a datagram from a UDP socket. It must be the id
 * that an AF_XDP receiver gets with the packet; if that gets none, there must be none.
 */
#include "packet.h"
#include "receive_runner.h"

#include <sys/mman.h>

#include "await.h"
#include "protocol_packets.h"
#include "xdp-dedup-streams.h"
#include "xdp-dedup.h"

#define COPIES 20
#define BODY 60
#define MULTICAST(n) .to_mac = { 1, 0, 0x5e, 0x7c, 0, n }, .to = { 233, 252, 0, n }
#define FEEDS                                           \
	"--profile a=moldudp64:26400@233.252.0.1#feed " \
	"--profile b=moldudp64:26400@233.252.0.2#feed"
#define GSP(type, count) "47535031 0" #type "0" #count "0000 00112233 44556677 8899aabb ccddeeff"
#define GATE(name, value) \
	"[profile " name "]\nlayer = udp\nrequire = payload+0:1 == " value "\nid = payload+1:4\n"
#define NUMBERS "source = ip+12:4 payload+0:4\nsequence = payload+4:3/0x0fffff\ncount = payload+7:1"
#define NUMBER(bytes) "source = payload+0:4\nsequence = payload+4:" bytes

/* Whether the frame, and the datagram from a socket, have the id. */
enum found { BOTH, NEITHER, FRAME_TELLS, SOCKET_TELLS, NOBODY_TELLS, NO_SOCKET };

static const struct results {
	int frame, datagram;
} RESULTS[] = {
	[BOTH] = { 1, 1 },
	[NEITHER] = { 0, 0 },
	[FRAME_TELLS] = { 1, -ENODATA },
	[SOCKET_TELLS] = { 0, 1 },
	[NOBODY_TELLS] = { 0, -ENODATA },
	[NO_SOCKET] = { 1, 0 }, /* no socket gets such a frame */
};

static const struct row {
	const char *name;
	const char *options; /* NULL: the profile `own` on port 8001 */
	enum found found;
	uint32_t stream;
	const char *own, *file;	       /* lines of the profile `own`; other profiles; NULL: none */
	const char *hex;	       /* what the payload begins with; NULL: any bytes */
	struct protocol_packet packet; /* by default a DATAGRAM of BODY bytes */
	uint32_t messages;	       /* 0 stands for 1 */
	bool empty;		       /* the DATAGRAM has no bytes */
	uint64_t number;
} ROWS[] = {
	/* GSP/1, without streams and as one of them. */
	{ "gsp", "--port 8001", BOTH, .hex = GSP(1, 1) },
	{ "gsp-vlan", "--port 8001 --vlan 7", BOTH, .hex = GSP(1, 1),
	  .packet = { .tags = { 0x8100 }, .tci = { 7 } } },
	{ "gsp-other-vlan", "--port 8001 --vlan 7", SOCKET_TELLS, .hex = GSP(1, 1),
	  .packet = { .tags = { 0x8100 }, .tci = { 8 } } },
	{ "gsp-ihave", "--port 8001", NEITHER, .hex = GSP(2, 1) },
	{ "gsp-two-ids", "--port 8001", NEITHER, .hex = GSP(1, 2), .packet = { .body = 90 } },
	{ "gsp-other-host", "--port 8001 --to 10.10.10.11", NEITHER, .hex = GSP(1, 1) },
	{ "gsp-fragment", "--port 8001", SOCKET_TELLS, .hex = GSP(1, 1),
	  .packet = { .fragment = 0x2000 } },
	{ "gsp-stream", "--profile payload:5000 --profile gsp:8001", BOTH, .hex = GSP(1, 1),
	  .stream = 1 },

	/* The other built-in profiles. */
	{ "shred-data", "--profile solana-shred:8001", BOTH,
	  .packet = { .protocol = SHRED, .variant = 0x96 } },
	{ "shred-none", "--profile solana-shred:8001", NEITHER,
	  .packet = { .protocol = SHRED, .variant = 0xc6 } },
	{ "discv4", "--profile discv4", BOTH, .packet = { .protocol = DISCV4, .port = 30303 } },
	{ "payload", "--profile payload:8001", BOTH, .packet = { .body = 1400 } },
	{ "payload-empty", "--profile payload:8001", NEITHER, .empty = true },
	{ "moldudp64", FEEDS, BOTH,
	  .packet = { .protocol = MOLDUDP64, .sequence = 77, .count = 3, .port = 26400, MULTICAST(2) },
	  .stream = 1, .messages = 3, .number = 77 },
	{ "moldudp64-heartbeat", FEEDS, NEITHER,
	  .packet = { .protocol = MOLDUDP64, .count = 0, .port = 26400, MULTICAST(1) } },
	{ "rtp", "--profile rtp:5004", BOTH,
	  .packet = { .protocol = RTP, .sequence = 65535, .body = 20, .port = 5004 },
	  .number = 65535 },
	{ "r-tag", "--profile r-tag", NO_SOCKET,
	  .packet = { .protocol = R_TAG, .sequence = 5, .body = 50 }, .number = 5 },
	{ "mirror", "--profile mirror", FRAME_TELLS, .packet = { .to_mac = { 2 } } },

	/* Several streams. */
	{ "by-gate", "--profile one:8001 --profile two:8001", BOTH,
	  .file = GATE("one", "0x01") GATE("two", "0x02"), .hex = "02 a1b2c3d4", .stream = 1 },
	{ "by-port", "--profile a=payload:5000#x --profile b=payload:8000-8009#x", BOTH, .stream = 1 },
	{ "before-mirror", "--profile payload:8001 --profile mirror", BOTH, .own = NULL },

	/* What a socket tells. */
	{ "addresses", NULL, BOTH, .own = "id = ip+12:8 payload+0:4", .packet = { .from = 9 } },
	{ "lengths", NULL, BOTH, .own = "id = ip+2:2 ip+24:2 payload+0:4" },
	{ "version", NULL, BOTH,
	  .own = "require = ip+0:1 == 0x45\nrequire = ip+9:1 == 0x11\nid = payload" },
	{ "ethertype", NULL, BOTH, .own = "require = tag-2:2 == 0x0800\nid = payload" },
	{ "too-short", NULL, NEITHER, .own = "id = payload+0:64", .packet = { .body = 63 } },
	{ "zeros", NULL, NEITHER, .own = "id = payload+0:6", .hex = "00000000 0000" },
	{ "ip-behind-the-headers", NULL, BOTH, .own = "id = ip+30:12" },
	{ "numbers", NULL, BOTH, .own = NUMBERS, .hex = "01020304 fabcde 07", .messages = 7,
	  .number = 0xabcde },
	/* A number that does not fill its bytes: of other bits, or beside them. */
	{ "number-of-lower-bits", NULL, BOTH, .own = NUMBER("8/0x000000000000ffff"),
	  .hex = "01020304 998877665544abcd", .number = 0xabcd },
	{ "number-of-upper-bits", NULL, BOTH, .own = NUMBER("8/0xfffffffffffffff0"),
	  .hex = "01020304 abcdef0123456789", .number = 0xabcdef012345678 },
	{ "number-of-64-bits", NULL, BOTH, .own = NUMBER("8"), .hex = "01020304 8000000000000000",
	  .number = 0x8000000000000000 },

	/* What it does not tell. */
	{ "dscp", NULL, FRAME_TELLS, .own = "id = ip+1:1 payload+0:4" },
	{ "ttl", NULL, FRAME_TELLS, .own = "id = ip+8:1 payload+0:4" },
	{ "ttl-of-a-gate", NULL, FRAME_TELLS, .own = "require = ip+8:1 == 0x40\nid = payload+0:4" },
	{ "other-ttl", NULL, NOBODY_TELLS, .own = "require = ip+8:1 == 0x41\nid = payload+0:4" },
	{ "checksum", NULL, FRAME_TELLS, .own = "id = ip+26:2 payload+0:4" },
	{ "end", NULL, FRAME_TELLS, .own = "id = end-4:4" },
	{ "little-endian", NULL, BOTH,
	  .own = "source = payload+0:4\nsequence = payload+4:3le/0x0fffff\ncount = payload+7:2le",
	  .hex = "00000000 452391 0300", .messages = 3, .number = 0x12345 },
	{ "little-endian-of-the-header", NULL, BOTH, /* the datagram's length, in the other order */
	  .own = "sequence = ip+24:2le", .number = 0x4400 },
	{ "before-a-mac", "--profile payload:8001 --profile own:8001", BOTH,
	  .own = "require = frame+6:1 == 0x55\nid = payload+0:4" },
	{ "behind-a-mac-of-ipv4", "--profile own:8001@10.0.0.0/8 --profile payload:8001", BOTH,
	  .own = "require = frame+6:1 == 0x55\nid = payload+0:4", .packet = { .ipv6 = true },
	  .stream = 1 },
	{ "behind-a-mac-elsewhere", "--profile own:8002 --profile payload:8001", BOTH,
	  .own = "require = frame+6:1 == 0x55\nid = payload+0:4", .stream = 1 },
	{ "behind-mirror", "--profile mirror --profile payload:8001", FRAME_TELLS, .own = NULL },
	{ "behind-a-mac", "--profile own:8001 --profile payload:8001", FRAME_TELLS,
	  .own = "require = frame+6:1 == 0x55\nid = payload+0:4", .stream = 1 },
};

static struct frame frame; /* of the row */

static void build_frame(const struct row *row)
{
	struct protocol_packet packet = row->packet;
	uint8_t bytes[64];
	size_t len = from_hex(row->hex ?: "", bytes, sizeof(bytes));

	if (!packet.protocol) {
		packet.protocol = DATAGRAM;
		packet.body = packet.body ?: row->empty ? 0 : BODY;
	}
	protocol_frame(&frame, &packet);
	memcpy(frame.data + frame.gsp, bytes, len);
	if (row->found != NO_SOCKET && !row->packet.fragment)
		frame_checksums(&frame);
}

/* Loads the row's filter, and opens it. */
static struct xdp_dedup_filter *load_filter(const struct row *row)
{
	struct xdp_dedup_filter *f;

	e2e_tool("load ve0 --deliver xsk %s%s <<'END'\n%s%s%s\nEND\n",
		 row->options ?: "--profile own:8001",
		 row->own || row->file ? " --profiles /dev/stdin" : "", row->file ?: "",
		 row->own ? "[profile own]\nlayer = udp\n" : "", row->own ?: "");
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

/* Asks about a copy of these bytes, so that sanitizers see if others are read. */
static int id_of_copy(const struct xdp_dedup_filter *f, struct xdp_dedup_datagram d,
		      struct xdp_dedup_identity *out)
{
	uint32_t len = d.frame ? d.frame_len : d.payload_len;
	uint8_t *copy = malloc(len ?: 1);
	int result;

	assert_non_null(copy);
	memcpy(copy, d.frame ?: d.payload, len);
	*(d.frame ? &d.frame : &d.payload) = copy;
	result = xdp_dedup_id_of(f, &d, out, sizeof(*out));
	free(copy);
	return result;
}

static int id_of_datagram(const struct xdp_dedup_filter *f, bool as_ipv6,
			  struct xdp_dedup_identity *out)
{
	union address from = end_of(true, as_ipv6), to = end_of(false, as_ipv6);

	return id_of_copy(f,
			  (struct xdp_dedup_datagram){
				  .payload = frame.data + frame.gsp,
				  .payload_len = frame.len - frame.padding - frame.gsp,
				  .from = &from.any,
				  .to = &to.any,
			  },
			  out);
}

static int id_of_frame(const struct xdp_dedup_filter *f, struct xdp_dedup_identity *out)
{
	return id_of_copy(
		f, (struct xdp_dedup_datagram){ .frame = frame.data, .frame_len = frame.len }, out);
}

/* The number that an id's bytes have, by the stream's description. */
static uint64_t number_in(const struct xdp_dedup_stream *s, const uint8_t *id)
{
	uint64_t number = 0;

	for (uint32_t i = 0; i < s->number_bytes; i++)
		number = number << 8 |
			 id[s->number_little ? s->bytes - 1 - i : s->bytes - s->number_bytes + i];
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
	assert_int_equal(id->messages, row->messages ?: 1);
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
	for (int as_ipv6 = 0; as_ipv6 < 2 && row->found == BOTH; as_ipv6++) {
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
	AWAIT(e2e_counters(APP_NAME).rx >= before + COPIES);
	assert_int_equal(e2e_counters(APP_NAME).new, 0);
}

TEST_ROWS(is_that_of_the_receiver, ROWS)
{
	struct xdp_dedup_filter *f = load_filter(row);
	struct xdp_dedup_identity id;

	build_frame(row);
	assert_int_equal(id_of_frame(f, &id), RESULTS[row->found].frame);
	if (row->found != NO_SOCKET) {
		assert_int_equal(id_of_datagram(f, false, &id), RESULTS[row->found].datagram);
		assert_int_equal(id_of_datagram(f, true, &id), RESULTS[row->found].datagram);
	}
	if (RESULTS[row->found].frame == 1)
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

	add_own_tests(unload, NULL);
	failed = run_added_tests("lib_identity");
	if (is_up)
		app_teardown(NULL);
	return failed;
}
