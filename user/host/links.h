/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The interfaces of this network namespace, and which of them is on top of which: a bridge or bond
 * on its ports; a VLAN, macvlan, macvtap or ipvlan on its device; several levels deep. A packet
 * that comes in by an interface comes in again by those on top. Read by rtnetlink. Logs nothing; a
 * failure returns -errno.
 */
#ifndef XDP_DEDUP_LINKS_H
#define XDP_DEDUP_LINKS_H

#include <linux/if_ether.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

/* Where a program's id stands in link.xdp_ids: by the mode it runs in, or in whichever it is. */
enum link_xdp { LINK_XDP_ANY, LINK_XDP_NATIVE, LINK_XDP_SKB, LINK_XDP_HW, LINK_XDP_MAX };

struct link {
	uint32_t index;
	char name[IF_NAMESIZE];
	uint8_t mac[ETH_ALEN];
	bool has_mac;
	bool is_ethernet; /* its frames have Ethernet headers */
	uint32_t master;  /* index of the bridge, bond or team that it is a port of; 0: none */
	uint32_t below;	  /* index of the device that this VLAN, macvlan ... is on; 0: none here */
	bool is_on_other_netns;		/* the device below is in another network namespace */
	uint32_t xdp_ids[LINK_XDP_MAX]; /* ids of its XDP programs; 0: none */
	uint32_t mtu;			/* bytes */
	bool is_counted;		/* is this known: */
	uint64_t received; /* packets, as the driver counts them, with those that XDP drops */
};

struct links {
	struct link *list;
	int cnt;
};

/* All interfaces that there are now. The caller frees them with links_free(); after a failure too,
 * though there are none then.
 */
int links_read(struct links *out);
void links_free(struct links *l);

/* Does this XDP program run on any interface of the machine? Looks into this network namespace,
 * into those that have an id in it, as the kernel gives one to the namespace that an interface
 * moves to, and into those that netns.h finds, and that have an id there. 1 or 0; -errno if it
 * cannot be told: never 0 in a container that does not see all of the machine's processes. -EXDEV:
 * not in this one nor in those that have an id here, so an interface of this one has not moved on
 * with it, unless it moved twice.
 */
int links_run_xdp(uint32_t prog_id);

/* links_run_xdp() for all network namespaces except this one. -EXDEV: not in those that have an id
 * here.
 */
int links_run_xdp_elsewhere(uint32_t prog_id);

/* Does this XDP program run on this interface, in whichever mode? */
bool link_runs_xdp(const struct link *l, uint32_t prog_id);

/* Does any? */
bool link_has_xdp(const struct link *l);

/* The interface with this index; NULL if there is none. It belongs to *l. */
const struct link *links_find(const struct links *l, uint32_t index);

/* Is `upper` on top of `lower`, or on something that is? No device is on top of itself. */
bool links_is_on(const struct links *l, uint32_t upper, uint32_t lower);

/* Calls each() for every device on top of `lower`, and for every one below `upper`, until one call
 * does not return 0. Returns what that returned; else 0. A device that is reached on several ways
 * may come several times. Takes time for each device that is reached, times the interfaces.
 */
typedef int (*links_fn)(const struct link *link, void *arg);
int links_each_above(const struct links *l, uint32_t lower, links_fn each, void *arg);
int links_each_below(const struct links *l, uint32_t upper, links_fn each, void *arg);

/* A device that runs an XDP program, whichever, directly on top of this one: as long as it does,
 * the kernel changes none on this one. NULL if there is none. It belongs to *l.
 */
const struct link *links_xdp_above(const struct links *l, uint32_t index);

/* Reads the kernel's message about one interface, an RTM_NEWLINK, into *out. */
struct nlmsghdr;
void links_parse(const struct nlmsghdr *message, struct link *out);

#endif
