/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What tells messages apart: an id of 1 to 64 bytes, all of a filter's of one length. */
#ifndef XDP_DEDUP_ID_H
#define XDP_DEDUP_ID_H

#include "compiler.h"

#define DEDUP_ID_BYTES_MAX 64
#define DEDUP_ID_WORDS_MAX (DEDUP_ID_BYTES_MAX / 8)

/* Bytes as on the wire, in words that are read in host order; behind the id's end zeros. Whoever
 * says that an id has so many words looks at no more of them: a packet's id may end there.
 */
struct dedup_id {
	union {
		__u64 word[DEDUP_ID_WORDS_MAX];
		__u32 word32[2 * DEDUP_ID_WORDS_MAX];
		__u8 byte[DEDUP_ID_BYTES_MAX];
	};
};

/* Words that an id of so many bytes has: 1 to DEDUP_ID_WORDS_MAX. */
static __always_inline __u32 dedup_id_words(__u32 bytes)
{
	return (bytes + 7) / 8;
}

/* The same id in memory of its own, with zeros behind it. */
static __always_inline struct dedup_id dedup_id_copy(const struct dedup_id *id, __u32 words)
{
	struct dedup_id copy = { 0 };

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ID_WORDS_MAX; i++)
		if (i < words)
			copy.word[i] = id->word[i];
	return copy;
}

/* Is it the all-zero id, which stands for none? */
static __always_inline bool dedup_is_no_id(const struct dedup_id *id, __u32 words)
{
	__u64 rest = 0;

	if (likely(id->word[0]))
		return false;
	DEDUP_KEEP_BRANCH();
	DEDUP_UNROLL
	for (__u32 i = 1; i < DEDUP_ID_WORDS_MAX; i++)
		if (i < words)
			rest |= id->word[i];
	return !rest;
}

#endif
