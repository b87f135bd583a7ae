/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The account of a numbered source: what each path has brought of its numbers, what was lost, and
 * how much later copies came. A path is a stream on an interface. The packet program keeps the
 * account after it has judged a packet; user space reads it (user/filter/accounts.h). A filter
 * without paths has no accounts, and no instruction for them.
 *
 * A trace notes for each number of the history on which paths it came. A number is lost on a path
 * that has not brought it when it leaves the history: so reordering is no loss. What comes later is
 * counted as late. Nothing is counted before the first number of a numbering (recovery.h), nor, for
 * a path, before its own first number. If the next numbering is ahead of this one, the sender has
 * gone on, and what is between was sent. If it is behind, or too far ahead, the sender has restarted.
 *
 * An account has a lock, so what it counts is not changed by atomic operations, except `unnoted`.
 * The lock is a version, which is odd while it is held. User space never takes it.
 *
 * An account's words:
 *	16		struct dedup_account
 *	8		the paths' keys, dedup_path_key(); 0: none
 *	8		for each path: the numbers that it brought, and that have left the history
 *	per path	struct dedup_path
 *	per 32 numbers	a row of the trace: dedup_row_words() words
 */
#pragma once

#include "recovery_packet.h"
#include "stream.h"

#define DEDUP_ACCOUNT_LAPS ((1ULL << 31) - 1)
#define DEDUP_ACCOUNT_AHEAD 33 /* shift of the uppermost bits of account->numbering */

/* Of the source's numbering no number has come that is near it. */
#define DEDUP_NUMBERING_ENDED 1

/* Numbers are *extended* here: above a number's place in the ring is its lap, so they never wrap. */
struct dedup_account {
	__u64 version;
	/* From the top: 31 bits, by how much a number's bits above its place in the ring are more
	 * than its lap; 31 bits, the lap of the account's first number; 2 bits, 2 | the numbering,
	 * or DEDUP_NUMBERING_ENDED. 0: the account is empty.
	 */
	__u64 numbering;
	__u64 before; /* 1 + the messages of earlier numberings, with those that were lost */
	__u64 first;  /* of this numbering */
	__u64 high;   /* the highest one of it */
	__u64 left;   /* numbers that came on any path, and have left the history */
	/* The lower 32 bits: of the sender. The upper ones: the laps by which the source is ahead
	 * of the account, because it began new numberings after silences.
	 */
	__u64 restarts;
	__u64 others;	/* packets of further paths, for which there is no room */
	__u64 since_ns; /* CLOCK_MONOTONIC: when it began */
	/* Numbers that were between the end of a numbering and the begin of the next one, which
	 * goes on ahead. They are expected: those that do not come are lost.
	 */
	__u64 jumped;
	__u64 far; /* 1 + the first of the far numbers that have come since the last near one; or 0 */
	__u64 top; /* 1 + the highest number before the last restart; 0: there was none */
	/* Without a name: a multiple of blocks. */
	__u64 : 64;
	__u64 : 64;
	__u64 : 64;
	__u64 : 64;
};
_Static_assert(sizeof(struct dedup_account) == 2 * 8 * DEDUP_PATHS_MAX, "no hidden padding");

/* A copy came so much later than the first: less than 1 us, 2 us, 4 us and so on; the last: more. */
#define DEDUP_SKEWS 25

/* Messages are counted, except in `packets`. */
struct dedup_path {
	__u64 packets;
	__u64 received;	    /* numbers, each once */
	__u64 first;	    /* of them: no other path was earlier */
	__u64 out_of_order; /* of them: behind a higher one of this path */
	__u64 repeated;	    /* numbers that this path has brought before */
	__u64 late;	    /* older than the history */
	__u64 far;	    /* far from the source's other numbers */
	__u64 joined;	    /* its first number is the joined-th of the account; 0: none yet */
	__u64 high;	    /* its highest number */
	__u64 last;	    /* when its last packet came, in jiffies */
	__u64 skew[DEDUP_SKEWS];
	/* Packets that were judged, but not noted, as another CPU had the account's lock for too
	 * long: their messages are taken for lost. These two are changed without the lock.
	 */
	__u64 unnoted;
	__u64 gave_up; /* the version for which the last of these waited in vain */
	/* Without a name, so that no dump shows it. */
	__u64 : 64;
	__u64 : 64;
	__u64 : 64;
};
_Static_assert(sizeof(struct dedup_path) == 8 * DEDUP_PATH_WORDS, "no hidden padding");

/* An entry of the map `accounts` (account_copy.h): a path of a source. Of zeros: there is none.
 * Packets may be noted while it is copied: then its figures are not of one moment.
 */
