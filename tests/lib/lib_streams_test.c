// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the library tells of a filter's streams and interfaces; the ids of datagrams whose addresses
 * are known in part.
 */
#include "lib_runner.h"

#include <net/if.h>

#include "xdp-dedup-streams.h"

/* Unloads all filters, and loads LIB_NAME with these options and this file of profiles. */
static struct xdp_dedup_filter *load(const char *options, const char *own)
{
	struct xdp_dedup_filter *f;

	lib_let_go();
	e2e_tool("unload --all");
	e2e_tool("load ve0 --name " LIB_NAME " %s%s <<'END'\n%sEND\n", options,
		 own ? " --profiles /dev/stdin" : "", own ?: "");
	assert_int_equal(xdp_dedup_open(LIB_NAME, &f), 0);
	return f;
}

/* All that is said of a stream, as a line. */
static const char *text_of(const struct xdp_dedup_stream *s)
{
	static char text[512];
	char group[INET6_ADDRSTRLEN];
	size_t at;

	at = snprintf(text, sizeof(text), "%s #%u%s%s%s%s bytes %u/%u digest %d", s->name, s->realm,
		      s->udp ? " udp" : "", s->app_learns ? " app" : "",
		      s->needs_frame ? " frame" : "", s->has_count ? " count" : "", s->bytes,
		      s->number_bytes, s->digest);
	if (s->digest_skip || s->digest_trailer)
		at += snprintf(text + at, sizeof(text) - at, " of %u.. -%u", s->digest_skip,
			       s->digest_trailer);
	if (s->number_bytes)
		at += snprintf(text + at, sizeof(text) - at, " bits %u>>%u%s", s->number_bits,
			       s->number_shift, s->number_little ? " little" : "");
	for (uint32_t i = 0; i < s->ports_cnt; i++)
		at += snprintf(text + at, sizeof(text) - at, " %u-%u", s->ports[i].first,
			       s->ports[i].last);
	for (uint32_t i = 0; i < s->groups_cnt; i++)
		at += snprintf(text + at, sizeof(text) - at, " %s",
			       inet_ntop(AF_INET6, &s->groups[i], group, sizeof(group)));
	return text;
}

#define STREAMS_MAX 7

static const struct description {
	const char *name, *options, *own, *streams[STREAMS_MAX];
} DESCRIPTIONS[] = {
	{ "describes-gsp",
	  "--port 8001,9000-9009 --learn app --to 239.1.1.1,10.0.0.0/8,ff05::7,224.0.0.0/4",
	  NULL,
	  { "gsp #0 udp app bytes 32/0 digest 0 8001-8001 9000-9009 ::ffff:239.1.1.1 ff05::7" } },
	{ "describes-feeds",
	  "--profile a=moldudp64:26400@233.252.0.1#feed --profile b=moldudp64:26401@233.252.0.2#feed "
	  "--profile rtp:5004 --profile payload:7",
	  NULL,
	  { "a #0 udp count bytes 18/8 digest 0 bits 64>>0 26400-26400 ::ffff:233.252.0.1",
	    "b #0 udp count bytes 18/8 digest 0 bits 64>>0 26401-26401 ::ffff:233.252.0.2",
	    "rtp #1 udp bytes 6/2 digest 0 bits 16>>0 5004-5004",
	    "payload #2 udp bytes 0/0 digest 1 7-7" } },
	{ "describes-frames",
	  "--profile mirror --profile mirror-l2 --profile hsr",
	  NULL,
	  { "mirror #0 frame bytes 0/0 digest 2", "mirror-l2 #1 frame bytes 0/0 digest 3",
	    "hsr #2 frame bytes 8/2 digest 0 bits 16>>0" } },
	{ "describes-own",
	  "--profile one:1 --profile two:2 --profile four:4@10.0.0.1 --profile six:6@fd00::1 "
	  "--profile gate:8 --profile net --profile little:9",
	  "[profile one]\nlayer = udp\nsource = payload+1:3\nsequence = payload+0:3/0x0ffff0\n"
	  "[profile little]\nlayer = udp\nsequence = payload+0:3le/0x0ffff0\ncount = payload+4:2le\n"
	  "[profile two]\nlayer = udp\nid = ip+8:1 payload+0:8 payload\n"
	  "[profile four]\nlayer = udp\nid = ip+12:4\nrequire = ip+9:1 == 0x11\n"
	  "[profile six]\nlayer = udp\nid = ip+8:16\nrequire = ip+6:1 == 0x11\n"
	  "[profile gate]\nlayer = udp\nid = payload+0:4\nrequire = ip+8:1 == 0x40\n"
	  "[profile net]\nlayer = ip\nid = ip+12:8\n",
	  { "one #0 udp bytes 6/3 digest 0 bits 16>>4 1-1", "two #1 udp frame bytes 9/0 digest 1 2-2",
	    "four #2 udp bytes 4/0 digest 0 4-4", "six #3 udp bytes 16/0 digest 0 6-6",
	    "gate #4 udp frame bytes 4/0 digest 0 8-8", "net #5 frame bytes 8/0 digest 0",
	    "little #6 udp count bytes 3/3 digest 0 bits 16>>4 little 9-9" } },
	{ "parts",
	  "--profile hep3:9060 --profile solana-shred-any:8001",
	  NULL,
	  { "hep3 #0 udp bytes 0/0 digest 1 of 99.. -0 9060-9060",
	    "solana-shred-any #1 udp bytes 0/0 digest 1 of 0.. -64 8001-8001" } },
};

