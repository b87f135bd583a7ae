// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The packet program's way to the ids: what is gossip, what is none, what is malformed. */
#include "fixture.h"

#include <netinet/in.h>

#include <linux/if_ether.h>

#include "kernel.h"

#define FRAME_MIN ETH_HLEN /* test runs take no less */

#define V4                    \
	{                     \
		.ipv6 = false \
	}
#define V6                   \
	{                    \
		.ipv6 = true \
	}
#define TAGS(...)                       \
	{                               \
		.tags = { __VA_ARGS__ } \
	}
#define TAGS_V6(...)                                  \
	{                                             \
		.tags = { __VA_ARGS__ }, .ipv6 = true \
	}
/* `cnt` extension headers, their length field and protocols. */
#define EXT(cnt, len, ...)                                                                 \
	{                                                                                  \
		.ipv6 = true, .extensions_cnt = cnt, .extension_len = len, .extensions = { \
			__VA_ARGS__                                                        \
		}                                                                          \
	}

/* What gossip may look like. */
static const struct variant {
	const char *name;
	struct frame_plan plan;
} VARIANTS[] = {
	{ "IPv4", V4 },
	{ "IPv6", V6 },
	{ "802.1Q, IPv4", TAGS(ETH_P_8021Q) },
	{ "802.1Q, IPv6", TAGS_V6(ETH_P_8021Q) },
	{ "802.1ad, IPv4", TAGS(ETH_P_8021AD) },
	{ "QinQ, IPv4", TAGS(ETH_P_8021AD, ETH_P_8021Q) },
	{ "QinQ, IPv6", TAGS_V6(ETH_P_8021AD, ETH_P_8021Q) },
	{ "two 802.1Q, IPv4", TAGS(ETH_P_8021Q, ETH_P_8021Q) },
	{ "body", { .body = 1000 } },
	{ "ihl 6", { .option_words = 1 } },
	{ "ihl 15, QinQ", { .option_words = 10, .tags = { ETH_P_8021AD, ETH_P_8021Q } } },
	{ "hop-by-hop", EXT(1, 0, IPPROTO_HOPOPTS) },
	{ "routing, 24 bytes", EXT(1, 2, IPPROTO_ROUTING) },
	{ "destination options, 2048 bytes", EXT(1, 255, IPPROTO_DSTOPTS) },
	{ "AH, 12 bytes", EXT(1, 1, IPPROTO_AH) },
	{ "AH and options, 3076 bytes", EXT(2, 255, IPPROTO_AH, IPPROTO_DSTOPTS) },
	{ "six extension headers", EXT(6, 2, IPPROTO_HOPOPTS, IPPROTO_DSTOPTS, IPPROTO_ROUTING,
				       IPPROTO_AH, IPPROTO_DSTOPTS, IPPROTO_ROUTING) },
};

static void build(struct frame *f, const struct variant *variant, enum gsp_type type,
		  const struct id *ids, int count)
{
	struct frame_plan plan = variant->plan;

	plan.type = type;
	plan.count = count;
	frame_build(f, &plan, ids);
	fixture.row = variant->name;
}

TEST(every_variant_is_recognized)
{
	struct frame event, ihave, iwant;

	for (size_t i = 0; i < ARRAY_SIZE(VARIANTS); i++) {
		struct id id = id_fresh();

		build(&event, &VARIANTS[i], GSP_EVENT, &id, 1);
		build(&ihave, &VARIANTS[i], GSP_IHAVE, &id, 1);
		build(&iwant, &VARIANTS[i], GSP_IWANT, &id, 1);
		expect(&ihave, XDP_PASS, DEDUP_REASON_ihave_new);
		expect(&iwant, XDP_PASS, DEDUP_REASON_exempt);
		expect(&event, XDP_PASS, DEDUP_REASON_new);
		expect(&event, XDP_DROP, DEDUP_REASON_duplicate);
		expect(&event, XDP_DROP, DEDUP_REASON_duplicate);
		expect(&ihave, XDP_DROP, DEDUP_REASON_ihave_duplicate);
		expect(&iwant, XDP_PASS, DEDUP_REASON_exempt);
		/* An id is one id in whatever packet it comes. */
		expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
		/* What is behind the payload or reserved does not matter. */
		memset(event.data + event.len, 0xee, 60);
		event.len += 60;
		event.padding += 60;
		frame_put(&event, event.gsp + offsetof(struct gsp_header, reserved), 2, 0xffff);
		expect(&event, XDP_DROP, DEDUP_REASON_duplicate);
	}
}

static void expect_cuts_refused(const struct frame *whole)
{
	struct frame cut = *whole;

	for (cut.len = FRAME_MIN; cut.len < whole->len; cut.len++)
		expect(&cut, XDP_PASS, DEDUP_REASON_truncated);
}

