// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Profiles of a user, and built-in ones in the setups that they are for, on packets one after the
 * other: what is a duplicate there, what is none, and what only looks like one. What each built-in
 * profile makes of packets stands beside it (profile_packets_test).
 */
#include "profile_runner.h"

#include <stdio.h>

#include "ids.h"

#define VLAN(n) .tags = { 0x8100 }, .tci = { n }
#define QINQ(n, m) .tags = { 0x88a8, 0x8100 }, .tci = { n, m }
#define STEPS_MAX 9
#define GOOSE_PROFILE "[profile goose]\nlayer = ethernet\nethertype = 0x88b8\nforwarded = yes\n"
#define HEARTBEAT(n) MOLDUDP64, .sequence = n, .count = 0, GROUP(1)

/* Packets one after the other, and what becomes of each. Each comes twice in succession, except one
 * whose number is far: if it is new, the second one is a duplicate, and otherwise both are alike.
 */
struct script {
	const char *name, *profile;
	enum profile_setup setup;
	const char *own; /* a text that has the profile; NULL: it is built in */
	struct step {
		struct protocol_packet packet; /* NO_PACKET: the end */
		enum dedup_reason reason;
		bool taught; /* then the application adds its id */
	} steps[STEPS_MAX];
};

#define S(reason_, ...)                                                       \
	{                                                                     \
		.packet = { .protocol = __VA_ARGS__ }, DEDUP_REASON_##reason_ \
	}
#define TAUGHT(...)                                                                               \
	{                                                                                         \
		.packet = { .protocol = __VA_ARGS__ }, .reason = DEDUP_REASON_new, .taught = true \
	}

