/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What xdp-dedup-bench and its generator share. */
#ifndef XDP_DEDUP_BENCH_STREAM_H
#define XDP_DEDUP_BENCH_STREAM_H

#include "compiler.h"

#define BENCH_CPUS 512
#define BENCH_ID_AT 50	  /* of a frame: Ethernet, IPv4, UDP, GSP/1's header */
#define BENCH_ALL 16384	  /* parts: every id is fresh */
#define BENCH_ALONE (~0U) /* no other CPU */

/* A CPU's stream of ids, which are numbered. User space sets it while the CPU is at rest. First
 * come `warm` known ids, then `packets` that are measured, then known ones again. What is not
 * fresh among those measured is known, or, with `late`, one of the last `late` fresh ones.
 */
struct bench_stream {
	__u64 first, next;	/* fresh ids: the first, the next */
	__u64 known, known_cnt; /* ids to be repeated; at most 2^32 of them */
	__u64 salt;		/* of the row: makes its ids its own */
	__u64 random;
	__u64 warm, packets;
	__u64 sent;
	__u64 begin_ns,
		end_ns;	   /* CLOCK_MONOTONIC: before the first measured packet, after the last */
	__u64 dropped;	   /* by the peers' counting variants */
	__u64 apart;	   /* packets for which the other CPU did not come in time */
	__u64 seen_new;	   /* race: the packet program's counter `new`, as last seen */
	__u32 fresh_parts; /* of BENCH_ALL */
	__u32 late;
	__u32 other; /* CPU to begin together with, or BENCH_ALONE */
	__u32 come;  /* to so many meetings with it */
} __attribute__((aligned(128)));
_Static_assert(sizeof(struct bench_stream) == 128, "no cache line is shared");

/* The number of the next id: in the measured part fresh or a copy, else known. */
static __always_inline __u64 bench_next_id(struct bench_stream *s, bool measured)
{
	__u64 from = s->known, cnt = s->known_cnt;

	s->random = s->random * 6364136223846793005 + 1442695040888963407;
	if (measured) {
		if ((s->random >> 33) % BENCH_ALL < s->fresh_parts)
			return s->next++;
		if (s->late && s->next > s->first) {
			cnt = s->next - s->first;
			if (cnt > s->late)
				cnt = s->late;
			from = s->next - cnt;
		}
	}
	return from + (((s->random >> 32) * cnt) >> 32);
}

#endif
