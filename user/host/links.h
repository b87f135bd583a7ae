/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The interfaces of this network namespace, and which of them is on top of which: a bridge or bond
 * on its ports; a VLAN, macvlan, macvtap or ipvlan on its device; several levels deep. The
 * interfaces on top of an interface receive its packets again. Read by rtnetlink. Nothing here
 * logs; a failure returns -errno.
 */
#pragma once

#include <linux/if_ether.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

/* The index of a program's id in link.xdp_ids: its mode. LINK_XDP_ANY: of any mode. */
enum link_xdp { LINK_XDP_ANY, LINK_XDP_NATIVE, LINK_XDP_SKB, LINK_XDP_HW, LINK_XDP_MAX };

struct link {
	uint32_t index;
	char name[IF_NAMESIZE];
	uint8_t mac[ETH_ALEN];
	bool has_mac;
	bool is_ethernet; /* its frames have Ethernet headers */
	bool is_up;
	char kind[IFNAMSIZ]; /* as the kernel names it: "vxlan", "bridge"; "": none, or a NIC */
	uint32_t carrier; /* index of the device that receives a tunnel's packets; 0: any, or none here */
	uint32_t master; /* index of the bridge, bond or team that it is a port of; 0: none */
	uint32_t below;	 /* index of the device that this VLAN, macvlan ... is on; 0: none here */
	bool is_on_other_netns;		/* the device below, or a peer, is in another namespace */
	uint32_t xdp_ids[LINK_XDP_MAX]; /* ids of its XDP programs; 0: none */
	uint32_t mtu;			/* bytes */
	bool is_counted;		/* is `received` known? */
	uint64_t received; /* packets that the driver counts, including those that XDP drops */
};

struct links {
	struct link *list;
	int cnt;
};

/* Reads all interfaces. Returns 0, or -errno, with *out empty. In both cases the caller frees *out
 * with links_free().
 */
int links_read(struct links *out);
void links_free(struct links *l);

/* Does this XDP program (0: any) run on this interface, in any mode? */
bool link_runs_xdp(const struct link *l, uint32_t prog_id);

/* Returns the interface with this index; NULL if there is none. It belongs to *l. */
const struct link *links_find(const struct links *l, uint32_t index);

/* Is `upper` on top of `lower`, directly or not? No device is on top of itself. */
bool links_is_on(const struct links *l, uint32_t upper, uint32_t lower);

/* Call each() for every device on top of `lower`, or below `upper`, until a call does not return 0.
 * Return the result of that call; else 0. each() may be called several times for a device that is
 * reached in several ways.
 */
typedef int (*links_fn)(const struct link *link, void *arg);
int links_each_above(const struct links *l, uint32_t lower, links_fn each, void *arg);
int links_each_below(const struct links *l, uint32_t upper, links_fn each, void *arg);

/* Finds two of these interfaces, `upper` on top of `lower`: a filter on both would drop each packet
 * when it comes the second time. Both are NULL if there are none. Both point into *l.
 */
struct stacked {
	const struct link *upper, *lower;
};
struct stacked links_find_stacked(const struct links *l, const uint32_t *indices, int cnt);

/* Returns a device directly on top of this one that runs any XDP program: while it does, the kernel
 * refuses to change the XDP program of this one. NULL if there is none. It belongs to *l.
 */
const struct link *links_xdp_above(const struct links *l, uint32_t index);

/* Reads the kernel's message about one interface, an RTM_NEWLINK, into *out. */
struct nlmsghdr;
void links_parse(const struct nlmsghdr *message, struct link *out);
