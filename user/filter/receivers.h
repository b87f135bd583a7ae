/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which frames a filter takes for its one receiver's, as verbs see it: what there is to say
 * about the interfaces, and bringing the filter's list of MACs up to date. What is wrong is
 * said on stderr.
 */
#ifndef XDP_DEDUP_RECEIVERS_H
#define XDP_DEDUP_RECEIVERS_H

#include "attach.h"
#include "pins.h"
#include "links.h"
#include "spec.h"
#include "stacking.h"

/* links_read, which says what is wrong. */
int receivers_links(struct links *out);

/* May one filter run on these (existing) interfaces together? -EINVAL: one is on top of
 * another, has no Ethernet frames, or gets merged packets from one below.
 */
int receivers_check(const struct placement *where, const struct links *l);

/* Says what load takes for granted: that several ports are one receiver's, and that this host
 * forwards nothing.
 */
void receivers_note(const struct filter_spec *spec, const struct placement *where,
		    const struct links *l);

/* own_macs_set; too many MACs are no failure, but said. */
void receivers_refresh(struct filter *f, const struct links *l);

/* What has become wrong since the load; names are those of `links`. */
struct receivers_faults {
	const struct link *stale[DEDUP_IFACES_MAX]; /* the filter does not know their MACs */
	int stale_cnt;
	struct stacked stacked; /* on top of each other; NULL if none is */
	struct stacked merging; /* merged before the program in skb mode on the upper one */
};

/* Looks at the interfaces of this network namespace that the filter is attached to: `skb` are
 * those in skb mode. -errno if something cannot be told, which is said.
 */
int receivers_faults(const struct filter *f, const struct links *l, const uint32_t *indices,
		     const bool *skb, int cnt, struct receivers_faults *out);

#endif