TEST_ROWS(describes, DESCRIPTIONS)
{
	struct xdp_dedup_filter *f = load(row->options, row->own);
	struct xdp_dedup_stream streams[STREAMS_MAX];
	int cnt = xdp_dedup_streams(f, streams, sizeof(*streams), STREAMS_MAX);

	for (int i = 0; i < STREAMS_MAX && row->streams[i]; i++) {
		assert_true(i < cnt);
		assert_string_equal(text_of(&streams[i]), row->streams[i]);
	}
	assert_true(cnt == STREAMS_MAX || !row->streams[cnt]);
	xdp_dedup_close(f);
}

/* An application that was built with a shorter struct, or with a longer one. */
TEST(fills_in_what_there_is_room_for)
{
	struct xdp_dedup_filter *f = load("--profile a=payload:7 --profile b=payload:8", NULL);
	struct {
		struct xdp_dedup_stream stream;
		char more[8];
	} longer[2];
	char shorter[3][40];

	memset(longer, 0x55, sizeof(longer));
	memset(shorter, 0x55, sizeof(shorter));
	assert_int_equal(xdp_dedup_streams(f, NULL, sizeof(struct xdp_dedup_stream), 0), 2);
	assert_int_equal(xdp_dedup_streams(f, (void *)shorter, sizeof(*shorter), 3), 2);
	assert_string_equal(shorter[0], "a");
	assert_string_equal(shorter[1], "b");
	assert_int_equal(shorter[2][0], 0x55);
	assert_int_equal(xdp_dedup_streams(f, &longer[0].stream, sizeof(*longer), 1), 2);
	assert_int_equal(longer[0].more[7], 0);
	assert_int_equal(longer[1].stream.name[0], 0x55);
	xdp_dedup_close(f);
}

static uint32_t queues_of(const char *ifname)
{
	char out[32];

	assert_int_equal(sh_out(out, sizeof(out),
				"ls -d /sys/class/net/%s/queues/rx-* 2>/dev/null | wc -l", ifname),
			 0);
	return atoi(out);
}

TEST(interfaces_are_those_here)
{
	struct xdp_dedup_interface all[4];
	struct xdp_dedup_filter *f;
	int cnt;

	lib_let_go();
	e2e_tool("unload --all");
	e2e_tool("load ve0 ve1 --name " LIB_NAME " --profile payload:7");
	assert_int_equal(xdp_dedup_open(LIB_NAME, &f), 0);
	assert_int_equal(xdp_dedup_interfaces(f, NULL, sizeof(*all), 0), 2);
	assert_int_equal(xdp_dedup_interfaces(f, all, sizeof(*all), 4), 2);
	for (int i = 0; i < 2; i++) {
		assert_string_equal(all[i].name, i ? "ve1" : "ve0");
		assert_int_equal(all[i].index, if_nametoindex(all[i].name));
		assert_in_range(all[i].queues, 1, queues_of(all[i].name) ?: 64);
	}
	netns_enter(e2e_far());
	assert_int_equal(xdp_dedup_interfaces(f, all, sizeof(*all), 4), 0);
	netns_enter(0);
	sh("ip link set ve1 down; ip link set ve1 name other");
	assert_int_equal(xdp_dedup_interfaces(f, all, sizeof(*all), 4), 2);
	assert_string_equal(all[1].name, "other");
	sh("ip link set other name ve1; ip link set ve1 up");
	e2e_tool("unload ve1");
	assert_int_equal(xdp_dedup_interfaces(f, all, sizeof(*all), 4), 1);
	assert_string_equal(all[0].name, "ve0");
	limit_descriptors(0);
	cnt = xdp_dedup_interfaces(f, all, sizeof(*all), 4);
	limit_descriptors(-1);
	assert_int_equal(cnt, -EMFILE);
	xdp_dedup_close(f);
}

