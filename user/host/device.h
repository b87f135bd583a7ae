/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a network device's driver reports, by ethtool and the kernel's netdev family. Nothing here
 * logs. Each function returns -errno if it fails, or if the driver does not report the value.
 */
#pragma once

#include <stdint.h>

#define DEVICE_DRIVER_MAX 32 /* bytes of a driver's name, with the 0 at the end */

/* Reads the driver's name. Returns 0; -EOPNOTSUPP if the device has none. */
int device_driver(const char *ifname, char driver[DEVICE_DRIVER_MAX]);

/* Reads how many RX queues are in use, and how many there can be. Returns 0; -EOPNOTSUPP if the
 * driver does not report them.
 */
int device_queues(const char *ifname, uint32_t *now, uint32_t *max);

/* Offloads, by the kernel's names: the device removes VLAN tags before an XDP program sees the
 * frame; it discards frames of VLANs that have no device on top of it; it merges TCP packets.
 */
#define DEVICE_STRIPS_TAGS "rx-vlan-hw-parse"
#define DEVICE_FILTERS_VLANS "rx-vlan-filter"
#define DEVICE_MERGES_TCP "rx-lro"

/* Each returns 1 or 0; -errno if that is unknown.
 * - _has(): is this offload on? 0 also if the kernel does not know it.
 * - _fixes_on(): is this offload on, and can it not be turned off?
 * - _merges_udp(): does it merge UDP packets: GRO with rx-udp-gro-forwarding or rx-gro-list?
 */
int device_has(const char *ifname, const char *offload);
int device_merges_udp(const char *ifname);
int device_fixes_on(const char *ifname, const char *offload);

/* Returns the MTU: bytes of the largest packet, without the Ethernet header. */
int device_mtu(const char *ifname);

/* Bits of *features. */
enum {
	DEVICE_XDP = 1 << 0,	      /* native XDP */
	DEVICE_XDP_REDIRECT = 1 << 1, /* its programs may redirect */
	DEVICE_XDP_ZEROCOPY = 1 << 3, /* zero-copy AF_XDP sockets */
	DEVICE_XDP_OFFLOAD = 1 << 4,  /* hw mode */
	DEVICE_XDP_FRAGS = 1 << 5,    /* native XDP of packets in several buffers */
};

/* Reads the XDP features that the driver reports; driver_xdp_features() knows more. Returns 0;
 * -ENOENT before Linux 6.3, where drivers do not report them.
 */
int device_xdp_features(int ifindex, uint64_t *features);

/* Does an AF_XDP socket of this network namespace have zero-copy on this interface? Returns 1 or 0;
 * -ENOENT if that is unknown because the kernel lacks xsk_diag; another -errno if the query fails.
 */
int device_has_zerocopy_sockets(int ifindex);
