// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The packets inside of captured frames: of each tunnel, whole, and cut at every byte. Any bytes
 * are tried by survey_test.
 */
#include "unit.h"

#include "inside.h"
#include "protocol_packets.h"
#include "tunnel_wrap.h"
#include "tunnels.h"

#define BUFFER_BYTES 9000
#define BIT(kind) DEDUP_TUNNEL_BIT(kind)

static const struct row {
	const char *name;
	const char *opens; /* NULL: all */
	const char *fault; /* kind and reason; NULL: none */
	struct protocol_packet packet;
	uint32_t tunnels;      /* opened */
	uint32_t still;	       /* so many of the wraps stay, from the innermost on */
	uint32_t behind;       /* bytes that pad the outermost frame */
	struct wrap wraps[3];  /* the innermost first */
	bool without_ethernet; /* inside */
} ROWS[] = {
	{ .name = "none" },
	{ "gre", .wraps[0].kind = WRAP_GRE, .tunnels = BIT(gre) },
	{ "erspan-2", .wraps[0].kind = WRAP_ERSPAN_2, .tunnels = BIT(erspan) },
	{ "vxlan", .wraps[0].kind = WRAP_VXLAN, .tunnels = BIT(vxlan) },
	{ "geneve", .wraps[0].kind = WRAP_GENEVE, .tunnels = BIT(geneve) },
	{ "pseudowire", .wraps[0].kind = WRAP_MPLS_FRAME, .tunnels = BIT(mpls) },
	{ "mpls", .wraps[0].kind = WRAP_MPLS, .tunnels = BIT(mpls), .without_ethernet = true },
	{ "ipip", .wraps[0].kind = WRAP_IPIP, .tunnels = BIT(ipip), .without_ethernet = true },
	{ "three-vlans", .wraps[0].kind = WRAP_VLANS, .tunnels = BIT(vlan) },
	{ "ipv6-in-ipv4", .wraps[0].kind = WRAP_IPIP, .tunnels = BIT(ipip),
	  .without_ethernet = true, .packet.ipv6 = true },
	{ "padded", .wraps[0].kind = WRAP_GRE_IP, .tunnels = BIT(gre), .without_ethernet = true,
	  .behind = 7 },
	{ "padded-frame", .wraps[0].kind = WRAP_VXLAN, .tunnels = BIT(vxlan), .behind = 7 },
	{ "wrong-udp-length", .wraps[0].kind = WRAP_VXLAN, .wraps[0].bad = true,
	  .wraps[1].kind = WRAP_GRE_IP, .wraps[1].number = 0x1111, .tunnels = BIT(gre),
	  .fault = "vxlan bad_tunnel" },
	{ "two-levels", .wraps[0].kind = WRAP_VXLAN, .wraps[1].kind = WRAP_ERSPAN_2,
	  .tunnels = BIT(vxlan) | BIT(erspan) },
	{ "two-levels-and-vlans", .wraps[0].kind = WRAP_VXLAN, .wraps[1].kind = WRAP_GRE_IP,
	  .wraps[2].kind = WRAP_VLANS, .tunnels = BIT(vxlan) | BIT(gre) | BIT(vlan) },
	{ "third-level", .wraps[0].kind = WRAP_GRE, .wraps[1].kind = WRAP_VXLAN,
	  .wraps[2].kind = WRAP_ERSPAN_2, .tunnels = BIT(vxlan) | BIT(erspan), .still = 1 },
	{ "tags-inside", .wraps[0].kind = WRAP_VXLAN, .tunnels = BIT(vxlan),
	  .packet.tags[0] = 0x88a8, .packet.tags[1] = 0x8100 },
	{ "three-tags-inside", .wraps[0].kind = WRAP_VXLAN, .tunnels = BIT(vxlan) | BIT(vlan),
	  .packet.tags[0] = 0x88a8, .packet.tags[1] = 0x8100, .packet.tags[2] = 0x8100 },
	{ "two-tags-outside", .packet.tags[0] = 0x88a8, .packet.tags[1] = 0x8100 },
	{ "old-tag-outside", .tunnels = BIT(vlan), .packet.tags[0] = 0x9100 },
	{ "frame-inside", .wraps[0].kind = WRAP_GRE, .tunnels = BIT(gre),
	  .packet.protocol = OTHER_FRAME, .packet.body = 50 },
	{ "not-asked-for", .wraps[0].kind = WRAP_VXLAN, .still = 1, .opens = "erspan,gre" },
	{ "inner-one-not-asked-for", .wraps[0].kind = WRAP_VXLAN, .wraps[1].kind = WRAP_ERSPAN_2,
	  .tunnels = BIT(erspan), .still = 1, .opens = "erspan" },
	{ "vlans-not-asked-for", .wraps[0].kind = WRAP_VLANS, .still = 1, .opens = "vxlan" },
	{ "another-port", .wraps[0].kind = WRAP_VXLAN, .wraps[0].port = 8472, .still = 1 },
	{ "port-asked-for", .wraps[0].kind = WRAP_VXLAN, .wraps[0].port = 8472,
	  .tunnels = BIT(vxlan), .opens = "vxlan:8472" },
	{ "t-bit", .wraps[0].kind = WRAP_ERSPAN_2, .wraps[0].cut = true, .fault = "erspan truncated" },
	{ "bad-options", .wraps[0].kind = WRAP_GENEVE, .wraps[0].bad = true,
	  .fault = "geneve bad_tunnel" },
	{ "t-bit-inside", .wraps[0].kind = WRAP_ERSPAN_2, .wraps[0].cut = true,
	  .wraps[1].kind = WRAP_VXLAN, .tunnels = BIT(vxlan), .fault = "erspan truncated" },
};