/* An address and a port; NULL: none. */
static const struct sockaddr *address_of(const char *text, uint16_t port, struct sockaddr_storage *out)
{
	struct sockaddr_in6 *ipv6 = (void *)out;
	struct sockaddr_in *ipv4 = (void *)out;

	*out = (struct sockaddr_storage){ .ss_family = AF_INET };
	if (!text)
		return NULL;
	if (!strcmp(text, "unix"))
		out->ss_family = AF_UNIX;
	else if (inet_pton(AF_INET, text, &ipv4->sin_addr) == 1)
		ipv4->sin_port = htons(port);
	else
		*ipv6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(port) };
	if (out->ss_family == AF_INET6)
		assert_int_equal(inet_pton(AF_INET6, text, &ipv6->sin6_addr), 1);
	return (const void *)out;
}

/* What a socket knows of a datagram. */
struct known {
	const char *from, *to; /* NULL: nothing */
	uint16_t port;	       /* of `to`; 0: unknown */
};

/* Returns what xdp_dedup_id_of() returns. */
static int id_of(const struct xdp_dedup_filter *f, const struct known *k, const void *payload,
		 uint32_t len, struct xdp_dedup_identity *out)
{
	struct sockaddr_storage from, to;
	const struct xdp_dedup_datagram d = {
		.payload = payload,
		.payload_len = len,
		.from = address_of(k->from, 4001, &from),
		.to = address_of(k->to, k->port, &to),
	};

	return xdp_dedup_id_of(f, &d, out, sizeof(*out));
}

#define ID_PROFILE "[profile id]\nlayer = udp\nid = payload+0:4\n"
#define DESTINATIONS                                                                   \
	"--profile a=id:5000@239.1.1.1 --profile b=id:6000@10.0.0.0/8,fd00::/8 "       \
	"--profile to:7000,7002 --profile port:8000-8001 --profile one:9000@10.1.1.1 " \
	"--profile from:10000 --profile any=to:11000@10.1.0.0/16 "                     \
	"--profile two=to:12000@10.1.1.1,10.1.1.2 --profile only:13000"
#define DESTINATION_PROFILES                                                                   \
	ID_PROFILE                                                                             \
	"[profile to]\nlayer = udp\nrequire = payload+0:1 == 0x74\nid = ip+16:4 payload+0:4\n" \
	"[profile port]\nlayer = udp\nrequire = payload+0:1 == 0x70\nid = ip+22:2\n"           \
	"[profile one]\nlayer = udp\nrequire = payload+0:1 == 0x6f\nid = ip+16:4 ip+22:2\n"    \
	"[profile from]\nlayer = udp\nrequire = payload+0:1 == 0x66\nid = ip+12:4\n"           \
	"[profile only]\nlayer = udp\nrequire = payload+0:1 == 0x4f\nid = ip+22:2\n"

#define IPV4 "10.0.0.1"
#define IPV6 "fd00::1"

#define NO_ID 99

/* What is known of a datagram, and what is found then. */
static const struct destination {
	const char *name;
	struct known known;
	const char *payload;
	int found; /* the stream; NO_ID; or an error */
} TO[] = {
	{ "all", { IPV4, "239.1.1.1", 5000 }, "text", 0 },
	{ "all-as-ipv6", { "::ffff:10.0.0.1", "::ffff:239.1.1.1", 5000 }, "text", 0 },
	{ "other-group", { IPV4, "239.1.1.2", 5000 }, "text", NO_ID },
	{ "other-port", { IPV4, "239.1.1.1", 5001 }, "text", NO_ID },
	{ "prefix", { IPV4, "10.2.3.4", 6000 }, "text", 1 },
	{ "prefix-ipv6", { IPV6, "fd00::2", 6000 }, "text", 1 },

	{ "nothing", { NULL, NULL, 0 }, "text", 0 },
	{ "source", { IPV4, NULL, 0 }, "text", 0 },
	{ "port", { IPV4, "0.0.0.0", 6000 }, "text", 1 },
	{ "port-ipv6", { IPV6, "::", 6000 }, "text", 1 },

	/* An id of what may be unknown. If the stream accepts one address or port only, it is that. */
	{ "id-of-address", { IPV4, "10.2.3.4", 7000 }, "text", 2 },
	{ "id-of-unknown-address", { IPV4, "0.0.0.0", 7002 }, "text", -ENODATA },
	{ "id-of-port", { IPV4, "0.0.0.0", 8001 }, "port", 3 },
	{ "id-of-unknown-port", { IPV4, "192.0.2.1", 0 }, "port", -ENODATA },
	{ "id-of-only-port", { IPV4, "192.0.2.1", 0 }, "Only", 8 },
	{ "id-of-only-address", { IPV4, "0.0.0.0", 9000 }, "one!", 4 },
	{ "id-of-source", { IPV4, "10.1.1.1", 10000 }, "from", 5 },
	{ "id-of-unknown-source", { NULL, "10.1.1.1", 10000 }, "from", -ENODATA },
	{ "id-of-prefix", { IPV4, "0.0.0.0", 11000 }, "text", -ENODATA },
	{ "id-of-two-addresses", { IPV4, "0.0.0.0", 12000 }, "text", -ENODATA },

	{ "to-other-family", { IPV4, "fd00::2", 6000 }, "text", -EINVAL },
	{ "to-any-of-other-family", { IPV6, "0.0.0.0", 6000 }, "text", -EINVAL },
	{ "from-no-ip", { "unix", NULL, 0 }, "text", -EAFNOSUPPORT },
	{ "to-no-ip", { IPV4, "unix", 0 }, "text", -EAFNOSUPPORT },
};

