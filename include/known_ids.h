/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The cache of known ids, for schemes whose positions take long to compute (a SHA-256, or k of
 * them): whole ids that the packet program has recently learned or found known. A duplicate is
 * then recognized by one cache line, or by two neighbouring ones where ids have more than 48
 * bytes. The answer is always the filter's: ids are compared in full, and an entry is valid only
 * until the filter may forget its id.
 */
#pragma once

#include "hash.h"

#define DEDUP_KNOWN_WORDS 6 /* words of an id that are in an entry's first line */

/* A cache line of an entry: its first one, or, where ids are long, its second one. */
struct dedup_known {
	union {
		struct {
			__u64 word[DEDUP_KNOWN_WORDS];
			__u64 until; /* the id is known while filter_era() (array.bpf.h) is below this */
			/* A checksum. There is no lock: if one CPU reads an entry while another
			 * one writes it, or if two write it, this does not match the rest.
			 */
			__u64 check;
		};
		__u64 more[8]; /* second line: the id's further words */
	};
} __attribute__((aligned(64)));
_Static_assert(sizeof(struct dedup_known) == 64, "one cache line");

/* An entry: its one or two lines. */
struct dedup_known_entry {
	struct dedup_known *first; /* NULL: there is no entry */
	struct dedup_known *more;  /* NULL unless ids are long */
};

/* An id to look up, or to put into an entry. `hash`: dedup_hash_fast(). */
struct dedup_known_id {
	const struct dedup_id *id;
	__u32 words;
	__u64 hash;
};

/* Lines that an entry takes: 1 or 2. */
static __always_inline __u32 dedup_known_lines(__u32 id_bytes)
{
	return dedup_id_words(id_bytes) > DEDUP_KNOWN_WORDS ? 2 : 1;
}

/* Returns the one entry, of `slots` (a power of 2), in which an id may be. `hash`:
 * dedup_hash_fast().
 */
static __always_inline __u32 dedup_known_slot(__u64 hash, __u32 slots)
{
	return hash >> 32 & (slots - 1);
}

/* Returns an entry's checksum. It changes with known_version (struct dedup_state), which makes all
 * entries void.
 */
static __always_inline __u64 dedup_known_check(__u64 hash, __u64 until, __u64 known_version)
{
	return hash ^ until * 0x9e3779b97f4a7c15 ^ known_version * 0xd6e8feb86659fd93;
}

/* Returns where an entry has word i of its id. */
static __always_inline __u64 *dedup_known_word(struct dedup_known_entry e, __u32 i)
{
	return i < DEDUP_KNOWN_WORDS ? &e.first->word[i] : &e.more->more[i - DEDUP_KNOWN_WORDS];
}

/* Does this entry show that the id is known in this era? If not, the id may still be known. */
static __always_inline bool dedup_known_holds(struct dedup_known_entry e, struct dedup_known_id id,
					      __u64 era, __u64 known_version)
{
	__u64 until = READ_ONCE(e.first->until), differs = 0;

	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ID_WORDS_MAX; i++)
		if (i < id.words)
			differs |= READ_ONCE(*dedup_known_word(e, i)) ^ id.id->word[i];
	return !differs && era < until &&
	       READ_ONCE(e.first->check) == dedup_known_check(id.hash, until, known_version);
}

/* Writes this entry, over its present content: the id is known before era `until`. */
static __always_inline void dedup_known_put(struct dedup_known_entry e, struct dedup_known_id id,
					    __u64 until, __u64 known_version)
{
	DEDUP_UNROLL
	for (__u32 i = 0; i < DEDUP_ID_WORDS_MAX; i++)
		if (i < id.words)
			*dedup_known_word(e, i) = id.id->word[i];
	e.first->until = until;
	WRITE_ONCE(e.first->check, dedup_known_check(id.hash, until, known_version));
}
