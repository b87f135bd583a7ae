/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets that a filter let pass and the kernel then discarded, as its drop monitor reports them:
 * which they are, why, and wanting them, so that their next copies pass. `lost` and the service use this.
 */
#pragma once

#include "attachments.h"
#include "drop_monitor.h"
#include "links.h"
#include "program.h"
#include "want.h"

#define LOST_WANTS_IN_A_SECOND 10000 /* each takes two system calls */

/* A message about the interface of lost_costly_interface(). */
#define LOST_COSTLY \
	"on %s the kernel reports what XDP drops, too, and each drop then costs fivefold"

/* Is the next copy worth wanting: may it be received, and are only packets for a program here lost
 * by this reason?
 */
enum lost_want {
	LOST_WANT_NO,
	LOST_WANT_NO_SOCKET, /* a program is meant that may be there soon; also anybody's flood */
	LOST_WANT_NO_ROOM,
	LOST_WANTS,
};

struct lost_reason {
	const char *key; /* for programs; as in `behind` of status, where that has it */
	const char *text;
	enum lost_want want;
};

/* Returns the reason; the one with the key "other" if there is no row for it. */
const struct lost_reason *lost_reason_of(const struct drop *d);

/* Has an XDP program discarded the packet, in skb mode or on a veth? */
bool lost_is_by_xdp(const struct drop *d);

/* Of one filter. Begins as { 0 }; the caller reads `at`. */
struct lost_packets {
	struct attachments at;
	uint64_t wanted, unwanted; /* packets; those were too many, or there was an error */
	/* Of each kind, so that a flood to a port without a socket displaces no other want. The
	 * first one is that of the first kind that is wanted at all.
	 */
	struct lost_wants {
		struct want_ring ring;
		uint64_t second, left; /* so many more may be wanted in this second */
	} wants[LOST_WANTS - 1];
};

/* One packet. */
struct lost_packet {
	const struct attachment *at; /* the filter's interface by which it came */
	const struct lost_reason *reason;
	struct program_id id; /* `reason` -1, or DEDUP_REASON_ihave_new */
};

/* Opens the drop monitor (drop_monitor.h). Returns 0, or -errno (logged, as "cannot WHAT: ..."). */
int lost_monitor_open(const char *what, bool force, struct drop_monitor **out);

/* Returns the filter's interface, of this network namespace, on which a dropped packet came in, or
 * below the device to which it then went (a VLAN, bond, bridge); NULL if it came elsewhere.
 */
const struct attachment *lost_interface(const struct attachments *at, const struct links *links,
					const struct drop *d);

/* Returns whether the dropped packet, which came by the interface `at`, has an id of the filter of
 * program_open_to_identify(), and no XDP program has dropped it. Then fills in *out.
 */
bool lost_packet_read(const struct drop *d, const struct attachment *at, struct lost_packet *out);

/* Wants a lost packet of *f, if the next copy may reach a program here. At most
 * LOST_WANTS_IN_A_SECOND of each kind (enum lost_want) are wanted.
 */
void lost_packets_want(struct lost_packets *l, struct filter *f, const struct lost_packet *p);

/* Does the kernel make a buffer of each packet of this interface before XDP drops it, so
 * that the monitor reports these drops, too? True also if the driver is unknown.
 */
bool lost_is_costly(const char *ifname, enum attach_mode mode);

/* Returns an interface of this network namespace for which lost_is_costly() holds, and on which
 * anybody's XDP program runs; NULL if there is none.
 */
const char *lost_costly_interface(const struct links *links);
