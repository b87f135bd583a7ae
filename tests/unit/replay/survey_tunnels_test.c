// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The survey of captures with tunnels: what it finds inside, which tunnels it recommends to open;
 * and that replay with the recommended options drops what was promised.
 */
#include "unit.h"

#include "protocol_packets.h"
#include "survey_runner.h"
#include "tunnel_wrap.h"
#include "tunnels.h"

#define MIRROR(tunnels) "--profile mirror --tunnels " tunnels " --window 10ms --capacity 10k"

static const struct survey_row ROWS[] = {
	{ "mirrors-in-erspan-2", MIRROR("erspan"), 3000, 3000 },
	{ "mirrors-in-vxlan", MIRROR("vxlan"), 3000, 3000 },
	{ "mirrors-in-geneve", MIRROR("geneve"), 3000, 3000 },
	{ "mirrors-in-mpls", MIRROR("mpls"), 3000, 3000 },
	{ "mirrors-in-three-vlans", MIRROR("vlan"), 3000, 3000 },
	{ "mirrors-at-another-port", "", 0, 0 },
	{ "mirror-and-tap", MIRROR("vxlan"), 3000, 3000 },
	{ "mirrors-of-a-fabric", MIRROR("erspan,vxlan"), 2700, 2700 },
	{ "mirrors-beside-a-tunnel", MIRROR("erspan"), 3000, 3000 },
	{ "feeds-in-gre",
	  "--profile moldudp64:26477@233.252.0.1#feed1 "
	  "--profile moldudp64:26477@233.252.0.2#feed1 --tunnels gre --paths 2",
	  2000, 2000 },
	/* A copy for another outer destination is for another host. */
	{ "to-three-hosts-in-gre", "", 0, 0 },
	{ "frames-to-three-hosts", "", 0, 0 },
	{ "to-three-vnis", "", 0, 0 },
	{ "to-two-hosts-by-two-versions", "", 0, 0 },
	{ "by-three-erspan-sessions", "--profile rtp:26400@239.1.1.1 --tunnels erspan", 600, 600 },
	{ "like-prp-in-gre", "", 0, 0 },
	{ "mirrors-that-cut", "", 0, 0 },
	{ "mirrors-that-cut-some", MIRROR("erspan"), 3000, 3000 },
	{ "mirrors-cut-inside", MIRROR("vxlan"), 1000, 1000 },
	{ "mirrors-reserved-bits", MIRROR("vxlan"), 2000, 2000 },
	{ "answers-like-vxlan", "", 0, 0 },
	{ "tdm-in-mpls", "", 0, 0 },
	{ "snapped-mirrors", "", 0, 0 },
	{ "snapped-in-tunnels", "", 0, 0 },
	{ "feed-like-vxlan", "--profile moldudp64:4789@10.10.10.10", 2000, 2000 },
};

/* Counts of one kind of tunnel. */
static const struct figures {
	const char *traffic;
	enum dedup_tunnel kind;
	uint64_t packets, udp, tcp, truncated, bad;
	const char *address;
} FIGURES[] = {
	{ "mirrors-in-erspan-2", DEDUP_TUNNEL_erspan, 6000, 2000, 4000, 0, 0, "198.51.100.7" },
	{ "mirrors-in-mpls", DEDUP_TUNNEL_mpls, 6000, 2000, 4000, 0, 0, NULL },
	{ "mirrors-of-a-fabric", DEDUP_TUNNEL_erspan, 5700, 1900, 3800, 0, 0, "198.51.100.7" },
	{ "mirrors-of-a-fabric", DEDUP_TUNNEL_vxlan, 3000, 1000, 2000, 0, 0, "198.51.100.7" },
	{ "mirrors-beside-a-tunnel", DEDUP_TUNNEL_vxlan, 1000, 334, 666, 0, 0, "198.51.100.33" },
	{ "mirrors-that-cut", DEDUP_TUNNEL_erspan, 3000, 1000, 2000, 3000, 0, "198.51.100.7" },
	{ "mirrors-that-cut", DEDUP_TUNNEL_geneve, 0, 0, 0, 0, 3000, NULL },
	{ "mirrors-cut-inside", DEDUP_TUNNEL_vxlan, 2000, 0, 2000, 4000, 0, "198.51.100.7" },
	{ "mirrors-cut-all", DEDUP_TUNNEL_vxlan, 0, 0, 0, 6000, 0, NULL },
	{ "answers-like-vxlan", DEDUP_TUNNEL_vxlan, 0, 0, 0, 0, 0, NULL },
	/* The snap length cuts what was whole. */
	{ "snapped-mirrors", DEDUP_TUNNEL_erspan, 6000, 2000, 4000, 0, 0, "198.51.100.7" },
	{ "snapped-in-tunnels", DEDUP_TUNNEL_erspan, 0, 0, 0, 0, 0, NULL },
	{ "feed-like-vxlan", DEDUP_TUNNEL_vxlan, 0, 0, 0, 0, 0, NULL },
};