TEST(cut_anywhere_it_is_truncated)
{
	struct frame event, ihave, iwant;

	for (size_t i = 0; i < ARRAY_SIZE(VARIANTS); i++) {
		struct id ids[2] = { id_fresh(), id_fresh() };

		build(&event, &VARIANTS[i], GSP_EVENT, ids, 1);
		build(&ihave, &VARIANTS[i], GSP_IHAVE, ids, 2);
		build(&iwant, &VARIANTS[i], GSP_IWANT, ids, 2);
		expect_cuts_refused(&event);
		expect_cuts_refused(&ihave);
		expect_cuts_refused(&iwant);
		expect(&ihave, XDP_PASS, DEDUP_REASON_ihave_new);
		expect(&event, XDP_PASS, DEDUP_REASON_new);
		expect_event(&ids[1], XDP_PASS, DEDUP_REASON_new);
		expect_cuts_refused(&event);
		expect_cuts_refused(&ihave);
		expect(&event, XDP_DROP, DEDUP_REASON_duplicate);
		expect(&ihave, XDP_DROP, DEDUP_REASON_ihave_duplicate);
	}
}

enum layer { ETH, IP, UDP, GSP };

static uint32_t layer_at(const struct frame *f, enum layer layer)
{
	return layer == GSP ? f->gsp : layer == UDP ? f->udp : layer == IP ? f->ip : 0;
}

#define HOP_BY_HOP EXT(1, 0, IPPROTO_HOPOPTS)
#define HAS_AH EXT(1, 0, IPPROTO_AH)

/* One thing wrong with each of these: one for each reason, and what the sweeps below do not have. */
static const struct {
	const char *name;
	struct frame_plan plan;
	enum layer layer; /* the bytes to overwrite, from this header on */
	uint32_t offset, bytes, value;
	enum dedup_reason reason;
} REFUSED[] = {
	{ "three tags", TAGS(ETH_P_8021AD, ETH_P_8021Q, ETH_P_8021Q), ETH, 0, 0, 0,
	  DEDUP_REASON_ignored },

	{ "IPv4 first fragment", V4, IP, 6, 2, 0x2000, DEDUP_REASON_fragment },
	{ "IPv4 TCP", V4, IP, 9, 1, IPPROTO_TCP, DEDUP_REASON_ignored },

	{ "IPv6 fragment", EXT(1, 0, IPPROTO_FRAGMENT), IP, 42, 2, 1, DEDUP_REASON_fragment },
	{ "IPv6 fragment of one", EXT(1, 0, IPPROTO_FRAGMENT), IP, 42, 2, 0, DEDUP_REASON_fragment },
	{ "TCP behind options", HOP_BY_HOP, IP, 40, 1, IPPROTO_TCP, DEDUP_REASON_ignored },
	{ "options past the payload", HOP_BY_HOP, IP, 41, 1, 7, DEDUP_REASON_bad_ip },
	{ "options, but no payload", HOP_BY_HOP, IP, 4, 2, 0, DEDUP_REASON_bad_ip },
	{ "AH past the payload", HAS_AH, IP, 41, 1, 15, DEDUP_REASON_bad_ip },
	{ "options up to the end", HOP_BY_HOP, IP, 41, 1, 6, DEDUP_REASON_truncated },
	{ "seven extension headers",
	  EXT(7, 0, IPPROTO_HOPOPTS, IPPROTO_DSTOPTS, IPPROTO_ROUTING, IPPROTO_AH, IPPROTO_DSTOPTS,
	      IPPROTO_ROUTING, IPPROTO_DSTOPTS),
	  IP, 0, 0, 0, DEDUP_REASON_bad_ip },

	{ "only from our port", V4, UDP, 0, 4, GOSSIP_PORT << 16 | 53, DEDUP_REASON_ignored },
	{ "UDP past the IP payload", V4, UDP, 4, 2, 49, DEDUP_REASON_bad_udp },
	{ "UDP past it in the padding", { .padding = 20 }, UDP, 4, 2, 49, DEDUP_REASON_bad_udp },

	{ "EVENT of two ids", { .body = 32 }, GSP, 5, 1, 2, DEDUP_REASON_bad_count },
	{ "payload ends in the id", V4, UDP, 4, 2, 8 + 39, DEDUP_REASON_bad_length },
};

/* Passed for this reason whether its id is known or not, and teaching nothing. */
static void expect_refused(const struct frame *f, const struct id *id, enum dedup_reason reason)
{
	expect(f, XDP_PASS, reason);
	expect_event(id, XDP_PASS, DEDUP_REASON_new);
	expect(f, XDP_PASS, reason);
	expect_event(id, XDP_DROP, DEDUP_REASON_duplicate);
}

