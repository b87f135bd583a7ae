/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Accounts (account.h) by the names of their fields, for `bpftool map dump`. An account itself is
 * blocks of the map `filter`, which have no names. In a filter with paths the hand copies what a
 * packet has changed into the map `accounts`: each source once in DEDUP_HAND_ROUND_STEPS steps.
 * Each new program's hand copies all, as its streams or its map may be others. Packets pay nothing
 * for it. The tool does not read this map.
 */
#pragma once

#include "source_table.h"

#define DEDUP_HAND_ROUND_STEPS 128 /* in which the hand looks at all sources */

/* A source whose account is copied. */
struct dedup_copying {
	struct dedup_noting from;
	__u64 slot;    /* of the source */
	__u64 version; /* of the account; 0: it is empty, or has no source: its copy is cleared */
};

/* The account's version; 0 if there is no source, or if none of its packets has been noted: then
 * the account's other words are an earlier source's.
 */
static __always_inline __u64 dedup_copying_version(const struct dedup_noting *o,
						   const struct dedup_block *about)
{
	if (READ_ONCE(about->word[DEDUP_SLOT_STATE]) != DEDUP_SLOT_IN_USE ||
	    !dedup_account_get(o, DEDUP_ACCOUNT(numbering)))
		return 0;
	return dedup_account_get(o, DEDUP_ACCOUNT(version));
}

/* What the word `copied` of a source is once this program has copied this version. Between two
 * passes of the hand no version grows by 2^40.
 */
static __always_inline __u64 dedup_copied(__u64 version, __u32 serial)
{
	return version ^ (__u64)serial << 40;
}

/* Begins to copy the account of a source, for the program with this serial number. False: it is as
 * it was when this program copied it last.
 */
static __always_inline bool dedup_copying_begin(struct dedup_copying *c,
						const struct dedup_sources *t, __u32 slot,
						__u32 serial)
{
	__u64 copied;
	struct dedup_block *about =
		dedup_block_at(NULL, dedup_slot_block(t, slot) + DEDUP_SLOT_ABOUT);

	if (!about)
		return false;
	*c = (struct dedup_copying){
		.from = { .account = dedup_slot_block(t, slot) + t->account, .paths = t->paths },
		.slot = slot,
	};
	c->version = dedup_copying_version(&c->from, about);
	copied = dedup_copied(c->version, serial);
	if (READ_ONCE(about->word[DEDUP_SLOT_COPIED]) == copied)
		return false;
	WRITE_ONCE(about->word[DEDUP_SLOT_COPIED], copied);
	return true;
}

static __always_inline void dedup_clear_words(void *to, __u32 words)
{
	DEDUP_UNROLL
	for (__u32 i = 0; i < words; i++)
		WRITE_ONCE(((__u64 *)to)[i], 0);
}

static __always_inline void dedup_copy_words(void *to, const void *from, __u32 words)
{
	DEDUP_UNROLL
	for (__u32 i = 0; i < words; i++)
		WRITE_ONCE(((__u64 *)to)[i], READ_ONCE(((const __u64 *)from)[i]));
}

/* Copies block `part` of a path. */
static __always_inline void dedup_copy_path_part(const struct dedup_copying *c, __u64 path,
						 __u32 part, struct dedup_path *to)
{
	__u32 block = (DEDUP_ACCOUNT_PATHS + (__u32)path * DEDUP_PATH_WORDS) / DEDUP_BLOCK_WORDS;
	const struct dedup_block *b = dedup_block_at(NULL, c->from.account + block + part);

	if (b)
		dedup_copy_words((__u64 *)to + part * DEDUP_BLOCK_WORDS, b->word, DEDUP_BLOCK_WORDS);
}

static __always_inline void dedup_copy_path(const struct dedup_copying *c, __u64 path,
					    struct dedup_path *to)
{
	DEDUP_UNROLL
	for (__u32 part = 0; part < DEDUP_PATH_WORDS / DEDUP_BLOCK_WORDS; part++)
		dedup_copy_path_part(c, path, part, to);
}

/* Copies what is of the source, whose first block is this one. */
static __always_inline void dedup_copy_source(const struct dedup_copying *c,
					      const struct dedup_slot *s,
					      struct dedup_path_account *to)
{
	const struct dedup_noting *o = &c->from;

	dedup_copy_words(to->source, s->key, DEDUP_SOURCE_WORDS);
	WRITE_ONCE(to->messages, dedup_account_get(o, DEDUP_ACCOUNT(before)) +
					 dedup_account_get(o, DEDUP_ACCOUNT(high)) -
					 dedup_account_get(o, DEDUP_ACCOUNT(first)));
	WRITE_ONCE(to->restarts, (__u32)dedup_account_get(o, DEDUP_ACCOUNT(restarts)));
	WRITE_ONCE(to->other_packets, dedup_account_get(o, DEDUP_ACCOUNT(others)));
	WRITE_ONCE(to->jumped, dedup_account_get(o, DEDUP_ACCOUNT(jumped)));
	WRITE_ONCE(to->since_ns, dedup_account_get(o, DEDUP_ACCOUNT(since_ns)));
}
