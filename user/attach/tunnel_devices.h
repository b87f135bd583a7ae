/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tunnel devices of this host: vxlan0, gre1, erspan1. A tunnel device decapsulates packets, and
 * receives them after the XDP program of the interface that received the outer packets.
 */
#pragma once

#include "attach.h"
#include "links.h"
#include "tunnel.h"

/* Returns the DEDUP_TUNNEL_BIT of the device's kind of tunnel; 0 if it is no tunnel device. */
uint32_t tunnel_device_kind(const struct link *device);

/* Is this device up, and may the interface with this index receive its outer packets? A device that
 * is bound to an interface gets them from that interface or the devices below; others from any
 * interface that is no tunnel device.
 */
bool tunnel_device_is_on(const struct links *l, const struct link *device, uint32_t index);

/* Checks that no packet meets the filter twice: inside a tunnel of these kinds, which the filter
 * decapsulates, and again on a tunnel device. Returns 0, or -EINVAL (logged).
 */
int tunnel_devices_check(const struct placement *where, uint32_t kinds, const struct links *l);
