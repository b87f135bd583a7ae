// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* restore: makes a snapshot's memory the predecessor (include/predecessor.h) of a new filter like
 * the saved one; or of the filter of that name, if one runs.
 */
#include <errno.h>
#include <string.h>

#include "attachments.h"
#include "change.h"
#include "checks.h"
#include "config_streams.h"
#include "control.h"
#include "diag.h"
#include "snapshot_file.h"
#include "kept.h"
#include "kernel.h"
#include "loader.h"
#include "loader_next.h"
#include "loader_predecessor.h"
#include "lock.h"
#include "name.h"
#include "open.h"
#include "plan.h"
#include "predecessor.h"
#include "receivers.h"
#include "start.h"
#include "units.h"

/* A snapshot to restore, and the filter that gets it. */
struct restoration {
	struct snapshot snapshot;
	const char *name;
	uint64_t elapsed_ns;	/* since it was saved */
	uint64_t drop_until_ns; /* snapshot_drop_until() */
	char *ifnames[DEDUP_IFACES_MAX];
	struct placement where;
	struct dedup_config cfg; /* of the new filter */
	bool forgotten;		 /* no id is left of the snapshot */
};

/* Sets the interfaces: those that are given, or those where the saved filter ran. */
static int place(const struct wish *w, struct restoration *r)
{
	int cnt = 0;

	for (int i = 0; i < w->where.cnt; i++)
		r->ifnames[cnt++] = w->where.ifnames[i];
	for (int i = 0; i < DEDUP_IFACES_MAX && !w->where.cnt; i++)
		if (*r->snapshot.head.ifnames[i])
			r->ifnames[cnt++] = r->snapshot.head.ifnames[i];
	r->where = (struct placement){ r->ifnames, cnt, w->where.mode, w->where.share };
	if (cnt)
		return 0;
	return diag_err(-ENODEV, "%s ran on no interface when it was saved: say on which it is to",
			r->name);
}

/* Plans the snapshot's filter, sized for this machine. */
static int plan_restored(struct restoration *r)
{
	const struct dedup_config *old = &r->snapshot.head.config;
	struct filter_spec spec = old->asked;
	int err;

	spec.several = r->where.cnt > 1;
	err = plan_local(&spec, &r->cfg);
	if (err)
		return err;
	err = plan_next_filter(old, &r->cfg);
	/* The new filter has no earlier program, and no data that goes by slots. */
	r->cfg.serial = r->cfg.earlier_stats = 0;
	for (uint32_t n = 0; n < r->cfg.policy.streams_cnt; n++)
		r->cfg.policy.streams[n].slot = n;
	return err ? diag_err(err, "the kernel's random source gave no secret") : 0;
}

/* Returns the bytes of the saved memory, which has no numbers. */
static uint64_t saved_bytes(const struct restoration *r)
{
	struct dedup_config saved = r->snapshot.head.config;

	saved.sources = (struct dedup_sources){ 0 };
	return plan_bytes(&saved);
}

static int make_new(struct restoration *r)
{
	struct predecessor predecessor;
	int err = name_claim(r->name), restored;

	if (err)
		return err;
	restored = predecessor_of_snapshot(&r->snapshot, NULL, &predecessor);
	if (restored < 0)
		return restored;
	r->forgotten = restored;
	if (r->forgotten)
		r->cfg.has_predecessor = r->cfg.predecessor_scale = 0;
	err = loader_create(r->name, &r->cfg, r->forgotten ? NULL : &predecessor);
	predecessor_close(&predecessor);
	return err;
}

static int restore_filter(struct restoration *r)
{
	struct links links;
	const struct checks_subject subject = {
		.where = &r->where,
		.spec = &r->cfg.asked,
		.plan = &r->cfg,
		.links = &links,
		.force = true, /* its ids must not be lost for it */
	};
	int err = receivers_links(&links);

	if (err)
		return err;
	err = checks_demand(&subject);
	links_free(&links);
	/* Both the saved memory and the new filter exist for a time. */
	return err ?: change_check_memory("what was saved, with the filter that goes on with it,",
					  saved_bytes(r) + plan_bytes(&r->cfg) +
						  plan_delivery_bytes(&r->cfg))
		      ?: make_new(r)
		      ?: filter_start(r->name, &r->where, r->drop_until_ns);
}

static int measure_elapsed(struct restoration *r)
{
	struct snapshot_moment now;
	int err = snapshot_moment_now(&now);

	if (err)
		return diag_err(err, "cannot tell which boot this is");
	r->elapsed_ns = snapshot_elapsed(&r->snapshot.head.moment, &now);
	r->drop_until_ns = snapshot_drop_until(&r->snapshot.head, now.hand_ns, r->elapsed_ns);
	return 0;
}