TEST(counts_of_tunnels)
{
	for (size_t i = 0; i < ARRAY_SIZE(FIGURES); i++) {
		const struct figures *row = &FIGURES[i];
		const struct survey_result *r = survey_of(row->traffic);
		const struct survey_tunnel *t = &r->tunnels[row->kind];
		char address[INET6_ADDRSTRLEN] = "";

		assert_int_equal(t->packets, row->packets);
		assert_int_equal(t->inside[SURVEY_UDP], row->udp);
		assert_int_equal(t->inside[SURVEY_TCP], row->tcp);
		assert_int_equal(t->inside[SURVEY_IP] + t->inside[SURVEY_ETHERNET], 0);
		assert_int_equal(t->truncated, row->truncated);
		assert_int_equal(t->bad, row->bad);
		assert_int_equal(t->addresses_cnt, row->address != NULL);
		if (row->address)
			inet_ntop(AF_INET, t->addresses[0], address, sizeof(address));
		assert_string_equal(address, row->address ? row->address : "");
	}
}

/* Destinations are those of inner packets; bytes, and hosts, those of outer frames. */
TEST(what_is_inside)
{
	const struct survey_result *r = survey_of("mirrors-in-vxlan");
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < survey_made.cnt; i++)
		bytes += survey_made.list[i].wire_len;
	assert_int_equal(r->bytes, bytes);
	assert_int_equal(r->tunnels[DEDUP_TUNNEL_vxlan].bytes, bytes);
	assert_int_equal(survey_destination(r, SURVEY_TCP, 443)->packets, 2000);
	assert_int_equal(survey_destination(r, SURVEY_TCP, 443)->identical.packets, 1000);
	assert_int_equal(r->snapped, 0);
	r = survey_of("feeds-in-gre");
	assert_true(r->filter.other_hosts);
	assert_int_equal(survey_destination(r, SURVEY_UDP, 26477)->packets, 2000);
	r = survey_of("mirrors-that-cut");
	assert_int_equal(survey_destination(r, SURVEY_UDP, 6081)->packets, 3000);
	assert_int_equal(survey_destination(r, SURVEY_UDP, 6081)->identical.packets, 0);
	r = survey_of("snapped-in-tunnels");
	assert_int_equal(r->snapped, 6000);
	assert_int_equal(survey_destination(r, SURVEY_IP, 47)->packets, 6000);
}

TEST(no_tunnels_asked_for)
{
	const struct survey_result *r =
		survey_changed("mirrors-in-vxlan", &(struct dedup_tunnels){ 0 }, NULL);

	assert_int_equal(r->tunnels[DEDUP_TUNNEL_vxlan].packets, 0);
	assert_int_equal(survey_destination(r, SURVEY_UDP, 4789)->packets, 6000);
	assert_int_equal(r->advice, SURVEY_NOTHING);
}

/* A frame of which the snap length has cut padding alone is whole. */
TEST(padding_is_no_loss)
{
	static struct frame f;
	const struct wrap wraps[] = { { .kind = WRAP_VXLAN }, { .kind = 0 } };
	struct survey *s;

	assert_int_equal(survey_open(200000000, NULL, &s), 0);
	for (uint32_t i = 0; i < 4 * 256; i++) {
		struct protocol_packet p = { .protocol = IP_PACKET,
					     .ip_protocol = (uint8_t)(i / 4) ?: 59,
					     .ipv6 = true,
					     .body = 40 };
		struct capture_frame c;

		protocol_frame(&f, &p);
		tunnel_wrap(&f, &wraps[i & 1]);
		c = (struct capture_frame){ .data = f.data, .len = f.len, .wire_len = f.len + 20 };
		c.len -= i >> 1 & 1; /* a byte of the packet, too */
		assert_int_equal(survey_note(s, &c), 0);
	}
	assert_int_equal(survey_end(s)->snapped, 2 * 256);
	survey_close(s);
}

