// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* resize: another filter, whose predecessor is the one that runs (include/predecessor.h). */
#include "change.h"
#include "diag.h"
#include "kernel.h"
#include "verbs.h"

static int resize(const struct options *o, struct change *c)
{
	struct dedup_config cfg;
	int err;

	change_ask_shape(o, c);
	err = change_plan(c, &cfg);
	return err ? err : change_filter(o, c, &cfg);
}

int verb_resize(const struct options *o)
{
	struct change c;
	int err;

	if (!change_asks_shape(o)) {
		diag_err(0, "what is to change? As in --capacity 2M" ADVICE
			    "xdp-dedup resize --help lists all");
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
