/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which ids came, and when: exactly, as long as there is memory for them. Ids are kept in two
 * tables, a newer and an older one; once the newer one has grown to half of the memory, the older
 * one is forgotten. So what came last is always known.
 */
#ifndef XDP_DEDUP_EXACT_H
#define XDP_DEDUP_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "id.h"

struct exact;

struct exact_entry {
	uint64_t first_ns;  /* when its first packet came, that is remembered */
	uint64_t taught_ns; /* the caller's: when the filter learned it; UINT64_MAX: never */
	uint64_t copies;    /* packets up to now, this one included */
	uint64_t mark;	    /* the caller's; 0 in a new entry */
};

/* Ids of up to id_words words, in at most `bytes` bytes of memory (at least 1 MiB is taken). 0, or
 * -ENOMEM.
 */
int exact_open(uint32_t id_words, uint64_t bytes, struct exact **out);
void exact_close(struct exact *x); /* NULL is fine */

/* A packet with this id has come. Returns the id's entry, valid until the next call: with `copies`
 * 1 if no earlier packet of this realm with this id is known, or was. NULL if there is no memory.
 */
struct exact_entry *exact_note(struct exact *x, uint32_t realm, const struct dedup_id *id,
			       uint32_t words, uint64_t now_ns);

/* This id will be noted soon: brings its memory near, as that takes a while. */
void exact_expect(const struct exact *x, uint32_t realm, const struct dedup_id *id, uint32_t words);

/* All ids that came after this time are still known. 0: all that ever came. */
uint64_t exact_known_since(const struct exact *x);

/* How many ids came that were not known. */
uint64_t exact_ids(const struct exact *x);

#endif
