// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Built-in profiles, and a user's own, on packets of their protocols, one after the other: what is
 * a duplicate there, what is none, and what only looks like one.
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
	/* All shreds of an FEC set have one signature. */
	{ "shreds-of-a-set", "solana-shred",
	  .steps = { S(new, DATA(.index = 7)), S(new, DATA(.index = 8)), S(new, CODE(.index = 7)),
		     S(new, DATA(.index = 7, .slot = 1)), S(new, DATA(.index = 7, .fec_set = 1)),
		     S(new, DATA(.index = 7, .version = 1)), S(duplicate, DATA(.index = 7)),
		     S(duplicate, CODE(.index = 7)), S(duplicate, DATA(.index = 8)) } },
	/* Evidence against a leader. */
	{ "shreds-in-conflict", "solana-shred",
	  .steps = { S(new, DATA()), S(new, DATA(.fill = 1)), S(duplicate, DATA()),
		     S(duplicate, DATA(.fill = 1)) } },
	{ "shreds-resigned-by-two", "solana-shred",
	  .steps = { S(new, SHRED, .variant = 0xb6, .retransmitter = 1),
		     S(new, SHRED, .variant = 0xb6, .retransmitter = 2),
		     S(duplicate, SHRED, .variant = 0xb6, .retransmitter = 1),
		     S(new, SHRED, .variant = 0x76, .retransmitter = 1),
		     S(new, SHRED, .variant = 0x76, .retransmitter = 2) } },
	{ "shreds-repaired", "solana-shred",
	  .steps = { S(new, DATA()), S(new, DATA(.nonce = 1)), S(new, DATA(.nonce = 2)),
		     S(duplicate, DATA()) } },
	{ "shreds-of-other-variants", "solana-shred",
	  .steps = { S(ignored, SHRED, .variant = 0x00), S(ignored, SHRED, .variant = 0x36),
		     S(ignored, SHRED, .variant = 0xc6), S(ignored, SHRED, .variant = 0xff),
		     S(new, SHRED, .variant = 0x40), S(new, SHRED, .variant = 0x5a),
		     S(new, SHRED, .variant = 0xa5), S(new, SHRED, .variant = 0x86) } },
	{ "shreds-on-another-port", "solana-shred",
	  .steps = { S(ignored, DATA(.port = 8000)), S(new, DATA()), S(ignored, DATA(.port = 8002)) } },
	{ "datagrams-too-short-for-a-variant", "solana-shred",
	  .steps = { S(ignored, DATAGRAM, .body = 64), S(ignored, DATAGRAM) } },
	{ "forger-of-shreds", "solana-shred",
	  .steps = { S(new, DATA(.forged = true)), S(new, DATA()) } },

	/* They carry the sequence number that the next message will have. */
	{ "heartbeats", "moldudp64",
	  .steps = { S(exempt, HEARTBEAT(5)), S(new, MESSAGES(5, 3)), S(exempt, HEARTBEAT(5)),
		     S(exempt, HEARTBEAT(8)), S(new, MESSAGES(8, 1)), S(duplicate, MESSAGES(5, 3)) } },
	{ "end-of-session", "moldudp64",
	  .steps = { S(new, MESSAGES(5, 1)), S(exempt, MESSAGES(6, 0xffff)),
		     S(duplicate, MESSAGES(5, 1)) } },
	/* To this host's own address, and so outside of the group. */
	{ "retransmission", "moldudp64",
	  .steps = { S(new, MESSAGES(5, 2)),
		     S(ignored, MOLDUDP64, .sequence = 5, .count = 2, .to = { 10, 0, 0, 2 }),
		     S(duplicate, MESSAGES(5, 2)) } },
	{ "counts-of-messages", "moldudp64",
	  .steps = { S(new, MESSAGES(100, 1)), S(new, MESSAGES(100, 5)),
		     S(new, MESSAGES(100, 0x00ff)), S(duplicate, MESSAGES(100, 5)),
		     S(new, MESSAGES(100, 1), .session = 1), S(duplicate, MESSAGES(100, 1)) } },
	{ "messages-packed-otherwise", "moldudp64",
	  .steps = { S(new, MESSAGES(100, 255)), S(duplicate, MESSAGES(102, 90)),
		     S(duplicate, MESSAGES(354, 1)), S(new, MESSAGES(354, 2)),
		     S(duplicate, MESSAGES(355, 1)), S(new, MESSAGES(99, 300)) } },
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

	{ "wrap-of-sequences", "rtp",
	  .steps = { S(new, RTP, .sequence = 0xffff), S(new, RTP, .sequence = 0),
		     S(duplicate, RTP, .sequence = 0xffff), S(new, RTP, .sequence = 0x6000),
		     S(new, RTP, .sequence = 0xc000), S(new, RTP, .sequence = 0xffff),
		     S(new, RTP, .sequence = 0), S(new, RTP, .sequence = 0, .ssrc = 1) } },
	{ "rtp-and-rtcp", "rtp",
	  .steps = { S(new, RTP, .body = 40), S(exempt, RTCP), S(exempt, RTCP, .payload_type = 192),
		     S(exempt, RTCP, .payload_type = 223),
		     S(new, RTP, .payload_type = 191, .sequence = 1),
		     S(new, RTP, .payload_type = 224, .sequence = 2),
		     S(duplicate, RTP, .body = 40, .payload_type = 0x80) } },
	/* STUN, DTLS, ZRTP. */
	{ "other-than-version-2", "rtp",
	  .steps = { S(ignored, RTP, .rtp_first = 0x01), S(ignored, RTP, .rtp_first = 0x14),
		     S(ignored, RTP, .rtp_first = 0x50), S(ignored, RTP, .rtp_first = 0xc0),
		     S(new, RTP, .rtp_first = 0xbf), S(duplicate, RTP, .rtp_first = 0x80) } },
	{ "two-paths", "rtp", FEEDS,
	  .steps = { S(new, RTP, .sequence = 9, GROUP(1), .body = 1300, MULTICAST),
		     S(duplicate, RTP, .sequence = 9, GROUP(2), .body = 1300, .port = 8002, .from = 9),
		     S(new, RTP, .sequence = 10, GROUP(2), .port = 8002),
		     S(duplicate, RTP, .sequence = 10, GROUP(1)) } },
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

	{ "types-of-discovery", "discv4",
	  .steps = { S(new, DISCV4, .packet_type = 1), S(new, DISCV4, .packet_type = 6),
		     S(new, DISCV4, .packet_type = 7), S(ignored, DISCV4, .packet_type = 8),
		     S(ignored, DISCV4, .packet_type = 255), S(duplicate, DISCV4, .packet_type = 6),
		     S(ignored, DATAGRAM, .body = 97) } },
	{ "requests-of-other-seconds", "discv4",
	  .steps = { S(new, DISCV4, .expires = 10), S(new, DISCV4, .expires = 11),
		     S(duplicate, DISCV4, .expires = 10) } },
	/* The hash of the real one, in front of something else. */
	{ "forger-of-discovery", "discv4",
	  .steps = { S(new, DISCV4, .body = 9, .forged = true), S(new, DISCV4, .body = 9) } },
	{ "replay-of-discovery-by-app", "discv4", APP,
	  .steps = { S(new, DISCV4, .from = 66), TAUGHT(DISCV4), S(duplicate, DISCV4) } },

	{ "streams-of-r-tags", "r-tag",
	  .steps = { S(new, R_TAG, .sequence = 5), S(new, R_TAG, .sequence = 5, VLAN(7)),
		     S(new, R_TAG, .sequence = 5, VLAN(8)), S(new, R_TAG, .sequence = 6, VLAN(8)),
		     S(new, R_TAG, .sequence = 5, .from_mac = 1),
		     S(new, R_TAG, .sequence = 5, MULTICAST),
		     S(duplicate, R_TAG, .sequence = 5, .body = 99),
		     S(duplicate, R_TAG, .sequence = 5, VLAN(7)),
		     S(duplicate, R_TAG, .sequence = 6, VLAN(8)) } },
	{ "r-tags-behind-two-tags", "r-tag",
	  .steps = { S(new, R_TAG, .sequence = 5, QINQ(7, 8)),
		     S(new, R_TAG, .sequence = 5, QINQ(7, 9)),
		     S(new, R_TAG, .sequence = 5, QINQ(6, 8)),
		     S(new, R_TAG, .sequence = 5, QINQ(8, 7)),
		     S(duplicate, R_TAG, .sequence = 5, QINQ(7, 8)),
		     S(duplicate, R_TAG, .sequence = 5, QINQ(0xe007, 0xb008)) } },
	/* Bridges may mark priorities anew. */
	{ "r-tags-of-other-priority", "r-tag",
	  .steps = { S(new, R_TAG, .sequence = 5, VLAN(7)),
		     S(duplicate, R_TAG, .sequence = 5, VLAN(0xe007)),
		     S(duplicate, R_TAG, .sequence = 5, VLAN(0x1007)),
		     S(new, R_TAG, .sequence = 5, VLAN(0x0807)) } },
	/* That VLAN is not in the source: frames of two VLANs would be of one sender. */
	{ "r-tags-before-vlan-tags", "r-tag",
	  .steps = { S(exempt, R_TAG, .sequence = 5, .ethertype = 0x8100),
		     S(exempt, R_TAG, .sequence = 5, .ethertype = 0x88a8, VLAN(7)),
		     S(new, R_TAG, .sequence = 5),
		     S(exempt, R_TAG, .sequence = 5, .ethertype = 0x8100) } },
	{ "frames-without-r-tag", "r-tag",
	  .steps = { S(ignored, OTHER_FRAME, .ethertype = 0xf1c0, .body = 50), S(ignored, HSR),
		     S(ignored, DATAGRAM), S(ignored, R_TAG, .to_mac = { 2, 9 }) } },

	{ "both-ways-round", "hsr",
	  .steps = { S(new, HSR, .sequence = 5, .path = 0),
		     S(duplicate, HSR, .sequence = 5, .path = 1),
		     S(new, HSR, .sequence = 6, .path = 1),
		     S(duplicate, HSR, .sequence = 6, .path = 0),
		     S(duplicate, HSR, .sequence = 6, .path = 0xf), S(new, HSR, .sequence = 0x0105) } },
	{ "sources-of-equal-sequence", "hsr",
	  .steps = { S(new, HSR, .sequence = 5), S(new, HSR, .sequence = 5, .from_mac = 1),
		     S(duplicate, HSR, .sequence = 5), S(new, HSR, .sequence = 6, .from_mac = 1),
		     S(new, HSR, .sequence = 6),
		     S(duplicate, HSR, .sequence = 6, .from_mac = 1, .path = 1) } },
	{ "supervision-and-time", "hsr",
	  .steps = { S(exempt, HSR, .ethertype = 0x88fb),
		     S(exempt, HSR, .ethertype = 0x88fb, VLAN(3)), S(exempt, HSR, .ethertype = 0x88f7),
		     S(exempt, HSR, .ethertype = 0x88f7, .path = 1), S(new, HSR, .ethertype = 0x88fa),
		     S(new, HSR, .ethertype = 0x88f6, .sequence = 1) } },
	/* These go on round the ring. */
	{ "frames-of-other-nodes", "hsr",
	  .steps = { S(ignored, HSR, MULTICAST), S(ignored, HSR, .to_mac = { 2, 9 }),
		     S(ignored, HSR, .to_mac = { 255, 255, 255, 255, 255, 255 }),
		     /* HSRv0. */
		     S(ignored, OTHER_FRAME, .ethertype = 0x88fb, .body = 60) } },

	{ "both-networks", "prp",
	  .steps = { S(new, PRP, .sequence = 5, .path = 0xa),
		     S(duplicate, PRP, .sequence = 5, .path = 0xb),
		     S(new, PRP, .sequence = 6, .path = 0xb),
		     S(duplicate, PRP, .sequence = 6, .path = 0xa), S(new, PRP, .sequence = 0xffff),
		     S(new, PRP, .sequence = 0), S(new, PRP, .sequence = 0xff),
		     S(duplicate, PRP, .sequence = 0xffff, .path = 0xb) } },
	{ "trailers-behind-padding", "prp",
	  .steps = { S(new, PRP, .sequence = 5, .body = 1),
		     S(duplicate, PRP, .sequence = 5, .body = 1, .path = 0xb),
		     S(duplicate, PRP, .sequence = 5, .body = 1, .pads_with = 0xff),
		     S(new, PRP, .sequence = 6, .body = 1490),
		     S(duplicate, PRP, .sequence = 6, .body = 1490, .path = 0xb),
		     S(new, PRP, .sequence = 7, .body = 46),
		     S(duplicate, PRP, .sequence = 7, .body = 46, .path = 0xb) } },
	{ "two-sources", "prp",
	  .steps = { S(new, PRP, .sequence = 5), S(new, PRP, .sequence = 5, .from_mac = 1),
		     S(duplicate, PRP, .sequence = 5, .path = 0xb),
		     S(duplicate, PRP, .sequence = 5, .from_mac = 1, .path = 0xb) } },
	{ "no-trailer", "prp",
	  .steps = { S(ignored, PRP, .suffix = 0x88fa), S(ignored, PRP, .suffix = 0xfb88),
		     S(ignored, PRP, .path = 0x1), S(ignored, PRP, .path = 0x9),
		     S(ignored, PRP, .path = 0xc),
		     /* The FCS, or a switch's tag, is behind it. */
		     S(ignored, PRP, .behind = 4),
		     S(ignored, OTHER_FRAME, .ethertype = 0x88b8, .body = 46) } },
	{ "supervision-on-both-networks", "prp",
	  .steps = { S(exempt, PRP, .ethertype = 0x88fb),
		     S(exempt, PRP, .ethertype = 0x88fb, .path = 0xb),
		     S(exempt, PRP, .ethertype = 0x88fb, VLAN(3)), S(exempt, PRP, .ethertype = 0x88f7),
		     S(exempt, PRP, .ethertype = 0x88f7, VLAN(3)), S(new, PRP, .ethertype = 0x88fa),
		     S(new, PRP, .ethertype = 0x88fa, .sequence = 1) } },
	{ "multicast-to-an-end-node", "prp",
	  .steps = { S(new, PRP, MULTICAST), S(duplicate, PRP, MULTICAST, .path = 0xb),
		     S(ignored, PRP, .to_mac = { 2, 9 }) } },

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
	{ "other-frames-from-tap-to-tap", "mirror-l2",
	  .steps = { S(new, GOOSE(.body = 99)), S(duplicate, GOOSE(.body = 99, VLAN(9))),
		     S(duplicate, GOOSE(.body = 99, QINQ(9, 10))),
		     S(new, OTHER_FRAME, .body = 99, .ethertype = 0x8892),
		     S(duplicate, OTHER_FRAME, .body = 99, .ethertype = 0x8892, VLAN(9)),
		     S(new, OTHER_FRAME, .body = 99, .ethertype = 99),
		     S(duplicate, OTHER_FRAME, .body = 99, .ethertype = 99, .to_mac = { 0 }),
		     S(new, OTHER_FRAME, .body = 99, .ethertype = 0x0806, .to_mac = { 2, 9 }) } },
	/* Whatever is behind tags. */
	{ "ip-beside-other-frames", "mirror-l2",
	  .steps = { S(ignored, IP_PACKET), S(ignored, IP_PACKET, .ipv6 = true, VLAN(9)),
		     S(ignored, DATAGRAM, .body = 8, QINQ(9, 10)),
		     S(ignored, OTHER_FRAME, .ethertype = 0x0800, .body = 1) } },
	{ "equal-on-purpose", "mirror-l2",
	  .steps = { S(exempt, OTHER_FRAME, .ethertype = 0x88a4),
		     S(exempt, OTHER_FRAME, .ethertype = 0x8902, VLAN(9)),
		     S(exempt, OTHER_FRAME, .ethertype = 0x8808),
		     S(exempt, OTHER_FRAME, .ethertype = 0x88ab, QINQ(9, 10)) } },
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
