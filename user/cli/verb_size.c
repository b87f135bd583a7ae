// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* size: shows a filter's size without loading it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "array_size.h"
#include "diag.h"
#include "facts.h"
#include "json_out.h"
#include "config_streams.h"
#include "layout.h"
#include "plan.h"
#include "status_view.h"
#include "units.h"
#include "verbs.h"

/* Returns the bytes for ids that are hashed. */
static double hashed_bytes(const struct dedup_config *c)
{
	return (double)(plan_bytes(c) - plan_accounts_bytes(c) -
			dedup_sources_blocks(&c->sources) * sizeof(struct dedup_block));
}

/* rate: the false-positive rate that is expected at capacity, in even traffic. */
static void print_json(const struct filter_spec *spec, const struct dedup_config *c, double rate)
{
	json_object *o = json_object_new_object();

	SIZE_FACTS(ADD_FACT)
	add_layout_facts(o, spec, c);
	SIZE_BYTES(ADD_FACT)
	json_print(o);
}

static void print_text(const struct filter_spec *spec, const struct dedup_config *c, double rate)
{
	char parameters[LAYOUT_TEXT_MAX];

	if (streams_any_numbered(c))
		printf("sources        %u, of %s each\n", c->sources.sources,
		       FORMAT_BYTES(plan_source_bytes(c)));
	if (streams_any_hashed(c)) {
		layout_of(c->memory.layout)->explain(spec, c, parameters);
		printf("layout         %s, %s hash\n%s", layout_of(c->memory.layout)->name,
		       hash_name(c->memory.hash), parameters);
	}
	printf("filter         %llu bytes (%s)\n", (unsigned long long)plan_bytes(c),
	       FORMAT_BYTES(plan_bytes(c)));
	if (!streams_any_hashed(c))
		return;
	printf("bytes an id    %.2f\n"
	       "expected rate  %.3g of fresh ids lost at %llu ids a window; never more than %.3g\n",
	       hashed_bytes(c) / c->memory.capacity, rate, c->memory.capacity, plan_fpr(c));
}

/* Returns whether Colibri's own size is requested, and no filter can have it: Colibri's formula has
 * a size for every capacity and rate.
 */
static bool is_only_colibris(const struct filter_spec *spec)
{
	struct dedup_config c;
	int err;

	if (spec->layout != DEDUP_FLAT || spec->hash != DEDUP_COLIBRI || spec->bits || spec->hashes)
		return false;
	err = plan_silently(spec, &c);
	return err == -EDOM || err == -EOVERFLOW || (!err && plan_loses_most(&c));
}

static void print_only_colibris(const struct filter_spec *spec, bool json)
{
	json_object *o;
	uint64_t m;
	uint32_t k;

	textbook_size(spec->capacity, spec_fpr(spec), &m, &k);
	diag_note("no filter is loaded with Colibri's m = %" PRIu64 " and k = %u: %s", m, k,
		  m > UINT32_MAX	 ? "m is at most 4294967295"
		  : k > DEDUP_HASHES_MAX ? "k is at most 32"
					 : "with two generations most fresh events are lost");
	if (!json) {
		printf("layout         flat, colibri hash\n"
		       "m              %" PRIu64 " bits\n"
		       "k              %u\n",
		       m, k);
		return;
	}
	o = json_object_new_object();
	ADD("layout", json_text(layout_of(spec->layout)->name));
	ADD("hash", json_text(hash_name(spec->hash)));
	ADD("capacity", json_u64(spec->capacity));
	ADD("fpr", json_double(spec_fpr(spec)));
	ADD("m", json_u64(m));
	ADD("k", json_u64(k));
	json_print(o);
}

int verb_size(const struct options *o)
{
	struct dedup_config c;
	double rate = 0;

	if (wish_check_sources(&o->wish, &o->wish.spec) || plan_check(&o->wish.spec))
		return EXIT_MISUSED;
	if (is_only_colibris(&o->wish.spec)) {
		print_only_colibris(&o->wish.spec, o->json);
		return EXIT_DONE;
	}
	if (plan_local(&o->wish.spec, &c))
		return EXIT_FAILED;
	if (streams_any_hashed(&c))
		rate = layout_of(c.memory.layout)->rate(&c, plan_turn_ids(&c, c.memory.capacity));
	if (o->json)
		print_json(&o->wish.spec, &c, rate);
	else
		print_text(&o->wish.spec, &c, rate);
	return EXIT_DONE;
}
