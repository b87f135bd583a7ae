// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whose packets the program looks at: those to this host's MACs, and to the destinations that
 * were named. All others are `ignored`: they neither teach nor are dropped.
 */
#include "fixture.h"

#include <net/if.h>

#include <linux/if_ether.h>

#include "prefixes.h"
#include "stream_runner.h"
#include "tunnel_wrap.h"
#include "tunnels.h"
#include "units.h"

#define VALUE_MAX 400

static const struct {
	const char *name;
	uint8_t mac[6];
} MACS[] = {
	{ "own", FRAME_MAC },
	{ "bridge", { 2, 0, 0, 0, 0, 0x20 } },
	{ "macvlan", { 2, 0, 0, 0, 0, 0x21 } },
	{ "other", { 2, 0, 0, 0, 0, 0x30 } },
	{ "broadcast", { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff } },
	{ "multicast4", { 1, 0, 0x5e, 0, 0, 1 } },
	/* These differ from `own` in one bit, or in one byte. */
	{ "group-bit", { 3, 0, 0, 0, 0, 0x10 } },
	{ "first-byte-6", { 6, 0, 0, 0, 0, 0x10 } },
};

#define NEAR 0 /* the interface with `own`, on which `bridge` and `macvlan` are */
#define FAR 1  /* another of the filter, whose MAC is `other` */

enum verdict { IGNORED, OURS };

/* A packet: mac=NAME (else own), v6, vlan, svlan, qinq, tci=N, dest=ADDRESS, far. A filter: several
 * (interfaces), forwarded, to=PREFIXES, vlan=VLANS.
 */
static const struct row {
	const char *name, *packet, *filter;
	enum verdict verdict;
} ROWS[] = {
	{ "own", "", "", OURS },
	{ "other", "mac=other", "", IGNORED },
	{ "other-vlan", "mac=other vlan", "", IGNORED },
	{ "own-but-its-first-bit-is-group", "mac=group-bit", "", OURS },
	{ "differs-in-the-first-byte", "mac=first-byte-6", "", IGNORED },
	{ "broadcast", "mac=broadcast", "", OURS },
	{ "multicast-v4", "mac=multicast4", "", OURS },
	{ "bridge-on-top", "mac=bridge", "", OURS },
	{ "macvlan-on-top", "mac=macvlan vlan", "", OURS },
	{ "several-bridge-on-top", "mac=bridge", "several", OURS },
	{ "several-of-the-other-one", "mac=other", "several", IGNORED },
	{ "several-at-the-other-one", "mac=other far", "several", OURS },
	{ "several-bridge-of-the-other-one", "mac=bridge far", "several", IGNORED },
	{ "forwarded-other", "mac=other", "forwarded", OURS },
	{ "to-address", "dest=10.1.2.3", "to=10.1.2.3", OURS },
	{ "to-another-address", "dest=10.1.2.4", "to=10.1.2.3", IGNORED },
	{ "to-prefix", "dest=10.1.2.3", "to=10.1.0.0/16", OURS },
	{ "to-any-v4", "dest=10.2.2.3", "to=0.0.0.0/0", OURS },
	{ "to-any-v6-is-not-v4", "dest=10.2.2.3", "to=::/0", IGNORED },
	{ "to-any-v4-is-not-v6", "v6 dest=fd00::1", "to=0.0.0.0/0", IGNORED },
	{ "to-v6-address", "v6 dest=fd00::1", "to=10.0.0.0/8,fd00::1", OURS },
	{ "to-another-v6-address", "v6 dest=fd00::1", "to=fd00::2", IGNORED },
	{ "to-v6-prefix-in-the-second-half", "v6 dest=fd00:1::ff01", "to=fd00:1::ff00/120", OURS },
	{ "to-the-last-of-32", "dest=10.0.0.32",
	  "to=10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4,10.0.0.5,10.0.0.6,10.0.0.7,10.0.0.8,"
	  "10.0.0.9,10.0.0.10,10.0.0.11,10.0.0.12,10.0.0.13,10.0.0.14,10.0.0.15,10.0.0.16,"
	  "10.0.0.17,10.0.0.18,10.0.0.19,10.0.0.20,10.0.0.21,10.0.0.22,10.0.0.23,10.0.0.24,"
	  "10.0.0.25,10.0.0.26,10.0.0.27,10.0.0.28,10.0.0.29,10.0.0.30,10.0.0.31,10.0.0.32",
	  OURS },
	{ "to-another-behind-vlan-tags", "qinq dest=10.1.2.4", "to=10.1.2.3", IGNORED },
	{ "to-of-another-host", "mac=other dest=10.1.2.3", "to=10.1.2.3", IGNORED },
	{ "to-several", "dest=10.1.2.3", "several to=10.1.2.3", OURS },
	{ "to-several-of-the-other-one", "mac=other dest=10.1.2.3", "several to=10.1.2.3", IGNORED },
	{ "to-another-forwarded", "mac=other dest=10.1.2.4", "forwarded to=10.1.2.3", IGNORED },
	{ "vlan-named", "vlan", "vlan=3,7", OURS },
	{ "vlan-another", "vlan", "vlan=3,6,8-4094,none", IGNORED },
	{ "vlan-in-a-range", "vlan", "vlan=6-8", OURS },
	{ "vlan-of-the-first-bits", "vlan tci=0x1007", "vlan=7", OURS },
	{ "vlan-the-highest", "v6 svlan tci=4094", "vlan=4094", OURS },
	{ "vlan-the-last-of-32", "vlan tci=64",
	  "vlan=2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38,40,42,44,46,48,50,52,54,"
	  "56,58,60,62,64",
	  OURS },
	{ "vlan-none-is-named", "", "vlan=none", OURS },
	{ "vlan-none-is-named-with-others", "", "vlan=7,none", OURS },
	{ "vlan-none-is-not-named", "", "vlan=7", IGNORED },
	{ "vlan-priority-is-none", "vlan tci=0x2000", "vlan=none", OURS },
	{ "vlan-outermost", "qinq tci=9", "vlan=9", OURS },
	{ "vlan-inner", "qinq tci=9", "vlan=7", IGNORED },
	{ "vlan-any", "vlan", "vlan=any", OURS },
	{ "vlan-another-forwarded", "mac=other vlan", "forwarded vlan=8", IGNORED },
	{ "vlan-another-and-to", "vlan dest=10.1.2.3", "to=10.1.2.3 vlan=8", IGNORED },
};

