// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whose packets the program looks at: those to this host's MACs, and to the destinations that
 * were named. All others are `ignored`: they neither teach nor are dropped.
 */
#include "fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>

#include <linux/if_ether.h>

#include "prefixes.h"
#include "units.h"

/* clang-format off */
#define OWN FRAME_MAC
#define BRIDGE { 2, 0, 0, 0, 0, 0x20 }
#define MACVLAN { 2, 0, 0, 0, 0, 0x21 }
#define OTHER { 2, 0, 0, 0, 0, 0x30 }
#define BROADCAST { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }
#define MULTICAST_V4 { 1, 0, 0x5e, 0, 0, 1 }
#define MULTICAST_V6 { 0x33, 0x33, 0, 0, 0, 1 }
/* clang-format on */

#define NEAR 0 /* the interface with OWN, on which the BRIDGE and the MACVLAN are */
#define FAR 1  /* another of the filter, whose MAC is OTHER */

static const struct row {
	const char *name;
	const char *dest; /* of the packet; NULL: any */
	const char *only; /* --to; NULL: not given */
	const char *vlan; /* --vlan; NULL: not given */
	int iface;	  /* of several: where it comes in */
	struct frame_plan plan;
	bool several, forwarded, ours;
} ROWS[] = {
	{ .name = "own", .plan.to_mac = OWN, .ours = true },
	{ .name = "own-v6", .plan = { .to_mac = OWN, .ipv6 = true }, .ours = true },
	{ .name = "own-vlan", .plan = { .to_mac = OWN, .tags = { ETH_P_8021Q } }, .ours = true },
	{ .name = "other", .plan.to_mac = OTHER },
	{ .name = "other-v6", .plan = { .to_mac = OTHER, .ipv6 = true } },
	{ .name = "other-vlan", .plan = { .to_mac = OTHER, .tags = { ETH_P_8021Q } } },
	{ .name = "other-qinq",
	  .plan = { .to_mac = OTHER, .tags = { ETH_P_8021AD, ETH_P_8021Q }, .ipv6 = true } },
	{ .name = "own-but-its-first-bit-is-group", .plan.to_mac = { 3, [5] = 0x10 }, .ours = true },
	{ .name = "differs-in-the-first-byte", .plan.to_mac = { 6, [5] = 0x10 } },
	{ .name = "differs-in-the-last-byte", .plan.to_mac = { 2, [5] = 0x11 } },
	{ .name = "broadcast", .plan.to_mac = BROADCAST, .ours = true },
	{ .name = "multicast-v4", .plan.to_mac = MULTICAST_V4, .ours = true },
	{ .name = "multicast-v6", .plan = { .to_mac = MULTICAST_V6, .ipv6 = true }, .ours = true },
	{ .name = "bridge-on-top", .plan.to_mac = BRIDGE, .ours = true },
	{ .name = "macvlan-on-top",
	  .plan = { .to_mac = MACVLAN, .tags = { ETH_P_8021Q } },
	  .ours = true },

	{ .name = "several-own", .plan.to_mac = OWN, .several = true, .ours = true },
	{ .name = "several-bridge-on-top", .plan.to_mac = BRIDGE, .several = true, .ours = true },
	{ .name = "several-multicast", .plan.to_mac = MULTICAST_V4, .several = true, .ours = true },
	{ .name = "several-of-the-other-one", .plan.to_mac = OTHER, .several = true },
	{ .name = "several-at-the-other-one",
	  .plan.to_mac = OTHER,
	  .several = true,
	  .iface = FAR,
	  .ours = true },
	{ .name = "several-own-at-the-other-one", .plan.to_mac = OWN, .several = true, .iface = FAR },
	{ .name = "several-bridge-of-the-other-one",
	  .plan.to_mac = BRIDGE,
	  .several = true,
	  .iface = FAR },

	{ .name = "forwarded-other", .plan.to_mac = OTHER, .forwarded = true, .ours = true },
	{ .name = "forwarded-several",
	  .plan.to_mac = OTHER,
	  .several = true,
	  .forwarded = true,
	  .ours = true },

	{ .name = "to-address", .dest = "10.1.2.3", .only = "10.1.2.3", .ours = true },
	{ .name = "to-another-address", .dest = "10.1.2.4", .only = "10.1.2.3" },
	{ .name = "to-prefix", .dest = "10.1.2.3", .only = "10.1.0.0/16", .ours = true },
	{ .name = "to-another-prefix", .dest = "10.2.2.3", .only = "10.1.0.0/16" },
	{ .name = "to-any-v4", .dest = "10.2.2.3", .only = "0.0.0.0/0", .ours = true },
	{ .name = "to-any-v6-is-not-v4", .dest = "10.2.2.3", .only = "::/0" },
	{ .name = "to-any-v4-is-not-v6", .plan.ipv6 = true, .dest = "fd00::1", .only = "0.0.0.0/0" },
	{ .name = "to-v6-address",
	  .plan.ipv6 = true,
	  .dest = "fd00::1",
	  .only = "10.0.0.0/8,fd00::1",
	  .ours = true },
	{ .name = "to-another-v6-address", .plan.ipv6 = true, .dest = "fd00::1", .only = "fd00::2" },
	{ .name = "to-v6-prefix",
	  .plan.ipv6 = true,
	  .dest = "fd00:1::1",
	  .only = "fd00:1::/32",
	  .ours = true },
	{ .name = "to-v6-prefix-in-the-second-half",
	  .plan.ipv6 = true,
	  .dest = "fd00:1::ff01",
	  .only = "fd00:1::ff00/120",
	  .ours = true },
	{ .name = "to-the-last-of-32",
	  .dest = "10.0.0.32",
	  .only = "10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4,10.0.0.5,10.0.0.6,10.0.0.7,10.0.0.8,"
		  "10.0.0.9,10.0.0.10,10.0.0.11,10.0.0.12,10.0.0.13,10.0.0.14,10.0.0.15,10.0.0.16,"
		  "10.0.0.17,10.0.0.18,10.0.0.19,10.0.0.20,10.0.0.21,10.0.0.22,10.0.0.23,10.0.0.24,"
		  "10.0.0.25,10.0.0.26,10.0.0.27,10.0.0.28,10.0.0.29,10.0.0.30,10.0.0.31,10.0.0.32",
	  .ours = true },
	{ .name = "to-behind-vlan-tags",
	  .plan.tags = { ETH_P_8021AD, ETH_P_8021Q },
	  .dest = "10.1.2.3",
	  .only = "10.1.2.3",
	  .ours = true },
	{ .name = "to-another-behind-vlan-tags",
	  .plan.tags = { ETH_P_8021AD, ETH_P_8021Q },
	  .dest = "10.1.2.4",
	  .only = "10.1.2.3" },
	{ .name = "to-of-another-host", .plan.to_mac = OTHER, .dest = "10.1.2.3", .only = "10.1.2.3" },
	{ .name = "to-multicast-only",
	  .plan.to_mac = MULTICAST_V4,
	  .dest = "239.0.0.1",
	  .only = "239.0.0.0/24",
	  .ours = true },
	{ .name = "to-several", .several = true, .dest = "10.1.2.3", .only = "10.1.2.3", .ours = true },
	{ .name = "to-several-of-the-other-one",
	  .plan.to_mac = OTHER,
	  .several = true,
	  .dest = "10.1.2.3",
	  .only = "10.1.2.3" },
	{ .name = "to-forwarded",
	  .plan.to_mac = OTHER,
	  .forwarded = true,
	  .dest = "10.1.2.3",
	  .only = "10.1.2.3",
	  .ours = true },
	{ .name = "to-another-forwarded",
	  .plan.to_mac = OTHER,
	  .forwarded = true,
	  .dest = "10.1.2.4",
	  .only = "10.1.2.3" },

	{ .name = "vlan-named", .plan.tags = { ETH_P_8021Q }, .vlan = "3,7", .ours = true },
	{ .name = "vlan-another", .plan.tags = { ETH_P_8021Q }, .vlan = "3,6,8-4094,none" },
	{ .name = "vlan-in-a-range", .plan.tags = { ETH_P_8021Q }, .vlan = "6-8", .ours = true },
	{ .name = "vlan-of-the-first-bits",
	  .plan = { .tags = { ETH_P_8021Q }, .tci = { 0x1007 } },
	  .vlan = "7",
	  .ours = true },
	{ .name = "vlan-the-highest",
	  .plan = { .tags = { ETH_P_8021AD }, .tci = { 4094 }, .ipv6 = true },
	  .vlan = "4094",
	  .ours = true },
	{ .name = "vlan-the-last-of-32",
	  .plan = { .tags = { ETH_P_8021Q }, .tci = { 64 } },
	  .vlan = "2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,"
		  "56,58,60,62,64",
	  .ours = true },
	{ .name = "vlan-none-is-named", .vlan = "none", .ours = true },
	{ .name = "vlan-none-is-named-with-others", .vlan = "7,none", .ours = true },
	{ .name = "vlan-none-is-not-named", .vlan = "7" },
	{ .name = "vlan-priority-is-none",
	  .plan = { .tags = { ETH_P_8021Q }, .tci = { 0x2000 } },
	  .vlan = "none",
	  .ours = true },
	{ .name = "vlan-but-none-is-named", .plan.tags = { ETH_P_8021Q }, .vlan = "none" },
	{ .name = "vlan-outermost",
	  .plan = { .tags = { ETH_P_8021AD, ETH_P_8021Q }, .tci = { 9 } },
	  .vlan = "9",
	  .ours = true },
	{ .name = "vlan-inner",
	  .plan = { .tags = { ETH_P_8021AD, ETH_P_8021Q }, .tci = { 9 } },
	  .vlan = "7" },
	{ .name = "vlan-any", .plan.tags = { ETH_P_8021Q }, .vlan = "any", .ours = true },
	{ .name = "vlan-of-another-host",
	  .plan = { .to_mac = OTHER, .tags = { ETH_P_8021Q } },
	  .vlan = "7" },
	{ .name = "vlan-forwarded",
	  .plan = { .to_mac = OTHER, .tags = { ETH_P_8021Q } },
	  .forwarded = true,
	  .vlan = "7",
	  .ours = true },
	{ .name = "vlan-another-forwarded",
	  .plan = { .to_mac = OTHER, .tags = { ETH_P_8021Q } },
	  .forwarded = true,
	  .vlan = "8" },
	{ .name = "vlan-several", .plan.tags = { ETH_P_8021Q }, .several = true, .vlan = "7", .ours = true },
	{ .name = "vlan-another-several", .plan.tags = { ETH_P_8021Q }, .several = true, .vlan = "8" },
	{ .name = "vlan-and-to",
	  .plan.tags = { ETH_P_8021Q },
	  .dest = "10.1.2.3",
	  .only = "10.1.2.3",
	  .vlan = "7",
	  .ours = true },
	{ .name = "vlan-another-and-to",
	  .plan.tags = { ETH_P_8021Q },
	  .dest = "10.1.2.3",
	  .only = "10.1.2.3",
	  .vlan = "8" },
};

