// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/genetlink.h>
#include <linux/sock_diag.h>
#include <linux/sockios.h>
#include <linux/xdp_diag.h>
#include <net/if.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netlink.h"

/* Of the generic netlink family "netdev", from Linux 6.3 on: newer than the headers of Debian 12. */
#define NETDEV_FAMILY "netdev"
#define NETDEV_DEV_GET 1	  /* a command */
#define NETDEV_DEV_IFINDEX 1	  /* attributes of its question and answer */
#define NETDEV_DEV_XDP_FEATURES 3 /* 64 bits, as enum netdev_xdp_act */

#define FEATURES_MAX 128 /* Linux 6.18 has 64 */

static int ask_ioctl(const char *ifname, unsigned long what, struct ifreq *request)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	memccpy(request->ifr_name, ifname, 0, sizeof(request->ifr_name) - 1);
	err = ioctl(fd, what, request) ? -errno : 0;
	close(fd);
	return err;
}

/* One ethtool command, of which ethtool(8)'s ioctl is told: a struct that begins with its number. 0
 * or -errno.
 */
static int ask_ethtool(const char *ifname, void *command)
{
	return ask_ioctl(ifname, SIOCETHTOOL, &(struct ifreq){ .ifr_data = command });
}

int device_driver(const char *ifname, char driver[DEVICE_DRIVER_MAX])
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	int err = ask_ethtool(ifname, &info);

	_Static_assert(sizeof(info.driver) == DEVICE_DRIVER_MAX, "as the kernel has it");
	*driver = 0;
	if (err)
		return err;
	memccpy(driver, info.driver, 0, DEVICE_DRIVER_MAX - 1);
	driver[DEVICE_DRIVER_MAX - 1] = 0;
	return *driver ? 0 : -EOPNOTSUPP;
}

int device_queues(const char *ifname, uint32_t *now, uint32_t *max)
{
	struct ethtool_channels c = { .cmd = ETHTOOL_GCHANNELS };
	int err = ask_ethtool(ifname, &c);

	if (err)
		return err;
	*now = c.rx_count + c.combined_count;
	*max = c.max_combined > c.max_rx ? c.max_combined : c.max_rx;
	return *now ? 0 : -EOPNOTSUPP;
}

/* Returns 1 if this ETH_FLAG_* is set; 0 if not, also if the device has no flags. */
static int has_flag(const char *ifname, uint32_t flag)
{
	struct ethtool_value flags = { .cmd = ETHTOOL_GFLAGS };
	int err = ask_ethtool(ifname, &flags);

	if (err)
		return err == -EOPNOTSUPP ? 0 : err;
	return (flags.data & flag) != 0;
}

int device_strips_tags(const char *ifname)
{
	return has_flag(ifname, ETH_FLAG_RXVLAN);
}

/* ethtool's answers with lists of FEATURES_MAX. */
union names {
	struct ethtool_gstrings head;
	char bytes[sizeof(struct ethtool_gstrings) + FEATURES_MAX * ETH_GSTRING_LEN];
};
union count {
	struct ethtool_sset_info head;
	char bytes[sizeof(struct ethtool_sset_info) + sizeof(__u32)];
};
union features {
	struct ethtool_gfeatures head;
	char bytes[sizeof(struct ethtool_gfeatures) +
		   FEATURES_MAX / 32 * sizeof(struct ethtool_get_features_block)];
};

/* The place of this feature among all, by their names; -ENOENT: the kernel has none of that name. */
static int feature_place(const char *ifname, const char *name)
{
	union names names = { .head = { .cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_FEATURES } };
	union count count = { .head = { .cmd = ETHTOOL_GSSET_INFO,
					.sset_mask = 1ULL << ETH_SS_FEATURES } };
	int err = ask_ethtool(ifname, &count);

	if (!err)
		err = count.head.data[0] <= FEATURES_MAX ? ask_ethtool(ifname, &names) : -E2BIG;
	for (uint32_t i = 0; i < names.head.len && !err; i++)
		if (!strncmp((char *)names.head.data + i * ETH_GSTRING_LEN, name, ETH_GSTRING_LEN))
			return (int)i;
	return err ?: -ENOENT;
}

/* Is this feature on? 1 or 0, also if the kernel has none of that name; -errno. */
static int has_feature(const char *ifname, const char *name)
{
	union features features = { .head = { .cmd = ETHTOOL_GFEATURES, .size = FEATURES_MAX / 32 } };
	int place = feature_place(ifname, name), err;

	if (place < 0)
		return place == -ENOENT ? 0 : place;
	err = ask_ethtool(ifname, &features);
	return err ?: (int)(features.head.features[place / 32].active >> place % 32 & 1);
}

