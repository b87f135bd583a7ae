// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* unload: takes filters off some interfaces, or a filter by its name, or all filters. First looks
 * at everything (look_before_unload), then marks what is `meant`, and only then changes anything.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "attachments.h"
#include "control.h"
#include "detach.h"
#include "diag.h"
#include "dispatch.h"
#include "here.h"
#include "live.h"
#include "loader.h"
#include "lock.h"
#include "open.h"
#include "pin_dirs.h"
#include "start.h"
#include "unread.h"

/* A filter, as its pins have it. */
struct pinned {
	const char *name;
	struct identity id, staged; /* and of +NAME, of a change that could not be ended */
	bool meant;	    /* the pins are to be removed, if the filter then runs nowhere */
	const char *absent; /* meant by this name, of an interface that is not here now; or NULL */
};

struct unload {
	const struct wish *w;
	struct attachment *list; /* attached in this network namespace */
	int list_cnt;
	char **names;
	struct pinned *pins;
	int pins_cnt;
};

/* Does the attachment run the filter? */
static bool is_of(const struct attachment *a, const struct pinned *p)
{
	return attachments_is_theirs(a, p->id) || attachments_is_theirs(a, p->staged);
}

/* Fills in all of *u except `w` and the marks `meant`. Fails if something is unknown, except with
 * --force.
 */
static int look_before_unload(struct unload *u)
{
	char staging[PATH_MAX];
	int err = attach_list(&u->list, &u->list_cnt);

	if (!err && !u->w->force)
		err = attach_log_unknown(u->list, u->list_cnt);
	if (!err)
		err = loader_names(&u->names);
	if (err)
		return err;
	err = live_can_tell();
	if (err && !u->w->force)
		return diag_err(err, "cannot look at the programs in the kernel: %s", strerror(-err));
	while (u->names[u->pins_cnt])
		u->pins_cnt++;
	u->pins = calloc(u->pins_cnt + 1, sizeof(*u->pins));
	if (!u->pins)
		return diag_err(-ENOMEM, "no memory");
	for (int i = 0; i < u->pins_cnt; i++) {
		struct pinned *p = &u->pins[i];

		p->name = u->names[i];
		pin_dir_staging(staging, p->name);
		err = filter_identity(p->name, &p->id) ?: filter_identity(staging, &p->staged);
		if (err && !u->w->force)
			return loader_explain(p->name, err);
	}
	return 0;
}

/* Marks the only filter that has this interface, to which none is attached, in its record. */
static int mean_recorded(struct unload *u, const char *ifname, bool is_here)
{
	struct filter f;
	int err = attachments_open_recorded(u->names, ifname, &f);

	if (err == -ENOENT)
		return diag_err(err,
				"%s runs no filter" ADVICE "xdp-dedup status lists those that do",
				ifname);
	if (err)
		return err;
	for (int i = 0; i < u->pins_cnt; i++)
		if (!strcmp(u->pins[i].name, f.name)) {
			u->pins[i].meant = true;
			if (!is_here)
				u->pins[i].absent = ifname;
		}
	filter_close(&f);
	return 0;
}

static int mean_interface(struct unload *u, const char *ifname)
{
	int ifindex = attach_ifindex(ifname);

	if (ifindex < 0)
		return ifindex;
	for (int i = 0; i < u->list_cnt; i++)
		if (u->list[i].ifindex == ifindex && !u->list[i].err) {
			u->list[i].meant = true;
			return 0;
		}
	return mean_recorded(u, ifname, ifindex);
}

static int mean_name(struct unload *u, const char *name)
{
	for (int i = 0; i < u->pins_cnt; i++) {
		if (strcmp(u->pins[i].name, name))
			continue;
		u->pins[i].meant = true;
		for (int j = 0; j < u->list_cnt; j++)
			u->list[j].meant |= is_of(&u->list[j], &u->pins[i]);
		return 0;
	}
	return loader_explain(name, -ENOENT);
}

/* Every filter, and programs whose pins are gone. */
static void mean_all(struct unload *u)
{
	for (int i = 0; i < u->pins_cnt; i++)
		u->pins[i].meant = true;
	for (int i = 0; i < u->list_cnt; i++)
		u->list[i].meant = !u->list[i].err;
}

/* For steps of which each is done though one before has failed: the first failure counts. */
static int first_error(int err, int next)
{
	return err ? err : next;
}

/* The filter is in use out of sight, so its pins stay. If it was detached here from the interfaces
 * that were named, that is what was asked for (0, with a note); else it is a failure (-EBUSY,
 * logged).
 */
