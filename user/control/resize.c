// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* resize: replaces the running filter, which becomes the predecessor (include/predecessor.h). */
#include "change.h"
#include "control.h"
#include "diag.h"

static int plan_resize(struct change *c, struct dedup_config *cfg)
{
	return change_ask(c) ?: change_plan(c, cfg);
}

int control_resize(const struct wish *w)
{
	static const struct change_steps STEPS = { plan_resize, change_filter };

	if (!wish_gives(w, OPT_MEMORY))
		return diag_err(EXIT_MISUSED, "what is to change? As in --capacity 2M" ADVICE
					      "xdp-dedup resize --help lists all");
	return change_wait(w, w->name) ? EXIT_FAILED : change_run(w, &STEPS);
}