/* The survey opens what it is told to open. */
TEST(another_port)
{
	const char *path = survey_file("mirrors-at-another-port");
	json_object *o = survey_run_json("--tunnels vxlan:8472", path), *advice;

	advice = member(o, "advice");
	assert_string_equal(json_object_get_string(member(advice, "options")), MIRROR("vxlan:8472"));
	assert_int_equal(number(advice, "drops"), 3000);
	survey_compare_replay(advice, path);
	json_object_put(o);
}

/* What is said of the traffic. */
static const struct says {
	const char *name, *traffic, *says;
} SAYS[] = {
	{ "says-kinds", "mirrors-of-a-fabric",
	  "  in erspan: 5700 packets to 198.51.100.7: 1900 UDP, 3800 TCP\n"
	  "  in vxlan: 3000 packets to 198.51.100.7: 1000 UDP, 2000 TCP\n\nto " },
	{ "says-why", "mirrors-of-a-fabric",
	  "Copies came in tunnels: with --tunnels the filter compares the packets inside of them.\n" },
	{ "says-where-to", "mirrors-of-a-fabric", "as in --outer-to 198.51.100.7\n" },
	{ "says-command", "mirrors-of-a-fabric",
	  "  sudo xdp-dedup load IFNAME " MIRROR("erspan,vxlan") " --action count\n" },
	{ "says-no-address", "mirrors-in-mpls", "  in mpls: 6000 packets: 2000 UDP, 4000 TCP\n" },
	{ "says-what-is-cut", "mirrors-that-cut", "    3000 more are cut, and pass (truncated)\n" },
	{ "says-what-is-cut-inside", "mirrors-cut-inside",
	  "  in vxlan: 2000 packets to 198.51.100.7: 2000 TCP\n"
	  "    4000 more are cut, and pass (truncated)\n" },
	{ "says-what-cut-packets-tell", "mirrors-cut-all",
	  "\nAs far as the cut packets tell there is nothing to gain: " },
	{ "says-what-is-malformed", "mirrors-that-cut",
	  "  in geneve: 0 packets\n"
	  "    3000 more are malformed, and pass (bad_tunnel)\n" },
};

/* What a filter with these options drops: nothing of what only looks like tunnels. */
static const struct drops {
	const char *name, *traffic, *options;
	uint64_t drops;
} DROPS[] = {
	{ "drops-no-answer", "answers-like-vxlan",
	  "--profile mirror --profile mirror-l2 --tunnels all", 0 },
	{ "drops-no-tdm", "tdm-in-mpls", "--profile mirror-l2 --tunnels mpls", 0 },
	{ "drops-reserved-bits", "mirrors-reserved-bits", "--profile mirror --tunnels all", 2000 },
};

TEST_ROWS(is_dropped, DROPS)
{
	json_object *o = survey_run_json(row->options, survey_file(row->traffic));

	assert_int_equal(survey_drops(o), row->drops);
	json_object_put(o);
}

TEST_ROWS(is_said, SAYS)
{
	char out[8192];

	assert_int_equal(sh_out(out, sizeof(out), "%s replay %s", tool(), survey_file(row->traffic)),
			 0);
	if (!strstr(out, row->says))
		fail_msg("it does not say \"%s\": %s", row->says, out);
}

TEST(is_said_to_programs)
{
	const char *path = survey_file("mirrors-that-cut");
	json_object *o = survey_run_json("", path), *list, *erspan;
	char out[4096];

	list = member(o, "tunnels");
	assert_int_equal(json_object_array_length(list), 2);
	erspan = json_object_array_get_idx(list, 0);
	assert_string_equal(json_object_get_string(member(erspan, "name")), "erspan");
	assert_int_equal(number(erspan, "packets"), 3000);
	assert_true(number(erspan, "bytes") > 3000 * 150);
	assert_int_equal(number(member(erspan, "inside"), "udp"), 1000);
	assert_int_equal(number(member(erspan, "inside"), "tcp"), 2000);
	assert_int_equal(number(erspan, "truncated"), 3000);
	assert_int_equal(number(json_object_array_get_idx(list, 1), "bad_tunnel"), 3000);
	assert_string_equal(
		json_object_get_string(json_object_array_get_idx(member(erspan, "addresses"), 0)),
		"198.51.100.7");
	json_object_put(o);
	o = survey_run_json("--tunnels none", path);
	assert_int_equal(json_object_array_length(member(o, "tunnels")), 0);
	json_object_put(o);
	assert_int_equal(sh_out(out, sizeof(out), "%s replay %s --outer-to 192.0.2.7", tool(), path),
			 2);
}

int main(void)
{
	add_own_tests(NULL, NULL);
	add_rows(ROWS, survey_recommends, NULL, NULL);
	return run_added_any_tests("survey_tunnels");
}
