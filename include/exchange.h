/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Exchanging a filter's packet program for another one while packets come. On an interface without
 * libxdp's dispatcher that is atomic. In a dispatcher the new program is attached before the old
 * one is gone, so for a moment both see each packet, one after the other: the second one would
 * drop what the first one has just learned.
 *
 * So while state.exchanging is 1, for both programs, packets take the slow path (slow_path.h). A
 * program that passes a packet whose id it has judged notes that in the map `judged`, which both
 * programs have: in this CPU's entry, because a CPU finishes a packet before it takes the next
 * one. A program that finds the packet noted passes it, and neither judges nor counts it. So each
 * packet is judged once, in whatever order the programs come, and whichever filter is in charge
 * (predecessor.h).
 *
 * A packet is recognized by its address and its id, and the note by the program that made it. If
 * only one of the two programs is on the interface yet, nobody takes the note. It can be taken by
 * mistake only if the next packet on that CPU comes by another interface, which has both programs,
 * and is a copy at the very address: then a duplicate passes.
 */
#ifndef XDP_DEDUP_EXCHANGE_H
#define XDP_DEDUP_EXCHANGE_H

#include "id.h"

/* The value of the per-CPU map `judged`: the last packet that a program has judged and passed. */
struct dedup_judged {
	__u64 packet; /* where its first byte is; 0: none */
	__u64 id;     /* dedup_judged_id() */
	__u64 serial; /* config.serial of that program */
};

/* Returns a number that tells ids apart well enough for this use. The id is followed by zeros. */
static __always_inline __u64 dedup_judged_id(const struct dedup_id *id, __u32 words)
{
	__u64 sum = 0;

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ID_WORDS_MAX; i++)
		if (i < words)
			sum = sum * 0x9e3779b97f4a7c15 + id->word[i];
	return sum;
}

#endif
