// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the survey takes frames for: their destinations, and which protocols payloads look like. */
#include "unit.h"

#include "flow.h"
#include "heuristics.h"
#include "protocol_packets.h"

#define UDP(at, len) SURVEY_UDP, 53, at, len, false
#define GROUP(at, len) SURVEY_UDP, 53, at, len, true
#define NOT_UDP(kind, number) kind, number, 0, 0, false

/* The destination; payload_at: from the frame's front, 0: none. */
static const struct flow_row {
	const char *name;
	enum survey_kind kind;
	uint16_t number;
	uint32_t payload_at, payload_len;
	bool multicast;
	struct protocol_packet packet; /* by default a datagram to port 53 */
} FLOWS[] = {
	{ "udp", UDP(42, 9), .packet.body = 9 },
	{ "udp-empty", UDP(42, 0), .packet.body = 0 },
	{ "udp-padded", UDP(42, 1), .packet.body = 1, .packet.padding = 17 },
	{ "udp-ipv6", UDP(62, 9), .packet.body = 9, .packet.ipv6 = true },
	{ "udp-options", UDP(54, 9), .packet.body = 9, .packet.option_words = 3 },
	{ "udp-tagged", UDP(46, 9), .packet.body = 9, .packet.tags[0] = 0x8100 },
	{ "udp-two-tags", UDP(50, 9), .packet.body = 9, .packet.tags[0] = 0x88a8,
	  .packet.tags[1] = 0x8100 },
	{ "udp-three-tags", NOT_UDP(SURVEY_ETHERNET, 0x8100), .packet.body = 9,
	  .packet.tags[0] = 0x88a8, .packet.tags[1] = 0x8100, .packet.tags[2] = 0x8100 },
	{ "group", GROUP(42, 0), .packet.to[0] = 224, .packet.to[1] = 0, .packet.to[2] = 0,
	  .packet.to[3] = 251 },
	{ "last-group", GROUP(42, 0), .packet.to[0] = 239, .packet.to[1] = 255, .packet.to[2] = 255,
	  .packet.to[3] = 255 },
	{ "behind-the-groups", UDP(42, 0), .packet.to[0] = 240, .packet.to[1] = 0,
	  .packet.to[2] = 0, .packet.to[3] = 1 },
	{ "group-ipv6", GROUP(62, 0), .packet.ipv6 = true, .packet.to[0] = 0xff, .packet.to[1] = 2,
	  .packet.to[15] = 1 },
	{ "tcp", NOT_UDP(SURVEY_TCP, 443), .packet.protocol = IP_PACKET, .packet.port = 443 },
	{ "tcp-other-direction", NOT_UDP(SURVEY_TCP, 4001), .packet.protocol = IP_PACKET,
	  .packet.port = 40000 },
	{ "vrrp", NOT_UDP(SURVEY_IP, 112), .packet.protocol = IP_PACKET, .packet.ip_protocol = 112,
	  .packet.body = 8 },
	{ "first-fragment", NOT_UDP(SURVEY_IP, 17), .packet.body = 9, .packet.fragment = 0x2000 },
	{ "last-fragment", NOT_UDP(SURVEY_IP, 17), .packet.body = 9, .packet.fragment = 0x0001 },
	{ "high-fragment", NOT_UDP(SURVEY_IP, 17), .packet.body = 9, .packet.fragment = 0x1f00 },
	{ "not-to-be-fragmented", UDP(42, 9), .packet.body = 9, .packet.fragment = 0x4000 },
	{ "fragment-ipv6", NOT_UDP(SURVEY_IP, 44), .packet.body = 9, .packet.ipv6 = true,
	  .packet.fragment = 1 },
	{ "r-tag", NOT_UDP(SURVEY_ETHERNET, 0xf1c1), .packet.protocol = R_TAG },
	{ "lldp", NOT_UDP(SURVEY_ETHERNET, 0x88cc), .packet.protocol = OTHER_FRAME,
	  .packet.ethertype = 0x88cc, .packet.body = 30 },
};

static void make_frame(const struct flow_row *row, struct frame *f)
{
	struct protocol_packet p = row->packet;

	p.port = p.protocol ? p.port : 53;
	p.protocol = p.protocol ?: DATAGRAM;
	protocol_frame(f, &p);
}

TEST_ROWS(is_of, FLOWS)
{
	static struct frame frame;
	struct flow f;

	make_frame(row, &frame);
	flow_of(&f, frame.data, frame.len);
	assert_int_equal(f.kind, row->kind);
	assert_int_equal(f.number, row->number);
	assert_int_equal(f.multicast, row->multicast);
	assert_int_equal(f.ipv4, row->kind != SURVEY_ETHERNET && !row->packet.ipv6);
	assert_int_equal(f.ipv6, row->kind != SURVEY_ETHERNET && row->packet.ipv6);
	assert_int_equal(f.payload_at, row->payload_at);
	assert_int_equal(f.payload_len, row->payload_len);
	assert_int_equal(f.tag_at, 14 + 4 * !!row->packet.tags[0] + 4 * !!row->packet.tags[1]);
	if (row->multicast)
		assert_memory_equal(f.to, row->packet.to, 16);
	if (f.ipv4)
		assert_int_equal(f.from[2], 1);
}

