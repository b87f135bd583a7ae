// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is on top of what: of interfaces as the kernel's messages tell of them, also such as this
 * kernel may not have.
 */
#include "support.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>
#include <stdio.h>
#include <string.h>

#include "links.h"
#include "stacking.h"

/* RTM_NEWLINK, as far as it matters. */
static struct {
	struct nlmsghdr header;
	struct ifinfomsg info;
	char attributes[512];
} message;

static void add(int type, const void *data, size_t len)
{
	struct rtattr *a = (void *)((char *)&message + NLMSG_ALIGN(message.header.nlmsg_len));

	*a = (struct rtattr){ .rta_type = type, .rta_len = RTA_LENGTH(len) };
	memcpy(RTA_DATA(a), data, len);
	message.header.nlmsg_len = NLMSG_ALIGN(message.header.nlmsg_len) + RTA_ALIGN(a->rta_len);
}

static void add_u32(int type, uint32_t value)
{
	if (value)
		add(type, &value, sizeof(value));
}

/* An interface as this host's kernel would report it. */
struct told {
	uint32_t index, master, link;
	const char *kind;
	bool link_elsewhere;
};

static struct link parsed(const struct told *t)
{
	struct {
		struct rtattr a;
		char kind[16];
	} info = { .a = { .rta_type = IFLA_INFO_KIND } };
	struct link link;

	message.header = (struct nlmsghdr){ .nlmsg_len = NLMSG_LENGTH(sizeof(message.info)),
					    .nlmsg_type = RTM_NEWLINK };
	message.info = (struct ifinfomsg){ .ifi_index = t->index, .ifi_type = ARPHRD_ETHER };
	add(IFLA_ADDRESS, (uint8_t[]){ 2, 0, 0, 0, 0, t->index }, 6);
	add(IFLA_IFNAME, (char[]){ 'i', '0' + t->index, 0 }, 3);
	add_u32(IFLA_MASTER, t->master);
	add_u32(IFLA_LINK, t->link);
	add_u32(IFLA_LINK_NETNSID, t->link_elsewhere);
	if (t->kind) {
		info.a.rta_len =
			RTA_LENGTH(snprintf(info.kind, sizeof(info.kind), "%s", t->kind) + 1);
		add(IFLA_LINKINFO | NLA_F_NESTED, &info, info.a.rta_len);
	}
	links_parse(&message.header, &link);
	return link;
}

#define TOLD_MAX 8

/* Interface n: by itself, as a port of m, on top of l. */
#define ALONE(n)              \
	{                     \
		.index = (n), \
	}
#define PORT(n, m)                           \
	{                                    \
		.index = (n), .master = (m), \
	}
#define ON(n, l, k)                                     \
	{                                               \
		.index = (n), .link = (l), .kind = (k), \
	}
#define VLAN_PORT(n, l, m)                                             \
	{                                                              \
		.index = (n), .link = (l), .kind = "vlan", .master = m \
	}

