// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fips_live.h"

#include <errno.h>

#include "flat.h"

int fips_live_check(const struct filter *f)
{
	const struct dedup_config *c = f->config;

	if (c->layout != DEDUP_FLAT || c->hash != DEDUP_FIPS || c->m < DEDUP_WORD_BITS ||
	    c->m & (c->m - 1))
		return -EOPNOTSUPP;
	return 0;
}

static __u64 *array_of(const struct filter *f, uint32_t array)
{
	return f->blocks[array * f->config->places].word;
}

int fips_absorb(struct filter *f, const struct fips_filter *from, uint64_t ids)
{
	uint32_t words = f->config->m / DEDUP_WORD_BITS,
		 theirs = FIPS_BITS(from->size_class) / DEDUP_WORD_BITS;
	struct dedup_state *st = f->state;
	uint64_t learned = dedup_read(&st->learned), limit = dedup_read(&st->limit);
	int err = fips_live_check(f);
	__u64 *to;

	if (err)
		return err;
	if (from->hash_count != f->config->k)
		return -EINVAL;
	if (learned >= limit || ids > limit - learned)
		return -ENOSPC;
	__sync_fetch_and_add(&st->learned, ids);
	to = array_of(f, dedup_flat_current(dedup_read(&st->hand)));
	/* Modulo the smaller m: theirs folded onto ours, or repeated over it. */
	for (uint32_t i = 0; i < (words > theirs ? words : theirs); i++)
		if (from->word[i % theirs])
			__sync_fetch_and_or(&to[i % words], from->word[i % theirs]);
	return 0;
}

int fips_image(const struct filter *f, struct fips_filter *out)
{
	uint32_t words = f->config->m / DEDUP_WORD_BITS, theirs;
	uint64_t hand = dedup_read(&f->state->hand);
	const __u64 *current, *previous;
	int err = fips_live_check(f);

	if (!err)
		err = fips_init(out, f->config->k, FIPS_V1_SIZE_CLASS);
	if (err)
		return err;
	theirs = FIPS_BITS(FIPS_V1_SIZE_CLASS) / DEDUP_WORD_BITS;
	current = array_of(f, dedup_flat_current(hand));
	previous = array_of(f, dedup_flat_current(hand) ^ 1);
	for (uint32_t i = 0; i < (words > theirs ? words : theirs); i++) {
		uint64_t bits = current[i % words];

		if (dedup_flat_has_previous(hand))
			bits |= previous[i % words];
		out->word[i % theirs] |= bits;
	}
	return 0;
}
