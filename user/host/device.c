// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/genetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Of the generic netlink family "netdev", from Linux 6.3 on: newer than the headers of Debian 12. */
#define NETDEV_FAMILY "netdev"
#define NETDEV_DEV_GET 1	  /* a command */
#define NETDEV_DEV_IFINDEX 1	  /* attributes of its question and answer */
#define NETDEV_DEV_XDP_FEATURES 3 /* 64 bits, as enum netdev_xdp_act */
#define ANSWER_MAX 8192

int device_ethtool(const char *ifname, void *command)
{
	struct ifreq request = { .ifr_data = command };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	memccpy(request.ifr_name, ifname, 0, sizeof(request.ifr_name) - 1);
	err = ioctl(fd, SIOCETHTOOL, &request) ? -errno : 0;
	close(fd);
	return err;
}

int device_driver(const char *ifname, char driver[DEVICE_DRIVER_MAX])
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	int err = device_ethtool(ifname, &info);

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
	int err = device_ethtool(ifname, &c);

	if (err)
		return err;
	*now = c.rx_count + c.combined_count;
	*max = c.max_combined > c.max_rx ? c.max_combined : c.max_rx;
	return *now ? 0 : -EOPNOTSUPP;
}

/* 1 if this ETH_FLAG_* is set, 0 if not; also if the device has no such flags. */
static int has_flag(const char *ifname, uint32_t flag)
{
	struct ethtool_value flags = { .cmd = ETHTOOL_GFLAGS };
	int err = device_ethtool(ifname, &flags);

	if (err)
		return err == -EOPNOTSUPP ? 0 : err;
	return (flags.data & flag) != 0;
}

int device_strips_tags(const char *ifname)
{
	return has_flag(ifname, ETH_FLAG_RXVLAN);
}

int device_merges_tcp(const char *ifname)
{
	return has_flag(ifname, ETH_FLAG_LRO);
}

int device_mtu(const char *ifname)
{
	struct ifreq request = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	memccpy(request.ifr_name, ifname, 0, sizeof(request.ifr_name) - 1);
	err = ioctl(fd, SIOCGIFMTU, &request) ? -errno : request.ifr_mtu;
	close(fd);
	return err;
}

/* A question to a generic netlink family: one attribute. */
struct question {
	struct nlmsghdr header;
	struct genlmsghdr genl;
	struct nlattr attribute;
	char value[GENL_NAMSIZ];
};

/* The attribute of this type in an answer; NULL if it has none, or less than `size` bytes of it. */
static const void *attribute_of(const struct nlmsghdr *m, int type, size_t size)
{
	const char *at = (const char *)NLMSG_DATA(m) + GENL_HDRLEN;
	const char *end = (const char *)m + m->nlmsg_len;

	while (at + NLA_HDRLEN <= end) {
		const struct nlattr *a = (const void *)at;

		if (a->nla_len < NLA_HDRLEN || at + a->nla_len > end)
			return NULL;
		if ((a->nla_type & NLA_TYPE_MASK) == type)
			return a->nla_len >= NLA_HDRLEN + size ? at + NLA_HDRLEN : NULL;
		at += NLA_ALIGN(a->nla_len);
	}
	return NULL;
}

/* Asks, and copies `size` bytes of this attribute of the answer. 0; -EPROTO if it has none; or what
 * the kernel answers instead.
 */
static int ask(int fd, int family, int command, int type, const void *value, size_t len, int wanted,
	       void *out, size_t size)
{
	union {
		struct nlmsghdr header;
		char bytes[ANSWER_MAX];
	} answer;
	struct question q = {
		.header = { .nlmsg_type = family, .nlmsg_flags = NLM_F_REQUEST },
		.genl = { .cmd = command, .version = 1 },
		.attribute = { .nla_type = type, .nla_len = NLA_HDRLEN + len },
	};
	const void *found;
	ssize_t got;

	memcpy(q.value, value, len);
	q.header.nlmsg_len = offsetof(struct question, value) + NLA_ALIGN(len);
	if (send(fd, &q, q.header.nlmsg_len, 0) < 0)
		return -errno;
	got = recv(fd, &answer, sizeof(answer), 0);
	if (got < 0)
		return -errno;
	if (!NLMSG_OK(&answer.header, (size_t)got))
		return -EPROTO;
	if (answer.header.nlmsg_type == NLMSG_ERROR)
		return ((const struct nlmsgerr *)NLMSG_DATA(&answer.header))->error ?: -EPROTO;
	found = attribute_of(&answer.header, wanted, size);
	if (found)
		memcpy(out, found, size);
	return found ? 0 : -EPROTO;
}

int device_xdp_features(int ifindex, uint64_t *features)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	uint16_t family = 0;
	int err;

	if (fd < 0)
		return -errno;
	err = ask(fd, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, CTRL_ATTR_FAMILY_NAME, NETDEV_FAMILY,
		  sizeof(NETDEV_FAMILY), CTRL_ATTR_FAMILY_ID, &family, sizeof(family));
	if (!err)
		err = ask(fd, family, NETDEV_DEV_GET, NETDEV_DEV_IFINDEX, &ifindex, sizeof(ifindex),
			  NETDEV_DEV_XDP_FEATURES, features, sizeof(*features));
	close(fd);
	return err;
}