static void report_restored(const struct restoration *r)
{
	const char *ago = FORMAT_TIME(r->elapsed_ns);

	change_report(r->name, &r->cfg);
	if (streams_any_numbered(&r->cfg))
		diag_note("%s: numbers are not saved: those of its numbered streams begin anew",
			  r->name);
	if (!streams_any_hashed(&r->snapshot.head.config))
		return;
	if (r->forgotten)
		diag_done("%s: it was saved %s ago, and nothing of it is young enough to be remembered",
			  r->name, ago);
	else
		diag_done("%s: what it remembered when it was saved, %s ago, %s, is kept until it is forgotten: at most %s",
			  r->name, ago, FORMAT_BYTES(saved_bytes(r)),
			  FORMAT_TIME(2 * r->cfg.memory.window_ns));
}

/* Returns whether each packet has an equal id in both configurations. */
static bool has_same_ids(const struct dedup_config *a, const struct dedup_config *b)
{
	bool same =
		a->policy.streams_cnt == b->policy.streams_cnt &&
		a->policy.id_bytes == b->policy.id_bytes &&
		!memcmp(a->secrets.digest_key, b->secrets.digest_key, sizeof(a->secrets.digest_key));

	for (uint32_t i = 0; i < a->policy.streams_cnt && same; i++)
		same = kept_stream(a, b, &b->policy.streams[i]) == (int)i &&
		       a->policy.streams[i].realm == b->policy.streams[i].realm;
	return same;
}

/* Gives the running filter a program that also looks up ids in the snapshot. */
static int give(struct change *c, const struct predecessor *snapshot)
{
	struct dedup_config cfg = *c->f.config;
	int err;

	cfg.serial++;
	cfg.earlier_stats = 2;
	cfg.has_predecessor = 1;
	cfg.predecessor_scale = dedup_scale(&snapshot->config, &cfg);
	for (uint32_t n = 0; n < cfg.policy.streams_cnt; n++)
		cfg.predecessor_stream[n] = n + 1; /* has_same_ids() */
	err = loader_next_program(c->f.name, &cfg, snapshot);
	return err ?: change_exchange(c, &cfg);
}

static int restore_into(struct restoration *r, struct change *c)
{
	const struct dedup_config *snapshot = &r->snapshot.head.config;
	struct predecessor predecessor;
	int err, restored;

	if (c->w->where.cnt)
		return diag_err(
			-EEXIST,
			"%s runs already, and gets what was saved where it is: name no interfaces",
			c->f.name);
	if (!has_same_ids(c->f.config, snapshot))
		return diag_err(
			-EINVAL,
			"%s has other streams or digests than the filter that was saved: in it the ids would be others",
			c->f.name);
	err = change_check_stacking(c, c->f.config) ?: change_check_room(c) ?:
	      change_check_memory("what was saved", saved_bytes(r));
	if (err)
		return err;
	restored = predecessor_of_snapshot(&r->snapshot, &c->f, &predecessor);
	if (restored < 0)
		return restored;
	r->forgotten = restored;
	err = r->forgotten ? 0 : give(c, &predecessor);
	predecessor_close(&predecessor);
	return err;
}

static int restore_running(const struct wish *w, struct restoration *r)
{
	struct change c;
	int err = change_open(w, &c);

	if (err)
		return err;
	r->cfg = *c.f.config;
	err = restore_into(r, &c);
	change_end(&c);
	return err;
}

/* Called with the lock, as another command may be making or unloading the filter. */
static int restore_any(const struct wish *w, struct restoration *r)
{
	int running = name_is_in_use(r->name);

	if (running < 0)
		return diag_err(running, "cannot tell whether the filter %s is in use: %s", r->name,
				strerror(-running));
	if (running)
		return restore_running(w, r);
	return place(w, r) ?: plan_restored(r) ?: restore_filter(r);
}

int control_restore(const struct wish *w)
{
	static struct restoration r;
	int err;

	r = (struct restoration){ .name = w->name };
	if (!filter_new_name_ok(r.name))
		return diag_err(
			EXIT_MISUSED,
			"%s: a filter's name is 1 to %d letters, digits, - and _, the first no -",
			r.name, NAME_MAX_LEN);
	if (kernel_ready(w->verbose, false) || snapshot_open(w->file, &r.snapshot))
		return EXIT_FAILED;
	err = measure_elapsed(&r);
	if (!err && w->wait && name_is_in_use(r.name) > 0)
		err = change_wait(w, r.name);
	if (!err)
		err = lock_take(w->verbose);
	if (!err) {
		err = restore_any(w, &r);
		lock_release();
	}
	if (!err)
		report_restored(&r);
	snapshot_close(&r.snapshot);
	return err ? EXIT_FAILED : EXIT_DONE;
}
