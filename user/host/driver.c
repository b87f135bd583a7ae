// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "driver.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <unistd.h>

#include "device.h"

/* Bytes of a page beside an XDP packet: the headroom before it, and skb_shared_info behind it. */
#define PAGE_OVERHEAD (256 + 320)
#define LINK_HEADER 22 /* Ethernet, two VLAN tags */

static const struct driver DRIVERS[] = {
	{ .name = "igb",
	  .mtu = 3046,
	  .note = "load and unload reset the NIC, and its link is down for about a second; a bond takes another port meanwhile" },
	{ .name = "vmxnet3",
	  .mtu = 3494,
	  .is_new = true,
	  .drops_lro = true,
	  .note = "the driver loses the program when the link goes down and up, or when rings, MTU or offloads change, and every packet passes then",
	  .advice = "run the service, which attaches it anew; by hand: xdp-dedup load --replace" },
	{ .name = "virtio_net",
	  .old_mtu = 4064,
	  .turns_off = "rx-gro-hw",
	  .zerocopy_needs = "a device with iommu_platform=on",
	  .note = "the driver adds a queue for each CPU while it runs a program",
	  .advice = "read the number of queues after the load" },
	{ .name = NULL },
};

const struct driver *driver_of(const char *name)
{
	const struct driver *d = DRIVERS;

	while (d->name && strcmp(d->name, name))
		d++;
	return d;
}

bool driver_is_fixed(const struct driver *d, const char *ifname)
{
	return d->turns_off && device_fixes_on(ifname, d->turns_off) == 1;
}

int driver_xdp_features(int ifindex, uint64_t *features)
{
	int err = device_xdp_features(ifindex, features);
	char ifname[IF_NAMESIZE] = "", name[DEVICE_DRIVER_MAX] = "";
	const struct driver *d;

	if ((err && err != -ENOENT) || !if_indextoname(ifindex, ifname))
		return err;
	d = driver_of(device_driver(ifname, name) ? "" : name);
	if (!(err && d->is_new) && !driver_is_fixed(d, ifname))
		return err;
	*features = 0;
	return 0;
}

bool driver_lacks_frags(const struct driver *d, int ifindex)
{
	uint64_t features;

	if (d->mtu)
		return true;
	if (device_xdp_features(ifindex, &features))
		return d->old_mtu;
	return !(features & DEVICE_XDP_FRAGS);
}

int driver_native_mtu(const struct driver *d, int ifindex)
{
	uint64_t features;

	if (d->mtu || !device_xdp_features(ifindex, &features))
		return d->mtu;
	return d->old_mtu; /* kernels before Linux 6.3 do not report features */
}

int driver_one_buffer_mtu(const struct driver *d)
{
	return d->mtu ?: (int)sysconf(_SC_PAGESIZE) - PAGE_OVERHEAD - LINK_HEADER;
}
