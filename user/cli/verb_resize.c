// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* resize: another filter, whose predecessor is the one that runs (include/predecessor.h). */
#include <stdio.h>

#include "change.h"
#include "handover.h"
#include "kernel.h"
#include "loader.h"
#include "plan.h"
#include "say.h"
#include "secrets.h"
#include "units.h"
#include "verbs.h"

static void set_shape(const struct options *o, struct filter_spec *spec)
{
	if (o->given & GIVEN_CAPACITY)
		spec->capacity = o->spec.capacity;
	if (o->given & GIVEN_FPR)
		spec->fpr = o->spec.fpr;
	if (o->given & GIVEN_WINDOW)
		spec->window_ns = o->spec.window_ns;
	if (o->given & GIVEN_LAYOUT)
		spec->layout = o->spec.layout;
	if (o->given & GIVEN_HASH)
		spec->hash = o->spec.hash;
	spec->bits = o->spec.bits;
	spec->hashes = o->spec.hashes;
	spec->index_bits = o->spec.index_bits;
	spec->countdown_bits = o->spec.countdown_bits;
}

static int resize(const struct options *o, struct change *c)
{
	struct filter_spec spec = c->spec;
	char size[32], window[32];
	struct dedup_config cfg;
	int err = change_make_room(o, c->f.name);

	if (err)
		return err;
	set_shape(o, &spec);
	err = plan_here(&spec, &cfg);
	if (err)
		return err;
	plan_after(c->f.config, &cfg);
	err = secrets_take(c->f.config, &cfg);
	if (err)
		return say_err(err, "the kernel's random source gave no secret");
	err = change_check_memory(&cfg);
	if (!err)
		err = loader_next_filter(c->f.name, &cfg, &c->f);
	if (!err)
		err = handover(c->f.name, &c->where);
	if (err)
		return err;
	printf("%s: %llu ids a window of %s, at most %g of fresh events lost, %s\n", c->f.name,
	       cfg.capacity, format_time(cfg.window_ns, window, sizeof(window)), plan_fpr(&cfg),
	       format_bytes(plan_bytes(&cfg), size, sizeof(size)));
	printf("%s: what was there before, %s, is kept until it is forgotten: at most %s\n",
	       c->f.name, format_bytes(plan_bytes(c->f.config), size, sizeof(size)),
	       format_time(2 * c->f.config->window_ns, window, sizeof(window)));
	return 0;
}

int verb_resize(const struct options *o)
{
	struct change c;
	int err;

	if (!(o->given & (GIVEN_CAPACITY | GIVEN_FPR | GIVEN_WINDOW | GIVEN_LAYOUT | GIVEN_HASH)) &&
	    !o->spec.bits && !o->spec.hashes && !o->spec.index_bits && !o->spec.countdown_bits) {
		say_err(0, "what is to change? As in --capacity 2M; xdp-dedup resize --help lists "
			   "all");
		return EXIT_MISUSED;
	}
	if (o->wait && kernel_ready(o->verbose, false))
		return EXIT_FAILED;
	if (o->wait && change_wait_for_predecessor(o->args[0]))
		return EXIT_FAILED;
	if (change_begin(o, &c))
		return EXIT_FAILED;
	err = resize(o, &c);
	change_end(&c);
	return err ? EXIT_FAILED : EXIT_DONE;
}