static uint32_t indices[2]; /* of NEAR and FAR */

static uint64_t listed(const uint8_t mac[6], bool several)
{
	return fixture_mac(mac) | (several ? dedup_mac_index(indices[NEAR]) : 0);
}

/* Does the text have this word? Then `value` gets what follows its '='. */
static bool has(const char *text, const char *word, char value[VALUE_MAX])
{
	size_t len = strlen(word);

	*value = '\0';
	for (const char *at = text; (at = strstr(at, word)); at += len)
		if ((at == text || at[-1] == ' ') && strchr(" =", at[len])) {
			sscanf(at + len, "=%399s", value);
			return true;
		}
	return false;
}

static const uint8_t *mac_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(MACS); i++)
		if (!strcmp(MACS[i].name, name))
			return MACS[i].mac;
	fail_msg("there is no MAC %s", name);
	return NULL;
}

static void load(const struct row *row)
{
	struct dedup_config cfg = fixture_still_config();
	struct dedup_policy *policy = &cfg.policy;
	struct dedup_record *record;
	bool is_named = false;
	char value[VALUE_MAX];

	if (has(row->filter, "to", value)) {
		assert_int_equal(parse_prefixes(value, policy->to, &policy->to_cnt,
						&policy->streams[0].to4_cnt),
				 0);
		is_named = true;
	}
	if (has(row->filter, "vlan", value)) {
		assert_int_equal(parse_vlans(value, cfg.asked.vlans, &cfg.asked.vlans_cnt), 0);
		is_named = true;
	}
	cfg.asked.several = has(row->filter, "several", value);
	policy->forwarded = has(row->filter, "forwarded", value);
	policy->receiver = is_named	       ? DEDUP_NAMED
			   : policy->forwarded ? DEDUP_ANYONE
			   : cfg.asked.several ? DEDUP_SEVERAL_INTERFACES
					       : DEDUP_ONE_INTERFACE;
	fixture_load(&cfg);
	record = fixture.filter.record;
	if (policy->receiver != DEDUP_ONE_INTERFACE)
		record->own_mac = DEDUP_MAC_NONE;
	if (cfg.asked.several) {
		record->own_macs[dedup_own_slot(indices[NEAR])] = fixture_mac(mac_of("own"));
		record->own_macs[dedup_own_slot(indices[FAR])] = fixture_mac(mac_of("other"));
	} else if (is_named) {
		record->macs[record->macs_cnt++] = fixture_mac(mac_of("own"));
	}
	record->macs[record->macs_cnt++] = listed(mac_of("bridge"), cfg.asked.several);
	record->macs[record->macs_cnt++] = listed(mac_of("macvlan"), cfg.asked.several);
	fixture.ifindex = indices[has(row->packet, "far", value) ? FAR : NEAR];
	fixture.row = row->name;
}

