// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stacking.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"

#define FEATURES_MAX 4096 /* more are taken for nonsense; Linux 6.18 has 64 */

struct stacked stacking_find(const struct links *l, const uint32_t *indices, int cnt)
{
	for (int i = 0; i < cnt; i++)
		for (int j = 0; j < cnt; j++)
			if (links_is_on(l, indices[i], indices[j]))
				return (struct stacked){ links_find(l, indices[i]),
							 links_find(l, indices[j]) };
	return (struct stacked){ NULL, NULL };
}

static int count_features(const char *ifname, uint32_t *cnt)
{
	union { /* one number follows the struct */
		struct ethtool_sset_info info;
		uint32_t words[sizeof(struct ethtool_sset_info) / sizeof(uint32_t) + 1];
	} sset = { .info = { .cmd = ETHTOOL_GSSET_INFO, .sset_mask = 1 << ETH_SS_FEATURES } };
	int err = device_ethtool(ifname, &sset);

	*cnt = sset.info.data[0];
	return !err && (!sset.info.sset_mask || !*cnt || *cnt > FEATURES_MAX) ? -EPROTO : err;
}

/* Do these `cnt` features of a device make it merge UDP packets? */
static bool merges_udp(const struct ethtool_gstrings *names, const struct ethtool_gfeatures *on,
		       uint32_t cnt)
{
	bool gro = false, udp = false;

	for (uint32_t i = 0; i < cnt; i++) {
		const char *name = (const char *)names->data + i * ETH_GSTRING_LEN;

		if (!(on->features[i / 32].active >> i % 32 & 1))
			continue;
		gro |= !strcmp(name, "rx-gro");
		udp |= !strcmp(name, "rx-udp-gro-forwarding") || !strcmp(name, "rx-gro-list");
	}
	return gro && udp;
}

/* Does this device merge UDP packets? 1 or 0; -errno. */
static int merging_is_on(const char *ifname)
{
	struct ethtool_gstrings *names;
	struct ethtool_gfeatures *on;
	uint32_t cnt;
	int err = count_features(ifname, &cnt);

	if (err)
		return err;
	names = calloc(1, sizeof(*names) + (size_t)cnt * ETH_GSTRING_LEN);
	on = calloc(1, sizeof(*on) + ((size_t)cnt + 31) / 32 * sizeof(on->features[0]));
	if (names && on) {
		*names = (struct ethtool_gstrings){ ETHTOOL_GSTRINGS, ETH_SS_FEATURES, cnt };
		*on = (struct ethtool_gfeatures){ ETHTOOL_GFEATURES, (cnt + 31) / 32 };
		err = device_ethtool(ifname, names) ?: device_ethtool(ifname, on);
		err = err ?: merges_udp(names, on, cnt);
	} else {
		err = -ENOMEM;
	}
	free(names);
	free(on);
	return err;
}

static int merges(const struct link *link, void *arg)
{
	*(const struct link **)arg = link;
	return merging_is_on(link->name);
}

int stacking_merges(const struct links *l, uint32_t index, const struct link **out)
{
	return links_each_below(l, index, merges, out);
}
