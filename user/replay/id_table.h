/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stores which ids arrived, and when, in limited memory: in a newer and an older table. When the
 * newer one has grown to half of the memory, the older one is discarded. So the latest ids are
 * always known.
 *
 * The tables have a key of each id, 64 bits of a keyed hash (include/digest.h). Two ids that are
 * chosen without the secret have equal keys with a probability of 2^-64; among 10 million ids, the
 * probability of any two equal keys is 3 in a million.
 */
#pragma once

#include <stdint.h>

#include "id.h"

struct id_table;

struct id_table_entry {
	uint64_t key;
	uint64_t first_ns;   /* time of its first known packet */
	uint64_t learned_ns; /* for the caller: when the filter learned it; UINT64_MAX: never */
	uint32_t copies;     /* packets up to now, including this one; saturates */
	uint32_t round;	     /* for the caller; 0 in a new entry */
	uint64_t mark[];     /* for the caller; 0 in a new entry */
};

/* Makes a table in at most `bytes` bytes of memory, but not less than 1 MiB. Entries have a mark of
 * mark_bytes, a multiple of 8. Returns 0, and the caller closes *out with id_table_close(); or
 * -ENOMEM.
 */
int id_table_open(uint32_t mark_bytes, uint64_t bytes, struct id_table **out);
void id_table_close(struct id_table *x); /* accepts NULL */

/* Returns the key of an id of `words` words, of this realm. */
uint64_t id_table_key(const struct id_table *x, uint32_t realm, const struct dedup_id *id,
		      uint32_t words);

/* Notes a packet with this key. Returns the id's entry, valid until the next call, with copies 1 if
 * no earlier packet is known. Returns NULL if there is no memory.
 */
struct id_table_entry *id_table_note(struct id_table *x, uint64_t key, uint64_t now_ns);

/* Prefetches the memory of a key that will be noted soon. */
void id_table_prefetch(const struct id_table *x, uint64_t key);

/* Returns the time since which all ids are known; 0: no id was discarded. */
uint64_t id_table_known_since(const struct id_table *x);