/* What extension headers are stepped over. */
TEST(behind_extensions)
{
	static const uint8_t STEPPED[] = { 0, 43, 60, 51 };
	static const uint8_t OTHERS[] = { 50, 135, 59 };
	static struct frame frame;
	struct id id = id_fresh();
	struct flow f;

	for (uint8_t len = 0; len < 4; len++) {
		struct frame_plan p = { .ipv6 = true, .extensions_cnt = 4, .extension_len = len };

		memcpy(p.extensions, STEPPED, sizeof(STEPPED));
		frame_build(&frame, &p, &id);
		flow_of(&f, frame.data, frame.len);
		assert_int_equal(f.kind, SURVEY_UDP);
		assert_int_equal(f.number, GOSSIP_PORT);
		assert_int_equal(f.payload_at, frame.gsp);
	}
	for (size_t i = 0; i < sizeof(OTHERS); i++) {
		struct frame_plan p = { .ipv6 = true, .extensions_cnt = 1 };

		p.extensions[0] = OTHERS[i];
		frame_build(&frame, &p, &id);
		flow_of(&f, frame.data, frame.len);
		assert_int_equal(f.kind, SURVEY_IP);
		assert_int_equal(f.number, OTHERS[i]);
	}
}

static bool looks_like(const char *profile, const uint8_t *payload, uint32_t have, uint32_t len)
{
	heuristic like = heuristic_of(profile);

	return !like || like(payload, have, len);
}

/* What is there must be right: behind the last message comes nothing. */
TEST(messages_end_with_the_payload)
{
	struct protocol_packet p = { .protocol = MOLDUDP64, .count = 2 };
	static struct frame frame;
	uint32_t len;

	protocol_frame(&frame, &p);
	len = frame.len - frame.gsp;
	assert_true(looks_like("moldudp64", frame.data + frame.gsp, len, len));
	assert_false(looks_like("moldudp64", frame.data + frame.gsp, len, len + 1));
	assert_false(looks_like("moldudp64", frame.data + frame.gsp, 40, len + 1));
	assert_true(looks_like("moldudp64", frame.data + frame.gsp, 30, len + 1));
}

/* Nothing is read behind the end: each length has memory of its own. */
TEST_ROWS(cut_anywhere, FLOWS)
{
	static struct frame frame;

	make_frame(row, &frame);
	for (uint32_t len = 0; len <= frame.len; len++) {
		uint8_t *memory = malloc(len + 1), *copy = memory + 1;
		struct flow f;

		memcpy(copy, frame.data, len);
		flow_of(&f, copy, len);
		if (len < 14)
			assert_int_equal(f.number, 0);
		if (f.payload_at)
			assert_true(f.payload_at <= len);
		free(memory);
	}
}

/* Two frames with equal senders and destinations, or with different ones. */
TEST(told_apart)
{
	static const struct protocol_packet PACKETS[] = {
		{ .protocol = DATAGRAM, .port = 53 },
		{ .protocol = DATAGRAM, .port = 54 },
		{ .protocol = IP_PACKET, .port = 53 },
		{ .protocol = IP_PACKET, .ip_protocol = 53 },
		{ .protocol = OTHER_FRAME, .ethertype = 53 },
		{ .protocol = DATAGRAM, .port = 53, .to = { 224, 0, 0, 1 } },
		{ .protocol = DATAGRAM, .port = 53, .to = { 224, 0, 0, 2 } },
		{ .protocol = DATAGRAM, .port = 53, .ipv6 = true, .to = { 0xff, 2 } },
	};
	static struct frame frame;
	struct flow flows[ARRAY_SIZE(PACKETS)], other;

	for (size_t i = 0; i < ARRAY_SIZE(PACKETS); i++) {
		struct survey_destination d;

		protocol_frame(&frame, &PACKETS[i]);
		flow_of(&flows[i], frame.data, frame.len);
		d = (struct survey_destination){ .kind = flows[i].kind,
						 .number = flows[i].number,
						 .multicast = flows[i].multicast,
						 .ipv4 = flows[i].ipv4 };
		memcpy(d.addresses[0], flows[i].to, 16);
		for (size_t j = 0; j <= i; j++) {
			assert_int_equal(flow_is_to(&flows[j], &d), i == j);
			assert_int_equal(flow_destination(&flows[j]) == flow_destination(&flows[i]),
					 i == j);
		}
	}
	protocol_frame(&frame, &(struct protocol_packet){ .protocol = DATAGRAM, .from = 9 });
	flow_of(&other, frame.data, frame.len);
	assert_int_not_equal(flow_sender(&other), flow_sender(&flows[0]));
	/* Two hosts that are sent to are one destination. */
	protocol_frame(&frame, &(struct protocol_packet){
				       .protocol = DATAGRAM, .port = 53, .to = { 10, 9 } });
	flow_of(&other, frame.data, frame.len);
	assert_int_equal(flow_destination(&other), flow_destination(&flows[0]));
	assert_int_equal(flow_sender(&other), flow_sender(&flows[0]));
}

