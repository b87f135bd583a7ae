/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What xdp-dedup-bench and its generator, a BPF program (bench.bpf.c), share. */
#pragma once

#include "compiler.h"

#define BENCH_CPUS 512
#define BENCH_ID_AT 50	  /* offset of the id in a frame, behind Ethernet, IPv4, UDP and GSP/1 */
#define BENCH_ALL 16384	  /* fresh_parts where every id is fresh */
#define BENCH_ALONE (~0U) /* `other` where only one CPU sends */

/* The stream of ids that one CPU sends; ids are numbered. User space fills it in before the CPU
 * begins. The first `warm` packets have known ids, the next `packets` ones are measured, further
 * ones have known ids again. Of the measured packets, fresh_parts in BENCH_ALL have a fresh id.
 * The others have a known id, or, if `late` is not 0, one of the last `late` fresh ids of this
 * stream.
 */
struct bench_stream {
	__u64 first, next;	/* numbers of the first fresh id and of the next one */
	__u64 known, known_cnt; /* number of the first known id; how many there are, at most 2^32 */
	__u64 salt;		/* part of each id: different for each row of the bench */
	__u64 random;		/* state of the generator of random numbers */
	__u64 warm, packets;	/* numbers of packets: known ids, then measured */
	__u64 sent;		/* packets so far */
	__u64 begin_ns,
		end_ns;	   /* CLOCK_MONOTONIC: before the first measured packet, after the last */
	__u64 dropped;	   /* packets that the peers' counting variants dropped */
	__u64 seen_new;	   /* race: this CPU's counter `new` after the packet before */
	__u32 fresh_parts; /* measured packets with a fresh id, of BENCH_ALL */
	__u32 late;	   /* copies are of this many fresh ids; 0: known ids */
	__u32 other;	   /* CPU to wait for, so that both begin together; or BENCH_ALONE */
	__u32 come;	   /* how often this CPU was there to meet the other one */
	__u32 apart;	   /* packets before which waiting for the other CPU was given up */
	__u32 waits;	   /* runs of the program in which it waited for the other one by now */
} __attribute__((aligned(128)));
_Static_assert(sizeof(struct bench_stream) == 128, "no cache line is shared");

/* Draws the number of the next id: for a measured packet by fresh_parts and late, else a known
 * one.
 */
static __always_inline __u64 bench_next_id(struct bench_stream *s, bool measured)
{
	__u64 from = s->known, cnt = s->known_cnt; /* a copy is of one of these */

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