static struct dedup_tunnels opens(const char *text)
{
	struct dedup_tunnels t;

	assert_int_equal(parse_tunnels(text ? text : "all", &t), 0);
	return t;
}

/* Where the packet of a frame begins, behind its tags. */
static uint32_t packet_at(const struct frame *f)
{
	uint32_t at = 14;

	while ((f->data[at - 2] == 0x81 && !f->data[at - 1]) ||
	       (f->data[at - 2] == 0x88 && f->data[at - 1] == 0xa8) ||
	       (f->data[at - 2] == 0x91 && !f->data[at - 1]))
		at += 4;
	return at;
}

/* The frame inside is this one, without tags. `outer`: whose MACs it has without Ethernet, or if
 * only tags were stepped over.
 */
static void assert_inside(const struct inside *in, const struct frame *f, const struct frame *outer,
			  bool without_ethernet)
{
	uint32_t at = packet_at(f);

	assert_int_equal(in->has_ethernet, !without_ethernet);
	assert_int_equal(in->frame.len, 14 + f->len - at);
	assert_int_equal(in->frame.wire_len, in->frame.len);
	if (in->tunnels == BIT(vlan))
		without_ethernet = true;
	assert_memory_equal(in->frame.data, without_ethernet ? outer->data : f->data, 12);
	assert_memory_equal(in->frame.data + 12, f->data + at - 2, 2 + f->len - at);
}

static void assert_fault(const struct inside *in, const char *fault)
{
	static const char *const KINDS[] = {
#define X(name, port, other) #name,
		DEDUP_TUNNELS(X) "?"
#undef X
	};
	char text[64] = "";

	if (in->is_faulty)
		snprintf(text, sizeof(text), "%s %s", KINDS[in->faulty_kind],
			 in->because == DEDUP_REASON_truncated ? "truncated" : "bad_tunnel");
	assert_string_equal(text, fault ? fault : "");
}

/* Makes the row's frame, and *inner, that of its wraps that stay. */
static void make(const struct row *row, struct frame *f, struct frame *inner)
{
	struct protocol_packet p = row->packet;

	p.protocol = p.protocol ? p.protocol : DATAGRAM;
	p.body = p.body ? p.body : 20;
	protocol_frame(f, &p);
	*inner = *f;
	for (uint32_t i = 0; i < ARRAY_SIZE(row->wraps); i++) {
		tunnel_wrap(f, &row->wraps[i]);
		if (i < row->still)
			*inner = *f;
	}
	memset(f->data + f->len, 0xee, row->behind);
	f->len += row->behind;
}

