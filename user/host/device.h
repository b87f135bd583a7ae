/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a network device's driver says of itself, by ethtool and the kernel's netdev family. Logs
 * nothing; what fails, or cannot be told, returns a negative errno.
 */
#ifndef XDP_DEDUP_DEVICE_H
#define XDP_DEDUP_DEVICE_H

#include <stdint.h>

#define DEVICE_DRIVER_MAX 32 /* bytes of a driver's name, with its end */

/* The driver's name; -EOPNOTSUPP if the device says none. */
int device_driver(const char *ifname, char driver[DEVICE_DRIVER_MAX]);

/* How many RX queues are in use, and how many there can be; -EOPNOTSUPP if the driver does not say.
 */
int device_queues(const char *ifname, uint32_t *now, uint32_t *max);

/* Does it take VLAN tags off before an XDP program sees the frame? 1 or 0; -errno: that cannot be
 * told.
 */
int device_strips_tags(const char *ifname);

/* Likewise: does it discard frames of VLANs that no device on top of it is of? */
int device_filters_vlans(const char *ifname);

/* Likewise: does it merge UDP packets: GRO with rx-udp-gro-forwarding or rx-gro-list? */
int device_merges_udp(const char *ifname);

/* Likewise: does it merge TCP packets in hardware? */
int device_merges_tcp(const char *ifname);

/* Bytes of the largest packet, without the Ethernet header. */
int device_mtu(const char *ifname);

/* Bits of *features. */
enum {
	DEVICE_XDP = 1 << 0,	      /* native XDP */
	DEVICE_XDP_REDIRECT = 1 << 1, /* whose programs may redirect */
	DEVICE_XDP_ZEROCOPY = 1 << 3, /* with zero-copy AF_XDP sockets */
	DEVICE_XDP_OFFLOAD = 1 << 4,  /* hw mode */
	DEVICE_XDP_FRAGS = 1 << 5,    /* native XDP of packets in several buffers */
};

/* What of XDP the driver has. -ENOENT if the kernel cannot tell: it can from Linux 6.3 on. */
int device_xdp_features(int ifindex, uint64_t *features);

/* Have AF_XDP sockets of this network namespace the driver write into their memory? 1 or 0; -errno
 * if that cannot be told: the kernel lacks xsk_diag.
 */
int device_has_zerocopy_sockets(int ifindex);

#endif
