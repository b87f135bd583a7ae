// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "device.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define FEATURES_MAX 128 /* Linux 6.18 has 64 */

static int query_ioctl(const char *ifname, unsigned long what, struct ifreq *request)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), err;

	if (fd < 0)
		return -errno;
	memccpy(request->ifr_name, ifname, 0, sizeof(request->ifr_name) - 1);
	err = ioctl(fd, what, request) ? -errno : 0;
	close(fd);
	return err;
}

/* Sends a command of ethtool, a struct that begins with the command's number. Returns 0, or -errno. */
static int query_ethtool(const char *ifname, void *command)
{
	return query_ioctl(ifname, SIOCETHTOOL, &(struct ifreq){ .ifr_data = command });
}

int device_driver(const char *ifname, char driver[DEVICE_DRIVER_MAX])
{
	struct ethtool_drvinfo info = { .cmd = ETHTOOL_GDRVINFO };
	int err = query_ethtool(ifname, &info);

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
	int err = query_ethtool(ifname, &c);

	if (err)
		return err;
	*now = c.rx_count + c.combined_count;
	*max = c.max_combined > c.max_rx ? c.max_combined : c.max_rx;
	return *now ? 0 : -EOPNOTSUPP;
}

/* Answers of ethtool with lists of up to FEATURES_MAX elements. */
union answer {
	struct ethtool_sset_info count;
	struct ethtool_gstrings names;
	struct ethtool_gfeatures features;
	char bytes[sizeof(struct ethtool_gstrings) + FEATURES_MAX * ETH_GSTRING_LEN];
};

/* Returns the index of this feature in the kernel's list; -ENOENT if the kernel does not have it. */
static int feature_index(const char *ifname, const char *name)
{
	union answer a = { .count = { .cmd = ETHTOOL_GSSET_INFO,
				      .sset_mask = 1ULL << ETH_SS_FEATURES } };
	int err = query_ethtool(ifname, &a);

	if (err || a.count.data[0] > FEATURES_MAX)
		return err ?: -E2BIG;
	a = (union answer){ .names = { .cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_FEATURES } };
	err = query_ethtool(ifname, &a);
	for (uint32_t i = 0; i < a.names.len && !err; i++)
		if (!strncmp((char *)a.names.data + i * ETH_GSTRING_LEN, name, ETH_GSTRING_LEN))
			return (int)i;
	return err ?: -ENOENT;
}

enum { IS_ON = 1, IS_FIXED = 2 };

/* Returns IS_ON and IS_FIXED, ORed; 0 also if the kernel does not have the feature; -errno. */
static int feature_state(const char *ifname, const char *name)
{
	union answer a = { .features = { .cmd = ETHTOOL_GFEATURES, .size = FEATURES_MAX / 32 } };
	const struct ethtool_get_features_block *block;
	int index = feature_index(ifname, name), err;

	if (index < 0)
		return index == -ENOENT ? 0 : index;
	err = query_ethtool(ifname, &a);
	if (err)
		return err;
	block = &a.features.features[index / 32];
	return (block->active >> index % 32 & 1 ? IS_ON : 0) |
	       (block->available >> index % 32 & 1 ? 0 : IS_FIXED);
}

int device_has(const char *ifname, const char *offload)
{
	int state = feature_state(ifname, offload);

	return state < 0 ? state : state & IS_ON;
}

int device_fixes_on(const char *ifname, const char *offload)
{
	int state = feature_state(ifname, offload);

	return state < 0 ? state : state == (IS_ON | IS_FIXED);
}

int device_merges_udp(const char *ifname)
{
	int gro = device_has(ifname, "rx-gro"), udp;

	if (gro != 1)
		return gro;
	udp = device_has(ifname, "rx-udp-gro-forwarding");
	return udp ?: device_has(ifname, "rx-gro-list");
}

int device_mtu(const char *ifname)
{
	struct ifreq request = { 0 };

	return query_ioctl(ifname, SIOCGIFMTU, &request) ?: request.ifr_mtu;
}
