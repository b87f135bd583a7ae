/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sequence recovery (recovery.h): what is kept of a source, and how a number becomes a lap. */
#ifndef XDP_DEDUP_NUMBERING_H
#define XDP_DEDUP_NUMBERING_H

#include "compiler.h"

#define DEDUP_WORD_NUMBERS 32
#define DEDUP_WIDTH_MAX 40 /* a number's bits above these belong to its source */

/* How the numbers of a stream are recovered: constants. */
struct dedup_recovery {
	__u32 width;	     /* bits of a number: 8 to DEDUP_WIDTH_MAX */
	__u32 ring_shift;    /* 5 to `width`, and below 32 */
	__u64 reset_jiffies; /* at least 2 */
};

/* A source: of zeros, until dedup_source_begin(). */
struct dedup_source {
	/* From the top: the lap; 1 bit, the numbering's; the number, a multiple of 32. */
	__u64 near;
	/* From the top: 1 bit, as in `near`, or not yet; when a number near `near` came last, in
	 * jiffies.
	 */
	__u64 last;
	/* Numbers that are far from `near`. From the top: a number / 16; 10 bits unused; 1 bit, as
	 * in `near`; 1 bit, 1: sealed; a bit for each of the 16, 1: seen. 0: none.
	 */
	__u64 run;
};

#define DEDUP_LAST_NUMBERING (1ULL << 63)

static __always_inline __u32 dedup_number_bits(const struct dedup_recovery *r)
{
	return r->width > 32 ? DEDUP_WIDTH_MAX : 32;
}

/* The greatest lap that a new numbering may have. */
static __always_inline __u64 dedup_laps(const struct dedup_recovery *r)
{
	return (1ULL << (63 - dedup_number_bits(r))) - 4;
}

static __always_inline __u64 dedup_near_lap(const struct dedup_recovery *r, __u64 near)
{
	return near >> (dedup_number_bits(r) + 1);
}

/* 1 or 0: successive numberings differ. */
static __always_inline __u64 dedup_near_numbering(const struct dedup_recovery *r, __u64 near)
{
	return near >> dedup_number_bits(r) & 1;
}

static __always_inline __u64 dedup_number(const struct dedup_recovery *r, __u64 number)
{
	return number & ((1ULL << r->width) - 1);
}

static __always_inline __u64 dedup_near(const struct dedup_recovery *r, __u64 lap, __u64 numbering,
					__u64 number)
{
	number = dedup_number(r, number) & -DEDUP_WORD_NUMBERS;
	return (lap << 1 | numbering) << dedup_number_bits(r) | number;
}

/* How far the number is ahead of this one, of as many bits as numbers have; negative: behind. */
static __always_inline __s64 dedup_ahead(const struct dedup_recovery *r, __u64 of, __u64 number)
{
	__u32 unused = 64 - r->width;

	return (__s64)((number - of) << unused) >> unused;
}

static __always_inline bool dedup_is_far(const struct dedup_recovery *r, __s64 ahead)
{
	__s64 ring = 1LL << r->ring_shift;

	return ahead < -ring || ahead >= ring;
}

/* The lap of the number that is so far ahead of `near`. */
static __always_inline __u64 dedup_lap(const struct dedup_recovery *r, __u64 near, __s64 ahead)
{
	__s64 number = dedup_number(r, near);

	return dedup_near_lap(r, near) + ((number + ahead) >> r->ring_shift) -
	       (number >> r->ring_shift);
}

/* Which word of its source's ring a number belongs to. */
static __always_inline __u64 dedup_ring_index(const struct dedup_recovery *r, __u64 number)
{
	return (number & ((1ULL << r->ring_shift) - 1)) / DEDUP_WORD_NUMBERS;
}

static __always_inline __u64 dedup_last(__u64 numbering, __u64 now)
{
	return numbering << 63 | (now & ~DEDUP_LAST_NUMBERING);
}

/* Jiffies from the last number near `near` until now. */
static __always_inline __s64 dedup_silence(__u64 last, __u64 now)
{
	return (__s64)((now - last) << 1) >> 1;
}

/* The first number of a source: of zeros, or of one that was used before, whose laps go on. Nobody
 * else uses it meanwhile. dedup_laps() must be more than three laps away.
 */
static __always_inline void dedup_source_begin(const struct dedup_recovery *r,
					       struct dedup_source *s, __u64 number, __u64 now)
{
	__u64 near = READ_ONCE(s->near), numbering = !dedup_near_numbering(r, near);

	WRITE_ONCE(s->near, dedup_near(r, dedup_near_lap(r, near) + 3, numbering, number));
	WRITE_ONCE(s->last, dedup_last(numbering, now));
	WRITE_ONCE(s->run, 0);
}

#endif
