// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "id_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>

#include "digest.h"

#define SLOTS_LEAST 1024
#define KEY_WORDS (4 + 2 * DEDUP_ID_WORDS_MAX + 2)

/* Open addressing, linear probing; at most three quarters of the slots are used. A slot is an
 * id_table_entry (copies 0: unused) and the caller's mark.
 */
struct table {
	uint8_t *slots;
	uint64_t slots_cnt; /* a power of 2 */
	uint64_t used;
	uint64_t since_ns; /* time of its first id */
};

struct id_table {
	struct table newer, older;
	uint64_t slot_bytes, slots_max;
	uint64_t known_since_ns;
	__u64 secret[KEY_WORDS]; /* so that a hostile capture cannot cause collisions */
};

static struct id_table_entry *slot_at(const struct id_table *x, const struct table *t, uint64_t i)
{
	return (struct id_table_entry *)(t->slots + (i & (t->slots_cnt - 1)) * x->slot_bytes);
}

/* Returns the slot of the key, or the unused slot for it. The search begins at the key's low bits,
 * so that a table of twice the size has the slots in almost this order, and resizing reads and
 * writes memory sequentially.
 */
static struct id_table_entry *slot_of(const struct id_table *x, const struct table *t, uint64_t key)
{
	for (uint64_t i = key;; i++) {
		struct id_table_entry *e = slot_at(x, t, i);

		if (!e->copies || e->key == key)
			return e;
	}
}

static uint64_t bytes_of(const struct id_table *x, const struct table *t)
{
	return t->slots_cnt * x->slot_bytes;
}

/* Requests large pages: random reads of a large table then need few page walks. */
static int make_table(const struct id_table *x, struct table *t, uint64_t slots_cnt)
{
	struct table made = { .slots_cnt = slots_cnt };
	void *p = mmap(NULL, bytes_of(x, &made), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return -ENOMEM;
	madvise(p, bytes_of(x, &made), MADV_HUGEPAGE);
	made.slots = p;
	*t = made;
	return 0;
}

static void free_table(const struct id_table *x, struct table *t)
{
	if (t->slots)
		munmap(t->slots, bytes_of(x, t));
	*t = (struct table){ 0 };
}

/* Moves the entries of *t to a table of slots_cnt slots. */
static int resize_table(struct id_table *x, struct table *t, uint64_t slots_cnt)
{
	struct table larger;

	if (make_table(x, &larger, slots_cnt))
		return -ENOMEM;
	for (uint64_t i = 0; i < t->slots_cnt; i++) {
		const struct id_table_entry *e = slot_at(x, t, i);

		if (e->copies)
			memcpy(slot_of(x, &larger, e->key), e, x->slot_bytes);
	}
	larger.used = t->used;
	larger.since_ns = t->since_ns;
	free_table(x, t);
	*t = larger;
	return 0;
}

int id_table_open(uint32_t mark_bytes, uint64_t bytes, struct id_table **out)
{
	struct id_table *x = calloc(1, sizeof(*x));

	if (!x)
		return -ENOMEM;
	x->slot_bytes = sizeof(struct id_table_entry) + mark_bytes;
	x->slots_max = SLOTS_LEAST;
	/* Memory is for two tables, and for a third one of half the size while one grows. */
	while (x->slots_max <= bytes / (5 * x->slot_bytes))
		x->slots_max *= 2;
	if (getrandom(x->secret, sizeof(x->secret), 0) != sizeof(x->secret) ||
	    make_table(x, &x->newer, SLOTS_LEAST) || make_table(x, &x->older, SLOTS_LEAST)) {
		id_table_close(x);
		return -ENOMEM;
	}
	*out = x;
	return 0;
}

void id_table_close(struct id_table *x)
{
	if (!x)
		return;
	free_table(x, &x->newer);
	free_table(x, &x->older);
	free(x);
}

/* Makes room for one more id in the newer table. */
static int make_room_for_id(struct id_table *x, uint64_t now_ns)
{
	if (!x->newer.used)
		x->newer.since_ns = now_ns;
	if (x->newer.used < x->newer.slots_cnt / 4 * 3)
		return 0;
	if (x->newer.slots_cnt < x->slots_max)
		return resize_table(x, &x->newer, 2 * x->newer.slots_cnt);
	if (x->older.used)
		x->known_since_ns = x->newer.since_ns;
	free_table(x, &x->older);
	x->older = x->newer;
	x->newer = (struct table){ 0 };
	if (make_table(x, &x->newer, x->slots_max))
		return -ENOMEM;
	x->newer.since_ns = now_ns;
	return 0;
}

uint64_t id_table_key(const struct id_table *x, uint32_t realm, const struct dedup_id *id,
		      uint32_t words)
{
	struct dedup_digest d;

	/* Mixes the realm into the length, so that equal ids of two realms have different keys. */
	dedup_digest_start(&d, (uint64_t)realm << 8 | words, x->secret);
	for (uint32_t i = 0; i < words; i++)
		dedup_digest_word(&d, id->word[i], x->secret, i);
	return dedup_digest_end(&d);
}

void id_table_prefetch(const struct id_table *x, uint64_t key)
{
	if (x->newer.slots)
		__builtin_prefetch(slot_at(x, &x->newer, key), 1);
}

struct id_table_entry *id_table_note(struct id_table *x, uint64_t key, uint64_t now_ns)
{
	const struct id_table_entry *old;
	struct id_table_entry *e;

	if (!x->newer.slots || make_room_for_id(x, now_ns))
		return NULL;
	e = slot_of(x, &x->newer, key);
	if (!e->copies) {
		x->newer.used++;
		old = x->older.used ? slot_of(x, &x->older, key) : e;
		if (old->copies) {
			memcpy(e, old, x->slot_bytes);
		} else {
			e->key = key;
			e->first_ns = now_ns;
			e->learned_ns = UINT64_MAX;
		}
	}
	e->copies += e->copies != UINT32_MAX;
	return e;
}

uint64_t id_table_known_since(const struct id_table *x)
{
	return x->known_since_ns;
}
