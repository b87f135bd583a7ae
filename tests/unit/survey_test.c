// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The survey of captures whose duplicates are known: what it recommends, in which figures; and that
 * replay with the recommended options drops what was promised.
 */
#include "support.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture.h"
#include "protocol_packets.h"
#include "survey.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define MINUTE (60 * SECOND)
#define DAY (86400 * SECOND)
#define T0 (UINT64_C(1700000000) * SECOND)

/* A capture while it is made: packets at any time, in any order. */
struct traffic {
	struct at {
		uint64_t ns;
		uint32_t iface, len, wire_len, order;
		uint8_t *data;
		bool outgoing;
	} * list;
	uint32_t cnt, room;
	uint64_t seed;
	uint32_t snap; /* 0: whole packets */
	uint32_t iface;
	bool outgoing;
};

static void put_bytes(struct traffic *t, uint64_t ns, const uint8_t *data, uint32_t len)
{
	struct at *at;

	if (t->cnt == t->room) {
		t->room = t->room ? 2 * t->room : 1024;
		t->list = realloc(t->list, t->room * sizeof(*t->list));
		assert_non_null(t->list);
	}
	at = &t->list[t->cnt];
	*at = (struct at){ T0 + ns, t->iface, len, len, t->cnt++, malloc(len), t->outgoing };
	if (t->snap && len > t->snap)
		at->len = t->snap;
	assert_non_null(at->data);
	memcpy(at->data, data, len);
}

static void put(struct traffic *t, uint64_t ns, const struct protocol_packet *p)
{
	static struct frame f;

	protocol_frame(&f, p);
	put_bytes(t, ns, f.data, f.len);
}

static uint64_t chance(struct traffic *t, uint64_t below)
{
	return random_next(&t->seed) % below;
}