int device_filters_vlans(const char *ifname)
{
	return has_feature(ifname, "rx-vlan-filter");
}

int device_merges_udp(const char *ifname)
{
	int gro = has_feature(ifname, "rx-gro"), udp;

	if (gro != 1)
		return gro;
	udp = has_feature(ifname, "rx-udp-gro-forwarding");
	return udp ?: has_feature(ifname, "rx-gro-list");
}

int device_merges_tcp(const char *ifname)
{
	return has_flag(ifname, ETH_FLAG_LRO);
}

int device_mtu(const char *ifname)
{
	struct ifreq request = { 0 };

	return ask_ioctl(ifname, SIOCGIFMTU, &request) ?: request.ifr_mtu;
}

/* The attribute of this type in an answer, and where its first `size` bytes go. */
struct wanted {
	uint16_t type;
	void *out;
	size_t size;
	bool is_there;
};

static int take_wanted(const struct nlmsghdr *m, void *arg)
{
	const struct nlattr *a;
	struct wanted *w = arg;

	mnl_attr_for_each (a, m, GENL_HDRLEN) {
		if (mnl_attr_get_type(a) != w->type || mnl_attr_get_payload_len(a) < w->size)
			continue;
		memcpy(w->out, mnl_attr_get_payload(a), w->size);
		w->is_there = true;
	}
	return MNL_CB_OK;
}

union question {
	struct nlmsghdr header;
	char bytes[64];
};

/* Begins a question to a generic netlink family, to which attributes are added. */
static void begin_question(union question *q, uint16_t family, uint8_t command)
{
	struct genlmsghdr *genl;

	mnl_nlmsg_put_header(q->bytes);
	q->header.nlmsg_type = family;
	q->header.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	genl = mnl_nlmsg_put_extra_header(&q->header, sizeof(*genl));
	*genl = (struct genlmsghdr){ .cmd = command, .version = 1 };
}

/* Returns 0; -EPROTO if the answer has not what is wanted; or the kernel's error. */
static int ask_wanted(const union question *q, struct wanted *wanted)
{
	int err = netlink_ask(NETLINK_GENERIC, &q->header, take_wanted, wanted);

	return err ?: wanted->is_there ? 0 : -EPROTO;
}

int device_xdp_features(int ifindex, uint64_t *features)
{
	uint16_t id = 0;
	struct wanted family = { .type = CTRL_ATTR_FAMILY_ID, .out = &id, .size = sizeof(id) };
	struct wanted xdp = { .type = NETDEV_DEV_XDP_FEATURES,
			      .out = features,
			      .size = sizeof(*features) };
	union question q;
	int err;

	begin_question(&q, GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
	mnl_attr_put_strz(&q.header, CTRL_ATTR_FAMILY_NAME, NETDEV_FAMILY);
	err = ask_wanted(&q, &family);
	if (err)
		return err;
	begin_question(&q, id, NETDEV_DEV_GET);
	mnl_attr_put_u32(&q.header, NETDEV_DEV_IFINDEX, (uint32_t)ifindex);
	return ask_wanted(&q, &xdp);
}

struct zerocopy {
	int ifindex;
	bool found;
};

/* One socket. The memory of one that is bound says to which interface. */
static int take_zerocopy(const struct nlmsghdr *m, void *arg)
{
	struct zerocopy *z = arg;
	const struct nlattr *a;

	mnl_attr_for_each (a, m, sizeof(struct xdp_diag_msg)) {
		struct xdp_diag_umem memory;

		if (mnl_attr_get_type(a) != XDP_DIAG_UMEM ||
		    mnl_attr_get_payload_len(a) < sizeof(memory))
			continue;
		memcpy(&memory, mnl_attr_get_payload(a), sizeof(memory)); /* unaligned */
		z->found |= (int)memory.ifindex == z->ifindex && memory.flags & XDP_DU_F_ZEROCOPY;
	}
	return MNL_CB_OK;
}

int device_has_zerocopy_sockets(int ifindex)
{
	struct zerocopy z = { .ifindex = ifindex };
	struct xdp_diag_req *request;
	union question q;
	int err;

	mnl_nlmsg_put_header(q.bytes);
	q.header.nlmsg_type = SOCK_DIAG_BY_FAMILY;
	q.header.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	request = mnl_nlmsg_put_extra_header(&q.header, sizeof(*request));
	*request = (struct xdp_diag_req){ .sdiag_family = AF_XDP, .xdiag_show = XDP_SHOW_UMEM };
	err = netlink_ask(NETLINK_SOCK_DIAG, &q.header, take_zerocopy, &z);
	return err ?: z.found;
}
