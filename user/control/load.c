// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* load: makes a filter on one or several interfaces. load --replace: gives a running filter this
 * version's program and the given values; others stay, unless w->whole is set.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "attach.h"
#include "change.h"
#include "checks.h"
#include "control.h"
#include "diag.h"
#include "kernel.h"
#include "loader.h"
#include "loader_next.h"
#include "lock.h"
#include "name.h"
#include "pins.h"
#include "plan.h"
#include "receivers.h"
#include "start.h"
#include "units.h"

int control_check_filter(const struct wish *w)
{
	if (wish_streams_check(w))
		return -EINVAL;
	if (w->name && !filter_new_name_ok(w->name))
		return diag_err(-EINVAL,
				"--name %s: 1 to %d letters, digits, - and _, the first no -",
				w->name, NAME_MAX_LEN);
	return 0;
}

static int plan_replacement(struct change *c, struct dedup_config *cfg)
{
	const uint64_t drop_ns = c->spec.drop_ns;
	const bool drop_for = c->spec.given.drop_for;
	int err = change_request_interfaces(c);

	if (c->w->whole)
		c->spec = c->w->spec;
	else
		err = err ?: change_request(c);
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

/* Returns whether the filter runs on all interfaces of c->requested, and on no others. */
static bool is_in_place(const struct change *c)
{
	int running = 0;

	for (int i = 0; i < c->at.cnt; i++)
		running += c->at.list[i].ifindex && c->at.list[i].ours;
	for (int i = 0; i < c->requested.cnt; i++)
		if (!*c->requested.recorded[i])
			return false;
	return running == c->requested.cnt;
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

/* Makes the filter and attaches its program; after a failure leaves nothing. */
static int load(const struct wish *w, const char *name, const struct dedup_config *cfg)
{
	uint64_t until_ns = 0;
	int err = name_claim(name) ?: loader_create(name, cfg, NULL);

	if (cfg->asked.drop_ns)
		until_ns = w->drop_until_ns ?: kernel_now_ns() + cfg->asked.drop_ns;
	return err ?: filter_start(name, &w->where, until_ns);
}

/* Makes the filter, and reports its configuration. */
static int load_new(const struct wish *w)
{
	char name[NAME_MAX_LEN + 1];
	struct filter_spec spec = w->spec;
	struct dedup_config cfg;
	struct links links;
	const struct checks_subject subject = { .where = &w->where,
						.spec = &spec,
						.plan = &cfg,
						.links = &links,
						.fitting_window_ns = w->fitting_window_ns,
						.force = w->force };
	int err;

	spec.several = w->where.cnt > 1;
	err = plan_local(&spec, &cfg) ?: receivers_links(&links);
	if (err)
		return err;
	if (w->name)
		snprintf(name, sizeof(name), "%s", w->name);
	err = checks_demand(&subject);
	if (!err && !w->name)
		name_default(w->where.ifnames[0], name);
	if (!err)
		err = load(w, name, &cfg);
	if (!err)
		checks_note(&subject);
	links_free(&links);
	if (err)
		return err;
	change_report(name, &cfg);
	if (cfg.policy.deliver)
		diag_done("%s: fresh packets can go to AF_XDP sockets, the maps for which take %s",
			  name, FORMAT_BYTES(plan_delivery_bytes(&cfg)));
	if (cfg.asked.drop_ns)
		diag_done("%s: duplicates are dropped for %s, and then only counted", name,
			  FORMAT_TIME(cfg.asked.drop_ns));
	return 0;
}

/* Checks that a new filter has all it needs. Returns 0 or -EINVAL (logged). */
static int check_new(const struct wish *w)
{
	if (!w->where.cnt)
		return diag_err(-EINVAL, "on which interface? as in xdp-dedup load eth0 --port 8001");
	if (!w->profiles_cnt && !w->spec.given.port)
		return diag_err(
			-EINVAL,
			"--port is missing: which UDP ports carry gossip? as in --port 8001 (or --profile, for another protocol)");
	return control_check_filter(w) ?: plan_check(&w->spec);
}

static int check_replace(const struct wish *w)
{
	if (!w->where.cnt && !w->name)
		return diag_err(-EINVAL, "--replace: which filter? say an interface, or --name");
	return w->profiles_cnt ? control_check_filter(w) : 0;
}

/* Replaces w->name, or the filter on the first interface; or makes it if there is none. Returns an
 * enum exit_code.
 */
static int replace_or_load(const struct wish *w)
{
	struct change c;
	int err = change_find(w, w->name ?: w->where.ifnames[0], &c);

	if (!err)
		return change_steps(&c, plan_replacement, replace_filter);
	if (err != -ENOENT)
		return EXIT_FAILED;
	if (w->name && (!w->where.cnt || (!w->profiles_cnt && !w->spec.given.port))) {
		loader_explain(w->name, err);
		return EXIT_FAILED;
	}
	return check_new(w) ? EXIT_MISUSED : load_new(w) ? EXIT_FAILED : EXIT_DONE;
}

int control_load(const struct wish *w)
{
	int status;

	if (!w->replace && (w->wait || w->forget))
		return diag_err(
			EXIT_MISUSED,
			"--wait and --forget are for --replace: a new filter has no predecessor");
	if (w->replace ? check_replace(w) : check_new(w))
		return EXIT_MISUSED;
	if (change_wait(w, w->name ?: w->where.ifnames[0]) || lock_take(w->verbose))
		return EXIT_FAILED;
	status = w->replace ? replace_or_load(w) : load_new(w) ? EXIT_FAILED : EXIT_DONE;
	lock_release();
	return status;
}