static uint32_t indices[2]; /* of NEAR and FAR */

static uint64_t listed(const uint8_t mac[6], bool several)
{
	return fixture_mac(mac) | (several ? dedup_mac_index(indices[NEAR]) : 0);
}

static void load(const struct row *row)
{
	struct dedup_config cfg = fixture_still_config();
	struct dedup_record *record;

	if (row->only)
		assert_int_equal(parse_prefixes(row->only, cfg.policy.to, &cfg.policy.to_cnt,
						&cfg.policy.streams[0].to4_cnt),
				 0);
	if (row->vlan)
		assert_int_equal(parse_vlans(row->vlan, cfg.asked.vlans, &cfg.asked.vlans_cnt), 0);
	cfg.asked.several = row->several;
	cfg.policy.forwarded = row->forwarded;
	cfg.policy.receiver = row->only || row->vlan ? DEDUP_NAMED
			      : row->forwarded	     ? DEDUP_ANYONE
			      : row->several	     ? DEDUP_SEVERAL_INTERFACES
						     : DEDUP_ONE_INTERFACE;
	fixture_load(&cfg);
	record = fixture.filter.record;
	if (cfg.policy.receiver != DEDUP_ONE_INTERFACE)
		record->own_mac = DEDUP_MAC_NONE;
	if (row->several) {
		record->own_macs[dedup_own_slot(indices[NEAR])] = fixture_mac((uint8_t[])OWN);
		record->own_macs[dedup_own_slot(indices[FAR])] = fixture_mac((uint8_t[])OTHER);
	} else if (row->only || row->vlan) {
		record->macs[record->macs_cnt++] = fixture_mac((uint8_t[])OWN);
	}
	record->macs[record->macs_cnt++] = listed((uint8_t[])BRIDGE, row->several);
	record->macs[record->macs_cnt++] = listed((uint8_t[])MACVLAN, row->several);
	fixture.ifindex = indices[row->several ? row->iface : NEAR];
	fixture.row = row->name;
}

