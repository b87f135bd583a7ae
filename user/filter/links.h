/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The interfaces of this network namespace, and which of them is on top of which: a bridge or
 * bond on its ports, a VLAN, macvlan, macvtap or ipvlan on its device, several deep. What comes
 * in by one comes in again by those on top of it. Read by rtnetlink. Says nothing; what fails
 * returns a negative errno.
 */
#ifndef XDP_DEDUP_LINKS_H
#define XDP_DEDUP_LINKS_H

#include <linux/if_ether.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#define LINK_XDP_MAX 4

struct link {
	uint32_t index;
	char name[IF_NAMESIZE];
	uint8_t mac[ETH_ALEN];
	bool has_mac;
	bool is_ethernet; /* its frames have Ethernet headers */
	uint32_t master;  /* index of the bridge, bond or team that it is a port of; 0: none */
	uint32_t below;	  /* index of the device that this VLAN, macvlan ... is on; 0: none here */
	bool is_on_other_netns;		/* that device is in another network namespace */
	uint32_t xdp_ids[LINK_XDP_MAX]; /* of its XDP programs, by mode; 0: none */
};

struct links {
	struct link *list;
	int cnt;
};

/* Everything there is now. Free with links_free(). */
int links_read(struct links *out);
void links_free(struct links *l);

/* Does this XDP program run on any interface, in whichever network namespace? Looked at are this
 * one, all that netns.h finds, and those that they know by an id, as where an interface has moved
 * to from there. 1 or 0; -errno if it cannot be told, as in a container if it is not found there.
 */
int links_run_xdp(uint32_t prog_id);

/* Does this XDP program run on this interface, in whichever mode? */
bool link_runs_xdp(const struct link *l, uint32_t prog_id);

/* NULL if it is not there. */
const struct link *links_find(const struct links *l, uint32_t index);

/* Is `upper` on top of `lower`, or on something that is? No device is on top of itself. */
bool links_is_on(const struct links *l, uint32_t upper, uint32_t lower);

/* What the kernel's message about one link says: RTM_NEWLINK with `len` bytes in all. */
struct nlmsghdr;
void links_parse(const struct nlmsghdr *message, struct link *out);

#endif
