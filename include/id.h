/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An event's id, which tells messages apart: 1 to 64 bytes. All ids of a filter have one length.
 */
#pragma once

#include "compiler.h"

#define DEDUP_ID_BYTES_MAX 64
#define DEDUP_ID_WORDS_MAX (DEDUP_ID_BYTES_MAX / 8)

/* The bytes as on the wire; the words are these bytes read in host order. Behind the id's last byte
 * come zeros. An id in a packet is read through this struct, too, though the packet may end with
 * the id: functions that take a number of `words` read no more than these.
 */
struct dedup_id {
	union {
		__u64 word[DEDUP_ID_WORDS_MAX];
		__u32 word32[2 * DEDUP_ID_WORDS_MAX];
		__u8 byte[DEDUP_ID_BYTES_MAX];
	};
};

/* Words that an id of this length takes, the last one perhaps in part: 1 to DEDUP_ID_WORDS_MAX. */
static __always_inline __u32 dedup_id_words(__u32 bytes)
{
	return (bytes + 7) / 8;
}

/* A copy of the first `words` words, with zeros behind them: a key that can be read as a whole. */
static __always_inline struct dedup_id dedup_id_copy(const struct dedup_id *id, __u32 words)
{
	struct dedup_id copy = { 0 };

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ID_WORDS_MAX; i++)
		if (i < words)
			copy.word[i] = id->word[i];
	return copy;
}

/* Is it the all-zero id, which no message may have? */
static __always_inline bool dedup_is_no_id(const struct dedup_id *id, __u32 words)
{
	__u64 rest = 0;

	if (likely(id->word[0]))
		return false;
	DEDUP_KEEP_BRANCH(); /* else the other words are read for every packet */
	DEDUP_UNROLL
	for (__u32 i = 1; i < DEDUP_ID_WORDS_MAX; i++)
		if (i < words)
			rest |= id->word[i];
	return !rest;
}