static const struct script SCRIPTS[] = {
	/* To this host's own address, and so outside of the group. */
	{ "retransmission", "moldudp64",
	  .steps = { S(new, MESSAGES(5, 2)),
		     S(ignored, MOLDUDP64, .sequence = 5, .count = 2, .to = { 10, 0, 0, 2 }),
		     S(duplicate, MESSAGES(5, 2)) } },
	{ "sequences-of-64-bits", "moldudp64",
	  .steps = { S(new, MESSAGES(1, 1)), S(new, MESSAGES((1ULL << 63) + 1, 1)),
		     S(far_number, MESSAGES((1ULL << 32) + 1, 1)), S(new, MESSAGES(257, 1)),
		     S(duplicate, MESSAGES(1, 1)) } },
	{ "feeds-a-and-b", "moldudp64", FEEDS,
	  .steps = { S(new, MESSAGES(5, 1)),
		     S(duplicate, MOLDUDP64, .sequence = 5, .count = 1, GROUP(2), .port = 8002),
		     S(new, MOLDUDP64, .sequence = 6, .count = 1, GROUP(2), .port = 8002),
		     S(duplicate, MESSAGES(6, 1)),
		     S(ignored, MOLDUDP64, .sequence = 7, .count = 1, GROUP(1), .port = 8002),
		     S(ignored, MOLDUDP64, .sequence = 7, .count = 1, GROUP(2)),
		     S(new, MESSAGES(7, 1)) } },
	{ "feeds-of-two-realms", "moldudp64", APART,
	  .steps = { S(new, MESSAGES(5, 1)),
		     S(new, MOLDUDP64, .sequence = 5, .count = 1, GROUP(2), .port = 8002),
		     S(duplicate, MESSAGES(5, 1)),
		     S(duplicate, MOLDUDP64, .sequence = 5, .count = 1, GROUP(2), .port = 8002) } },
	{ "forger-of-messages-by-payload", "mine",
	  .own = "[profile mine]\nlayer = udp\nexempt = payload+18:2 == 0x0000\n"
		 "exempt = payload+18:2 == 0xffff\nid = payload\n",
	  .steps = { S(new, MESSAGES(5, 1), .fill = 6), S(new, MESSAGES(5, 1)),
		     S(exempt, HEARTBEAT(6)) } },

	/* RFC 4175 has the number's upper half behind the header. */
	{ "rtp-of-extended-numbers", "mine",
	  .own = "[profile mine]\nlayer = udp\nsource = payload+8:4 payload+12:2\n"
		 "sequence = payload+2:2\nreset = 1h\n",
	  .steps = { S(new, RTP, .sequence = 0xffff, .body = 9, .fill = 1),
		     S(new, RTP, .sequence = 0, .body = 9, .fill = 2),
		     S(duplicate, RTP, .sequence = 0xffff, .body = 9, .fill = 1),
		     S(new, RTP, .sequence = 0xffff, .body = 9, .fill = 2),
		     S(duplicate, RTP, .sequence = 0, .body = 9, .fill = 2) } },
	{ "forger-of-media-by-payload", "mine",
	  .own = "[profile mine]\nlayer = udp\nrequire = payload+0:1/0xc0 == 0x80\n"
		 "exempt = payload+1:1/0xe0 == 0xc0\nid = payload\n",
	  .steps = { S(new, RTP, .body = 160, .forged = true), S(new, RTP, .body = 160),
		     S(exempt, RTCP) } },

	{ "replay-of-discovery-by-app", "discv4", APP,
	  .steps = { S(new, DISCV4, .from = 66), TAUGHT(DISCV4), S(duplicate, DISCV4) } },

	{ "payloads", "payload",
	  .steps = { S(new, DATAGRAM, .body = 1), S(new, DATAGRAM, .body = 2),
		     S(new, DATAGRAM, .body = 1000), S(new, DATAGRAM, .body = 1001),
		     S(duplicate, DATAGRAM, .body = 1000, .from = 3),
		     S(duplicate, DATAGRAM, .body = 1000, .ipv6 = true),
		     S(new, DATAGRAM, .body = 1000, .fill = 1),
		     S(duplicate, DATAGRAM, .body = 1, .padding = 20, .pads_with = 0xee) } },
	{ "payloads-that-end-in-zeros", "payload",
	  .steps = { S(new, DATAGRAM, .body = 5), S(new, DATAGRAM, .body = 5, .zeros = 1),
		     S(new, DATAGRAM, .body = 5, .zeros = 3),
		     S(new, DATAGRAM, .body = 5, .zeros = 4), S(new, DATAGRAM, .zeros = 1),
		     S(new, DATAGRAM, .zeros = 2), S(duplicate, DATAGRAM, .body = 5, .zeros = 1),
		     S(duplicate, DATAGRAM, .zeros = 1) } },
	{ "count-of-more-than-it-has-bytes", "mine",
	  .own = "[profile mine]\nlayer = udp\nsource = payload+8:4\nsequence = payload+0:4\n"
		 "count = payload+4:2\n",
	  .steps = { S(bad_count, DATAGRAM, .body = 30) } },
	/* In the packet's order 0x0100 is a count of 1. */
	{ "little-endian-numbers", "mine",
	  .own = "[profile mine]\nlayer = udp\nsource = payload+0:10\nrequire = payload+18:2le != "
		 "0x0900\nexempt = payload+18:2le == 0x0800\nsequence = payload+10:8le\n"
		 "count = payload+18:2le\n",
	  .steps = { S(new, MOLDUDP64, .sequence = 0xfeULL << 56, .count = 0x0100),
		     S(new, MOLDUDP64, .sequence = 0xffULL << 56, .count = 0x0200),
		     S(duplicate, MOLDUDP64, .sequence = 0x0001ULL << 48, .count = 0x0100),
		     S(bad_count, MOLDUDP64, .sequence = 0x0101ULL << 48, .count = 1, .body = 9),
		     S(bad_count, MOLDUDP64, .sequence = 0x0101ULL << 48),
		     S(bad_count, MOLDUDP64, .sequence = 0x0101ULL << 48, .count = 3),
		     S(ignored, MOLDUDP64, .sequence = 0x0101ULL << 48, .count = 9),
		     S(exempt, MOLDUDP64, .sequence = 0x0101ULL << 48, .count = 8),
		     S(new, MOLDUDP64, .sequence = 0x0101ULL << 48, .count = 0x0100) } },
	/* Their number ends behind them. */
	{ "short-for-a-little-endian-number", "mine",
	  .own = "[profile mine]\nlayer = udp\nsequence = payload+4:4le\n",
	  .steps = { S(new, DATAGRAM, .body = 8), S(bad_length, DATAGRAM, .body = 7),
		     S(bad_length, DATAGRAM), S(bad_length, DATAGRAM, .body = 7, .padding = 9) } },
	{ "beginnings-of-payloads", "mine", .own = "[profile mine]\nlayer = udp\nid = payload:8\n",
	  .steps = { S(new, DATAGRAM, .body = 20), S(new, DATAGRAM, .body = 21),
		     S(new, DATAGRAM, .body = 8), S(new, DATAGRAM, .body = 7),
		     S(duplicate, DATAGRAM, .body = 20, .forged = true) } },
	/* In front and at the end the copies differ. */
	{ "payloads-behind-a-header", "mine",
	  .own = "[profile mine]\nlayer = udp\nid = payload[20:]\n",
	  .steps = { S(new, MESSAGES(5, 1)), S(duplicate, MESSAGES(6, 1)),
		     S(new, MESSAGES(5, 1), .fill = 1), S(new, DATAGRAM, .body = 21),
		     S(bad_length, DATAGRAM, .body = 20), S(bad_length, DATAGRAM),
		     S(bad_length, DATAGRAM, .body = 19, .padding = 9) } },
	{ "payloads-before-a-trailer", "mine",
	  .own = "[profile mine]\nlayer = udp\nid = payload[:-1]\n",
	  .steps = { S(new, DATAGRAM, .body = 30), S(duplicate, DATAGRAM, .body = 30, .forged = true),
		     S(new, DATAGRAM, .body = 31), S(new, DATAGRAM, .body = 2),
		     S(bad_length, DATAGRAM, .body = 1), S(bad_length, DATAGRAM) } },
	{ "payloads-between", "mine", .own = "[profile mine]\nlayer = udp\nid = payload[18:3]\n",
	  .steps = { S(new, MESSAGES(5, 1)), S(duplicate, MESSAGES(6, 1)),
		     S(duplicate, MESSAGES(6, 1), .forged = true), S(new, MESSAGES(6, 2)) } },
	{ "frames-behind-their-macs", "goose", .own = GOOSE_PROFILE "id = frame[14:-4]\n",
	  .steps = { S(new, GOOSE(.body = 46, .padding = 4, .pads_with = 1)),
		     S(duplicate, GOOSE(.body = 46, .padding = 4, .pads_with = 2)),
		     S(duplicate, GOOSE(.body = 46, .padding = 4, .from_mac = 9, VLAN(9))),
		     S(new, GOOSE(.body = 47, .padding = 4)), S(new, GOOSE(.body = 1, .padding = 4)),
		     S(bad_length, GOOSE(.padding = 4)), S(bad_length, GOOSE()) } },
	{ "packets-behind-their-header", "parts",
	  .own = "[profile parts]\nlayer = ip\nid = packet[20:]\n",
	  .steps = { S(new, IP_PACKET, .body = 40, .ip_id = 1),
		     S(duplicate, IP_PACKET, .body = 40, .ip_id = 2, .from = 3),
		     S(bad_ip, IP_PACKET, .body = 41, .sum_off = 1), S(new, IP_PACKET, .body = 41),
		     S(bad_ip, IP_PACKET, .ip_protocol = 59), S(new, DATAGRAM, .body = 1) } },
	{ "packets-behind-their-header-by-app", "parts", APP,
	  .own = "[profile parts]\nlayer = ip\nid = packet[20:-4]\n",
	  .steps = { S(new, IP_PACKET, .body = 40), TAUGHT(IP_PACKET, .body = 40),
		     S(duplicate, IP_PACKET, .body = 40, .ip_id = 2),
		     S(duplicate, IP_PACKET, .body = 40, .forged = true) } },
	{ "packets-before-a-trailer", "parts",
	  .own = "[profile parts]\nlayer = ip\nid = packet[:-8]\n",
	  .steps = { S(new, DATAGRAM, .body = 8, .ip_id = 1),
		     S(duplicate, DATAGRAM, .body = 8, .ip_id = 1, .forged = true, .ttl = 3),
		     S(new, DATAGRAM, .body = 8, .ip_id = 2),
		     S(bad_ip, DATAGRAM, .body = 8, .sum_off = 1), S(new, DATAGRAM, .ip_id = 9),
		     S(bad_ip, IP_PACKET, .ip_protocol = 59, .body = 7),
		     S(bad_ip, IP_PACKET, .ip_protocol = 59, .option_words = 10, .body = 7),
		     S(bad_ip, IP_PACKET, .ip_protocol = 59, .ipv6 = true, .body = 7) } },
	{ "frames-from-tap-to-tap", "goose", .own = GOOSE_PROFILE "id = frame\n",
	  .steps = { S(new, GOOSE(.body = 46)), S(duplicate, GOOSE(.body = 46, VLAN(9))),
		     S(duplicate, GOOSE(.body = 46, QINQ(9, 10))),
		     S(new, GOOSE(.body = 46, .fill = 1)), S(new, GOOSE(.body = 46, .from_mac = 9)),
		     S(new, GOOSE(.body = 46, MULTICAST)), S(new, GOOSE(.body = 47)),
		     S(ignored, OTHER_FRAME, .body = 46, .ethertype = 0x88ba) } },
	{ "tagged-frame-first", "goose", .own = GOOSE_PROFILE "id = frame\n",
	  .steps = { S(new, GOOSE(.body = 46, QINQ(9, 10))),
		     S(duplicate, GOOSE(.body = 46, VLAN(9))), S(duplicate, GOOSE(.body = 46)),
		     S(new, GOOSE(.body = 46, .padding = 4, .pads_with = 1, VLAN(9))),
		     S(new, GOOSE(.body = 46, .padding = 4, .pads_with = 2)),
		     S(duplicate, GOOSE(.body = 46, .padding = 4, .pads_with = 1)) } },
	/* The length counts, what is behind MAX does not: with tags, too. */
	{ "beginnings-of-frames", "goose", .own = GOOSE_PROFILE "id = frame:60\n",
	  .steps = { S(new, GOOSE(.body = 46, .padding = 4, .pads_with = 1)),
		     S(duplicate, GOOSE(.body = 46, .padding = 4, .pads_with = 2)),
		     S(duplicate, GOOSE(.body = 46, .padding = 4, .pads_with = 3, QINQ(1, 2))),
		     S(new, GOOSE(.body = 46, .padding = 5, .pads_with = 1)),
		     S(new, GOOSE(.body = 46, .fill = 1, .padding = 4, .pads_with = 1)),
		     S(new, GOOSE(.body = 46, .from_mac = 1, .padding = 4, .pads_with = 1)) } },
	/* A tag stood for 4 bytes of padding, or the copy was taken before it was padded. */
	{ "frames-without-their-padding", "goose", .own = GOOSE_PROFILE "id = frame\n",
	  .steps = { S(new, GOOSE(.body = 28, .padding = 18)), S(duplicate, GOOSE(.body = 28)),
		     S(duplicate, GOOSE(.body = 28, .padding = 14, VLAN(9))),
		     S(duplicate, GOOSE(.body = 28, .padding = 10, QINQ(9, 10))),
		     S(new, GOOSE(.body = 28, .padding = 19)), S(new, GOOSE(.body = 29)),
		     S(new, GOOSE(.body = 28, .padding = 14, .pads_with = 1)),
		     S(new, GOOSE(.body = 28, .fill = 1)) } },
	/* What an earlier frame left behind is not hashed. */
	{ "short-frames-behind-long-ones", "goose", .own = GOOSE_PROFILE "id = frame:60\n",
	  .steps = { S(new, GOOSE(.body = 9)), S(new, GOOSE(.body = 99, .fill = 7)),
		     S(duplicate, GOOSE(.body = 9)), S(new, GOOSE()),
		     S(new, GOOSE(.body = 99, .fill = 8)), S(duplicate, GOOSE(VLAN(3))),
		     S(duplicate, GOOSE(.body = 9, VLAN(3))) } },
	{ "frames-by-app", "goose", APP, .own = GOOSE_PROFILE "id = frame+6:6 frame\n",
	  .steps = { S(new, GOOSE(.body = 50)), TAUGHT(GOOSE(.body = 50, VLAN(9))),
		     S(duplicate, GOOSE(.body = 50)), S(duplicate, GOOSE(.body = 50, QINQ(7, 8))),
		     S(new, GOOSE(.body = 50, .from_mac = 1)) } },
	/* All would have one id. */
	{ "empty-payloads", "payload",
	  .steps = { S(bad_length, DATAGRAM), S(bad_length, DATAGRAM, .padding = 18) } },
	{ "forger-of-payloads", "payload",
	  .steps = { S(new, DATAGRAM, .body = 300, .forged = true), S(new, DATAGRAM, .body = 300) } },
	{ "replay-of-payloads-by-app", "payload", APP,
	  .steps = { S(new, DATAGRAM, .body = 30, .from = 66), TAUGHT(DATAGRAM, .body = 30),
		     S(duplicate, DATAGRAM, .body = 30) } },
	{ "fragments-of-datagrams", "payload",
	  .steps = { S(fragment, DATAGRAM, .body = 100, .fragment = 0x2000),
		     S(fragment, DATAGRAM, .body = 100, .fragment = 0x0010),
		     S(fragment, DATAGRAM, .body = 100, .fragment = 0x0001, .ipv6 = true),
		     S(new, DATAGRAM, .body = 100, .fragment = 0x4000),
		     S(duplicate, DATAGRAM, .body = 100) } },

	{ "on-the-way-from-tap-to-tap", "mirror",
	  .steps = { S(new, IP_PACKET, .body = 40), S(duplicate, IP_PACKET, .body = 40, .ttl = 63),
		     S(duplicate, IP_PACKET, .body = 40, .tos = 0xb8),
		     S(duplicate, IP_PACKET, .body = 40, .tos = 0x03),
		     S(duplicate, IP_PACKET, .body = 40, .from_mac = 9, .to_mac = { 2, 9 }),
		     S(duplicate, IP_PACKET, .body = 40, VLAN(9)),
		     S(duplicate, IP_PACKET, .body = 40, QINQ(9, 10)),
		     S(duplicate, IP_PACKET, .body = 40, .padding = 6, .pads_with = 0xaa),
		     S(duplicate, IP_PACKET, .body = 40, .ttl = 1, .tos = 1, .padding = 1) } },
	{ "on-the-way-of-ipv6", "mirror",
	  .steps = { S(new, IP_PACKET, .ipv6 = true), S(duplicate, IP_PACKET, .ipv6 = true, .ttl = 63),
		     S(duplicate, IP_PACKET, .ipv6 = true, .tos = 0xb8),
		     S(duplicate, IP_PACKET, .ipv6 = true, .tos = 0x03, MULTICAST),
		     S(duplicate, IP_PACKET, .ipv6 = true, .padding = 9),
		     S(new, IP_PACKET, .ipv6 = true, .ip_id = 1),
		     S(new, IP_PACKET, .ipv6 = true, .from = 1),
		     S(duplicate, IP_PACKET, .ipv6 = true, VLAN(9)) } },
	{ "retransmissions-of-tcp", "mirror",
	  .steps = { S(new, IP_PACKET, .ip_id = 1, .body = 100),
		     S(new, IP_PACKET, .ip_id = 2, .body = 100),
		     S(new, IP_PACKET, .ip_id = 2, .body = 100, .tcp_sequence = 100),
		     S(duplicate, IP_PACKET, .ip_id = 1, .body = 100),
		     S(new, IP_PACKET, .ip_id = 1, .body = 100, .forged = true),
		     S(new, IP_PACKET, .ip_id = 1, .body = 100, .from = 1),
		     S(new, IP_PACKET, .ip_id = 1, .body = 99) } },
	{ "packets-of-any-protocol", "mirror",
	  .steps = { S(new, IP_PACKET, .ip_protocol = 1, .body = 8),
		     S(new, IP_PACKET, .ip_protocol = 2, .body = 8),
		     S(duplicate, IP_PACKET, .ip_protocol = 1, .body = 8),
		     S(new, DATAGRAM, .body = 8), S(new, IP_PACKET, .ip_protocol = 59),
		     S(new, IP_PACKET, .ip_protocol = 1, .body = 8, .option_words = 10) } },
	{ "fragments-of-packets", "mirror",
	  .steps = { S(new, DATAGRAM, .body = 80, .fragment = 0x2000),
		     S(new, DATAGRAM, .body = 80, .fragment = 0x2010),
		     S(new, DATAGRAM, .body = 80, .fragment = 0x0010),
		     S(duplicate, DATAGRAM, .body = 80, .fragment = 0x2010),
		     S(duplicate, DATAGRAM, .body = 80, .fragment = 0x2000, .ttl = 9),
		     S(new, DATAGRAM, .body = 80, .fragment = 0x0011, .ipv6 = true),
		     S(new, DATAGRAM, .body = 80, .fragment = 0x0021, .ipv6 = true),
		     S(duplicate, DATAGRAM, .body = 80, .fragment = 0x0011, .ipv6 = true) } },
	/* Its receiver throws it away: the true one that follows must pass. */
	{ "wrong-checksum-first", "mirror",
	  .steps = { S(bad_ip, IP_PACKET, .body = 8, .sum_off = 1), S(new, IP_PACKET, .body = 8),
		     S(bad_ip, IP_PACKET, .body = 8, .sum_off = 1), S(duplicate, IP_PACKET, .body = 8),
		     S(bad_ip, IP_PACKET, .option_words = 10, .sum_off = 0x80),
		     S(new, IP_PACKET, .option_words = 10) } },
	{ "no-ip", "mirror",
	  .steps = { S(ignored, OTHER_FRAME, .ethertype = 0x0806, .body = 46), S(ignored, R_TAG),
		     S(ignored, IP_PACKET, .tags = { 0x8100, 0x8100, 0x8100 }) } },
	{ "forger-of-packets", "mirror",
	  .steps = { S(new, DATAGRAM, .body = 30, .forged = true), S(new, DATAGRAM, .body = 30) } },
};

