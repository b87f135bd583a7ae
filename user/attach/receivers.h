/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A filter drops packets that its receiver already has, so all packets that it judges must be for
 * one receiver. Checks that the interfaces are suitable for that, and updates the filter's list of
 * MACs. Failures are logged.
 */
#pragma once

#include "attachments.h"
#include "spec.h"

/* Does what links_read() does, and logs a failure. */
int receivers_links(struct links *out);

/* Checks that one filter may run on these interfaces together. Returns 0; or -EINVAL (logged) if
 * one is on top of another.
 */
int receivers_check_stacking(const struct placement *where, const struct links *l);

/* Checks that the kernel allows programs on these interfaces: returns -EBUSY (logged) if a device
 * on top of one runs XDP; else 0.
 */
int receivers_check_above(const struct placement *where, const struct links *l);

/* Checks that this interface's packets have Ethernet headers. Returns 0; -EOPNOTSUPP if not;
 * -ENODEV if the interface does not exist. Each error is logged.
 */
int receivers_check_ethernet(const char *ifname, const struct links *l);

/* Checks that the filter sees this interface's packets, in this mode, before a device below merges
 * them. Returns 0; -EOPNOTSUPP if not; another -errno if that is unknown. Each error is logged.
 */
int receivers_check_merging(const char *ifname, enum attach_mode mode, const struct links *l);

/* Do VLAN tags matter to a filter: does it filter by them, or take whole frames? */
bool receivers_go_by_tags(const struct filter_spec *spec);

/* Log notes on assumptions of the filter that may be wrong here.
 * - _tags: VLAN tags can be seen. Returns 1 if tags matter to the filter, else 0.
 * - _ports: several ports belong to one receiver.
 * - _forwarding: this host forwards no packets to others. Returns 1 if that matters, 0 if not,
 *   -errno if that is unknown; the note has the reason.
 */
int receivers_note_tags(const struct filter_spec *spec, const struct placement *where);
void receivers_note_ports(const struct filter_spec *spec);
int receivers_note_forwarding(const struct filter_spec *spec, const struct placement *where,
			      const struct links *l);

/* Does what own_macs_set() does, and logs if there are too many MACs; that is no failure. */
void receivers_refresh(struct filter *f, const struct links *l);

/* Printable names (text.h) of two devices: `upper` is on top of `lower`. "": none. */
struct receivers_pair {
	char upper[IF_NAMESIZE], lower[IF_NAMESIZE];
};

/* Assumptions of the filter that have become wrong since the load. */
struct receivers_faults {
	char stale[DEDUP_IFACES_MAX][IF_NAMESIZE]; /* the filter lacks their current MACs */
	int stale_cnt;
	struct receivers_pair stacked; /* two of the interfaces are on top of each other */
	struct receivers_pair merging; /* lower merges packets before upper's program sees them */
};

/* Checks the interfaces of this network namespace on which the filter runs. Returns 0; or -errno
 * (logged) if something is unknown.
 */
int receivers_faults(const struct filter *f, const struct links *l, const struct attachments *at,
		     struct receivers_faults *out);