TEST_ROWS(opens_as_the_row_says, ROWS)
{
	static uint8_t buffer[BUFFER_BYTES];
	static struct frame f, inner;
	const struct dedup_tunnels t = opens(row->opens);
	struct capture_frame captured;
	struct inside in;

	make(row, &f, &inner);
	captured = (struct capture_frame){
		.data = f.data, .len = f.len, .wire_len = f.len, .ns = 7, .iface = 3, .number = 9
	};
	inside_open(&in, &captured, &t, buffer, sizeof(buffer));
	assert_int_equal(in.tunnels, row->tunnels);
	assert_fault(&in, row->fault);
	if (row->tunnels && !row->fault)
		assert_inside(&in, &inner, &f, row->without_ethernet);
	else
		assert_ptr_equal(in.frame.data, f.data);
	assert_int_equal(in.frame.ns, 7);
	assert_int_equal(in.frame.iface, 3);
	assert_int_equal(in.frame.number, 9);
}

/* Captured up to each byte: nothing behind is read; what is opened is the whole frame's beginning. */
TEST(cut_at_every_byte)
{
	static uint8_t buffer[BUFFER_BYTES], whole[BUFFER_BYTES];
	static struct frame f, inner;
	const struct dedup_tunnels t = opens(NULL);

	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++) {
		struct capture_frame all;
		struct inside of_all;

		make(&ROWS[i], &f, &inner);
		all = (struct capture_frame){ .data = f.data, .len = f.len, .wire_len = f.len };
		inside_open(&of_all, &all, &t, whole, sizeof(whole));
		for (uint32_t len = 0; len < f.len; len++) {
			struct capture_frame cut = { .len = len, .wire_len = f.len };
			uint8_t *copy = malloc(len + 1);
			struct inside in;

			/* Its end is the allocation's, for the sanitizer. */
			memcpy(copy + 1, f.data, len);
			cut.data = copy + 1;
			inside_open(&in, &cut, &t, buffer, sizeof(buffer));
			assert_int_equal(in.tunnels & ~of_all.tunnels, 0);
			if (in.tunnels && in.tunnels == of_all.tunnels && !in.is_faulty &&
			    !of_all.is_faulty) {
				assert_int_equal(in.frame.wire_len, of_all.frame.wire_len);
				assert_true(in.frame.len <= of_all.frame.len);
				assert_memory_equal(buffer, whole, in.frame.len);
			}
			free(copy);
		}
	}
}

static uint32_t frame_leads_to(const struct frame *f)
{
	static uint8_t buffer[BUFFER_BYTES];
	const struct dedup_tunnels t = opens(NULL);
	const struct capture_frame c = { .data = f->data, .len = f->len, .wire_len = f->len };
	struct inside in;

	inside_open(&in, &c, &t, buffer, sizeof(buffer));
	assert_true(in.tunnels);
	return in.to;
}

static uint32_t leads_to(const struct wrap *inner, const struct wrap *outer)
{
	const struct protocol_packet p = { .protocol = DATAGRAM, .body = 20 };
	static struct frame f;

	protocol_frame(&f, &p);
	tunnel_wrap(&f, inner);
	tunnel_wrap(&f, outer);
	return frame_leads_to(&f);
}

/* A frame with this MAC in GRE, between whose flags and key are `more` bytes; -4: it has no key. */
static uint32_t gre_leads_to(uint8_t mac, int more)
{
	const struct protocol_packet p = { .protocol = DATAGRAM, .to_mac = { 2, 0, mac } };
	const struct wrap w = { .kind = WRAP_GRE, .number = 1 };
	static struct frame f;
	uint8_t *gre = f.data + 34;

	protocol_frame(&f, &p);
	tunnel_wrap(&f, &w);
	memmove(gre + 8 + more, gre + 8, f.len - 34 - 8);
	if (more > 0) {
		memcpy(gre + 4 + more, gre + 4, 4);
		memset(gre + 4, mac, more);
	}
	gre[0] = more < 0 ? 0 : more > 0 ? 0xa0 : 0x20;
	f.len += more;
	frame_put(&f, 16, 2, f.len - 14);
	return frame_leads_to(&f);
}

