/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One filter of any layout and scheme in the kernel, whose hand passes what the test asks
 * it to and nothing else; and the plain model beside it.
 */
#ifndef XDP_DEDUP_TESTS_EXACT_BED_H
#define XDP_DEDUP_TESTS_EXACT_BED_H

#include "exact_model.h"
#include "rig.h"

/* What is 0 is the plan's own choice. */
struct exact_shape {
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	uint32_t m, k;			     /* flat; countdown: k */
	uint32_t index_bits, countdown_bits; /* countdown */
	uint64_t capacity;		     /* 0: 1000 */
	double fpr;			     /* 0: 0.001 */
	uint32_t blocks, words, bits;	     /* blocked */
};

/* Of this shape, with room for any number of ids. Its hand beats several times a
 * millisecond, but not because of the clock.
 */
struct dedup_config exact_config(const struct exact_shape *s);

/* The same, but the hand never beats: the test has the filter's state for itself. */
struct dedup_config exact_still_config(const struct exact_shape *s);

/* Has the kernel's hand pass so many places at once, and waits until it stands behind. */
void exact_pass(uint64_t places);

/* One generation, and all of them: what `rotate` and `reset` ask for. */
void exact_pass_rotation(void);
void exact_pass_reset(void);

/* The same rotation, by the hand's own code, but run by this process: at once. */
void exact_pass_here(void);

/* One EVENT. Is it a duplicate? The verdict is checked against config.count_only. */
bool exact_packet(const struct id *id);

/* One IHAVE with this id: is it known? The kernel answers, and learns nothing. */
bool exact_ask(const struct id *id);

/* Every bit, or what is left of every cell; fails the test where they differ. */
void exact_compare(const struct exact *m);

#endif