/* A payload's byte `at` is made `value`; at -1: it is `cut` bytes longer (less than 0: shorter). */
static const struct look_row {
	const char *name, *profile;
	struct protocol_packet packet;
	int at, value, longer;
	bool looks;
} LOOKS[] = {
	{ "mold", "moldudp64", { .protocol = MOLDUDP64, .count = 3 }, -1, 0, 0, true },
	{ "mold-heartbeat", "moldudp64", { .protocol = MOLDUDP64 }, -1, 0, 0, true },
	{ "mold-end", "moldudp64", { .protocol = MOLDUDP64, .count = 0xffff }, -1, 0, 0, true },
	{ "mold-longer", "moldudp64", { .protocol = MOLDUDP64, .count = 3 }, -1, 0, 1, false },
	{ "mold-heartbeat-longer", "moldudp64", { .protocol = MOLDUDP64 }, -1, 0, 1, false },
	{ "mold-header-cut", "moldudp64", { .protocol = MOLDUDP64 }, -1, 0, -1, false },
	{ "mold-more-messages", "moldudp64", { .protocol = MOLDUDP64, .count = 3 }, 19, 4, 0, false },
	{ "mold-session", "moldudp64", { .protocol = MOLDUDP64, .count = 3 }, 9, 0x1f, 0, false },
	{ "mold-session-blank", "moldudp64", { .protocol = MOLDUDP64, .count = 3 }, 9, 0x20, 0, true },
	{ "rtp", "rtp", { .protocol = RTP, .body = 20 }, -1, 0, 0, true },
	{ "rtp-header-alone", "rtp", { .protocol = RTP }, -1, 0, 0, true },
	{ "rtp-version", "rtp", { .protocol = RTP, .body = 20 }, 0, 0x40, 0, false },
	{ "rtp-sources", "rtp", { .protocol = RTP, .rtp_first = 0x82 }, -1, 0, 0, true },
	{ "rtp-sources-cut", "rtp", { .protocol = RTP, .rtp_first = 0x82 }, -1, 0, -1, false },
	{ "rtp-padding", "rtp", { .protocol = RTP, .rtp_first = 0xa0, .body = 4 }, 15, 4, 0, true },
	{ "rtp-padding-5", "rtp", { .protocol = RTP, .rtp_first = 0xa0, .body = 4 }, 15, 5, 0, false },
	{ "shred-data", "solana-shred", { .protocol = SHRED, .variant = 0x96 }, -1, 0, 0, true },
	{ "shred-code", "solana-shred", { .protocol = SHRED, .variant = 0x66 }, -1, 0, 0, true },
	{ "shred-repair", "solana-shred", { .protocol = SHRED, .variant = 0x96, .nonce = 7 }, -1, 0, 0, true },
	{ "shred-longer", "solana-shred", { .protocol = SHRED, .variant = 0x96 }, -1, 0, 1, false },
	{ "shred-shorter", "solana-shred", { .protocol = SHRED, .variant = 0x66 }, -1, 0, -1, false },
	{ "ping", "discv4", { .protocol = DISCV4 }, -1, 0, 0, true },
	{ "discv4-type-0", "discv4", { .protocol = DISCV4 }, 97, 0, 0, false },
	{ "discv4-type-7", "discv4", { .protocol = DISCV4 }, 97, 7, 0, false },
	{ "discv4-no-list", "discv4", { .protocol = DISCV4 }, 98, 0xbf, 0, false },
	{ "others", "payload", { .protocol = DATAGRAM }, -1, 0, 0, true },
};

TEST_ROWS(looks_like_its_protocol, LOOKS)
{
	static struct frame frame;
	uint32_t len;
	uint8_t *p;

	protocol_frame(&frame, &row->packet);
	p = frame.data + frame.gsp;
	len = (uint32_t)((int)(frame.len - frame.gsp) + row->longer);
	if (row->at >= 0)
		p[row->at] = (uint8_t)row->value;
	assert_int_equal(looks_like(row->profile, p, len, len), row->looks);
	if (!row->looks)
		return;
	/* What is cut off is taken to be right; but headers must be there. */
	for (uint32_t have = len; have >= 20; have--) {
		uint8_t *copy = malloc(have);

		memcpy(copy, p, have);
		assert_true(looks_like(row->profile, copy, have, len));
		free(copy);
	}
	for (uint32_t have = 0; have < 20 && have < len; have++) {
		uint8_t *memory = malloc(have + 1);

		memcpy(memory + 1, p, have);
		looks_like(row->profile, memory + 1, have, len);
		free(memory);
	}
}

UNIT_MAIN()
