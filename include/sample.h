/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples: copies of packets that are dropped or new, for one process, the sampler. A filter has
 * one sampler at a time. It writes its wishes into state.sampler, and puts a ring buffer of its
 * own into the map `samples`; without a sampler there is no ring buffer. Packets learn by
 * DEDUP_SLOW_PATH (slow_path.h) that there is a sampler.
 *
 * The sampler holds state.sampler for DEDUP_SAMPLER_LEASE_NS, and renews that in time; if it is
 * killed, the hand finds the lease expired. The value of until_ns identifies the holder: a process
 * takes the lease over, renews it and gives it up by a compare-and-swap of the value that it
 * knows.
 */
#pragma once

#include "compiler.h"
#include "counters.h"
#include "id.h"

#define DEDUP_SNAP_MAX 9216 /* bytes of a frame in a sample: a jumbo frame */
#define DEDUP_SAMPLER_LEASE_NS 3000000000ULL

/* In struct dedup_state. User space writes all but the last group. */
struct dedup_sampler {
	__u64 until_ns; /* there is a sampler while state.last_ns is below this */
	__u32 reasons;	/* bit n: it gets packets of enum dedup_reason n */
	__u32 streams;	/* bit n: of a stream whose slot is n, modulo DEDUP_SLOTS */
	__u32 snap;	/* the first bytes of a frame that it gets; 1 to DEDUP_SNAP_MAX */
	__u32 rate;	/* samples in a second of the kernel's CLOCK_MONOTONIC, at most */
	__u32 pid;	/* of the sampler, as it sees itself */
	__u32 pad;

	/* The packet program writes these; user space also sets `taken` to 0. */
	__u64 taken;   /* second << 32 | samples taken in it */
	__u64 limited; /* packets that were not sampled, ever: more than `rate` in that second */
	__u64 full;    /* packets that were not sampled, ever: no room in the ring buffer */
};
_Static_assert(DEDUP_REASONS_CNT <= 32, "a bit for each reason");
_Static_assert(sizeof(struct dedup_sampler) == 4 * 8 + 6 * 4, "no hidden padding");

/* A record of the ring buffer. */
struct dedup_sample {
	__u64 time_ns; /* CLOCK_MONOTONIC when the packet was judged */
	__u32 ifindex; /* where it came in */
	__u32 slot;    /* of the stream; 0 in a filter without streams */
	__u32 reason;  /* enum dedup_reason */
	__u32 len;     /* bytes of the frame, padding included */
	__u32 snapped; /* bytes of the frame in `frame`; further bytes are undefined */
	__u32 pad;
	struct dedup_id id; /* IHAVE: its first one. Only the stream's words count */
	__u8 frame[];
};
_Static_assert(sizeof(struct dedup_sample) == 8 + 6 * 4 + DEDUP_ID_BYTES_MAX, "no hidden padding");

/* Is there a sampler, when state.last_ns is this? */
static __always_inline bool dedup_sampler_listens(const struct dedup_sampler *s, __u64 last_ns)
{
	return READ_ONCE(s->until_ns) > last_ns;
}