/* All with one filter. */
TEST(knows_destinations_in_part)
{
	struct xdp_dedup_filter *f = load(DESTINATIONS, DESTINATION_PROFILES);
	struct xdp_dedup_identity id;

	for (size_t i = 0; i < ARRAY_SIZE(TO); i++) {
		int found = id_of(f, &TO[i].known, TO[i].payload, 4, &id);

		if (found >= 0)
			found = found ? (int)id.stream : NO_ID;
		if (found != TO[i].found)
			fail_msg("%s: %d", TO[i].name, found);
	}
	xdp_dedup_close(f);
}

TEST(refuses_impossible_payloads)
{
	static const uint8_t payload[UINT16_MAX] = { [9007] = 1 };
	static const struct {
		const char *from;
		const void *payload;
		uint32_t len;
		int result;
	} PAYLOADS[] = {
		{ IPV4, payload, 65507, 1 }, { IPV4, payload, 65508, -EMSGSIZE },
		{ IPV6, payload, 65527, 1 }, { IPV6, payload, 65528, -EMSGSIZE },
		{ IPV6, NULL, 1, -EINVAL },  { IPV6, NULL, 0, 0 },
	};
	struct xdp_dedup_filter *f = load("--profile own:7", "[profile own]\nlayer = udp\n"
							     "id = payload+9000:8\n");
	struct xdp_dedup_identity id;

	for (size_t i = 0; i < ARRAY_SIZE(PAYLOADS); i++)
		assert_int_equal(id_of(f, &(struct known){ .from = PAYLOADS[i].from },
				       PAYLOADS[i].payload, PAYLOADS[i].len, &id),
				 PAYLOADS[i].result);
	xdp_dedup_close(f);
}

/* An id tells of which list its stream is: before and after `set`. */
TEST(lists_are_told_apart)
{
	struct xdp_dedup_filter *f = load("--profile a=id:5000 --profile b=id:5001", ID_PROFILE);
	struct known to_b = { IPV4, "10.0.0.2", 5001 };
	struct xdp_dedup_stream streams[2];
	struct xdp_dedup_identity id;
	uint32_t before;

	assert_int_equal(id_of(f, &to_b, "text", 4, &id), 1);
	assert_int_equal(xdp_dedup_streams(f, streams, sizeof(*streams), 2), 2);
	before = id.change;
	assert_int_equal(streams[0].change, before);
	assert_int_equal(streams[1].change, before);
	e2e_tool("set " LIB_NAME " --profile b=id:5001 --profile a=id:5000 "
		 "--profiles /dev/stdin <<'END'\n" ID_PROFILE "END\n");
	assert_int_equal(id_of(f, &to_b, "text", 4, &id), 1);
	assert_int_equal(id.stream, 0);
	assert_int_not_equal(id.change, before);
	assert_int_equal(xdp_dedup_streams(f, streams, sizeof(*streams), 2), 2);
	assert_int_equal(streams[0].change, id.change);
	assert_string_equal(streams[0].name, "b");
	e2e_tool("resize " LIB_NAME " --capacity 30k");
	assert_int_equal(id_of(f, &to_b, "text", 4, &id), 1);
	assert_int_equal(id.stream, 0);
	xdp_dedup_close(f);
}

/* Machines with other versions compare them: they never change. */
TEST(profiles_have_hashes)
{
	static const uint64_t HASHES[] = { 0x5726f801b07af0fa, 0x1010f618fbd9a1c, 0x14d7add657ff67a3 };
	struct xdp_dedup_filter *f =
		load("--profile gsp:8001 --profile rtp:5004 --profile hep3:9060", NULL);
	struct xdp_dedup_stream streams[ARRAY_SIZE(HASHES)];
	int cnt = xdp_dedup_streams(f, streams, sizeof(*streams), ARRAY_SIZE(HASHES));

	assert_int_equal(cnt, ARRAY_SIZE(HASHES));
	for (size_t i = 0; i < ARRAY_SIZE(HASHES); i++)
		assert_int_equal(streams[i].profile, HASHES[i]);
	xdp_dedup_close(f);
}

LIB_MAIN()
