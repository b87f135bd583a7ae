// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stream_numbers.h"

#include <errno.h>
#include <string.h>

#include "slow_path.h"
#include "source_table.h"

/* A number to look up. */
struct lookup {
	const struct dedup_recovery *recovery;
	struct dedup_source_key key;
	struct dedup_packet_numbers packet;
};

bool numbers_is_numbered(const struct filter *f)
{
	return f->stream >= 0 && f->config->numbered[f->stream].width;
}

/* Returns the kernel's jiffies at the hand's last step. */
static uint64_t jiffies_now(const struct filter *f)
{
	return (READ_ONCE(f->state->stale_at) & ~DEDUP_SLOW_PATH) - f->config->memory.stale_jiffies;
}

static void prepare_lookup(const struct filter *f, const uint8_t *bytes, struct lookup *out)
{
	const struct dedup_numbered *numbered = &f->config->numbered[f->stream];
	const struct dedup_stream *stream = &f->config->policy.streams[f->stream];
	struct dedup_id id;

	memcpy(&id, bytes, sizeof(id));
	*out = (struct lookup){
		.recovery = &numbered->recovery,
		.packet = { .now = jiffies_now(f), .count = 1 },
	};
	dedup_read_number(&out->key, &out->packet, &id, stream->words, numbered);
	dedup_source_of_realm(&out->key, f->config, stream->realm_key,
			      READ_ONCE(f->state->sources_era));
}

/* Finds the source of the number. Returns false if it is not known. */
static bool find(const struct filter *f, const struct lookup *l, struct dedup_found *out)
{
	return dedup_find_source(&f->config->sources, f->blocks, &l->key, out);
}

/* Returns whether the source is still where it was found: while this thread was stopped, the hand
 * may have given its memory to another source.
 */
static bool is_still_there(const struct filter *f, const struct lookup *l,
			   const struct dedup_found *found)
{
	return dedup_is_in(f->blocks, found) && dedup_slot_is_of(found->slot, &l->key);
}

bool numbers_test(const struct filter *f, const uint8_t *id)
{
	struct dedup_source_at at = { .blocks = f->blocks };
	struct dedup_found found;
	struct lookup l;

	prepare_lookup(f, id, &l);
	if (!find(f, &l, &found))
		return false;
	at.source = found.source;
	return dedup_knows_all(l.recovery, &at, &l.packet) && is_still_there(f, &l, &found);
}

/* Tries once what numbers_see() does. Returns -EAGAIN if the source has changed meanwhile. Reads
 * `near` before it checks that the source is still there: if that changes afterwards, a word that
 * this writes has an old lap, which is ignored. Notes no arrival, and begins no numbering.
 */
static int try_to_see(struct filter *f, const struct lookup *l)
{
	const struct dedup_recovery *r = l->recovery;
	struct dedup_source_at at = { .blocks = f->blocks };
	struct dedup_numbers n = { .first = l->packet.first, .now = l->packet.now };
	struct dedup_found found;
	struct dedup_source *s;
	__u64 last, near, *word;
	__s64 ahead;
	int seen;

	if (!find(f, l, &found))
		return -ENOENT;
	s = &found.slot->source;
	last = READ_ONCE(s->last);
	near = READ_ONCE(s->near);
	if (!is_still_there(f, l, &found) || last >> 63 != dedup_near_numbering(r, near))
		return -EAGAIN;
	if (dedup_silence(last, n.now) > (__s64)r->reset_jiffies)
		return -ENOENT;
	ahead = dedup_ahead(r, near, n.first);
	if (dedup_is_far(r, ahead))
		return -ERANGE;
	at.source = found.source;
	word = dedup_word_at(r, &at, n.first);
	n.bits = dedup_word_bits(n.first % DEDUP_WORD_NUMBERS, 1);
	seen = dedup_see_near(r, s, word, near, &n);
	if (seen == DEDUP_AGAIN ||
	    (seen == DEDUP_FRESH &&
	     dedup_near_numbering(r, READ_ONCE(s->near)) != dedup_near_numbering(r, near)))
		return -EAGAIN;
	if (seen == DEDUP_FRESH)
		dedup_move_near(r, s, near, n.first);
	return seen == DEDUP_SEEN ? 1 : seen == DEDUP_FRESH ? 0 : -ERANGE;
}

int numbers_see(struct filter *f, const uint8_t *id)
{
	struct lookup l;
	int seen = -EAGAIN;

	for (int i = 0; i < DEDUP_RECOVERY_TRIES && seen == -EAGAIN; i++) {
		prepare_lookup(f, id, &l);
		seen = try_to_see(f, &l);
	}
	return seen == -EAGAIN ? -ENOENT : seen;
}

int numbers_remove(struct filter *f, const uint8_t *id)
{
	struct dedup_source_at at = { .blocks = f->blocks };
	struct dedup_found found;
	struct lookup l;
	__u64 *word, bit;

	prepare_lookup(f, id, &l);
	if (!find(f, &l, &found))
		return 0;
	at.source = found.source;
	if (!dedup_knows_all(l.recovery, &at, &l.packet))
		return 0;
	word = dedup_word_at(l.recovery, &at, l.packet.first);
	bit = 1ULL << l.packet.first % DEDUP_WORD_NUMBERS;
	return !!(__sync_fetch_and_and(word, ~bit) & bit);
}

uint32_t numbers_sources(const struct filter *f)
{
	const struct dedup_sources *t = &f->config->sources;
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < t->sources; i++) {
		const struct dedup_block *about =
			&f->blocks[dedup_slot_block(t, i) + DEDUP_SLOT_ABOUT];

		cnt += READ_ONCE(about->word[DEDUP_SLOT_STATE]) == DEDUP_SLOT_IN_USE;
	}
	return cnt;
}