TEST(where_gre_leads_to)
{
	assert_int_equal(gre_leads_to(1, -4), gre_leads_to(2, -4));
	assert_int_equal(gre_leads_to(1, 0), gre_leads_to(2, 0));
	assert_int_equal(gre_leads_to(1, 4), gre_leads_to(2, 0));
	assert_int_not_equal(gre_leads_to(1, -4), gre_leads_to(1, 0));
}

/* The tunnel's destination and number count, not its source; and each of two tunnels counts. */
TEST(where_tunnels_lead)
{
	static const struct wrap NONE;

	for (int kind = WRAP_GRE; kind <= WRAP_VLANS; kind++) {
		bool has_ip = kind != WRAP_MPLS && kind != WRAP_MPLS_FRAME && kind != WRAP_PPPOE &&
			      kind != WRAP_VLANS;
		bool has_number = kind != WRAP_ERSPAN_1 && kind != WRAP_ERSPAN_2 &&
				  kind != WRAP_ERSPAN_3 && kind != WRAP_IPIP &&
				  kind != WRAP_VLANS && kind != WRAP_TZSP && kind != WRAP_ERM;
		const struct wrap w = { .kind = kind, .number = 1 };
		const struct wrap other = { .kind = kind, .to = 9, .number = 1 };
		const struct wrap from = { .kind = kind, .from = 9, .number = 1 };
		const struct wrap number = { .kind = kind, .number = 2 };
		const struct wrap erspan = { .kind = WRAP_ERSPAN_2 },
				  erspan_9 = { .kind = WRAP_ERSPAN_2, .to = 9 };
		uint32_t to = leads_to(&w, &NONE);

		assert_int_equal(to == 0, kind == WRAP_VLANS);
		assert_int_equal(leads_to(&from, &NONE), to);
		assert_int_equal(leads_to(&other, &NONE) != to, has_ip);
		assert_int_equal(leads_to(&number, &NONE) != to, has_number);
		assert_int_not_equal(leads_to(&w, &erspan), leads_to(&w, &erspan_9));
		assert_int_equal(leads_to(&other, &erspan) != leads_to(&w, &erspan), has_ip);
	}
}

/* An IP packet that is longer than what carries it was cut by who put it into the tunnel. */
TEST(inner_packets_that_are_cut)
{
	static const enum wrap_kind KINDS[] = { WRAP_VXLAN,  WRAP_GENEVE,    WRAP_GRE,
						WRAP_GRE_IP, WRAP_ERSPAN_2,  WRAP_MPLS,
						WRAP_GTP,    WRAP_MPLS_FRAME };
	static uint8_t buffer[BUFFER_BYTES];
	static struct frame f;
	const struct dedup_tunnels t = opens(NULL);

	for (size_t i = 0; i < 4 * ARRAY_SIZE(KINDS); i++) {
		struct protocol_packet p = { .protocol = DATAGRAM, .body = 200, .ipv6 = i & 1 };
		struct wrap w = { .kind = KINDS[i / 4] };
		struct capture_frame c;
		struct inside in;

		protocol_frame(&f, &p);
		f.len -= 100;
		tunnel_wrap(&f, &w);
		c = (struct capture_frame){ .data = f.data, .len = f.len, .wire_len = f.len };
		if (i & 2) /* the capture cuts, too, but behind the inner header */
			c.len -= 20;
		inside_open(&in, &c, &t, buffer, sizeof(buffer));
		assert_true(in.is_faulty);
		assert_int_equal(in.because, DEDUP_REASON_truncated);
		assert_int_not_equal(in.faulty_kind, DEDUP_TUNNELS_CNT);
		assert_ptr_equal(in.frame.data, f.data);
	}
}

UNIT_MAIN()
