// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ids.h"

#include <errno.h>
#include <string.h>

#include "layout.h"
#include "open_filter.h"
#include "predecessor.h"
#include "stats.h"
#include "stream_ids.h"
#include "stream_numbers.h"

static const struct layout *layout(const struct filter *f)
{
	return layout_of(f->config->memory.layout);
}

/* Fills in where the memory may hold the id. Returns 0, or what stream_seek() does. */
static int prepare_lookup(const struct filter *f, const uint8_t *bytes, struct id_lookup *p)
{
	struct dedup_lookup_key lookup;
	struct dedup_id id;
	int err = stream_seek(f, bytes, &id, &lookup);

	if (err)
		return err;
	p->hand = READ_ONCE(f->state->hand);
	layout(f)->find(f->config, &lookup, p);
	return 0;
}

/* Returns whether the id is known in this memory alone. */
static int test_alone(const struct filter *f, const uint8_t *id)
{
	struct id_lookup p;

	if (numbers_is_numbered(f))
		return numbers_test(f, id);
	return prepare_lookup(f, id, &p) ? 0 : layout(f)->is_known(f, &p);
}

/* Returns the predecessor if ids of this stream are looked up there; else NULL. */
static struct filter *active_predecessor(const struct filter *f)
{
	return f->predecessor && f->predecessor->stream >= 0 && stats_uses_predecessor(f)
		       ? f->predecessor
		       : NULL;
}

/* False if one has numbers and the other ids: a predecessor from a snapshot knows no numbers. */
static bool are_alike(const struct filter *f, const struct filter *predecessor)
{
	return numbers_is_numbered(f) == numbers_is_numbered(predecessor);
}

int ids_test(const struct filter *f, const uint8_t *id)
{
	struct filter *predecessor = active_predecessor(f);

	return (predecessor && are_alike(f, predecessor) && test_alone(predecessor, id)) ||
	       test_alone(f, id);
}

/* Reads the hand into p->hand again. Returns how often it has passed the id's place since p->hand
 * was read last.
 */
static uint32_t read_hand_again(const struct filter *f, struct id_lookup *p)
{
	uint32_t was = layout(f)->generation(f->config, p);

	p->hand = READ_ONCE(f->state->hand);
	return layout(f)->generation(f->config, p) - was;
}

/* The next two functions learn an id, and learn it again if the hand has passed its place
 * meanwhile: a thread that is stopped between reading the hand and writing has written into a
 * generation that is older than it thought, or that was cleared since. They return 1 if the id was
 * known, 0 if it was new.
 */

/* Blocked, flat: of all threads that learn one id in one generation, one wins: learn() returns 1 to
 * it. Only the winner learns it again in the next generation. If another thread has won there
 * already, the id is new to that thread, and this one returns 1. After two passes or more, which
 * take a window, this thread may find its own write there, so its first result stands.
 */
static int learn_by_generations(struct filter *f, struct id_lookup *p)
{
	int won = layout(f)->learn(f, p);
	uint32_t passes;

	while (won && (passes = read_hand_again(f, p))) {
		int again = layout(f)->learn(f, p);

		if (passes == 1)
			won = again;
	}
	return !won;
}

/* Countdown: there is one array for ids of any age. The winner stays the winner, and sets the cells
 * again, as it may have set them too low. A thread that lost may have lost to other ids, so it
 * tries again. It must not just set the cells: another copy may be winning them in the next
 * countdown.
 */
static int learn_by_countdowns(struct filter *f, struct id_lookup *p)
{
	int won = layout(f)->learn(f, p);

	while (read_hand_again(f, p))
		if (won)
			layout(f)->renew(f, p);
		else
			won = layout(f)->learn(f, p);
	return !won;
}

static void renew_in_time(struct filter *f, struct id_lookup *p)
{
	do
		layout(f)->renew(f, p);
	while (read_hand_again(f, p));
}

static int see(struct filter *f, struct id_lookup *p, bool refresh)
{
	struct dedup_state *st = f->state;
	bool known;

	do { /* until the hand has not passed meanwhile: test and learn in one generation */
		known = layout(f)->is_known(f, p);
		if (known && !refresh)
			return 1;
	} while (read_hand_again(f, p));
	if (READ_ONCE(st->learned) >= READ_ONCE(st->limit))
		return known ? 1 : -ENOSPC;
	__sync_fetch_and_add(&st->learned, 1);
	if (known) {
		renew_in_time(f, p);
		return 1;
	}
	return layout(f)->renew ? learn_by_countdowns(f, p) : learn_by_generations(f, p);
}

/* Does what ids_see(), or with `add` ids_add(), does, in this memory alone. */
static int see_alone(struct filter *f, const uint8_t *id, bool add)
{
	struct id_lookup p;
	int err = prepare_lookup(f, id, &p);

	return err ? err : see(f, &p, add && !layout(f)->has_generations);
}