static void build(struct frame *f, const struct row *row, enum gsp_type type, const struct id *id)
{
	struct frame_plan plan = row->plan;

	plan.type = type;
	if (row->dest)
		assert_int_equal(inet_pton(plan.ipv6 ? AF_INET6 : AF_INET, row->dest, plan.to), 1);
	frame_build(f, &plan, id);
}

static void row_is_judged(void **state)
{
	const struct row *row = *state;
	struct id id = id_fresh();
	struct frame event, ihave;

	load(row);
	build(&event, row, GSP_EVENT, &id);
	build(&ihave, row, GSP_IHAVE, &id);
	if (row->ours) {
		expect(&ihave, XDP_PASS, DEDUP_REASON_ihave_new);
		expect(&event, XDP_PASS, DEDUP_REASON_new);
		expect(&event, XDP_DROP, DEDUP_REASON_duplicate);
		expect(&ihave, XDP_DROP, DEDUP_REASON_ihave_duplicate);
		return;
	}
	for (int i = 0; i < 2; i++) {
		expect(&event, XDP_PASS, DEDUP_REASON_ignored);
		expect(&ihave, XDP_PASS, DEDUP_REASON_ignored);
	}
}

/* Between the copies of one event: one for another host neither teaches nor is dropped. */
TEST(a_frame_for_another_host_does_not_teach)
{
	const struct frame_plan plan = { .to_mac = OTHER };
	struct id id = id_fresh();
	struct frame other;

	load(&(struct row){ .name = "" });
	frame_build(&other, &plan, &id);
	expect(&other, XDP_PASS, DEDUP_REASON_ignored);
	expect_event(&id, XDP_PASS, DEDUP_REASON_new);
	expect(&other, XDP_PASS, DEDUP_REASON_ignored);
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
}

