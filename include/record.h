/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The record of a packet program: on which interfaces it is to run, and which frames are for this
 * host there. Each of a filter's successive programs has its own record: the next one's is written
 * before it takes over, while the current program goes by its own.
 */
#pragma once

#include "destination.h"

#define DEDUP_IFACES_MAX 32 /* interfaces that share one filter */

struct dedup_iface {
	__u64 netns;   /* cookie of the network namespace it was in; the kernel never reuses one */
	__u32 ifindex; /* 0: unused entry */
	char name[16];
	__u16 mode; /* enum attach_mode in which it was attached; of one that was not: asked for */
	__u16 shared; /* 1: attached by libxdp, where other programs may be, too */
};

#define DEDUP_LOSSES_MAX 7

/* Counts of what the IP stack of a network namespace had discarded when the filter was loaded. */
struct dedup_losses {
	__u64 netns; /* its cookie; 0: unknown */
	__u64 lost[DEDUP_LOSSES_MAX];
};

/* Map `.data.record`, mapped into user space, which alone writes it, except sets_reported. MACs are
 * words of destination.h.
 */
struct dedup_record {
	__u64 own_mac; /* of most frames for this host; DEDUP_MAC_NONE unless config.policy.receiver
			* is DEDUP_ONE_INTERFACE
			*/
	__u64 macs_cnt;
	__u64 drop_until_ns; /* state.drop_until_ns is to be that, by a change that has not ended; or 0
			      */
	__u64 has_counts;    /* 1: `stats` has the counts of earlier programs, if there were any */
	__u64 sets_reported; /* 1: the hand's first step copies `reported` to state, once */
	__u64 reported;
	__u64 pad[2];
	/* Where the filter has several interfaces: one for each, by dedup_own_slot(). */
	__u64 own_macs[DEDUP_OWN_SLOTS];
	/* All further MACs of this host, as of bridges, bonds and VLANs on top of an interface. */
	__u64 macs[DEDUP_MACS_MAX];
	struct dedup_iface ifaces[DEDUP_IFACES_MAX];
	struct dedup_losses losses;
};
_Static_assert(sizeof(struct dedup_record) == 64 + (64 + 128) * 8 + 32 * 32 + 64,
	       "no hidden padding");
