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

/* The kernel's jiffies, at the hand's last step. */
static uint64_t jiffies_now(const struct filter *f)
{
	return (READ_ONCE(f->state->stale_at) & ~DEDUP_SLOW_PATH) - f->config->memory.stale_jiffies;
}

/* As bpf/numbers.bpf.h has it. */
static void look_up(const struct filter *f, const uint8_t *bytes, struct lookup *out)
{
	const struct dedup_numbered *numbered = &f->config->numbered[f->stream];
	const struct dedup_stream *stream = &f->config->policy.streams[f->stream];
	uint64_t era = READ_ONCE(f->state->sources_era), number;
	struct dedup_id id;

	memcpy(&id, bytes, sizeof(id));
	number = __builtin_bswap64(id.word[stream->words - 1]) >> numbered->shift;
	*out = (struct lookup){
		.recovery = &numbered->recovery,
		.key = { .era = era, .words = stream->words - 1 },
		.packet = { .first = number & ((1ULL << DEDUP_WIDTH_MAX) - 1),
			    .now = jiffies_now(f),
			    .count = 1 },
	};
	memcpy(out->key.id.word, id.word, 8 * out->key.words);
	if (numbered->width > DEDUP_WIDTH_MAX)
		out->key.id.word[out->key.words++] = number >> DEDUP_WIDTH_MAX;
	out->key.id.word[DEDUP_SOURCE_WORDS] = stream->realm_key + era;
	out->key.hash = dedup_source_hash(&out->key, f->config->secrets.key);
}

/* Finds the source of the number. */
static bool find(const struct filter *f, const struct lookup *l, struct dedup_found *out)
{
	const struct dedup_sources *t = &f->config->sources;

	return dedup_find_source(t, f->blocks, dedup_bucket(t, f->blocks, l->key.hash), &l->key, out);
}

bool numbers_test(const struct filter *f, const uint8_t *id)
{
	struct lookup l;

	look_up(f, id, &l);
	return dedup_knows_source(&f->config->sources, l.recovery, f->blocks, &l.key, &l.packet);
}

int numbers_see(struct filter *f, const uint8_t *id)
{
	struct dedup_found found;
	struct lookup l;
	int seen;

	look_up(f, id, &l);
	if (!find(f, &l, &found))
		return -ENOENT;
	seen = dedup_see_packet(l.recovery, &(struct dedup_source_at){ f->blocks, found.source },
				&l.packet);
	if (seen != DEDUP_SEEN && seen != DEDUP_FRESH)
		return -ERANGE;
	return seen == DEDUP_SEEN;
}

int numbers_remove(struct filter *f, const uint8_t *id)
{
	struct dedup_source_at at = { .blocks = f->blocks };
	struct dedup_found found;
	struct lookup l;
	__u64 *word, bit;

	look_up(f, id, &l);
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