int ids_learn_again(struct filter *f, const uint8_t *id)
{
	int known = numbers_is_numbered(f) ? numbers_see(f, id) : see_alone(f, id, false);

	return known < 0 ? 0 : known;
}

/* Does what see() does while there is a predecessor. Until the successor is in charge, an id must
 * be won in the predecessor; and from when the charge begins to change in the successor, too
 * (predecessor.h). The change waits for packets at each step, but not for user space, so this
 * checks again after it has won.
 */
static int see_both(struct filter *f, struct filter *predecessor, const uint8_t *id, bool add)
{
	const __u64 *successor = &predecessor->state->successor;
	int known, own;

	if (READ_ONCE(*successor) != DEDUP_SUCCESSOR_IN_CHARGE) {
		known = see_alone(predecessor, id, add);
		if (known || READ_ONCE(*successor) == DEDUP_PREDECESSOR_IN_CHARGE)
			return known;
		return ids_learn_again(f, id);
	}
	known = test_alone(predecessor, id);
	if (known && !(add && !layout(f)->has_generations))
		return 1;
	own = see_alone(f, id, add);
	return known ? 1 : own;
}

/* Does what ids_see() does, for a number. Until the successor is in charge, the predecessor learns
 * it, too. Packets may have brought the number's source to only one of the two.
 */
static int see_number(struct filter *f, struct filter *predecessor, const uint8_t *id)
{
	int known = -ENOENT, own;

	if (predecessor && !are_alike(f, predecessor))
		predecessor = NULL;
	if (predecessor && numbers_test(predecessor, id))
		return 1;
	if (predecessor && READ_ONCE(predecessor->state->successor) != DEDUP_SUCCESSOR_IN_CHARGE)
		known = numbers_see(predecessor, id);
	if (known > 0)
		return 1;
	own = numbers_see(f, id);
	return own < 0 && !known ? 0 : own;
}

static int see_or_add(struct filter *f, const uint8_t *id, bool add)
{
	struct filter *predecessor = active_predecessor(f);

	if (numbers_is_numbered(f))
		return see_number(f, predecessor, id);
	return predecessor ? see_both(f, predecessor, id, add) : see_alone(f, id, add);
}

int ids_see(struct filter *f, const uint8_t *id)
{
	return see_or_add(f, id, false);
}

int ids_add(struct filter *f, const uint8_t *id)
{
	return see_or_add(f, id, true);
}

static void prefetch_id(const struct filter *f, const uint8_t *id)
{
	struct id_lookup p;

	if (!prepare_lookup(f, id, &p))
		layout(f)->prefetch(f, &p);
}

void ids_see_many(struct filter *f, const uint8_t (*ids)[DEDUP_ID_BYTES_MAX], unsigned int cnt,
		  int *results)
{
	struct filter *predecessor = active_predecessor(f);
	struct id_lookup lookups[IDS_AT_ONCE];

	for (unsigned int i = 0; i < cnt && numbers_is_numbered(f); i++)
		results[i] = see_number(f, predecessor, ids[i]);
	if (numbers_is_numbered(f))
		return;
	for (unsigned int i = 0; i < cnt; i++) {
		results[i] = prepare_lookup(f, ids[i], &lookups[i]);
		if (!results[i])
			layout(f)->prefetch(f, &lookups[i]);
		if (predecessor)
			prefetch_id(predecessor, ids[i]);
	}
	for (unsigned int i = 0; i < cnt; i++)
		if (!results[i])
			results[i] = predecessor ? see_both(f, predecessor, ids[i], false)
						 : see(f, &lookups[i], false);
}

bool ids_can_remove(const struct filter *f)
{
	return numbers_is_numbered(f) || layout(f)->remove;
}

static int remove_alone(struct filter *f, const uint8_t *id)
{
	struct id_lookup p;
	int err, known;

	if (numbers_is_numbered(f))
		return numbers_remove(f, id);
	err = prepare_lookup(f, id, &p);
	if (err)
		return err;
	known = layout(f)->is_known(f, &p);
	layout(f)->remove(f, &p);
	/* From now on the kernel ignores older entries of its cache of known ids (known_ids.h). */
	__sync_fetch_and_add(&f->state->known_version, 1);
	return known;
}

int ids_remove(struct filter *f, const uint8_t *id)
{
	struct filter *predecessor = active_predecessor(f);
	struct id_lookup p;
	int err = prepare_lookup(f, id, &p), known = 0, own;

	if (err)
		return err;
	if (!ids_can_remove(f))
		return -EOPNOTSUPP;
	if (predecessor && !are_alike(f, predecessor))
		predecessor = NULL;
	if (predecessor && ids_can_remove(predecessor))
		known = remove_alone(predecessor, id);
	else if (predecessor && test_alone(predecessor, id))
		return -EBUSY;
	own = remove_alone(f, id);
	return known > 0 ? 1 : own;
}
