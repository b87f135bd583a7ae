// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "change.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "attachments.h"
#include "diag.h"
#include "exit.h"
#include "iface.h"
#include "kernel.h"
#include "loader.h"
#include "lock.h"
#include "open.h"
#include "predecessor.h"
#include "receivers.h"

#define LOOK_US 100000

/* Keeps all recorded names if two present names are equal: an interface may have the name of
 * another one that was moved to another network namespace.
 */
static void keep_names_distinct(struct requested_ifaces *requested)
{
	bool distinct = true;

	for (int i = 0; i < requested->cnt; i++)
		for (int j = 0; j < i; j++)
			distinct &= strcmp(requested->list[i].name, requested->list[j].name) != 0;
	for (int i = 0; i < requested->cnt && !distinct; i++)
		memcpy(requested->list[i].name, requested->recorded[i], IF_NAMESIZE);
}

/* Sets c->requested to the interfaces where it runs or was detached, except those that are gone. */
static void request_as_it_is(struct change *c, const struct links *links)
{
	int next = 0; /* of c->at: one for each used entry */

	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		const struct dedup_iface *entry = &c->f.record->ifaces[i];
		struct attachment *a;

		if (!entry->ifindex || next == c->at.cnt)
			continue;
		a = &c->at.list[next++];
		/* Gone: it is not here, and its link runs nowhere. */
		if (!a->ifindex && !(iface_is_local(entry) && links_find(links, entry->ifindex)))
			continue;
		memcpy(c->requested.recorded[c->requested.cnt], a->recorded, sizeof(a->recorded));
		c->requested.list[c->requested.cnt] = *entry;
		memcpy(c->requested.list[c->requested.cnt++].name, a->ifname, sizeof(a->ifname));
		if (a->local)
			c->ifnames[c->where.cnt++] = a->ifname;
	}
	keep_names_distinct(&c->requested);
}

/* Reads where the filter runs, and its spec. Returns 0; or -errno (logged), after change_end(). */
static int look_at_filter(struct change *c)
{
	struct links links;
	int err = receivers_links(&links);

	if (!err) {
		err = attachments_read(&c->f, &links, &c->at);
		if (err)
			loader_explain(c->f.name, err);
	}
	for (int i = 0; i < c->at.cnt && !err; i++)
		if (c->at.list[i].unknown)
			err = diag_err(-EPERM,
				       "cannot tell which XDP program runs on %s, which is shared" ADVICE
				       "run as root, or with CAP_SYS_ADMIN",
				       c->at.list[i].ifname);
	if (err) {
		links_free(&links);
		change_end(c);
		return err;
	}
	attachments_update_record(&c->f, &c->at);
	c->where = (struct placement){ c->ifnames, 0, c->w->where.mode, c->w->where.share };
	request_as_it_is(c, &links);
	links_free(&links);
	c->spec = c->f.config->asked;
	return 0;
}

/* Opens the filter `what`, or the filter on the interface `what`; but for `load --name` only the
 * former, as another filter may run on that interface. Returns what attachments_find() does.
 */
static int find(const struct wish *w, const char *what, struct filter *f)
{
	int err;

	if (!w->replace || !w->name)
		return attachments_find(what, f);
	err = filter_open(what, f);
	return err && err != -ENOENT ? loader_explain(what, err) : err;
}

int change_find(const struct wish *w, const char *what, struct change *c)
{
	*c = (struct change){ .w = w, .f = { .stats_fd = -1, .wanted_fd = -1 } };
	return find(w, what, &c->f) ?: look_at_filter(c);
}

int change_open(const struct wish *w, struct change *c)
{
	int err = change_find(w, w->name, c);

	if (err == -ENOENT)
		return loader_explain(w->name, err);
	if (err || w->add_cnt)
		return err;
	for (int i = 0; i < c->at.cnt; i++)
		if (c->at.list[i].ifindex) /* in any network namespace */
			return 0;
	err = diag_err(
		-ENODEV,
		"%s runs on no interface: xdp-dedup set %s --add IFNAME has it run there, and forgets nothing",
		c->f.name, c->f.name);
	change_end(c);
	return err;
}

void change_end(struct change *c)
{
	filter_close(&c->f);
}

int change_steps(struct change *c, change_fn plan, change_fn make)
{
	struct dedup_config cfg;
	int err = plan(c, &cfg);
	int failed = err == -EINVAL ? EXIT_MISUSED : EXIT_FAILED;

	err = err ?: make(c, &cfg);
	change_end(c);
	return err ? failed : EXIT_DONE;
}

int change_run(const struct wish *w, change_fn plan, change_fn make)
{
	struct change c;
	int status;

	if (lock_take(w->verbose))
		return EXIT_FAILED;
	status = change_open(w, &c) ? EXIT_FAILED : change_steps(&c, plan, make);
	lock_release();
	return status;
}

int change_has_predecessor(struct filter *f)
{
	int err = filter_open_predecessor(f);

	if (err)
		return diag_err(err, "cannot tell whether %s has a predecessor: %s", f->name,
				strerror(-err));
	return f->predecessor && !dedup_is_forgotten(f->predecessor->state);
}

int change_wait(const struct wish *w, const char *what)
{
	int has = w->wait, err = has ? kernel_ready(w->verbose, false) : 0;

	while (has && !err) {
		struct filter f;

		err = find(w, what, &f);
		if (err)
			return err == -ENOENT ? 0 : err;
		has = change_has_predecessor(&f);
		filter_close(&f);
		if (has < 0)
			return has;
		if (has)
			usleep(LOOK_US);
	}
	return err;
}
