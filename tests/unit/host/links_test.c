// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is on top of what: of interfaces as the kernel's messages tell of them, also such as this
 * kernel may not have.
 */
#include "unit.h"

#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <net/if_arp.h>

#include "links.h"
#include "tunnel_devices.h"

/* RTM_NEWLINK, as far as it matters. */
static struct {
	struct nlmsghdr header;
	struct ifinfomsg info;
	char attributes[512];
} message;

/* Appends an attribute to what has `len` bytes. Returns how many it has then. */
static size_t append(char *to, size_t len, int type, const void *data, size_t bytes)
{
	struct rtattr *a = (void *)(to + len);

	*a = (struct rtattr){ .rta_type = (unsigned short)type, .rta_len = RTA_LENGTH(bytes) };
	memcpy(RTA_DATA(a), data, bytes);
	return len + RTA_SPACE(bytes);
}

static void add(int type, const void *data, size_t len)
{
	message.header.nlmsg_len =
		append((char *)&message, NLMSG_ALIGN(message.header.nlmsg_len), type, data, len);
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
	uint32_t vxlan_link; /* an attribute of VXLAN devices */
	bool up;
};

static void add_kind(const struct told *t)
{
	_Alignas(4) char info[128] = { 0 }, data[64] = { 0 };
	size_t len = append(info, 0, IFLA_INFO_KIND, t->kind, strlen(t->kind) + 1), bytes;

	if (t->vxlan_link) {
		bytes = append(data, 0, IFLA_VXLAN_LINK, &t->vxlan_link, sizeof(t->vxlan_link));
		len = append(info, len, IFLA_INFO_DATA | NLA_F_NESTED, data, bytes);
	}
	add(IFLA_LINKINFO | NLA_F_NESTED, info, len);
}

static struct link parsed(const struct told *t)
{
	struct link link;

	message.header = (struct nlmsghdr){ .nlmsg_len = NLMSG_LENGTH(sizeof(message.info)),
					    .nlmsg_type = RTM_NEWLINK };
	message.info = (struct ifinfomsg){ .ifi_index = t->index,
					   .ifi_type = ARPHRD_ETHER,
					   .ifi_flags = t->up ? IFF_UP : 0 };
	add(IFLA_ADDRESS, (uint8_t[]){ 2, 0, 0, 0, 0, t->index }, 6);
	add(IFLA_IFNAME, (char[]){ 'i', '0' + t->index, 0 }, 3);
	add_u32(IFLA_MASTER, t->master);
	add_u32(IFLA_LINK, t->link);
	add_u32(IFLA_LINK_NETNSID, t->link_elsewhere);
	if (t->kind)
		add_kind(t);
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
	{ "two-vlans-are-apart", { ALONE(1), ON(2, 1, "vlan"), ON(3, 1, "vlan") }, "2>1 3>1 " },
	{ "bond-vlan-bridge-macvlan",
	  { ON(6, 5, "macvlan"), ALONE(5), VLAN_PORT(4, 3, 5), ALONE(3), PORT(2, 3), PORT(1, 3) },
	  "3>1 3>2 4>1 4>2 4>3 5>1 5>2 5>3 5>4 6>1 6>2 6>3 6>4 6>5 " },
	/* The kernel makes none; if one were read, it must end. */
	{ "ring", { PORT(1, 2), PORT(2, 1) }, "1>1 1>2 2>1 2>2 " },
};

TEST_ROWS(row_is_so, ROWS)
{
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

TEST(a_message_is_read)
{
	static const uint8_t MAC[] = { 2, 0, 0, 0, 0, 7 };
	struct link l = parsed(&(struct told)VLAN_PORT(7, 6, 5));

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

#define BIT(name) DEDUP_TUNNEL_BIT(name)
/* That is up, of this kind. */
#define DEVICE(kind_, ...)                                             \
	{                                                              \
		.index = 4, .kind = (kind_), .up = true, ##__VA_ARGS__ \
	}

/* Interfaces 1 and 2 are NICs, 3 is a VLAN on 1, 4 the tunnel device. `on`: by which it gets them. */
static const struct device {
	const char *name;
	struct told told;
	uint32_t carrier, kind;
	const char *on;
} DEVICES[] = {
	{ "vxlan", DEVICE("vxlan"), 0, BIT(vxlan), "123" },
	{ "vxlan-on-one", DEVICE("vxlan", .vxlan_link = 2), 2, BIT(vxlan), "2" },
	{ "vxlan-on-a-vlan", DEVICE("vxlan", .vxlan_link = 3), 3, BIT(vxlan), "13" },
	{ "gre-on-one", DEVICE("gre", .link = 1), 1, BIT(gre), "1" },
	{ "ip6gretap", DEVICE("ip6gretap"), 0, BIT(gre), "123" },
	{ "erspan", DEVICE("erspan"), 0, BIT(erspan), "123" },
	{ "geneve", DEVICE("geneve"), 0, BIT(geneve), "123" },
	{ "sit", DEVICE("sit"), 0, BIT(ipip), "123" },
	{ "tunnel-that-is-down", { .index = 4, .kind = "gre" }, 0, BIT(gre), "" },
	{ "tunnel-of-another-netns", DEVICE("gre", .link = 1, .link_elsewhere = true), 0, BIT(gre),
	  "" },
	{ "no-tunnel", DEVICE("veth"), 0, 0, "123" },
};

TEST_ROWS(tunnels_come_by, DEVICES)
{
	struct link list[] = { parsed(&(struct told)ALONE(1)), parsed(&(struct told)ALONE(2)),
			       parsed(&(struct told)ON(3, 1, "vlan")), parsed(&row->told) };
	struct links l = { list, 4 };
	char on[8] = "";

	assert_int_equal(list[3].carrier, row->carrier);
	assert_int_equal(tunnel_device_kind(&list[3]), row->kind);
	for (uint32_t i = 1; i <= 4; i++)
		if (tunnel_device_is_on(&l, &list[3], i))
			sprintf(on + strlen(on), "%u", i);
	assert_string_equal(on, row->on);
}

UNIT_MAIN()