/* An interface that user space knows nothing of yet: only its multicast is looked at. */
TEST(unknown_macs_pass)
{
	struct id id = id_fresh();
	struct frame f;

	load(&(struct row){ .name = "" });
	fixture.filter.record->own_mac = DEDUP_MAC_NONE;
	expect_event(&id, XDP_PASS, DEDUP_REASON_ignored);
	frame_build(&f, &(struct frame_plan){ .to_mac = BROADCAST }, &id);
	expect(&f, XDP_PASS, DEDUP_REASON_new);
}

/* Whatever count the list has, the program stays in the list. */
TEST(a_wild_count_is_bounded)
{
	const struct frame_plan plan = { .to_mac = OTHER };
	struct id id = id_fresh();
	struct frame f;

	load(&(struct row){ .name = "" });
	fixture.filter.record->macs_cnt = UINT64_MAX;
	frame_build(&f, &plan, &id);
	expect(&f, XDP_PASS, DEDUP_REASON_ignored);
	fixture.filter.record->macs[DEDUP_MACS_MAX - 1] = fixture_mac(plan.to_mac);
	expect(&f, XDP_PASS, DEDUP_REASON_new);
}

static int setup(void **state)
{
	(void)state;
	sh("ip link show near >/dev/null 2>&1 || "
	   "{ ip link add near type bridge && ip link add far type bridge; }");
	indices[NEAR] = if_nametoindex("near");
	indices[FAR] = if_nametoindex("far");
	return 0;
}

int main(void)
{
	add_own_tests(setup, fixture_unload);
	add_rows(ROWS, row_is_judged, setup, fixture_unload);
	return run_added_tests("destination");
}