static int explain_live(const char *name, bool was_here)
{
	char ifname[IF_NAMESIZE] = "an interface";
	const struct dedup_iface *unseen;
	struct filter f;

	if (!filter_open(name, &f)) {
		unseen = attachments_unseen(&f);
		if (unseen)
			here_name(unseen, ifname);
		if (was_here)
			diag_note("%s also runs on %s in another network namespace", name, ifname);
		else
			diag_err(0,
				 "%s still runs on %s in another network namespace (or something else holds its program): there, xdp-dedup unload IFNAME; or here, unload --name %s --force, and all passes there",
				 name, ifname, name);
		filter_close(&f);
		return was_here ? 0 : -EBUSY;
	}
	return diag_err(-EBUSY,
			"the program of %s is still in use, it may be in another network namespace" ADVICE
			"xdp-dedup unload --name %s --force removes its pins, and all passes there",
			name, name);
}

/* The attachment of this recorded interface, if it has been detached now; else NULL. */
static const struct attachment *detached_from(const struct unload *u, const struct dedup_iface *i)
{
	for (int j = 0; j < u->list_cnt; j++)
		if (u->list[j].detached && u->list[j].ifindex == (int)i->ifindex)
			return here_has(i) ? &u->list[j] : NULL;
	return NULL;
}

/* Removes from the filter's record the interfaces that have been detached now. Is any left in it?
 * True also if the filter cannot be opened.
 */
static bool clear_record(const struct unload *u, const char *name)
{
	bool left = false, cleared = false;
	struct filter f;

	if (filter_open(name, &f))
		return true;
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		struct dedup_iface *iface = &f.record->ifaces[i];

		if (detached_from(u, iface)) {
			*iface = (struct dedup_iface){ 0 };
			cleared = true;
		}
		left |= iface->ifindex != 0;
	}
	if (cleared && left) /* so that readers of its queues look where it runs now */
		__sync_fetch_and_add(&f.state->serial, 1);
	if (left)
		unread_want(&f, &f);
	filter_close(&f);
	return left;
}

/* The interface that was named is not here: it has another name now, was deleted, or has moved and
 * taken its program along. Its filter runs on others, which were not named. Returns -ENODEV
 * (logged); 0 if there is none of those.
 */
static int explain_absent(const struct unload *u, const struct pinned *p)
{
	for (int i = 0; i < u->list_cnt && p->absent; i++)
		if (!u->list[i].meant && is_of(&u->list[i], p))
			return diag_err(
				-ENODEV,
				"there is no interface %s here now, but the filter %s still runs on %s: unload that, or --name %s; an interface that has moved to another network namespace, there",
				p->absent, p->name, u->list[i].ifname, p->name);
	return 0;
}

/* After programs have been detached: removes the pins of a filter that runs nowhere now. */
static int tidy(const struct unload *u, const struct pinned *p)
{
	int detached = 0, left = 0, live;
	bool recorded;

	for (int i = 0; i < u->list_cnt; i++)
		if (is_of(&u->list[i], p)) {
			detached += u->list[i].detached;
			left += !u->list[i].detached;
		}
	if (!p->meant && !detached)
		return 0;
	recorded = clear_record(u, p->name);
	if (left)
		return explain_absent(u, p);
	/* With an empty record no interface runs it: others may only hold its program open. */
	live = u->w->force || !recorded ? 0 : attachments_elsewhere(p->name);
	if (live < 0)
		return diag_err(live,
				"cannot tell whether %s is in use elsewhere: %s" ADVICE
				"xdp-dedup unload --name %s --force removes it anyway",
				p->name, strerror(-live), p->name);
	if (live)
		return explain_live(p->name, detached && u->w->where.cnt);
	if (u->w->force)
		dispatch_forget(p->id.state_id);
	return filter_remove(p->name);
}

static int unload(struct unload *u)
{
	const struct wish *w = u->w;
	int err = look_before_unload(u);

	if (err)
		return err;
	if (w->name)
		err = mean_name(u, w->name);
	for (int i = 0; i < w->where.cnt; i++)
		err = first_error(err, mean_interface(u, w->where.ifnames[i]));
	if (w->all)
		mean_all(u);
	err = first_error(err, detach_meant(u->list, u->list_cnt));
	for (int i = 0; i < u->pins_cnt; i++)
		err = first_error(err, tidy(u, &u->pins[i]));
	return first_error(err, detach_finish());
}

int control_unload(const struct wish *w)
{
	struct unload u = { .w = w };
	int err;

	if (!!w->where.cnt + !!w->name + w->all != 1)
		return diag_err(EXIT_MISUSED, "unload takes interfaces, or --name NAME, or --all");
	if (lock_take(w->verbose))
		return EXIT_FAILED;
	err = unload(&u);
	loader_free_names(u.names);
	free(u.pins);
	free(u.list);
	lock_release();
	return err ? EXIT_FAILED : EXIT_DONE;
}