TEST(what_is_wrong_passes_and_teaches_nothing)
{
	struct frame f;

	for (size_t i = 0; i < ARRAY_SIZE(REFUSED); i++) {
		struct id id = id_fresh();

		fixture.row = REFUSED[i].name;
		frame_build(&f, &REFUSED[i].plan, &id);
		frame_put(&f, layer_at(&f, REFUSED[i].layer) + REFUSED[i].offset, REFUSED[i].bytes,
			  REFUSED[i].value);
		expect_refused(&f, &id, REFUSED[i].reason);
	}
}

/* Sweeps send IWANT, which leaves no trace: exempt says that all was well. */
static void build_iwant(struct frame *f, struct frame_plan plan)
{
	struct id id = id_fresh();

	plan.type = GSP_IWANT;
	frame_build(f, &plan, &id);
}

/* Every value of a header field, BYTES at LAYER + OFFSET: what it makes of a good IWANT, whose UDP
 * length is 48. A later range overrides an earlier one.
 */
static const struct {
	const char *name;
	struct frame_plan plan;
	enum layer layer;
	uint32_t offset, bytes;
	const char *reasons;
} SWEEPS[] = {
	{ "EtherType", V4, ETH, 12, 2, "all=ignored 0x0800=exempt" },
	{ "EtherType over IPv6", V6, ETH, 12, 2, "all=ignored 0x86dd=exempt" },
	{ "tag's EtherType", TAGS(ETH_P_8021Q), ETH, 16, 2, "all=ignored 0x0800=exempt" },
	/* ihl 15: with less of it no UDP header to our port follows, but options. */
	{ "IPv4 first byte", { .option_words = 10 }, IP, 0, 1, "all=bad_ip 0x45-0x4e=ignored 0x4f=exempt" },
	{ "IPv4 length", { .padding = 9 }, IP, 2, 2, "all=truncated 0-19=bad_ip 20-67=bad_udp 68-77=exempt" },
	{ "IPv4 fragment", V4, IP, 6, 2,
	  "all=fragment 0=exempt 0x4000=exempt 0x8000=exempt 0xc000=exempt" },
	{ "IPv4 protocol", V4, IP, 9, 1, "all=ignored 17=exempt" },
	{ "IPv6 version", V6, IP, 0, 1, "all=bad_ip 0x60-0x6f=exempt" },
	{ "IPv6 length", { .ipv6 = true, .padding = 9 }, IP, 4, 2, "all=truncated 0-47=bad_udp 48-57=exempt" },
	/* Extension headers have UDP's ports for a length, beyond the payload. */
	{ "IPv6 next header", V6, IP, 6, 1,
	  "all=ignored 17=exempt 44=fragment 0=bad_ip 43=bad_ip 51=bad_ip 60=bad_ip" },
	{ "magic", V4, GSP, 0, 2, "all=bad_magic 0x4753=exempt" },
	{ "magic's end", V4, GSP, 2, 2, "all=bad_magic 0x5031=exempt" },
	{ "UDP length",
	  { .body = 100, .padding = 100 },
	  UDP,
	  4,
	  2,
	  "all=bad_udp 8-47=bad_length 48-148=exempt" },
};

/* Reads FROM[-TO]=REASON, or all=REASON, as often as it is there. */
static void read_reasons(const char *text, enum dedup_reason reasons[UINT16_MAX + 1])
{
	char word[32], name[32];
	int len;

	for (; sscanf(text, " %31[^=]=%31s%n", word, name, &len) == 2; text += len) {
		enum dedup_reason reason = fixture_reason(name);
		uint32_t from = 0, to = UINT16_MAX;

		if (strcmp(word, "all")) {
			char *end;

			from = to = strtoul(word, &end, 0);
			if (*end == '-')
				to = strtoul(end + 1, NULL, 0);
		}
		for (uint32_t value = from; value <= to; value++)
			reasons[value] = reason;
	}
}

TEST(header_fields_swept)
{
	static enum dedup_reason reasons[UINT16_MAX + 1];
	struct frame f;

	for (size_t i = 0; i < ARRAY_SIZE(SWEEPS); i++) {
		fixture.row = SWEEPS[i].name;
		read_reasons(SWEEPS[i].reasons, reasons);
		build_iwant(&f, SWEEPS[i].plan);
		for (uint32_t value = 0; value < 1U << 8 * SWEEPS[i].bytes; value++) {
			frame_put(&f, layer_at(&f, SWEEPS[i].layer) + SWEEPS[i].offset,
				  SWEEPS[i].bytes, value);
			expect(&f, XDP_PASS, reasons[value]);
		}
	}
}

static const char *const PORT_LISTS[] = {
	"8001,9000-9010",
	"65535",
	"1-65535",
	("2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,56,58,60,"
	 "62,255-256"),
};