/* What the packet is if it comes again. */
static enum dedup_reason again(const struct script *s, enum dedup_reason reason)
{
	return reason == DEDUP_REASON_new && s->setup != APP ? DEDUP_REASON_duplicate : reason;
}

static void script_runs(void **state)
{
	const struct script *s = *state;
	uint8_t id[DEDUP_ID_BYTES_MAX];
	char row[64];
	struct frame f;

	profile_load(s->profile, s->setup, s->own);
	for (int i = 0; i < STEPS_MAX && s->steps[i].packet.protocol; i++) {
		const struct step *step = &s->steps[i];
		enum dedup_reason second = again(s, step->reason);

		snprintf(row, sizeof(row), "%s, packet %d", s->name, i + 1);
		fixture.row = row;
		protocol_frame(&f, &step->packet);
		expect(&f, fixture_verdict(step->reason), step->reason);
		if (step->reason != DEDUP_REASON_far_number)
			expect(&f, fixture_verdict(second), second);
		if (!step->taught)
			continue;
		profile_make_id(s->profile, &f, id);
		assert_int_equal(ids_add(&fixture.filter, id), 0);
	}
	fixture.row = "";
}

int main(void)
{
	add_rows(SCRIPTS, script_runs, NULL, NULL);
	return run_added_tests("profile_script");
}
