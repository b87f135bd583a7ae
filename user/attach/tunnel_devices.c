// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "tunnel_devices.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>

#include "diag.h"

/* The kernel's names of kinds of devices. */
static const struct {
	const char *device;
	uint32_t tunnel;
} KINDS[] = {
	{ "vxlan", DEDUP_TUNNEL_BIT(vxlan) },	{ "geneve", DEDUP_TUNNEL_BIT(geneve) },
	{ "gre", DEDUP_TUNNEL_BIT(gre) },	{ "gretap", DEDUP_TUNNEL_BIT(gre) },
	{ "ip6gre", DEDUP_TUNNEL_BIT(gre) },	{ "ip6gretap", DEDUP_TUNNEL_BIT(gre) },
	{ "erspan", DEDUP_TUNNEL_BIT(erspan) }, { "ip6erspan", DEDUP_TUNNEL_BIT(erspan) },
	{ "ipip", DEDUP_TUNNEL_BIT(ipip) },	{ "sit", DEDUP_TUNNEL_BIT(ipip) },
	{ "ip6tnl", DEDUP_TUNNEL_BIT(ipip) },	{ "gtp", DEDUP_TUNNEL_BIT(gtp) },
};

uint32_t tunnel_device_kind(const struct link *device)
{
	for (size_t i = 0; i < sizeof(KINDS) / sizeof(KINDS[0]); i++)
		if (!strcmp(device->kind, KINDS[i].device))
			return KINDS[i].tunnel;
	return 0;
}

bool tunnel_device_is_on(const struct links *l, const struct link *device, uint32_t index)
{
	const struct link *lower = links_find(l, index);

	if (!lower || !device->is_up || device->is_on_other_netns || device->index == index)
		return false;
	if (device->carrier)
		return device->carrier == index || links_is_on(l, device->carrier, index);
	return !tunnel_device_kind(lower);
}

int tunnel_devices_check(const struct placement *where, uint32_t kinds, const struct links *l)
{
	for (int i = 0; i < where->cnt; i++) {
		const struct link *device = links_find(l, if_nametoindex(where->ifnames[i]));

		if (!device || !(tunnel_device_kind(device) & kinds))
			continue;
		for (int j = 0; j < where->cnt; j++)
			if (tunnel_device_is_on(l, device, if_nametoindex(where->ifnames[j])))
				return diag_err(
					-EINVAL,
					"%s takes packets out of tunnels that come by %s, where --tunnels opens them: a packet would meet the filter twice, and be dropped the second time" ADVICE
					"load %s alone",
					where->ifnames[i], where->ifnames[j], where->ifnames[j]);
	}
	return 0;
}
