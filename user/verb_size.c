// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* size: what a filter would take, without loading one. */
#include <json-c/json.h>
#include <stdio.h>

#include "bits.h"
#include "flat_size.h"
#include "plan.h"
#include "shape.h"
#include "units.h"
#include "verbs.h"

/* What is shown, beside the configuration. */
struct sized {
	uint64_t bytes;
	double rate;			 /* at capacity */
	uint32_t textbook_m, textbook_k; /* of one generation; 0: too large */
};

#define ADD(key, value) json_object_object_add(o, key, value)

static void add_shape(json_object *o, const struct dedup_config *c, const struct sized *s)
{
	if (c->layout == DEDUP_BLOCKED) {
		ADD("blocks", json_object_new_uint64(c->blocks));
		ADD("words", json_object_new_uint64(c->words));
		ADD("bits", json_object_new_uint64(c->bits));
		ADD("hashes", json_object_new_uint64(c->k));
		return;
	}
	ADD("m", json_object_new_uint64(c->m));
	ADD("k", json_object_new_uint64(c->k));
	if (c->layout == DEDUP_FLAT) {
		ADD("m_allocated", json_object_new_uint64(dedup_bits_capacity(c->m)));
		ADD("textbook_m", json_object_new_uint64(s->textbook_m));
		ADD("textbook_k", json_object_new_uint64(s->textbook_k));
	} else {
		ADD("index_bits", json_object_new_uint64(__builtin_ctz(c->m)));
		ADD("countdowns", json_object_new_uint64(c->places));
	}
}

static void print_json(const struct dedup_config *c, const struct sized *s)
{
	json_object *o = json_object_new_object();

	ADD("layout", json_object_new_string(shape_layout_name(c->layout)));
	ADD("hash", json_object_new_string(shape_hash_name(c->hash)));
	ADD("capacity", json_object_new_uint64(c->capacity));
	ADD("fpr", json_object_new_double(plan_fpr(c)));
	ADD("window_ns", json_object_new_uint64(c->window_ns));
	add_shape(o, c, s);
	ADD("filter_bytes", json_object_new_uint64(s->bytes));
	ADD("bytes_per_id", json_object_new_double((double)s->bytes / c->capacity));
	ADD("fpr_expected", json_object_new_double(s->rate));
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED));
	json_object_put(o);
}

static void print_shape(const struct dedup_config *c, const struct sized *s)
{
	switch (c->layout) {
	case DEDUP_FLAT:
		printf("m              %u bits, in each of two arrays of 64-bit words for %llu\n"
		       "k              %u\n",
		       c->m, dedup_bits_capacity(c->m), c->k);
		if (s->textbook_m && c->hash <= DEDUP_COLIBRI &&
		    (s->textbook_m != c->m || s->textbook_k != c->k))
			printf("textbook       m = %u, k = %u, for one generation alone "
			       "(--bits %u --hashes %u)\n",
			       s->textbook_m, s->textbook_k, s->textbook_m, s->textbook_k);
		break;
	case DEDUP_COUNTDOWN:
		printf("m              %u cells of 32 bits (--index-bits %d)\n"
		       "k              %u\n"
		       "countdowns     %u\n",
		       c->m, __builtin_ctz(c->m), c->k, c->places);
		break;
	default:
		printf("blocks         %u of 64 bytes\n"
		       "k              %u (%u words x %u bits)\n",
		       c->blocks, c->k, c->words, c->bits);
	}
}

static void print_text(const struct dedup_config *c, const struct sized *s)
{
	char text[32];

	printf("layout         %s, %s hash\n", shape_layout_name(c->layout),
	       shape_hash_name(c->hash));
	print_shape(c, s);
	printf("filter         %llu bytes (%s)\n"
	       "bytes an id    %.2f\n"
	       "expected rate  %.3g of fresh ids lost at %llu ids a window; never more than %.3g\n",
	       (unsigned long long)s->bytes, format_bytes(s->bytes, text, sizeof(text)),
	       (double)s->bytes / c->capacity, s->rate, c->capacity, plan_fpr(c));
}

int verb_size(const struct options *o)
{
	struct dedup_config c;
	struct sized s = { 0 };

	if (plan_here(&o->spec, &c))
		return EXIT_FAILED;
	s.bytes = plan_bytes(&c);
	s.rate = shape_rate(&c, plan_turn_ids(&c, c.capacity));
	textbook_size(o->spec.capacity, o->spec.fpr, &s.textbook_m, &s.textbook_k);
	if (o->json)
		print_json(&c, &s);
	else
		print_text(&c, &s);
	return EXIT_DONE;
}
