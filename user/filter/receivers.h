/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A filter drops what its receiver has had: so all packets that it looks at must be for one and the
 * same receiver. For verbs: checks that the interfaces are fit for that, and keeps the filter's
 * list of MACs up to date. What is wrong is said on stderr.
 */
#ifndef XDP_DEDUP_RECEIVERS_H
#define XDP_DEDUP_RECEIVERS_H

#include "attach.h"
#include "pins.h"
#include "links.h"
#include "spec.h"
#include "stacking.h"

/* links_read(), which says what is wrong. */
int receivers_links(struct links *out);

/* May one filter run on these interfaces together? 0 yes. Else, after saying so, -EINVAL (one is on
 * top of another, has no Ethernet headers, or gets packets that a device below has merged), -ENODEV
 * (one has gone), or another -errno (it cannot be told).
 */
int receivers_check(const struct placement *where, const struct links *l);

/* Prints notes on what the filter assumes and may not be so: that several ports are one receiver's,
 * that this host forwards no packets to others, and that VLAN tags can be seen where they matter.
 */
void receivers_note(const struct filter_spec *spec, const struct placement *where,
		    const struct links *l);

/* own_macs_set(); if there are too many MACs, says so, and that is no failure. */
void receivers_refresh(struct filter *f, const struct links *l);

/* What has become wrong since the load. The links belong to the `l` that was looked at. */
struct receivers_faults {
	const struct link *stale[DEDUP_IFACES_MAX]; /* the filter does not know their MACs of now */
	int stale_cnt;
	struct stacked stacked; /* two of the interfaces on top of each other; NULL: none are */
	struct stacked merging; /* lower merges packets before the program on upper sees them */
};

/* Looks at the interfaces of this network namespace that the filter is attached to: cnt indices,
 * and for each in skb[] whether it is in skb mode. 0; -errno if something cannot be told, which is
 * said.
 */
int receivers_faults(const struct filter *f, const struct links *l, const uint32_t *indices,
		     const bool *skb, int cnt, struct receivers_faults *out);

#endif
