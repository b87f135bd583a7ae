// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* set: replaces the running program by another one over the filter's memory (live_exchange.h).
 * resize: replaces the running filter, which becomes the predecessor (include/predecessor.h).
 */
#include "change.h"
#include "checks.h"
#include "control.h"
#include "diag.h"

static int plan_given(struct change *c, struct dedup_config *cfg)
{
	const struct wish *w = c->w;

	return change_interfaces(c, w->add, w->add_cnt, w->remove, w->remove_cnt) ?:
	       change_request(c) ?:
	       change_plan(c, cfg);
}

static int set(struct change *c, struct dedup_config *cfg)
{
	const struct checks_subject subject = {
		.where = &c->where, .spec = &c->spec, .plan = cfg, .force = true
	};
	int err = change_program(c, cfg);

	if (!err && c->w->add_cnt)
		checks_behind(&subject);
	return err;
}

int control_set(const struct wish *w)
{
	/* --mode alone changes nothing. */
	if (!wish_gives(w, OPT_ACTION | OPT_PORT | OPT_DESTINATION) && !w->profiles_cnt &&
	    !w->add_cnt && !w->remove_cnt)
		return diag_err(EXIT_MISUSED, "what is to change? As in --action drop" ADVICE
					      "xdp-dedup set --help lists all");
	return change_run(w, plan_given, set);
}

int control_resize(const struct wish *w)
{
	if (!wish_gives(w, OPT_MEMORY))
		return diag_err(EXIT_MISUSED, "what is to change? As in --capacity 2M" ADVICE
					      "xdp-dedup resize --help lists all");
	return change_wait(w, w->name) ? EXIT_FAILED : change_run(w, plan_given, change_filter);
}
