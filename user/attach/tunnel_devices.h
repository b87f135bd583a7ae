/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tunnel devices of this host: vxlan0, gre1, erspan1. One takes the packets out of its tunnels, and
 * receives them behind the XDP program of the interface by which the tunnels come.
 */
#ifndef XDP_DEDUP_TUNNEL_DEVICES_H
#define XDP_DEDUP_TUNNEL_DEVICES_H

#include "attach.h"
#include "links.h"
#include "tunnel.h"

/* Returns the DEDUP_TUNNEL_BIT of the tunnels that this device ends; 0 if it is no tunnel device. */
uint32_t tunnel_device_kind(const struct link *device);

/* May the tunnels of this device, which is up, come by the interface with this index? A device that
 * is bound to an interface has its tunnels by that one, or by what is below; others by any
 * interface that is no tunnel device.
 */
bool tunnel_device_is_on(const struct links *l, const struct link *device, uint32_t index);

/* Checks that no packet meets the filter twice: in a tunnel of these kinds, which the filter opens,
 * and behind a tunnel device. Returns 0, or -EINVAL (logged).
 */
int tunnel_devices_check(const struct placement *where, uint32_t kinds, const struct links *l);

#endif
