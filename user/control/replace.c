// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* load --replace: gives a running filter this version's program and the given values. Other values
 * stay, unless w->whole is set.
 */
#include <errno.h>
#include <string.h>

#include "change.h"
#include "diag.h"
#include "exit.h"
#include "plan.h"

static int plan_replacement(struct change *c, struct dedup_config *cfg)
{
	const uint64_t drop_ns = c->spec.drop_ns;
	const bool drop_for = c->spec.given.drop_for;
	int err = change_ask_interfaces(c);

	if (c->w->whole)
		c->spec = c->w->spec;
	else
		err = err ?: change_ask(c);
	if (c->w->whole && !c->w->spec.given.action) { /* a missing --for keeps its end */
		c->spec.drop_ns = drop_ns;
		c->spec.given.drop_for = drop_for;
	}
	return err ?: change_plan(c, cfg);
}

/* Returns whether the filter's next program has the plan of the present one. */
static bool is_same_program(const struct dedup_config *old, struct dedup_config *next)
{
	next->serial = old->serial;
	next->earlier_stats = old->earlier_stats;
	return !memcmp(next, old, sizeof(*next));
}

/* Notes where the given mode is not used, as an exchange keeps a program's mode. */
static void note_modes(const struct change *c)
{
	enum attach_mode mode = c->w->where.mode;

	for (int i = 0; i < c->at.cnt; i++)
		if (mode != MODE_ANY && c->at.list[i].local && c->at.list[i].mode != mode &&
		    change_place_of(c->at.list[i].ifname, c->where.ifnames, c->where.cnt) >= 0)
			diag_note("%s runs on %s in %s mode, which a change keeps" ADVICE
				  "unload it and load it again",
				  c->f.name, c->at.list[i].ifname,
				  attach_mode_name(c->at.list[i].mode));
}

/* Returns whether the filter runs on all interfaces of c->wanted, and on no others. */
static bool is_in_place(const struct change *c)
{
	int running = 0;

	for (int i = 0; i < c->at.cnt; i++)
		running += c->at.list[i].ifindex && c->at.list[i].ours;
	for (int i = 0; i < c->wanted.cnt; i++)
		if (!*c->wanted.recorded[i])
			return false;
	return running == c->wanted.cnt;
}

static int replace_filter(struct change *c, struct dedup_config *cfg)
{
	const struct dedup_config *old = c->f.config;
	struct dedup_config next = *cfg;
	bool whole = c->w->whole, fits, same;
	int err;

	note_modes(c);
	/* fits: the program can use the existing memory. same: that is the memory of the plan. */
	fits = old->format == DEDUP_FORMAT && !plan_next_program(old, &next);
	same = fits && plan_is_same_memory(old, cfg);
	if (whole && !c->w->renew && same && is_in_place(c) && is_same_program(old, &next))
		return 0;
	fits &= same || (!whole && !wish_gives(c->w, OPT_MEMORY));
	err = fits ? change_program(c, cfg) : change_filter(c, cfg);
	if (!err)
		diag_done("%s: replaced; what it remembers is kept", c->f.name);
	return err;
}

int change_replace(const struct wish *w)
{
	struct change c;
	int err = change_find(w, w->name ?: w->where.ifnames[0], &c);

	return err == -ENOENT ? err
	       : err	      ? EXIT_FAILED
			      : change_steps(&c, plan_replacement, replace_filter);
}
