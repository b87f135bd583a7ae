/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which ids came, and when, as long as there is memory for them. Ids are kept in two tables, a
 * newer and an older one; once the newer one has grown to half of the memory, the older one is
 * forgotten. So what came last is always known.
 *
 * Of an id its key is kept, 64 bits of a keyed hash (include/digest.h): any two ids that are chosen
 * without the secret have one key with a probability of 2^-64, 10 million ids 3 in a million.
 */
#ifndef XDP_DEDUP_ID_TABLE_H
#define XDP_DEDUP_ID_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "id.h"

struct id_table;

struct id_table_entry {
	uint64_t key;
	uint64_t first_ns;  /* when its first packet came, that is remembered */
	uint64_t taught_ns; /* the caller's: when the filter learned it; UINT64_MAX: never */
	uint32_t copies;    /* packets up to now, this one included; stays at its highest number */
	uint32_t unused;
	uint64_t mark[]; /* the caller's; 0 in a new entry */
};

/* Entries with mark_bytes, a multiple of 8, of a mark, in at most `bytes` bytes of memory (at least
 * 1 MiB is taken). 0, or -ENOMEM. Closed with id_table_close().
 */
int id_table_open(uint32_t mark_bytes, uint64_t bytes, struct id_table **out);
void id_table_close(struct id_table *x); /* NULL is fine */

/* The key of an id of this realm, of `words` words. */
uint64_t id_table_key(const struct id_table *x, uint32_t realm, const struct dedup_id *id,
		      uint32_t words);

/* A packet with this key has come. Returns the id's entry, valid until the next call: with `copies`
 * 1 if no earlier packet with it is known, or was. NULL if there is no memory.
 */
struct id_table_entry *id_table_note(struct id_table *x, uint64_t key, uint64_t now_ns);

/* This key will be noted soon: brings its memory near, as that takes a while. */
void id_table_expect(const struct id_table *x, uint64_t key);

/* All ids that came after this time are still known. 0: all that ever came. */
uint64_t id_table_known_since(const struct id_table *x);

/* How many ids came that were not known. */
uint64_t id_table_ids(const struct id_table *x);

#endif
