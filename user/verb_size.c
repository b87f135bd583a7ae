// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* size: what a filter would take, without loading one. */
#include <json-c/json.h>
#include <stdio.h>

#include "block.h"
#include "plan.h"
#include "size.h"
#include "units.h"
#include "verbs.h"

static void print_json(const struct dedup_config *c, uint64_t bytes, double rate)
{
	json_object *o = json_object_new_object();

#define ADD(key, value) json_object_object_add(o, key, value)
	ADD("layout", json_object_new_string("blocked"));
	ADD("capacity", json_object_new_uint64(c->capacity));
	ADD("fpr", json_object_new_double(plan_fpr(c)));
	ADD("window_ns", json_object_new_uint64(c->window_ns));
	ADD("blocks", json_object_new_uint64(c->blocks));
	ADD("words", json_object_new_uint64(c->words));
	ADD("bits", json_object_new_uint64(c->bits));
	ADD("hashes", json_object_new_uint64(c->words * c->bits));
	ADD("filter_bytes", json_object_new_uint64(bytes));
	ADD("bytes_per_id", json_object_new_double((double)bytes / c->capacity));
	ADD("fpr_expected", json_object_new_double(rate));
#undef ADD
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED));
	json_object_put(o);
}

int verb_size(const struct options *o)
{
	struct dedup_config c;
	struct geometry g;
	uint64_t bytes;
	char text[32];
	double rate;

	if (plan_here(o, &c))
		return EXIT_FAILED;
	g = plan_geometry(&c);
	bytes = (uint64_t)c.blocks * sizeof(struct dedup_block);
	rate = size_fpr(&g, c.capacity);
	if (o->json) {
		print_json(&c, bytes, rate);
		return EXIT_DONE;
	}
	printf("layout         blocked\n"
	       "blocks         %u of 64 bytes\n"
	       "filter         %llu bytes (%s)\n"
	       "k              %u (%u words x %u bits)\n"
	       "bytes an id    %.2f\n"
	       "expected rate  %.3g of fresh ids lost at %llu ids a window; never more than %g\n",
	       c.blocks, (unsigned long long)bytes, format_bytes(bytes, text, sizeof(text)),
	       c.words * c.bits, c.words, c.bits, (double)bytes / c.capacity, rate, c.capacity,
	       plan_fpr(&c));
	return EXIT_DONE;
}