static bool is_in(const char *list, uint32_t port)
{
	char *end = (char *)list;

	do {
		unsigned long from = strtoul(end + (*end == ','), &end, 10), to = from;

		if (*end == '-')
			to = strtoul(end + 1, &end, 10);
		if (port >= from && port <= to)
			return true;
	} while (*end);
	return false;
}

TEST_WITH(ports_swept, NULL, fixture_unload)
{
	struct frame f;

	build_iwant(&f, (struct frame_plan)V4);
	for (size_t i = 0; i < ARRAY_SIZE(PORT_LISTS); i++) {
		struct dedup_config cfg = fixture_live_config(PORT_LISTS[i]);

		fixture_load(&cfg);
		fixture.row = PORT_LISTS[i];
		for (uint32_t port = 0; port <= UINT16_MAX; port++) {
			frame_put(&f, f.udp + 2, 2, port);
			expect(&f, XDP_PASS,
			       is_in(PORT_LISTS[i], port) ? DEDUP_REASON_exempt
							  : DEDUP_REASON_ignored);
		}
		fixture_unload(state);
	}
}

/* Of a packet with room and known ids for all. */
static enum dedup_reason judge_header(uint32_t type, uint32_t count)
{
	if (type < GSP_EVENT || type > GSP_IWANT)
		return DEDUP_REASON_bad_type;
	if (!count || count > (type == GSP_EVENT ? 1 : GSP_IDS_MAX))
		return DEDUP_REASON_bad_count;
	return type == GSP_EVENT   ? DEDUP_REASON_duplicate
	       : type == GSP_IHAVE ? DEDUP_REASON_ihave_duplicate
				   : DEDUP_REASON_exempt;
}

TEST(types_and_counts_swept)
{
	struct id ids[GSP_IDS_MAX];
	struct frame f;

	fixture_learn(ids, GSP_IDS_MAX);
	frame_build(&f, &(struct frame_plan){ .count = GSP_IDS_MAX }, ids);
	for (uint32_t type = 0; type <= UINT8_MAX; type++) {
		for (uint32_t count = 0; count <= UINT8_MAX; count++) {
			enum dedup_reason reason = judge_header(type, count);

			frame_put(&f, f.gsp + 4, 2, type << 8 | count);
			expect(&f, fixture_verdict(reason), reason);
		}
	}
}

TEST(payload_lengths_swept)
{
	struct id ids[GSP_IDS_MAX];
	struct frame f;

	fixture_learn(ids, GSP_IDS_MAX);
	frame_build(&f, &(struct frame_plan){ .count = GSP_IDS_MAX }, ids);
	for (uint32_t type = GSP_EVENT; type <= GSP_IWANT; type++) {
		for (uint32_t count = 1; count <= (type == GSP_EVENT ? 1 : 32); count++) {
			frame_put(&f, f.gsp + 4, 2, type << 8 | count);
			for (uint32_t len = 0; len <= f.len - f.gsp; len++) {
				enum dedup_reason reason = len < 8 + 32 * count
								   ? DEDUP_REASON_bad_length
								   : judge_header(type, count);

				frame_put(&f, f.udp + 4, 2, 8 + len);
				expect(&f, fixture_verdict(reason), reason);
			}
		}
	}
}

/* Can test runs choose where a packet's first buffer ends? From 6.18. */
static void need_choice_of_buffers(void)
{
	struct frame f;

	build_iwant(&f, (struct frame_plan)V4);
	fixture.linear = FRAME_MIN;
	if (fixture_run(&f) == -EINVAL)
		skip();
	fixture_count();
	fixture.linear = 0;
}

/* Wherever a driver ends the first buffer: what must be looked at is in it, or the
 * packet passes.
 */
TEST(a_frame_may_be_split_anywhere)
{
	static const struct {
		enum gsp_type type;
		int count;
		enum dedup_reason reason;
	} ROWS[] = {
		{ GSP_EVENT, 1, DEDUP_REASON_duplicate },
		{ GSP_IHAVE, 2, DEDUP_REASON_ihave_duplicate },
	};
	struct id ids[2] = { id_fresh(), id_fresh() };
	struct frame f;

	need_choice_of_buffers();
	expect_event(&ids[0], XDP_PASS, DEDUP_REASON_new);
	expect_event(&ids[1], XDP_PASS, DEDUP_REASON_new);
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		struct frame_plan plan = {
			.type = ROWS[i].type,
			.count = ROWS[i].count,
			.body = 64,
		};
		uint32_t needed;

		frame_build(&f, &plan, ids);
		needed = f.len - plan.body;
		for (fixture.linear = FRAME_MIN; fixture.linear <= f.len; fixture.linear++)
			expect(&f, fixture.linear < needed ? XDP_PASS : XDP_DROP,
			       fixture.linear < needed ? DEDUP_REASON_truncated : ROWS[i].reason);
	}
}

ROOT_MAIN(fixture_load_still, fixture_unload)