static int by_time(const void *a, const void *b)
{
	const struct at *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

static void to_group(struct protocol_packet *p, uint8_t last)
{
	static const uint8_t GROUP[] = { 233, 252, 0 }, MAC[] = { 0x01, 0x00, 0x5e, 0x7c, 0x00 };

	memcpy(p->to, GROUP, 3);
	memcpy(p->to_mac, MAC, 5);
	p->to[3] = p->to_mac[5] = last;
}

/* TCP, DNS and ARP, without a duplicate. */
static void add_noise(struct traffic *t, uint32_t cnt, uint64_t step_ns)
{
	static uint16_t id;

	for (uint32_t i = 0; i < cnt; i++) {
		struct protocol_packet tcp = {
			.protocol = IP_PACKET,
			.port = 443,
			.tcp_sequence = 1000 * i,
			.body = 200,
			.ip_id = ++id,
		};
		struct protocol_packet dns = { .protocol = DATAGRAM,
					       .body = 20 + i % 60,
					       .ip_id = ++id };
		static const uint8_t REST[20];
		uint8_t arp[60] = { 2, 0, 0, 0, 0, 0x10, 2, 2, 2, 2, 2, 2, 8, 6 };

		dns.port = i % 2 ? 53 : (uint16_t)(32768 + chance(t, 28000));
		put(t, i * step_ns, &tcp);
		/* Transaction ids are random. */
		{
			static struct frame f;
			uint64_t random = random_next(&t->seed);

			protocol_frame(&f, &dns);
			memcpy(f.data + f.gsp, &random, 8);
			put_bytes(t, i * step_ns + 100, f.data, f.len);
		}
		memcpy(arp + 14, &i, sizeof(i));
		memcpy(arp + 30, REST, sizeof(REST));
		if (i % 10 == 0)
			put_bytes(t, i * step_ns + 200, arp, sizeof(arp));
	}
}

/* 5,000 packets on two sides, which lose 1 % and nothing, up to 2 ms apart. */
static void add_feeds(struct traffic *t, bool two_ifaces)
{
	for (uint32_t i = 0; i < 5000; i++) {
		struct protocol_packet p = {
			.protocol = MOLDUDP64,
			.port = 26477,
			.sequence = 1 + 3 * i,
			.count = i % 100 ? 3 : 0,
			.body = 20,
			.fill = (uint8_t)i,
			.from = 1,
		};
		uint64_t at = i * 2 * MS;

		to_group(&p, 1);
		t->iface = 0;
		if (i % 100 != 7)
			put(t, at + chance(t, 1000) * 1000, &p);
		p.port = 26478;
		p.from = 2;
		to_group(&p, 2);
		t->iface = two_ifaces;
		put(t, at + MS + chance(t, 1000) * 1000, &p);
		t->iface = 0;
	}
}

static void mold(struct traffic *t)
{
	add_feeds(t, false);
}

static void mold_by_two(struct traffic *t)
{
	add_feeds(t, true);
}

static void mold_snapped(struct traffic *t)
{
	t->snap = 96;
	add_feeds(t, false);
}

/* Video over two paths that are 12 ms apart, with RTCP; to a port each, by two hosts. */
static void rtp(struct traffic *t)
{
	for (uint32_t i = 0; i < 4000; i++) {
		struct protocol_packet p = {
			.protocol = RTP,
			.port = 5006,
			.sequence = 65000 + i,
			.timestamp = i / 10 * 3000,
			.payload_type = i % 10 == 9 ? 0x80 | 96 : 96,
			.body = 400,
			.fill = (uint8_t)(i / 3),
			.ssrc = 3,
		};

		if (i % 50 == 3)
			continue;
		put(t, i * MS, &p);
		p.port = 5004;
		put(t, i * MS + 12 * MS, &p);
	}
}

/* Each shred from 1 to 5 neighbours, within a second; neighbours sign some anew. */
static void shreds(struct traffic *t)
{
	for (uint32_t i = 0; i < 3000; i++) {
		struct protocol_packet p = {
			.protocol = SHRED,
			.port = 8002,
			.variant = i % 2 ? 0x96 : 0x66,
			.slot = 300000000 + i / 100,
			.index = i % 100,
			.fec_set = i % 100 / 32 * 32,
			.fill = (uint8_t)(i / 5),
		};

		for (uint32_t j = 0; j < 1 + i % 5; j++) {
			p.from = (uint8_t)(10 + j);
			p.ip_id = (uint16_t)(7 * i + j);
			put(t, i * MS + (j ? chance(t, 900) * MS : 0), &p);
		}
	}
}

/* Both directions of everything, once as it comes in and once as it leaves the switch: another
 * VLAN, MAC and TTL.
 */
static void span(struct traffic *t)
{
	for (uint32_t i = 0; i < 3000; i++) {
		struct protocol_packet p = {
			.protocol = i % 3 ? IP_PACKET : DATAGRAM,
			.port = i % 2 ? 443 : (uint16_t)(40000 + i % 700),
			.tcp_sequence = 100 * i,
			.body = 100 + i % 400,
			.fill = (uint8_t)i,
			.from = (uint8_t)(i % 5),
			.ip_id = (uint16_t)(3 * i + 1),
		};

		put(t, i * MS, &p);
		if (i % 20 == 0)
			continue;
		p.tags[0] = 0x8100;
		p.tci[0] = 7;
		p.ttl = 63;
		p.from_mac = 9;
		put(t, i * MS + 20000 + chance(t, 100) * 1000, &p);
	}
}

/* Events that four neighbours send, the last ones after half a minute. */
static void mesh(struct traffic *t)
{
	static struct frame f;

	for (uint32_t i = 0; i < 2500; i++) {
		struct id id = id_fresh();
		struct frame_plan p = { .body = 100 };

		for (uint32_t j = 0; j < 4; j++) {
			frame_build(&f, &p, &id);
			ipv4_sum(&f);
			f.data[f.ip + 15] = (uint8_t)(20 + j);
			f.data[f.len - 1] = (uint8_t)j; /* how far it came */
			put_bytes(t, i * 10 * MS + (j ? chance(t, 30000) * MS : 0), f.data, f.len);
		}
	}
}

/* Ids are within the snap length, bodies are not. */
static void mesh_snapped(struct traffic *t)
{
	t->snap = 96;
	mesh(t);
}

static void mesh_and_more(struct traffic *t)
{
	add_noise(t, 3000, 10 * MS);
	add_feeds(t, false);
	shreds(t);
}

static void nothing(struct traffic *t)
{
	add_noise(t, 3000, 10 * MS);
}

/* A sender that says the same every second, and means it. */
static void say_again(struct traffic *t, bool ip_ids)
{
	add_noise(t, 1000, 100 * MS);
	for (uint32_t i = 0; i < 500; i++) {
		struct protocol_packet p = {
			.protocol = DATAGRAM,
			.port = 3784,
			.body = 24,
			.ip_id = ip_ids ? (uint16_t)(i + 1) : 0,
		};

		put(t, i * 200 * MS, &p);
	}
}

static void keepalives(struct traffic *t)
{
	say_again(t, true);
}

/* Each is the same IP packet: but so late that nobody has seen it twice. */
static void keepalives_without_ip_ids(struct traffic *t)
{
	say_again(t, false);
}

/* An unknown protocol by two relays. One packet goes astray. */
static void relays(struct traffic *t)
{
	static struct frame f;

	for (uint32_t i = 0; i < 2000; i++) {
		struct protocol_packet p = { .protocol = DATAGRAM, .port = 5140, .body = 80 };
		uint64_t random = random_next(&t->seed);

		for (uint8_t j = 0; j < 2; j++) {
			p.from = j;
			p.ip_id = (uint16_t)(2 * i + j + 1);
			protocol_frame(&f, &p);
			memcpy(f.data + f.gsp, &random, 8);
			put_bytes(t, i * 3 * MS + j * 5 * MS, f.data, f.len);
		}
		if (i == 500) {
			frame_put(&f, f.udp + 2, 2, 9999);
			put_bytes(t, i * 3 * MS + 6 * MS, f.data, f.len);
		}
	}
}

/* Half of the packets to a port are RTP, by two paths. */
static void rtp_among_others(struct traffic *t)
{
	for (uint32_t i = 0; i < 2000; i++) {
		struct protocol_packet p = {
			.protocol = RTP,
			.port = 5004,
			.sequence = i,
			.timestamp = 300 * i,
			.body = 200,
		};

		put(t, i * MS, &p);
		p.from = 1;
		put(t, i * MS + MS / 2, &p);
		p = (struct protocol_packet){ .protocol = DISCV4, .port = 5004, .expires = i };
		put(t, i * MS, &p);
		p.from = 1;
		put(t, i * MS + MS / 2, &p);
	}
}

/* RTP by two paths, and as many reports of its senders, which its profile lets pass. */
static void rtp_with_reports(struct traffic *t)
{
	for (uint32_t i = 0; i < 2000; i++) {
		struct protocol_packet p = {
			.protocol = i % 2 ? RTP : RTCP,
			.port = 5004,
			.sequence = i,
			.timestamp = 300 * i,
			.body = 200,
		};

		put(t, i * MS, &p);
		p.from = 1;
		put(t, i * MS + MS / 2, &p);
	}
}

/* Events, and twice as many IHAVEs of which each comes twice. */
static void mesh_with_ihaves(struct traffic *t)
{
	static struct frame f;

	for (uint32_t i = 0; i < 4000; i++) {
		struct frame_plan p = { .type = i % 2 ? 2 : 1, .body = i % 2 ? 0 : 40 };
		struct id id = id_fresh();

		frame_build(&f, &p, &id);
		ipv4_sum(&f);
		put_bytes(t, i * MS, f.data, f.len);
		f.data[f.ip + 15] = 77;
		ipv4_sum(&f);
		put_bytes(t, i * MS + 300000, f.data, f.len);
	}
}

/* The same datagrams by two paths to one host; and TCP, by one of them. */
static void by_two_paths(struct traffic *t, uint16_t ports)
{
	static struct frame f;

	for (uint32_t i = 0; i < 1000; i++) {
		struct protocol_packet p = {
			.protocol = DATAGRAM,
			.port = (uint16_t)(5140 + i % ports),
			.body = 80,
			.ip_id = (uint16_t)(1 + i),
		};

		for (uint8_t j = 0; j < 2; j++) {
			p.ttl = 60 + j;
			protocol_frame(&f, &p);
			memcpy(f.data + f.gsp, &i, sizeof(i));
			put_bytes(t, i * MS + j * MS, f.data, f.len);
		}
	}
}

static void one_port_by_two_paths(struct traffic *t)
{
	add_noise(t, 1000, MS);
	by_two_paths(t, 1);
}

static void datagrams_by_two_paths(struct traffic *t)
{
	by_two_paths(t, 1);
}

static void many_ports_by_two_paths(struct traffic *t)
{
	by_two_paths(t, 20);
}

/* Mirrored traffic, and far more of what has another profile. */
static void span_beside_shreds(struct traffic *t)
{
	span(t);
	shreds(t);
}

/* TCP over two networks: each of its packets comes twice, as behind a SPAN port. */
static void prp_of_tcp(struct traffic *t)
{
	static struct frame f;

	for (uint32_t i = 0; i < 1000; i++) {
		struct protocol_packet p = {
			.protocol = IP_PACKET,
			.port = 443,
			.tcp_sequence = 100 * i,
			.body = 100,
			.ip_id = (uint16_t)i,
		};

		protocol_frame(&f, &p);
		frame_put(&f, f.len, 2, i);
		frame_put(&f, f.len + 2, 2, 0xa000 | (f.len - 14 + 4));
		frame_put(&f, f.len + 4, 2, 0x88fb);
		put_bytes(t, i * MS, f.data, f.len + 6);
		f.data[f.len + 2] ^= 0x10;
		put_bytes(t, i * MS + 300000, f.data, f.len + 6);
	}
}

/* A relay that takes 5 s; a quarter of its packets are quick. */
static void slow_relay(struct traffic *t, uint32_t quick)
{
	static struct frame f;

	for (uint32_t i = 0; i < 2000; i++) {
		struct protocol_packet p = { .protocol = DATAGRAM, .port = 5140, .body = 80 };

		for (uint8_t j = 0; j < 2; j++) {
			p.from = j;
			protocol_frame(&f, &p);
			memcpy(f.data + f.gsp, &i, sizeof(i));
			put_bytes(t, i * MS + j * (i % 4 < quick ? 20 * MS : 5 * SECOND), f.data,
				  f.len);
		}
	}
}

static void all_slow(struct traffic *t)
{
	slow_relay(t, 0);
}

static void some_slow(struct traffic *t)
{
	slow_relay(t, 1);
}

/* An event every three minutes for three weeks, whose copies come up to two hours later. */
static void three_weeks(struct traffic *t)
{
	static struct frame f;

	for (uint64_t at = 0; at < 21 * DAY; at += 3 * MINUTE) {
		struct id id = id_fresh();
		struct frame_plan p = { .body = 30 };

		for (uint32_t j = 0; j < 2; j++) {
			frame_build(&f, &p, &id);
			ipv4_sum(&f);
			put_bytes(t, at + (j ? chance(t, 120 * 60) * SECOND : 0), f.data, f.len);
		}
	}
}

/* Frames over two networks. */
static void prp(struct traffic *t)
{
	for (uint32_t i = 0; i < 70000; i++) {
		struct protocol_packet p = {
			.protocol = PRP,
			.sequence = i,
			.body = 50 + i % 9,
			.fill = (uint8_t)(i / 7 + i / 65536),
			.path = 0xa,
		};

		put(t, i * MS / 2, &p);
		p.path = 0xb;
		put(t, i * MS / 2 + 200000, &p);
	}
}

/* A talker's frames by two paths; numbers come again after 65,536. */
static void r_tag(struct traffic *t)
{
	for (uint32_t i = 0; i < 70000; i++) {
		struct protocol_packet p = {
			.protocol = R_TAG,
			.sequence = i,
			.body = 50,
			.fill = (uint8_t)(i / 7 + i / 65536),
		};

		put(t, i * MS / 20, &p);
		put(t, i * MS / 20 + 200000, &p);
	}
}

/* Bytes that only look like RTP: its id's bytes stay the same. */
static void like_rtp(struct traffic *t)
{
	static struct frame f;

	for (uint32_t i = 0; i < 3000; i++) {
		struct protocol_packet p = { .protocol = RTP, .port = 7000, .sequence = 1, .body = 30 };

		protocol_frame(&f, &p);
		memcpy(f.data + f.len - 4, &i, sizeof(i));
		put_bytes(t, i * MS, f.data, f.len);
	}
}

/* 3 % of one port's datagrams had come to another one: no feeds, and nothing for either alone. */
static void strays(struct traffic *t)
{
	static struct frame f;

	for (uint32_t i = 0; i < 1000; i++) {
		for (uint16_t port = 5140; port <= 5141; port++) {
			struct protocol_packet p = { .protocol = DATAGRAM, .port = port, .body = 50 };
			uint32_t says = i < 30 ? i : 2 * i + port % 2;

			p.from = (uint8_t)port;
			protocol_frame(&f, &p);
			memcpy(f.data + f.gsp, &says, sizeof(says));
			put_bytes(t, i * MS + (port - 5140) * 100, f.data, f.len);
		}
	}
}

/* Feeds of IPv6 behind a VLAN tag, and MoldUDP64 to a host: with its address. */
static void feeds_of_ipv6(struct traffic *t)
{
	for (uint32_t i = 0; i < 1000; i++) {
		struct protocol_packet p = {
			.protocol = MOLDUDP64,
			.port = 26400,
			.sequence = 1 + i,
			.count = 1,
			.ipv6 = true,
			.tags = { 0x8100 },
			.to_mac = { 0x33, 0x33, 0, 0, 0, 1 },
			.to = { 0xff, 5, [15] = 1 },
		};

		put(t, i * MS, &p);
		p.to[15] = 2;
		put(t, i * MS + 1000, &p);
		p = (struct protocol_packet){
			.protocol = MOLDUDP64,
			.port = 30000,
			.session = 1,
			.sequence = 1 + i,
			.count = 1,
			.to = { 10, 1, 2, 3 },
		};
		put(t, i * MS, &p);
		put(t, i * MS + 2000, &p);
	}
}

/* More groups of feeds than a filter has destinations. */
static void many_groups(struct traffic *t)
{
	for (uint32_t i = 0; i < 100; i++) {
		for (uint8_t group = 1; group <= 40; group++) {
			struct protocol_packet p = {
				.protocol = RTP,
				.port = 5004,
				.sequence = i,
				.ssrc = 1 + (group - 1) / 20,
				.timestamp = 3000 * i,
				.body = 100,
			};

			to_group(&p, group);
			put(t, i * MS + group * 1000, &p);
		}
	}
}

/* Two ports of it: their ids are the same, and mean nothing. */
static void like_rtp_to_two(struct traffic *t)
{
	static struct frame f;

	for (uint32_t i = 0; i < 1000; i++) {
		struct protocol_packet p = {
			.protocol = RTP, .port = 7000 + i % 2, .body = 30, .sequence = i / 4
		};

		protocol_frame(&f, &p);
		memcpy(f.data + f.len - 4, &i, sizeof(i));
		put_bytes(t, i * MS, f.data, f.len);
		if (i % 8)
			continue;
		f.data[f.ip + 15] ^= 1;
		ipv4_sum(&f);
		put_bytes(t, i * MS + MS, f.data, f.len);
	}
}

static void sent_by_the_host(struct traffic *t)
{
	t->outgoing = true;
	shreds(t);
	t->outgoing = false;
	add_noise(t, 100, MS);
}

static void empty(struct traffic *t)
{
	(void)t;
}

/* drops: promised, from .. to; 0, 0: none. */
static const struct row {
	const char *name;
	void (*make)(struct traffic *t);
	const char *options; /* recommended; "": nothing */
	uint32_t drops, drops_to;
} ROWS[] = {
	{ "moldudp64-feeds", mold,
	  "--profile moldudp64:26477@233.252.0.1#feed1 --profile moldudp64:26478@233.252.0.2#feed1 "
	  "--window 100ms --capacity 10k",
	  4900, 4900 },
	{ "rtp-by-two-paths", rtp, "--profile rtp:5004,5006 --window 100ms --capacity 10k", 3920,
	  3920 },
	{ "shreds", shreds, "--profile solana-shred:8002 --window 5s --capacity 10k", 5900, 6000 },
	{ "span-of-both-directions", span, "--profile mirror --window 50ms --capacity 10k", 2850,
	  2850 },
	{ "gossip-mesh", mesh, "--profile gsp:8001 --window 1m --capacity 10k", 7500, 7500 },
	{ "snapped-mesh", mesh_snapped, "--profile gsp:8001 --window 1m --capacity 10k", 7500, 7500 },
	{ "mixed", mesh_and_more,
	  "--profile solana-shred:8002 --profile moldudp64:26477@233.252.0.1#feed1 "
	  "--profile moldudp64:26478@233.252.0.2#feed1 --window 5s --capacity 20k",
	  10800, 10900 },
	{ "nothing-to-gain", nothing, "", 0, 0 },
	{ "keepalives", keepalives, "", 0, 0 },
	{ "keepalives-without-ip-ids", keepalives_without_ip_ids, "", 0, 0 },
	{ "relays", relays, "--profile payload:5140 --window 100ms --capacity 10k", 2000, 2000 },
	{ "rtp-among-others", rtp_among_others,
	  "--profile payload:5004 --window 100ms --capacity 10k", 4000, 4000 },
	{ "rtp-with-reports", rtp_with_reports,
	  "--profile payload:5004 --window 100ms --capacity 10k", 2000, 2000 },
	{ "mesh-with-ihaves", mesh_with_ihaves, "--profile gsp:8001 --window 100ms --capacity 10k",
	  2000, 2000 },
	{ "one-port-by-two-paths", one_port_by_two_paths,
	  "--profile payload:5140 --window 100ms --capacity 10k", 1000, 1000 },
	{ "datagrams-by-two-paths", datagrams_by_two_paths,
	  "--profile payload:5140 --window 100ms --capacity 10k", 1000, 1000 },
	{ "many-ports-by-two-paths", many_ports_by_two_paths,
	  "--profile mirror --window 50ms --capacity 10k", 1000, 1000 },
	{ "span-beside-shreds", span_beside_shreds,
	  "--profile solana-shred:8002 --profile payload:443 --window 1s --capacity 10k", 6500, 6500 },
	{ "prp-of-tcp", prp_of_tcp, "--profile prp --window 100ms --capacity 10k", 1000, 1000 },
	{ "slow-relay", all_slow, "", 0, 0 },
	/* The window is as long as the profile lets it be. */
	{ "relay-that-is-slow-at-times", some_slow,
	  "--profile payload:5140 --window 1s --capacity 10k", 500, 500 },
	{ "three-weeks", three_weeks, "--profile gsp:8001 --window 6h --capacity 10k", 10080, 10080 },
	{ "prp", prp, "--profile prp --window 100ms --capacity 10k", 70000, 70000 },
	{ "r-tag", r_tag, "--profile r-tag --window 50ms --capacity 10k", 70000, 70000 },
	{ "not-rtp", like_rtp, "", 0, 0 },
	{ "strays", strays, "", 0, 0 },
	{ "feeds-of-ipv6", feeds_of_ipv6,
	  "--profile moldudp64:26400@ff05::1,ff05::2 --profile moldudp64:30000@10.1.2.3 "
	  "--window 100ms --capacity 10k",
	  2000, 2000 },
	{ "sent-by-the-host", sent_by_the_host, "", 0, 0 },
	{ "empty", empty, "", 0, 0 },
	{ "snapped-feeds", mold_snapped,
	  "--profile moldudp64:26477@233.252.0.1#feed1 --profile moldudp64:26478@233.252.0.2#feed1 "
	  "--window 100ms --capacity 10k",
	  4900, 4900 },
};

static void make(struct traffic *t, void (*fill)(struct traffic *t))
{
	*t = (struct traffic){ .seed = 1 };
	fill(t);
	if (t->cnt)
		qsort(t->list, t->cnt, sizeof(*t->list), by_time);
}

static void drop(struct traffic *t)
{
	for (uint32_t i = 0; i < t->cnt; i++)
		free(t->list[i].data);
	free(t->list);
}

static struct capture_frame frame_of(const struct at *at, uint32_t i)
{
	return (struct capture_frame){
		.data = at->data,
		.len = at->len,
		.wire_len = at->wire_len,
		.ns = at->ns,
		.number = i + 1,
		.iface = at->iface,
		.outgoing = at->outgoing,
	};
}

static void write_capture(const struct traffic *t, const char *path)
{
	struct capture_out *out;

	assert_int_equal(capture_create(path, 262144, CAPTURE_AT_ONCE, &out), 0);
	for (uint32_t i = 0; i < t->cnt; i++) {
		struct capture_frame f = frame_of(&t->list[i], i);

		if (!t->list[i].outgoing)
			assert_int_equal(capture_write(out, &f), 0);
	}
	assert_int_equal(capture_finish(out), 0);
}

/* The JSON of a command. */
static json_object *run_json(const char *options, const char *path)
{
	char *out = malloc(4000000);
	json_object *o;

	assert_non_null(out);
	if (sh_out(out, 4000000, "%s replay %s %s --json", tool(), path, options))
		fail_msg("replay %s: %.2000s", options, out);
	o = json_tokener_parse(out);
	if (!o)
		fail_msg("no JSON: %.2000s", out);
	free(out);
	return o;
}

static uint64_t number(json_object *o, const char *key)
{
	json_object *value;

	if (!json_object_object_get_ex(o, key, &value))
		fail_msg("there is no %s", key);
	return json_object_get_uint64(value);
}

static json_object *member(json_object *o, const char *key)
{
	json_object *value;

	if (!json_object_object_get_ex(o, key, &value))
		fail_msg("there is no %s", key);
	return value;
}

/* What replay drops with these options. */
static uint64_t drops_with(const char *options, const char *path)
{
	json_object *o = run_json(options, path), *streams = member(o, "streams");
	uint64_t sum = 0;

	for (size_t i = 0; i < json_object_array_length(streams); i++)
		sum += number(member(json_object_array_get_idx(streams, i), "counters"),
			      "duplicate");
	json_object_put(o);
	return sum;
}

static void recommends(void **state)
{
	const struct row *row = *state;
	char path[] = "/tmp/xdp-dedup-survey.XXXXXX";
	const char *options;
	json_object *o, *advice;
	struct traffic t;
	uint64_t drops;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
	make(&t, row->make);
	write_capture(&t, path);
	o = run_json("", path);
	advice = member(o, "advice");
	options = json_object_get_string(member(advice, "options"));
	assert_string_equal(options ? options : "", row->options);
	drops = number(advice, "drops");
	assert_in_range(drops, row->drops, row->drops_to);
	if (options)
		assert_in_range(drops_with(options, path), drops, drops + drops / 100);
	json_object_put(o);
	if (!getenv("KEEP"))
		unlink(path);
	else
		sh("mv %s /tmp/hs-%s.pcap", path, row->name);
	drop(&t);
}

/* The same by the functions, without a file. */
static struct survey *survey_of(const struct traffic *t, const struct survey_result **r)
{
	struct survey *s;

	assert_int_equal(survey_open(200000000, &s), 0);
	for (uint32_t i = 0; i < t->cnt; i++) {
		struct capture_frame f = frame_of(&t->list[i], i);

		assert_int_equal(survey_note(s, &f), 0);
	}
	*r = survey_end(s);
	assert_non_null(*r);
	return s;
}

static const struct survey_destination *destination(const struct survey_result *r,
						    enum survey_kind kind, uint16_t number)
{
	for (uint32_t i = 0; i < r->destinations_cnt; i++)
		if (r->destinations[i].kind == kind && r->destinations[i].number == number)
			return &r->destinations[i];
	fail_msg("there is no destination %u", number);
	return NULL;
}

static const struct survey_fit *fit(const struct survey_fit *fits, uint32_t cnt, const char *name)
{
	for (uint32_t i = 0; i < cnt; i++)
		if (!strcmp(fits[i].profile->stream.name, name))
			return &fits[i];
	fail_msg("%s does not fit", name);
	return NULL;
}

#define FIT(d, name) fit((d)->fits, (d)->fits_cnt, name)

static void copies_by_two_interfaces(void **state)
{
	const struct survey_result *r;
	struct traffic t;
	struct survey *s;

	(void)state;
	make(&t, mold_by_two);
	s = survey_of(&t, &r);
	assert_true(r->several_ifaces);
	assert_true(r->spec.several);
	assert_int_equal(r->ifaces_cnt, 2);
	assert_int_equal(r->destinations[0].best->other_iface, 4900);
	survey_close(s);
	drop(&t);
}

/* 5,000 packets on B, 50 of them heartbeats; A lost 50. */
static void figures_of_feeds(void **state)
{
	const struct survey_destination *a, *b;
	const struct survey_fit *f;
	const struct survey_result *r;
	struct traffic t;
	struct survey *s;

	(void)state;
	make(&t, mold);
	s = survey_of(&t, &r);
	a = destination(r, SURVEY_UDP, 26477);
	b = destination(r, SURVEY_UDP, 26478);
	assert_int_equal(r->packets, 9950);
	assert_int_equal(r->packets, a->packets + b->packets);
	assert_int_equal(r->bytes, a->bytes + b->bytes);
	assert_int_equal(r->first_ns, t.list[0].ns);
	assert_int_equal(r->last_ns, t.list[t.cnt - 1].ns);
	assert_int_equal(a->identical.packets, 0);
	assert_int_equal(b->identical.packets, 4950);
	assert_in_range(b->identical.p99_ns, 1900000, 2 * MS);
	assert_int_equal(a->feed, 1);
	assert_int_equal(b->feed, 1);
	f = b->best;
	assert_string_equal(f->profile->stream.name, "moldudp64");
	assert_int_equal(f->packets, 5000);
	assert_int_equal(f->ids, 50);
	assert_int_equal(f->duplicates.packets, 4900);
	assert_int_equal(f->elsewhere, 4900);
	assert_int_equal(f->in_window, 4900);
	assert_int_equal(f->window_ns, 10 * MS);
	assert_int_equal(f->other_iface + f->same_sender + f->differ + f->snapped, 0);
	assert_in_range(f->duplicates.median_ns, 900000, 1100000);
	assert_in_range(f->duplicates.greatest_ns, 1900000, 2 * MS);
	assert_int_equal(FIT(b, "payload")->why, SURVEY_LESS_SPECIFIC);
	assert_int_equal(FIT(b, "payload")->duplicates.packets, 4950);
	assert_int_equal(a->best->ids, 4900);
	/* 100 ms have 50 packets of A, and 1 % new ones of B. */
	assert_in_range(r->window_ids, 50, 80);
	assert_int_equal(r->drop_bytes, f->duplicates.bytes);
	assert_false(r->several_ifaces || r->other_hosts || r->spec.several);
	assert_true(r->spec.count_only);
	survey_close(s);
	drop(&t);
}

/* An id says what a duplicate is, though the bytes differ; but in others that is suspicious. */
static void ids_of_other_bytes(void **state)
{
	const struct survey_destination *d;
	const struct survey_result *r;
	struct traffic t;
	struct survey *s;

	(void)state;
	make(&t, mesh);
	s = survey_of(&t, &r);
	d = destination(r, SURVEY_UDP, GOSSIP_PORT);
	assert_int_equal(d->best->differ, 7500);
	assert_int_equal(d->identical.packets, 0);
	survey_close(s);
	drop(&t);

	make(&t, like_rtp);
	s = survey_of(&t, &r);
	d = destination(r, SURVEY_UDP, 7000);
	assert_null(d->best);
	assert_int_equal(FIT(d, "rtp")->why, SURVEY_DIFFERS);
	/* After two windows an id is another one: once in these 3 s. */
	assert_int_equal(FIT(d, "rtp")->differ, 2998);
	assert_int_equal(FIT(d, "payload")->why, SURVEY_FINDS_NONE);
	survey_close(s);
	drop(&t);

	make(&t, like_rtp_to_two);
	s = survey_of(&t, &r);
	d = destination(r, SURVEY_UDP, 7000);
	assert_int_equal(d->feed, 0);
	assert_string_equal(d->best->profile->stream.name, "payload");
	survey_close(s);
	drop(&t);
}

static void too_old_for_the_profile(void **state)
{
	const struct survey_fit *f;
	const struct survey_result *r;
	struct traffic t;
	struct survey *s;

	(void)state;
	make(&t, all_slow);
	s = survey_of(&t, &r);
	f = FIT(destination(r, SURVEY_UDP, 5140), "payload");
	assert_int_equal(f->why, SURVEY_TOO_OLD);
	assert_int_equal(f->duplicates.packets, 2000);
	assert_int_equal(f->in_window, 0);
	assert_int_equal(f->window_ns, 5 * SECOND);
	survey_close(s);
	drop(&t);
}

static void senders_that_repeat(void **state)
{
	const struct survey_destination *d;
	const struct survey_result *r;
	struct traffic t;
	struct survey *s;

	(void)state;
	make(&t, keepalives);
	s = survey_of(&t, &r);
	d = destination(r, SURVEY_UDP, 3784);
	assert_int_equal(d->identical.packets, 499);
	assert_int_equal(FIT(d, "payload")->why, SURVEY_SAME_SENDER);
	/* All but those that come first, or 10 s after the one that counts as first. */
	assert_in_range(FIT(d, "payload")->same_sender, 485, 499);
	assert_int_equal(r->advice, SURVEY_NOTHING);
	survey_close(s);
	drop(&t);
}

/* An unknown feed by relays, to as many ports as there are, each another one. */
static void relays_to_ports(struct traffic *t, uint16_t first, uint16_t cnt)
{
	static struct frame f;

	for (uint16_t port = first; port < first + cnt; port++) {
		for (uint32_t i = 0; i < 100; i++) {
			struct protocol_packet p = {
				.protocol = DATAGRAM,
				.port = port,
				.body = 80,
			};
			uint64_t random = random_next(&t->seed);

			for (uint8_t j = 0; j < 2; j++) {
				p.from = j;
				protocol_frame(&f, &p);
				memcpy(f.data + f.gsp, &random, 8);
				put_bytes(t, (port - first) * SECOND + i * 3 * MS + j * MS, f.data,
					  f.len);
			}
		}
	}
}

static void more_than_a_filter_has_streams(struct traffic *t)
{
	relays_to_ports(t, 6000, 20);
}

static void streams_left_out(void **state)
{
	const struct survey_result *r;
	struct traffic t;
	struct survey *s;

	(void)state;
	make(&t, more_than_a_filter_has_streams);
	s = survey_of(&t, &r);
	assert_int_equal(r->spec.streams_cnt, 16);
	assert_int_equal(r->left_out, 4);
	assert_int_equal(r->drops, 1600);
	for (uint32_t i = 0; i < 16; i++)
		assert_int_equal(r->spec.streams[i].stream.realm, i);
	survey_close(s);
	drop(&t);
}

/* One feed of 20 groups fits in, two do not. */
static void destinations_left_out(void **state)
{
	const struct survey_result *r;
	struct traffic t;
	struct survey *s;

	(void)state;
	make(&t, many_groups);
	s = survey_of(&t, &r);
	assert_int_equal(r->spec.streams_cnt, 1);
	assert_int_equal(r->spec.streams[0].to_cnt, 20);
	assert_int_equal(r->spec.streams[0].to4_cnt, 20);
	assert_int_equal(r->spec.streams[0].ports_cnt, 1);
	assert_int_equal(r->left_out, 1);
	assert_int_equal(r->drops, 1900);
	assert_int_equal(r->destinations[0].feed, 1);
	survey_close(s);
	drop(&t);
}

/* The mesh's copies are older than a window that fits R-TAGs. */
static void no_window_for_both(struct traffic *t)
{
	mesh(t);
	r_tag(t);
}

static void windows_that_do_not_go_together(void **state)
{
	const struct survey_result *r;
	struct traffic t;
	struct survey *s;

	(void)state;
	make(&t, no_window_for_both);
	s = survey_of(&t, &r);
	assert_int_equal(r->spec.streams_cnt, 1);
	assert_string_equal(r->spec.streams[0].stream.name, "r-tag");
	assert_int_equal(r->spec.window_ns, 50 * MS);
	assert_int_equal(r->left_out, 1);
	/* 20 a millisecond. */
	assert_in_range(r->window_ids, 1000, 1500);
	survey_close(s);
	drop(&t);
}

/* A scan of all ports, and in its middle, when there are too many destinations, relays begin. */
static void scan(struct traffic *t)
{
	for (uint32_t i = 1; i < 20000; i++) {
		struct protocol_packet p = {
			.protocol = DATAGRAM,
			.port = (uint16_t)(20000 + i),
			.body = 8,
			.ip_id = (uint16_t)i,
		};

		put(t, i * MS, &p);
	}
	for (uint32_t i = 0; i < 3000; i++) {
		struct protocol_packet p = { .protocol = DATAGRAM, .port = 5140, .body = 80 };
		static struct frame f;

		for (uint8_t j = 0; j < 2; j++) {
			p.from = j;
			protocol_frame(&f, &p);
			memcpy(f.data + f.gsp, &i, sizeof(i));
			put_bytes(t, 7 * SECOND + i * 4 * MS + j * MS, f.data, f.len);
		}
	}
}

static void more_destinations_than_there_is_room(void **state)
{
	const struct survey_result *r;
	uint64_t packets = 0, identical = 0;
	struct traffic t;
	struct survey *s;

	(void)state;
	make(&t, scan);
	s = survey_of(&t, &r);
	assert_int_equal(r->packets, t.cnt);
	assert_in_range(r->destinations_cnt, SURVEY_DESTINATIONS_MAX / 2, SURVEY_DESTINATIONS_MAX);
	for (uint32_t i = 0; i < r->destinations_cnt; i++) {
		packets += r->destinations[i].packets;
		identical += r->destinations[i].identical.packets;
	}
	assert_int_equal(packets + r->others.packets, r->packets);
	assert_int_equal(r->others_cnt + r->destinations_cnt, 20000);
	assert_true(identical >= 3000);
	assert_int_equal(r->destinations[0].number, 5140);
	assert_int_equal(r->spec.streams_cnt, 1);
	assert_int_equal(r->drops, 3000);
	survey_close(s);
	drop(&t);
}

/* The same by a capture of many hosts' frames. */
static void two_hosts(struct traffic *t)
{
	for (uint32_t i = 0; i < 1000; i++) {
		struct protocol_packet p = {
			.protocol = SHRED,
			.port = 8002,
			.variant = 0x96,
			.slot = i,
			.to_mac = { 2, 0, 0, 0, 0, 0x10 },
			.to = { 10, 0, 0, 1 },
		};

		put(t, i * MS, &p);
		p.from = 3;
		p.to_mac[5] = i % 2 ? 0x11 : 0x10;
		p.to[3] = i % 2 ? 2 : 1;
		put(t, i * MS + MS / 2, &p);
	}
}

static void frames_of_two_hosts(void **state)
{
	const struct survey_destination *d;
	const struct survey_result *r;
	struct traffic t;
	struct survey *s;

	(void)state;
	make(&t, two_hosts);
	s = survey_of(&t, &r);
	assert_true(r->other_hosts);
	d = destination(r, SURVEY_UDP, 8002);
	assert_int_equal(d->addresses_cnt, 2);
	assert_false(d->more_addresses);
	survey_close(s);
	drop(&t);
}

/* A fit that all packets of both engines agree on: TCP is one destination in both directions. */
static void mirrored_traffic(void **state)
{
	const struct survey_fit *f;
	const struct survey_result *r;
	struct traffic t;
	struct survey *s;

	(void)state;
	make(&t, span);
	s = survey_of(&t, &r);
	assert_int_equal(r->advice, SURVEY_MIRROR);
	f = fit(r->all, r->all_cnt, "mirror");
	assert_int_equal(f->why, SURVEY_BEST);
	assert_int_equal(f->packets, 5850);
	assert_int_equal(f->ids, 3000);
	assert_int_equal(f->duplicates.packets, 2850);
	assert_int_equal(f->in_window, 2850);
	assert_int_equal(destination(r, SURVEY_TCP, 443)->packets, 2000);
	assert_int_equal(destination(r, SURVEY_TCP, 443)->identical.packets, 1000);
	survey_close(s);
	drop(&t);
}

/* PRP's numbers come again after 65,536 frames: those are not the same ids. */
static void numbers_that_wrap(void **state)
{
	const struct survey_fit *f;
	const struct survey_result *r;
	struct traffic t;
	struct survey *s;

	(void)state;
	make(&t, prp);
	s = survey_of(&t, &r);
	f = fit(r->all, r->all_cnt, "prp");
	assert_int_equal(f->why, SURVEY_BEST);
	assert_int_equal(f->ids, 70000);
	assert_int_equal(f->duplicates.packets, 70000);
	assert_int_equal(f->differ, 0);
	assert_int_equal(r->spec.streams_cnt, 1);
	survey_close(s);
	drop(&t);
}

/* Too little memory for all: what is still known is found. */
static void little_memory(void **state)
{
	const struct survey_result *r;
	struct traffic t;
	struct survey *s;

	(void)state;
	make(&t, shreds);
	assert_int_equal(survey_open(0, &s), 0);
	for (uint32_t i = 0; i < 20 * t.cnt; i++) {
		struct capture_frame f = frame_of(&t.list[i % t.cnt], i);

		f.ns += i / t.cnt * 10 * MINUTE;
		assert_int_equal(survey_note(s, &f), 0);
	}
	r = survey_end(s);
	assert_non_null(r);
	assert_true(r->known_since_ns > T0);
	assert_int_equal(r->packets, 20 * t.cnt);
	survey_close(s);
	drop(&t);
}

/* Whatever the bytes and times: nothing is read out of bounds, all is counted once. */
static void any_bytes(void **state)
{
	static void (*const MAKERS[])(struct traffic *) = { mold, rtp, shreds, span, mesh, r_tag };
	const struct survey_result *r;
	struct survey *s;
	uint64_t seed = 5, cnt = 0, sum = 0;

	(void)state;
	assert_int_equal(survey_open(0, &s), 0);
	for (size_t m = 0; m < ARRAY_SIZE(MAKERS); m++) {
		struct traffic t;

		make(&t, MAKERS[m]);
		for (uint32_t i = 0; i < 3000; i++) {
			struct capture_frame f = frame_of(&t.list[random_next(&seed) % t.cnt], i);
			uint8_t *copy;

			f.len = random_next(&seed) % 4 ? f.len : random_next(&seed) % (f.len + 1);
			f.wire_len = random_next(&seed) % 4 ? f.len : f.wire_len;
			if (random_next(&seed) % 100 == 0)
				f.wire_len = UINT32_MAX;
			f.ns = random_next(&seed) >> random_next(&seed) % 64;
			f.iface = random_next(&seed) % CAPTURE_IFACES_MAX;
			copy = malloc(f.len);
			memcpy(copy, f.data, f.len);
			for (uint32_t j = random_next(&seed) % 4; j && f.len; j--)
				copy[random_next(&seed) % (f.len < 60 ? f.len : 60)] =
					(uint8_t)random_next(&seed);
			f.data = copy;
			assert_int_equal(survey_note(s, &f), 0);
			free(copy);
			cnt++;
		}
		drop(&t);
	}
	r = survey_end(s);
	assert_non_null(r);
	assert_int_equal(r->packets, cnt);
	for (uint32_t i = 0; i < r->destinations_cnt; i++)
		sum += r->destinations[i].packets;
	assert_int_equal(sum + r->others.packets, cnt);
	survey_close(s);
}

/* One output of the tool; its exit status. */
static int run_text(char *out, size_t size, const char *path, const char *options)
{
	return sh_out(out, size, "%s replay %s %s", tool(), path, options);
}

static void what_people_read(void **state)
{
	static const char *const SAYS[] = {
		"9950 packets",
		"UDP 26478 to 233.252.0.2                         5000   50.3%      99.0%  "
		"moldudp64  feed 1\n",
		"moldudp64: 4900 duplicates, after 1",
		"At least 4900 packets can be dropped: 49.2 % of all, ",
		"  sudo xdp-dedup load IFNAME --profile moldudp64:26477@233.252.0.1#feed1 "
		"--profile "
		"moldudp64:26478@233.252.0.2#feed1 --window 100ms --capacity 10k --action count\n",
		"sudo xdp-dedup status IFNAME\n",
	};
	char path[] = "/tmp/xdp-dedup-survey.XXXXXX", out[8192];
	struct traffic t;
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	make(&t, mold);
	write_capture(&t, path);
	assert_int_equal(run_text(out, sizeof(out), path, ""), 0);
	for (size_t i = 0; i < ARRAY_SIZE(SAYS); i++)
		if (!strstr(out, SAYS[i]))
			fail_msg("it does not say \"%s\": %s", SAYS[i], out);
	assert_int_equal(run_text(out, sizeof(out), path, "--write-passed /tmp/x"), 2);
	/* A file that is cut: what was read until there counts, and it says so. */
	sh("truncate -s -3 %s", path);
	assert_int_equal(run_text(out, sizeof(out), path, ""), 1);
	assert_non_null(strstr(out, "9949 packets"));
	unlink(path);
	drop(&t);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_by_two_interfaces),
		cmocka_unit_test(figures_of_feeds),
		cmocka_unit_test(ids_of_other_bytes),
		cmocka_unit_test(senders_that_repeat),
		cmocka_unit_test(too_old_for_the_profile),
		cmocka_unit_test(streams_left_out),
		cmocka_unit_test(destinations_left_out),
		cmocka_unit_test(windows_that_do_not_go_together),
		cmocka_unit_test(more_destinations_than_there_is_room),
		cmocka_unit_test(frames_of_two_hosts),
		cmocka_unit_test(mirrored_traffic),
		cmocka_unit_test(numbers_that_wrap),
		cmocka_unit_test(little_memory),
		cmocka_unit_test(any_bytes),
		cmocka_unit_test(what_people_read),
	};

	add_tests(tests, ARRAY_SIZE(tests));
	add_rows(ROWS, recommends, NULL, NULL);
	return run_added_any_tests("survey");
}
