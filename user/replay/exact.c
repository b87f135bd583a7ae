// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "exact.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "hash.h"

#define SLOTS_LEAST 1024

/* Open addressing, linear probing; at most three quarters of the slots are used. A slot is an
 * exact_entry (copies 0: unused), the realm, and the words of the id.
 */
struct table {
	uint8_t *slots;
	uint64_t slots_cnt; /* a power of 2 */
	uint64_t used;
	uint64_t since_ns; /* when its first id came */
};

struct exact {
	struct table newer, older;
	uint32_t words;
	uint64_t slot_bytes, slots_max;
	uint64_t ids, known_since_ns;
	uint32_t key[DEDUP_KEYS]; /* captures are hostile: nobody knows what collides */
};

static uint64_t *realm_of(uint8_t *slot)
{
	return (uint64_t *)(slot + sizeof(struct exact_entry));
}

static uint8_t *slot_at(const struct exact *x, const struct table *t, uint64_t i)
{
	return t->slots + (i & (t->slots_cnt - 1)) * x->slot_bytes;
}

/* Where the search for an id begins; the hash's best bits are at the top. `key`: realm and words. */
static uint64_t start_of(const struct exact *x, const uint64_t *key)
{
	return dedup_hash_fast((const struct dedup_id *)(key + 1), x->words, x->key, key[0]) >> 16;
}

/* The slot that holds the id, or the unused one where it would be. */
static uint8_t *find(const struct exact *x, const struct table *t, const uint64_t *key)
{
	for (uint64_t i = start_of(x, key);; i++) {
		uint8_t *slot = slot_at(x, t, i);

		if (!((struct exact_entry *)slot)->copies ||
		    !memcmp(realm_of(slot), key, 8 * (1 + x->words)))
			return slot;
	}
}

static int make_table(struct exact *x, struct table *t, uint64_t slots_cnt)
{
	*t = (struct table){ .slots = calloc(slots_cnt, x->slot_bytes), .slots_cnt = slots_cnt };
	return t->slots ? 0 : -ENOMEM;
}

/* Puts what *t has into a table of so many slots. */
static int resize(struct exact *x, struct table *t, uint64_t slots_cnt)
{
	struct table larger;

	if (make_table(x, &larger, slots_cnt))
		return -ENOMEM;
	for (uint64_t i = 0; i < t->slots_cnt; i++) {
		uint8_t *slot = slot_at(x, t, i);

		if (((struct exact_entry *)slot)->copies)
			memcpy(find(x, &larger, realm_of(slot)), slot, x->slot_bytes);
	}
	larger.used = t->used;
	larger.since_ns = t->since_ns;
	free(t->slots);
	*t = larger;
	return 0;
}

int exact_open(uint32_t id_words, uint64_t bytes, struct exact **out)
{
	struct exact *x = calloc(1, sizeof(*x));

	if (!x)
		return -ENOMEM;
	x->words = id_words;
	x->slot_bytes = sizeof(struct exact_entry) + 8 * (1 + id_words);
	x->slots_max = SLOTS_LEAST;
	/* Two tables, and a third of half the size while one grows. */
	while (x->slots_max * 2 * x->slot_bytes * 5 / 2 <= bytes)
		x->slots_max *= 2;
	if (getrandom(x->key, sizeof(x->key), 0) != sizeof(x->key) ||
	    make_table(x, &x->newer, SLOTS_LEAST) || make_table(x, &x->older, SLOTS_LEAST)) {
		exact_close(x);
		return -ENOMEM;
	}
	*out = x;
	return 0;
}

void exact_close(struct exact *x)
{
	if (!x)
		return;
	free(x->newer.slots);
	free(x->older.slots);
	free(x);
}

/* Makes room for one more id in the newer table. */
static int make_room(struct exact *x, uint64_t now_ns)
{
	if (!x->newer.used)
		x->newer.since_ns = now_ns;
	if (x->newer.used < x->newer.slots_cnt / 4 * 3)
		return 0;
	if (x->newer.slots_cnt < x->slots_max)
		return resize(x, &x->newer, 2 * x->newer.slots_cnt);
	free(x->older.slots);
	x->older = x->newer;
	x->known_since_ns = x->older.since_ns;
	x->newer = (struct table){ 0 };
	if (make_table(x, &x->newer, x->slots_max))
		return -ENOMEM;
	x->newer.since_ns = now_ns;
	return 0;
}

void exact_expect(const struct exact *x, uint32_t realm, const struct dedup_id *id, uint32_t words)
{
	uint64_t key[1 + DEDUP_ID_WORDS_MAX] = { realm };

	memcpy(key + 1, id->word, 8 * words);
	if (x->newer.slots)
		__builtin_prefetch(slot_at(x, &x->newer, start_of(x, key)), 1);
}

struct exact_entry *exact_note(struct exact *x, uint32_t realm, const struct dedup_id *id,
			       uint32_t words, uint64_t now_ns)
{
	uint64_t key[1 + DEDUP_ID_WORDS_MAX] = { realm };
	struct exact_entry *entry, *old;

	memcpy(key + 1, id->word, 8 * words);
	if (!x->newer.slots || make_room(x, now_ns))
		return NULL;
	entry = (struct exact_entry *)find(x, &x->newer, key);
	if (!entry->copies) {
		x->newer.used++;
		old = (struct exact_entry *)find(x, &x->older, key);
		if (old->copies) {
			*entry = *old;
		} else {
			*entry = (struct exact_entry){ .first_ns = now_ns, .taught_ns = UINT64_MAX };
			x->ids++;
		}
		memcpy(realm_of((uint8_t *)entry), key, 8 * (1 + x->words));
	}
	entry->copies++;
	return entry;
}

uint64_t exact_known_since(const struct exact *x)
{
	return x->known_since_ns;
}

uint64_t exact_ids(const struct exact *x)
{
	return x->ids;
}
