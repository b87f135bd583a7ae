// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ids.h"

#include <errno.h>
#include <string.h>

#include "block.h"
#include "countdown.h"
#include "flat.h"
#include "hand.h"

/* Where an id is, by layout. */
struct place {
	uint64_t hand;
	struct dedup_probe probe;	  /* blocked */
	struct dedup_positions positions; /* flat, countdown */
};

/* 0, or -EINVAL for the all-zero id, which is nowhere. */
static int find_place(const struct filter *f, const uint8_t *bytes, struct place *p)
{
	const struct dedup_config *c = f->config;
	__u32 words = dedup_id_words(c->id_bytes);
	struct dedup_id id = { 0 };

	memcpy(id.byte, bytes, c->id_bytes);
	if (dedup_is_no_id(&id, words))
		return -EINVAL;
	p->hand = dedup_read(&f->state->hand);
	if (c->layout == DEDUP_BLOCKED)
		dedup_probe(&p->probe, dedup_hash(&id, words, c), c->blocks, c->words, c->bits);
	else
		dedup_positions(&p->positions, &id, c);
	return 0;
}

static bool flat_holds(const struct filter *f, const struct place *p, uint32_t array)
{
	return dedup_flat_holds(f->blocks, f->config->places, array, &p->positions, f->config->k);
}

/* The number of countdowns so far. */
static uint32_t now_of(const struct filter *f, const struct place *p)
{
	return dedup_countdowns(p->hand, f->config->places);
}

static bool is_known(const struct filter *f, const struct place *p)
{
	const struct dedup_config *c = f->config;
	uint32_t array;

	switch (c->layout) {
	case DEDUP_FLAT:
		array = dedup_flat_current(p->hand);
		return flat_holds(f, p, array) ||
		       (dedup_flat_has_previous(p->hand) && flat_holds(f, p, array ^ 1));
	case DEDUP_COUNTDOWN:
		return dedup_countdown_left(f->blocks, now_of(f, p), c->places, &p->positions, c->k);
	default:
		return dedup_block_holds(&f->blocks[p->probe.block], &p->probe, c->words);
	}
}

static int learn(struct filter *f, const struct place *p)
{
	const struct dedup_config *c = f->config;
	uint32_t block = p->probe.block;

	switch (c->layout) {
	case DEDUP_FLAT:
		return dedup_flat_learn(f->blocks, c->places, dedup_flat_current(p->hand),
					&p->positions, c->k);
	case DEDUP_COUNTDOWN:
		return dedup_countdown_learn(f->blocks, now_of(f, p), c->places, &p->positions, c->k);
	default:
		return dedup_half_learn(dedup_half(&f->blocks[block], dedup_hand_half(p->hand, block)),
					&p->probe, c->words);
	}
}

int ids_test(const struct filter *f, const uint8_t *id)
{
	struct place p;

	return find_place(f, id, &p) ? 0 : is_known(f, &p);
}

/* The generation that learn() puts the id into, which the hand makes one more each time it passes;
 * countdown: the number of countdowns.
 */
static uint32_t generation(const struct filter *f, const struct place *p)
{
	uint32_t epoch = dedup_hand_epoch(p->hand);

	switch (f->config->layout) {
	case DEDUP_FLAT:
		return epoch;
	case DEDUP_COUNTDOWN:
		return now_of(f, p);
	default:
		return epoch + (p->probe.block < dedup_hand_pos(p->hand));
	}
}

/* Looks where the hand is now. Returns how many generations the place is on since p did last. */
static uint32_t catch_up(const struct filter *f, struct place *p)
{
	uint32_t before = generation(f, p);

	p->hand = dedup_read(&f->state->hand);
	return generation(f, p) - before;
}

/* Learns; and again if the hand has come by meanwhile, since a thread may be stopped at any moment,
 * and would have written into a generation that is soon forgotten, or is already. Of all who learn
 * the id in one generation one has won, and only it goes on to the next, where another may have
 * been before it. But after two passes, which take a window, what it finds there may be its own.
 * And all countdowns work on the same cells: what was won stays won, and whoever has set them too
 * low sets them again.
 */
static int learn_in_time(struct filter *f, struct place *p)
{
	bool same_cells = f->config->layout == DEDUP_COUNTDOWN;
	int won = learn(f, p);
	uint32_t passes;

	while ((won || same_cells) && (passes = catch_up(f, p))) {
		int again = learn(f, p);

		if (passes == 1 && !same_cells)
			won = again;
	}
	return won;
}

static int see(struct filter *f, struct place *p, bool refresh)
{
	struct dedup_state *st = f->state;
	bool known;

	do { /* until it was looked for where it will be learned */
		known = is_known(f, p);
		if (known && !refresh)
			return 0;
	} while (catch_up(f, p));
	if (dedup_read(&st->learned) >= dedup_read(&st->limit))
		return known ? 0 : -ENOSPC;
	__sync_fetch_and_add(&st->learned, 1);
	return learn_in_time(f, p);
}

int ids_see(struct filter *f, const uint8_t *id)
{
	struct place p;
	int err = find_place(f, id, &p);

	return err ? err : see(f, &p, false);
}

int ids_add(struct filter *f, const uint8_t *id)
{
	struct place p;
	int err = find_place(f, id, &p);

	return err ? err : see(f, &p, f->config->layout == DEDUP_COUNTDOWN);
}

/* Has the processor fetch what see() will look at. */
static void prefetch(const struct filter *f, const struct place *p)
{
	const struct dedup_config *c = f->config;
	uint32_t array = dedup_flat_current(p->hand);

	if (c->layout == DEDUP_BLOCKED)
		__builtin_prefetch(&f->blocks[p->probe.block]);
	for (uint32_t i = 0; i < c->k && c->layout != DEDUP_BLOCKED; i++) {
		uint32_t at = p->positions.at[i];

		if (c->layout == DEDUP_COUNTDOWN) {
			__builtin_prefetch(dedup_cell(f->blocks, at));
			continue;
		}
		__builtin_prefetch(dedup_flat_word(f->blocks, c->places, array, at));
		__builtin_prefetch(dedup_flat_word(f->blocks, c->places, array ^ 1, at));
	}
}

void ids_see_many(struct filter *f, const uint8_t (*ids)[DEDUP_ID_BYTES_MAX], unsigned int cnt,
		  int *results)
{
	struct place places[IDS_AT_ONCE];

	for (unsigned int i = 0; i < cnt; i++) {
		results[i] = find_place(f, ids[i], &places[i]);
		if (!results[i])
			prefetch(f, &places[i]);
	}
	for (unsigned int i = 0; i < cnt; i++)
		if (!results[i])
			results[i] = see(f, &places[i], false);
}

bool ids_can_remove(const struct filter *f)
{
	return f->config->layout == DEDUP_COUNTDOWN;
}

int ids_remove(struct filter *f, const uint8_t *id)
{
	struct place p;
	int err = find_place(f, id, &p), known;

	if (err)
		return err;
	if (!ids_can_remove(f))
		return -EOPNOTSUPP;
	known = is_known(f, &p);
	dedup_countdown_remove(f->blocks, now_of(f, &p), &p.positions, f->config->k);
	/* What the kernel remembers of before is void from here on. */
	__sync_fetch_and_add(&f->state->forgets, 1);
	return known;
}
