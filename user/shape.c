// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "shape.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "array_rate.h"
#include "flat.h"
#include "flat_size.h"
#include "size.h"

#define TEZOS_BITS 256 /* of SHA-256 */
#define FIPS_M 8192    /* FIPS v1: 1 KB, 5 hashes */
#define FIPS_K 5

static const char *const LAYOUTS[] = { "blocked", "flat", "countdown" };
static const char *const HASHES[] = { "fast", "siphash", "colibri", "fips", "fnv1a", "tezos" };

#define CNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

const char *shape_layout_name(uint32_t layout)
{
	return layout < CNT(LAYOUTS) ? LAYOUTS[layout] : "?";
}

const char *shape_hash_name(uint32_t hash)
{
	return hash < CNT(HASHES) ? HASHES[hash] : "?";
}

static int find(const char *const *names, int cnt, const char *name)
{
	for (int i = 0; i < cnt; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

int shape_layout(const char *name)
{
	return find(LAYOUTS, CNT(LAYOUTS), name);
}

int shape_hash(const char *name)
{
	return find(HASHES, CNT(HASHES), name);
}

/* What tezos' indices have of m, or 0 if m is not 2^1 to 2^24. */
static uint32_t index_bits_of(uint64_t m)
{
	for (uint32_t b = 1; b <= 24; b++)
		if (m == 1ULL << b)
			return b;
	return 0;
}

static const char *refuse_tezos(const struct filter_spec *spec)
{
	uint32_t index_bits =
		spec->layout == DEDUP_FLAT ? index_bits_of(spec->bits) : spec->index_bits;

	if (spec->layout == DEDUP_FLAT && spec->bits && !index_bits)
		return "with --hash tezos --bits is a power of 2, from 2 to 16777216";
	if ((uint64_t)index_bits * spec->hashes > TEZOS_BITS)
		return "SHA-256 has 256 bits: with --hash tezos so many --hashes times the bits of "
		       "an index (--index-bits, or log2 of --bits) must not be more";
	return NULL;
}

const char *shape_refusal(const struct filter_spec *spec)
{
	if (spec->layout == DEDUP_BLOCKED && spec->hash != DEDUP_FAST && spec->hash != DEDUP_SIPHASH)
		return "--hash colibri, fips, fnv1a and tezos need --layout flat or countdown";
	if (spec->layout != DEDUP_FLAT && spec->bits)
		return "--bits is for --layout flat (countdown has --index-bits)";
	if (spec->layout == DEDUP_BLOCKED && spec->hashes)
		return "--hashes is for --layout flat and countdown";
	if (spec->layout != DEDUP_COUNTDOWN && (spec->index_bits || spec->countdown_bits))
		return "--index-bits and --countdown-bits are for --layout countdown";
	return spec->hash == DEDUP_TEZOS ? refuse_tezos(spec) : NULL;
}

static int pick_blocked(double ids, double fpr, struct dedup_config *c)
{
	struct geometry g;
	int err = size_pick(ids, fpr, &g);

	if (err)
		return err;
	c->blocks = c->places = g.blocks;
	c->words = g.words;
	c->bits = g.bits;
	c->k = g.words * g.bits;
	return 0;
}

/* The k that goes furthest with a given m: the textbook's log2(1 / p) of each array. */
static uint32_t k_for(int arrays, double fpr, uint32_t k_max)
{
	double k = floor(log2(arrays / fpr) + 0.5);

	return k < 1 ? 1 : k > k_max ? k_max : k;
}

static uint32_t k_max_of(enum dedup_hash_scheme hash, uint32_t index_bits)
{
	uint32_t k_max = DEDUP_HASHES_MAX;

	if (hash == DEDUP_TEZOS && TEZOS_BITS / index_bits < k_max)
		k_max = TEZOS_BITS / index_bits;
	return k_max;
}

/* The m and k that another system's rules fix, or that the rate asks for. What of them is
 * not 0 is given.
 */
static int pick_array(const struct filter_spec *spec, double ids, double fpr, uint32_t *m,
		      uint32_t *k)
{
	uint32_t index_bits = index_bits_of(*m), own_m, own_k;
	int err = 0;

	if (spec->hash == DEDUP_COLIBRI && !(*m && *k)) {
		err = textbook_size(spec->capacity, spec->fpr, &own_m, &own_k);
		*m = *m ? *m : own_m;
		*k = *k ? *k : own_k;
	} else if (spec->hash == DEDUP_FIPS) {
		*m = *m ? *m : FIPS_M;
		*k = *k ? *k : FIPS_K;
	} else if (spec->hash == DEDUP_FNV1A && !*k) {
		*k = 1; /* the seed's is a single hash */
	}
	if (*m) {
		*k = *k ? *k : k_for(2, fpr, k_max_of(spec->hash, index_bits));
	} else if (spec->hash == DEDUP_TEZOS) {
		err = flat_pick_power(2, spec->hash, ids, fpr, TEZOS_BITS, &index_bits, k);
		*m = 1U << index_bits;
	} else if (!err) {
		err = flat_pick(2, spec->hash, ids, fpr, m, k);
	}
	return !err && *k > DEDUP_HASHES_MAX ? -EDOM : err;
}

static int pick_flat(const struct filter_spec *spec, double ids, double fpr, struct dedup_config *c)
{
	int err;

	c->m = spec->bits;
	c->k = spec->hashes;
	err = pick_array(spec, ids, fpr, &c->m, &c->k);
	if (err)
		return err;
	c->places = dedup_flat_blocks(c->m);
	c->blocks = 2 * c->places;
	return 0;
}

bool shape_is_fips_own(const struct filter_spec *spec)
{
	return spec->layout == DEDUP_FLAT && spec->hash == DEDUP_FIPS && !spec->bits;
}

uint32_t shape_countdowns(const struct filter_spec *spec)
{
	return (1U << (spec->countdown_bits ? spec->countdown_bits : COUNTDOWN_BITS_DEFAULT)) - 1;
}

static int pick_countdown(const struct filter_spec *spec, double ids, double fpr,
			  struct dedup_config *c)
{
	uint32_t index_bits = spec->index_bits, k = spec->hashes;
	uint32_t k_bits = spec->hash == DEDUP_TEZOS ? TEZOS_BITS : UINT32_MAX;

	if ((!index_bits || !k) && flat_pick_power(1, spec->hash, ids, fpr, k_bits, &index_bits, &k)) {
		if (!spec->index_bits)
			return -EOVERFLOW;
		k = k_for(1, fpr, k_max_of(spec->hash, index_bits));
	}
	c->m = 1U << index_bits;
	c->k = k;
	c->blocks = (c->m - 1) / DEDUP_BLOCK_CELLS + 1;
	c->places = shape_countdowns(spec);
	return 0;
}

int shape_pick(const struct filter_spec *spec, double ids, double fpr, struct dedup_config *c)
{
	c->layout = spec->layout;
	c->hash = spec->hash;
	if (spec->layout == DEDUP_FLAT)
		return pick_flat(spec, ids, fpr, c);
	if (spec->layout == DEDUP_COUNTDOWN)
		return pick_countdown(spec, ids, fpr, c);
	return pick_blocked(ids, fpr, c);
}

double shape_rate(const struct dedup_config *c, double ids)
{
	struct geometry g = { c->blocks, c->words, c->bits };

	if (c->layout == DEDUP_BLOCKED)
		return size_fpr(&g, ids);
	return array_rate_of(c->layout == DEDUP_FLAT ? 2 : 1, c->hash, c->m, c->k, ids);
}