struct dedup_path_account {
	char stream[DEDUP_STREAM_NAME]; /* "": the filter has this stream no longer */
	/* The source: its words, each with its bytes in the packets' order, and zeros behind. */
	__u8 source[8 * DEDUP_SOURCE_WORDS];
	__u32 ifindex;
	__u32 : 32;
	/* Of the source, on all paths. */
	__u64 messages; /* that it has sent since its first one came */
	__u64 restarts;
	__u64 other_packets;
	__u64 jumped;
	__u64 since_ns;
	struct dedup_path path;
};
_Static_assert(sizeof(struct dedup_path_account) ==
		       32 + 8 * DEDUP_SOURCE_WORDS + 6 * 8 + sizeof(struct dedup_path),
	       "no hidden padding");

/* Entries of the map: those of a source one behind the other. 0 in a filter without paths. */
static __always_inline __u64 dedup_accounts_cnt(const struct dedup_sources *t)
{
	return (__u64)t->sources * t->paths;
}

/* Words of a row. The others have 32 bits for each path: the numbers that it has brought. */
enum {
	DEDUP_ROW_ALL,	/* lap << 32 | the numbers that came on any path */
	DEDUP_ROW_TIME, /* when the first of these came, in ns; its place in the low 5 bits */
	DEDUP_ROW_BITS,
};

/* Words of an account. */
#define DEDUP_ACCOUNT(field) (__builtin_offsetof(struct dedup_account, field) / 8)
#define DEDUP_ACCOUNT_KEYS (2 * DEDUP_PATHS_MAX)
#define DEDUP_ACCOUNT_LEFT (3 * DEDUP_PATHS_MAX)
#define DEDUP_ACCOUNT_PATHS (4 * DEDUP_PATHS_MAX)
#define DEDUP_PATH(field) (__builtin_offsetof(struct dedup_path, field) / 8)

/* A packet, and where it is to be noted. */
struct dedup_noting {
	const struct dedup_recovery *r;
	const struct dedup_packet_numbers *p;
	struct dedup_block *blocks;
	__u32 account; /* its first block */
	__u32 paths;   /* of the table */
	__u64 near;    /* the source's */
	__u64 known; /* 1 + the highest number that an account before this one has seen; 0: none */
	__u64 now_ns;
	__u64 path;    /* its place among the keys */
	__u64 version; /* of the account while another CPU has its lock: odd */
	bool is_held;
};

static __always_inline __u64 dedup_path_key(__u32 slot, __u32 ifindex)
{
	return (__u64)(slot + 1) << 32 | ifindex;
}

/* A word of the account; NULL if there is no such block. */
static __always_inline __u64 *dedup_account_word(const struct dedup_noting *o, __u64 i)
{
	struct dedup_block *b =
		dedup_block_at(o->blocks, o->account + (__u32)(i / DEDUP_BLOCK_WORDS));

	if (!b)
		return NULL;
	DEDUP_BOUND(i, DEDUP_BLOCK_WORDS - 1); /* behind the test: else clang adds to NULL */
	return &b->word[i];
}

static __always_inline __u64 dedup_account_get(const struct dedup_noting *o, __u64 i)
{
	__u64 *word = dedup_account_word(o, i);

	return word ? READ_ONCE(*word) : 0;
}

static __always_inline void dedup_account_set(const struct dedup_noting *o, __u64 i, __u64 value)
{
	__u64 *word = dedup_account_word(o, i);

	if (word)
		WRITE_ONCE(*word, value);
}

static __always_inline void dedup_account_add(const struct dedup_noting *o, __u64 i, __u64 value)
{
	__u64 *word = dedup_account_word(o, i);

	if (word)
		WRITE_ONCE(*word, *word + value);
}

/* The word of the packet's path, or of a path, that has this field of struct dedup_path. */
static __always_inline __u64 dedup_path_word(__u64 path, __u64 field)
{
	return DEDUP_ACCOUNT_PATHS + path * DEDUP_PATH_WORDS + field;
}

/* The first word of the row that has this number. */
static __always_inline __u64 dedup_row_word(const struct dedup_noting *o, __u64 number)
{
	return dedup_path_word(o->paths, 0) +
	       dedup_ring_index(o->r, number) * dedup_row_words(o->paths);
}

/* The lap of the account's first number. */
static __always_inline __u64 dedup_account_lap(__u64 numbering)
{
	return numbering >> 2 & DEDUP_ACCOUNT_LAPS;
}

static __always_inline __u64 dedup_extended(const struct dedup_recovery *r, __u64 lap, __u64 number)
{
	return lap << r->ring_shift | (number & ((1ULL << r->ring_shift) - 1));
}
