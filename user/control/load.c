// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* load: one filter on one or several interfaces. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "attach.h"
#include "change.h"
#include "checks.h"
#include "diag.h"
#include "kernel.h"
#include "load.h"
#include "loader.h"
#include "lock.h"
#include "name.h"
#include "pins.h"
#include "plan.h"
#include "receivers.h"
#include "start.h"
#include "stream_options.h"
#include "units.h"
#include "verbs.h"

int load_options_check(const struct options *o)
{
	if (stream_options_check(o))
		return -EINVAL;
	if (o->name && !filter_new_name_ok(o->name))
		return diag_err(-EINVAL,
				"--name %s: 1 to %d letters, digits, - and _, the first no -",
				o->name, NAME_MAX_LEN);
	return 0;
}

/* Makes the filter and attaches its program, or leaves nothing. */
static int load(const char *name, const struct placement *where, const struct dedup_config *cfg)
{
	int err = name_claim(name);

	if (!err)
		err = loader_create(name, cfg, NULL);
	return err ? err : filter_start(name, where, cfg->policy.drop_ns);
}

/* Makes a filter of the options, and says what it is. */
static int load_new(const struct options *o)
{
	char name[NAME_MAX_LEN + 1], size[32], window[32];
	const struct placement where = { o->args, o->args_cnt, o->mode };
	struct filter_spec spec = o->spec;
	struct dedup_config cfg;
	struct links links;
	const struct checks_subject subject = { .where = &where,
						.spec = &spec,
						.plan = &cfg,
						.links = &links,
						.fitting_window_ns = o->window_ns };
	int err;

	spec.several = where.cnt > 1;
	err = plan_here(&spec, &cfg);
	if (!err)
		err = receivers_links(&links);
	if (err)
		return err;
	if (o->name)
		snprintf(name, sizeof(name), "%s", o->name);
	err = checks_demand(&subject);
	if (!err && !o->name)
		name_default(where.ifnames[0], name);
	if (!err)
		err = load(name, &where, &cfg);
	if (!err)
		checks_note(&subject);
	links_free(&links);
	if (err)
		return err;
	change_report(name, &cfg);
	if (cfg.policy.deliver)
		diag_done("%s: fresh packets can go to AF_XDP sockets, the maps for which take %s",
			  name, format_bytes(plan_delivery_bytes(&cfg), size, sizeof(size)));
	if (cfg.policy.drop_ns)
		diag_done("%s: duplicates are dropped for %s, and then only counted", name,
			  format_time(cfg.policy.drop_ns, window, sizeof(window)));
	return 0;
}

/* Says what is missing for a new filter, or wrong. 0 or -EINVAL. */
static int check_new(const struct options *o)
{
	if (options_check_once(o->args, o->args_cnt))
		return -EINVAL;
	if (!o->args_cnt)
		return diag_err(-EINVAL, "on which interface? as in xdp-dedup load eth0 --port 8001");
	if (!o->spec.ports_cnt && !o->spec.streams_cnt)
		return diag_err(
			-EINVAL,
			"--port is missing: which UDP ports carry gossip? as in --port 8001 (or --profile, for another protocol)");
	return load_options_check(o);
}

static int check_replace(const struct options *o)
{
	if (!o->args_cnt && !o->name)
		return diag_err(-EINVAL, "--replace: which filter? say an interface, or --name");
	if (options_check_once(o->args, o->args_cnt))
		return -EINVAL;
	return o->spec.streams_cnt ? load_options_check(o) : 0;
}

/* Replaces the filter, or makes it if there is none. */
static int load_or_replace(const struct options *o)
{
	int err;

	if (o->wait) {
		err = kernel_ready(o->verbose, false);
		if (!err)
			err = change_wait_for_predecessor(o->name ? o->name : o->args[0]);
		if (err)
			return err;
	}
	err = lock_take(o->verbose);
	if (!err)
		err = load_replace(o);
	if (err != -ENOENT)
		return err;
	err = check_new(o);
	return err ? err : load_new(o);
}

int verb_load(const struct options *o)
{
	if (!o->replace && (o->wait || o->forget)) {
		diag_err(0, "--wait and --forget are for --replace: a new filter has no predecessor");
		return EXIT_MISUSED;
	}
	if (o->replace ? check_replace(o) : check_new(o))
		return EXIT_MISUSED;
	if (o->replace)
		return load_or_replace(o) ? EXIT_FAILED : EXIT_DONE;
	return lock_take(o->verbose) || load_new(o) ? EXIT_FAILED : EXIT_DONE;
}
