/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A filter drops what its receiver has had: so all packets that it looks at must be for one and the
 * same receiver. For verbs: checks that the interfaces are fit for that, and keeps the filter's
 * list of MACs up to date. Failures are logged.
 */
#ifndef XDP_DEDUP_RECEIVERS_H
#define XDP_DEDUP_RECEIVERS_H

#include "attach.h"
#include "links.h"
#include "open_filter.h"
#include "spec.h"
#include "stacking.h"

/* links_read(), whose failure is logged. */
int receivers_links(struct links *out);

/* May one filter run on these interfaces together, and be attached to them now? 0 yes; else, after
 * logging it, -EINVAL if one is on top of another, -EBUSY if a device on top of one runs XDP.
 */
int receivers_check_stacking(const struct placement *where, const struct links *l);

/* Have this interface's packets Ethernet headers? 0 yes; else, after logging it, -EINVAL, or
 * -ENODEV if it has gone.
 */
int receivers_check_ethernet(const char *ifname, const struct links *l);

/* Does the filter see packets of this interface, in this mode, before a device below merges them? 0
 * yes; else, after logging it, -EINVAL, or another -errno (it cannot be told).
 */
int receivers_check_merging(const char *ifname, enum attach_mode mode, const struct links *l);

/* Notes on what the filter assumes and may not be so. The first: that VLAN tags can be seen; 1 if
 * they matter to it, else 0. That several ports are one receiver's. That this host forwards no
 * packets to others: 1 if that matters, 0 if not, -errno if it cannot be told: the note tells.
 */
int receivers_note_tags(const struct filter_spec *spec, const struct placement *where);
void receivers_note_ports(const struct filter_spec *spec);
int receivers_note_forwarding(const struct filter_spec *spec, const struct placement *where,
			      const struct links *l);

/* own_macs_set(); logs if there are too many MACs: that is no failure. */
void receivers_refresh(struct filter *f, const struct links *l);

/* The names of two devices as they can be shown (text.h), `upper` on top of `lower`; "": none. */
struct receivers_pair {
	char upper[IF_NAMESIZE], lower[IF_NAMESIZE];
};

/* What has become wrong since the load. */
struct receivers_faults {
	char stale[DEDUP_IFACES_MAX][IF_NAMESIZE]; /* the filter does not know their MACs of now */
	int stale_cnt;
	struct receivers_pair stacked; /* two of the interfaces are on top of each other */
	struct receivers_pair merging; /* lower merges packets before upper's program sees them */
};

/* The interfaces of this network namespace to which a filter is attached: cnt of them. */
struct receivers_attached {
	uint32_t indices[DEDUP_IFACES_MAX];
	bool skb[DEDUP_IFACES_MAX]; /* each: is it in skb mode? */
	int cnt;
};

/* Looks at the interfaces to which the filter is attached. Returns 0; -errno (logged) if something
 * cannot be told.
 */
int receivers_faults(const struct filter *f, const struct links *l,
		     const struct receivers_attached *at, struct receivers_faults *out);

#endif