static void build(struct frame *f, const struct row *row, enum gsp_type type, const struct id *id)
{
	struct frame_plan plan = { .type = type };
	char value[VALUE_MAX];

	plan.ipv6 = has(row->packet, "v6", value);
	if (has(row->packet, "mac", value))
		memcpy(plan.to_mac, mac_of(value), sizeof(plan.to_mac));
	if (has(row->packet, "dest", value))
		assert_int_equal(inet_pton(plan.ipv6 ? AF_INET6 : AF_INET, value, plan.to), 1);
	if (has(row->packet, "vlan", value) || has(row->packet, "qinq", value))
		plan.tags[has(row->packet, "qinq", value)] = ETH_P_8021Q;
	if (has(row->packet, "svlan", value) || has(row->packet, "qinq", value))
		plan.tags[0] = ETH_P_8021AD;
	if (has(row->packet, "tci", value))
		plan.tci[0] = strtoul(value, NULL, 0);
	frame_build(f, &plan, id);
}

TEST_ROWS(row_is_judged, ROWS)
{
	struct id id = id_fresh();
	struct frame event, ihave;

	load(row);
	build(&event, row, GSP_EVENT, &id);
	build(&ihave, row, GSP_IHAVE, &id);
	if (row->verdict == OURS) {
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

static const struct row PLAIN = { "plain", "", "", OURS },
			TO_OTHER = { "other", "mac=other", "", IGNORED };

/* Between the copies of one event: one for another host neither teaches nor is dropped. */
TEST(a_frame_for_another_host_does_not_teach)
{
	struct id id = id_fresh();
	struct frame other;

	load(&PLAIN);
	build(&other, &TO_OTHER, GSP_EVENT, &id);
	expect(&other, XDP_PASS, DEDUP_REASON_ignored);
	expect_event(&id, XDP_PASS, DEDUP_REASON_new);
	expect(&other, XDP_PASS, DEDUP_REASON_ignored);
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
}

/* An interface that user space knows nothing of yet: only its multicast is looked at. */
TEST(unknown_macs_pass)
{
	static const struct row BROADCAST = { "broadcast", "mac=broadcast", "", OURS };
	struct id id = id_fresh();
	struct frame f;

	load(&PLAIN);
	fixture.filter.record->own_mac = DEDUP_MAC_NONE;
	expect_event(&id, XDP_PASS, DEDUP_REASON_ignored);
	build(&f, &BROADCAST, GSP_EVENT, &id);
	expect(&f, XDP_PASS, DEDUP_REASON_new);
}

/* Whatever count the list has, the program stays in the list. */
TEST(a_wild_count_is_bounded)
{
	struct id id = id_fresh();
	struct frame f;

	load(&PLAIN);
	fixture.filter.record->macs_cnt = UINT64_MAX;
	build(&f, &TO_OTHER, GSP_EVENT, &id);
	expect(&f, XDP_PASS, DEDUP_REASON_ignored);
	fixture.filter.record->macs[DEDUP_MACS_MAX - 1] = fixture_mac(mac_of("other"));
	expect(&f, XDP_PASS, DEDUP_REASON_new);
}

/* A packet in two tunnels: a copy, if the tunnels' destination lets them be opened. */
static const struct {
	const char *name, *outer_to;
	enum verdict verdict;
} TUNNELS[] = {
	{ "outer-to-any", "", OURS },
	{ "outer-to", "198.51.100.7", OURS },
	{ "outer-to-another", "198.51.100.8", IGNORED },
};

TEST_ROWS(tunnel_is_opened, TUNNELS)
{
	struct filter_spec spec = { .capacity = 1000 };
	struct profiles all = { 0 };
	struct id id = id_fresh();
	struct frame first, second;

	assert_int_equal(profiles_add_builtin(&all), 0);
	stream_add(&spec, &all, &(struct stream_wish){ .profile = "mirror" });
	profiles_free(&all);
	assert_int_equal(parse_tunnels("gre", &spec.tunnels), 0);
	spec.given.tunnels = true;
	if (*row->outer_to)
		assert_int_equal(parse_prefixes(row->outer_to, spec.outer_to, &spec.outer_to_cnt,
						&spec.outer_to4_cnt),
				 0);
	stream_load(&spec);
	frame_build(&first, &(struct frame_plan){ 0 }, &id);
	frame_checksums(&first);
	second = first;
	tunnel_wrap(&first, &(struct wrap){ .kind = WRAP_GRE, .number = 1 });
	tunnel_wrap(&second, &(struct wrap){ .kind = WRAP_GRE, .number = 2 });
	expect(&first, XDP_PASS, DEDUP_REASON_new);
	expect(&second, row->verdict == OURS ? XDP_DROP : XDP_PASS,
	       row->verdict == OURS ? DEDUP_REASON_duplicate : DEDUP_REASON_new);
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

ROOT_MAIN(setup, fixture_unload)