static const struct row {
	const char *name;
	struct told told[TOLD_MAX]; /* up to index 0 */
	const char *on;		    /* "UPPER>LOWER ...": all pairs that there are */
} ROWS[] = {
	{ "apart", { ALONE(1), ALONE(2) }, "" },
	{ "ports", { PORT(1, 3), PORT(2, 3), ALONE(3) }, "3>1 3>2 " },
	{ "vlan", { ALONE(1), ON(2, 1, "vlan") }, "2>1 " },
	{ "macvlan", { ALONE(1), ON(2, 1, "macvlan") }, "2>1 " },
	{ "macvtap", { ALONE(1), ON(2, 1, "macvtap") }, "2>1 " },
	{ "ipvlan", { ALONE(1), ON(2, 1, "ipvlan") }, "2>1 " },
	{ "ipvtap", { ALONE(1), ON(2, 1, "ipvtap") }, "2>1 " },
	{ "veth-peers-are-apart", { ON(1, 2, "veth"), ON(2, 1, "veth") }, "" },
	{ "tunnel-is-apart", { ALONE(1), ON(2, 1, "gre") }, "" },
	{ "below-in-another-netns",
	  { ALONE(1), { .index = 2, .link = 1, .kind = "macvlan", .link_elsewhere = true } },
	  "" },
	{ "vlan-in-a-bridge", { ALONE(1), VLAN_PORT(2, 1, 3), ALONE(3) }, "2>1 3>1 3>2 " },
	{ "two-vlans-are-apart", { ALONE(1), ON(2, 1, "vlan"), ON(3, 1, "vlan") }, "2>1 3>1 " },
	{ "bond-vlan-bridge-macvlan",
	  { ON(6, 5, "macvlan"), ALONE(5), VLAN_PORT(4, 3, 5), ALONE(3), PORT(2, 3), PORT(1, 3) },
	  "3>1 3>2 4>1 4>2 4>3 5>1 5>2 5>3 5>4 6>1 6>2 6>3 6>4 6>5 " },
	/* The kernel makes none; if one were read, it must end. */
	{ "ring", { PORT(1, 2), PORT(2, 1) }, "1>1 1>2 2>1 2>2 " },
};

static void row_is_so(void **state)
{
	const struct row *row = *state;
	struct link list[TOLD_MAX];
	struct links l = { .list = list };
	char on[256] = "";

	for (; row->told[l.cnt].index; l.cnt++)
		list[l.cnt] = parsed(&row->told[l.cnt]);
	for (uint32_t upper = 1; upper <= TOLD_MAX; upper++)
		for (uint32_t lower = 1; lower <= TOLD_MAX; lower++)
			if (links_is_on(&l, upper, lower))
				sprintf(on + strlen(on), "%u>%u ", upper, lower);
	assert_string_equal(on, row->on);
}

static void a_message_is_read(void **state)
{
	static const uint8_t MAC[] = { 2, 0, 0, 0, 0, 7 };
	struct link l = parsed(&(struct told)VLAN_PORT(7, 6, 5));

	(void)state;
	assert_int_equal(l.index, 7);
	assert_string_equal(l.name, "i7");
	assert_true(l.has_mac && l.is_ethernet);
	assert_memory_equal(l.mac, MAC, sizeof(MAC));
	assert_int_equal(l.master, 5);
	assert_int_equal(l.below, 6);
	message.info.ifi_type = ARPHRD_NONE;
	links_parse(&message.header, &l);
	assert_false(l.is_ethernet);
}

static void stacked_pairs_are_found_in_any_order(void **state)
{
	struct link list[] = { parsed(&(struct told)PORT(1, 3)), parsed(&(struct told)ALONE(2)),
			       parsed(&(struct told)ALONE(3)) };
	struct links l = { list, 3 };
	struct stacked pair = stacking_find(&l, (uint32_t[]){ 1, 2, 3 }, 3);

	(void)state;
	assert_true(pair.upper == &list[2] && pair.lower == &list[0]);
	pair = stacking_find(&l, (uint32_t[]){ 3, 2, 1 }, 3);
	assert_true(pair.upper == &list[2] && pair.lower == &list[0]);
	assert_null(stacking_find(&l, (uint32_t[]){ 2, 3 }, 2).upper);
	assert_null(stacking_find(&l, NULL, 0).upper);
}

int main(void)
{
	static const struct CMUnitTest TESTS[] = {
		cmocka_unit_test(a_message_is_read),
		cmocka_unit_test(stacked_pairs_are_found_in_any_order),
	};
	struct CMUnitTest tests[ARRAY_SIZE(ROWS) + ARRAY_SIZE(TESTS)];

	memcpy(tests, TESTS, sizeof(TESTS));
	for (size_t i = 0; i < ARRAY_SIZE(ROWS); i++)
		tests[ARRAY_SIZE(TESTS) + i] =
			(struct CMUnitTest){ ROWS[i].name, row_is_so, NULL, NULL, (void *)&ROWS[i] };
	return run_any_tests("links", tests, ARRAY_SIZE(tests));
}
