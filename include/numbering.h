/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sequence recovery (recovery.h): what is kept of a source, and how a number becomes a lap. */
#pragma once

#include "compiler.h"

#define DEDUP_WORD_NUMBERS 32
#define DEDUP_WIDTH_MIN 8
#define DEDUP_SOURCE_WORDS 4  /* of a packet that are its source, the upper bits among them */
#define DEDUP_WIDTH_MAX 40    /* a number's bits above these belong to its source */
#define DEDUP_BUCKET_BLOCKS 2 /* of a bucket of the table of sources */
#define DEDUP_BLOCK_SHIFT 8   /* log2 of the numbers that a block of memory has */
#define DEDUP_RING_MAX 24     /* log2 */
#define DEDUP_HISTORY(ring_shift) ((1ULL << (ring_shift)) - DEDUP_WORD_NUMBERS)
#define DEDUP_REPLAY_JIFFY_NS 1000000 /* of a filter whose clock is state.replay_ns */
#define DEDUP_SLOT_BLOCKS 3	      /* of a source, before its ring */
#define DEDUP_PATHS_MAX 8	      /* of a source, in its account (account.h) */
#define DEDUP_PATH_WORDS 40

/* How the numbers of a stream are recovered: constants. */
struct dedup_recovery {
	__u32 width;	   /* bits of a number: 8 to DEDUP_WIDTH_MAX */
	__u32 ring_shift;  /* log2 of the ring's numbers: 5 to DEDUP_RING_MAX, and `width` */
	__u32 number_bits; /* of `near`, for a number: 32, or DEDUP_WIDTH_MAX; equal in a table */
	__u32 pad;
	__u64 reset_jiffies; /* at least 2 */
};

/* A table of sources (source_table.h): constants. Blocks are numbered as dedup_block_at() does. */
struct dedup_sources {
	__u32 first;   /* the first bucket; behind all of them come the head, and the sources */
	__u32 buckets; /* their blocks: DEDUP_BUCKET_BLOCKS each, at least 1 bucket */
	__u32 slots;   /* the first source: first + buckets + 1 */
	__u32 slot_blocks; /* of each source: DEDUP_SLOT_BLOCKS, those of the longest ring, an account */
	__u32 sources;	   /* at most; 0: there is no table */
	__u32 number_bits; /* as in struct dedup_recovery */
	__u32 paths;	   /* that an account has (account.h); 0: there are no accounts */
	__u32 account;	   /* the first of a source's blocks that is its account's */
	__u64 idle_jiffies; /* a source without a packet for so long may be recycled; > reset_jiffies */
};

/* A source: of zeros, until dedup_source_begin(). */
struct dedup_source {
	/* From the top: the lap; 1 bit, the numbering's; the number, a multiple of 32. */
	__u64 near;
	/* From the top: 1 bit, as in `near`, or not yet; when a number near `near` came last, in
	 * jiffies.
	 */
	__u64 last;
	/* Numbers that are far from `near`. From the top: a number / 16; 9 bits unused; 1 bit, 1: a
	 * number near `near` has come since; 1 bit, as in `near`; 1 bit, 1: sealed; a bit for each
	 * of the 16, 1: seen. 0: none.
	 */
	__u64 run;
};

#define DEDUP_LAST_NUMBERING (1ULL << 63)

static __always_inline __u32 dedup_ring_blocks(__u32 ring_shift)
{
	return ring_shift > DEDUP_BLOCK_SHIFT ? 1U << (ring_shift - DEDUP_BLOCK_SHIFT) : 1;
}

/* Words of a row of a trace (account.h). */
static __always_inline __u32 dedup_row_words(__u32 paths)
{
	return paths > 4 ? 8 : 4;
}

/* Blocks of an account with a trace of so many numbers. */
static __always_inline __u32 dedup_account_blocks(__u32 paths, __u32 ring_shift)
{
	__u32 rows = 1U << ring_shift >> 5;

	if (!paths)
		return 0;
	return 4 + (paths * DEDUP_PATH_WORDS + rows * dedup_row_words(paths) + 7) / 8;
}

/* Blocks of the whole table; 0 if there is none. */
static __always_inline __u64 dedup_sources_blocks(const struct dedup_sources *t)
{
	if (!t->sources)
		return 0;
	return t->buckets + 1 + (__u64)t->sources * t->slot_blocks;
}

/* The greatest lap that a new numbering may have. */
static __always_inline __u64 dedup_laps(__u32 number_bits)
{
	return (1ULL << (63 - number_bits)) - 4;
}

static __always_inline __u64 dedup_near_lap(__u32 number_bits, __u64 near)
{
	return near >> (number_bits + 1);
}

/* 1 or 0: successive numberings differ. */
static __always_inline __u64 dedup_near_numbering(const struct dedup_recovery *r, __u64 near)
{
	return near >> r->number_bits & 1;
}

static __always_inline __u64 dedup_number(const struct dedup_recovery *r, __u64 number)
{
	return number & ((1ULL << r->width) - 1);
}

static __always_inline __u64 dedup_near(const struct dedup_recovery *r, __u64 lap, __u64 numbering,
					__u64 number)
{
	number = dedup_number(r, number) & -DEDUP_WORD_NUMBERS;
	return (lap << 1 | numbering) << r->number_bits | number;
}

/* How many numbers before the highest one are known at least: those of a word leave together. */
static __always_inline __u64 dedup_history(const struct dedup_recovery *r)
{
	return DEDUP_HISTORY(r->ring_shift);
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
	__s64 in_ring = near & ((1ULL << r->ring_shift) - 1);

	return dedup_near_lap(r->number_bits, near) + ((in_ring + ahead) >> r->ring_shift);
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
