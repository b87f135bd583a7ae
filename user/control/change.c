// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "attachments.h"
#include "diag.h"
#include "here.h"
#include "kernel.h"
#include "loader.h"
#include "lock.h"
#include "open.h"
#include "pin_dirs.h"
#include "predecessor.h"

#define LOOK_US 100000

static bool is_listed(const struct change *c, int ifindex)
{
	for (int i = 0; i < c->cnt; i++)
		if (c->list[i].ifindex == ifindex)
			return true;
	return false;
}

/* Leaves in c->list, of `all`, one attachment of this filter for each interface: until a change has
 * ended, both of its programs may be in one dispatcher.
 */
static int keep_own(struct change *c, int all)
{
	for (int i = 0; i < all; i++) {
		if (c->list[i].id.state_id != c->f.state_id || is_listed(c, c->list[i].ifindex))
			continue;
		if (c->cnt == DEDUP_IFACES_MAX)
			return diag_err(-E2BIG,
					"%s runs on more than %d interfaces" ADVICE
					"xdp-dedup unload IFNAME detaches it from one",
					c->f.name, DEDUP_IFACES_MAX);
		c->list[c->cnt] = c->list[i];
		c->ifnames[c->cnt] = c->list[c->cnt].ifname;
		c->cnt++;
	}
	return 0;
}

/* Leaves in c->list the attachments of this filter. */
static int find_attachments(struct change *c)
{
	int all, err = attach_list(&c->list, &all) ?:
		       attachments_follow(&c->f, c->list, all) ?:
		       attach_log_unknown(c->list, all);

	if (err)
		return err;
	attachments_forget_gone(&c->f, c->list, all);
	return keep_own(c, all);
}

/* Where it runs, and what it is. */
static int look_at_filter(struct change *c)
{
	const struct dedup_iface *unseen;
	char name[IF_NAMESIZE];
	int err = find_attachments(c);

	for (int i = 0; i < c->w->remove_cnt && !err; i++)
		c->is_given_up[i] = !attachments_give_up(&c->f, c->w->remove[i]);
	unseen = err ? NULL : attachments_unseen(&c->f);
	if (unseen) {
		here_name(unseen, name);
		err = diag_err(
			-EXDEV,
			"%s also runs, or ran, on %s, which is not here: first xdp-dedup unload %s where that is; or, if it has gone, xdp-dedup set %s --remove %s",
			c->f.name, name, name, c->f.name, name);
	}
	if (err) {
		change_end(c);
		return err;
	}
	c->where = (struct placement){ c->ifnames, c->cnt, c->w->where.mode };
	spec_of_config(c->f.config, &c->spec);
	return 0;
}

/* Of load, a name is not taken for an interface, on which another filter may run. Returns as
 * attachments_find().
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
	if (err || c->cnt)
		return err;
	/* The programs may be those of +NAME yet. */
	err = pin_dir_check_ended(c->f.name)
		      ?: diag_err(-ENODEV,
				  "%s runs on no interface here: xdp-dedup load --replace --name %s IFNAME... has it run there, and forgets nothing",
				  c->f.name, c->f.name);
	change_end(c);
	return err;
}

void change_end(struct change *c)
{
	filter_close(&c->f);
	free(c->list);
	c->list = NULL;
}

int change_run(const struct wish *w, int (*make)(struct change *c))
{
	struct change c;
	int err = lock_take(w->verbose);

	if (err)
		return err;
	err = change_open(w, &c);
	if (!err) {
		err = make(&c);
		change_end(&c);
	}
	lock_release();
	return err;
}

/* Has this open filter a predecessor that knows ids? 1 or 0; -errno (logged). */
static int has_predecessor(struct filter *f)
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
		has = has_predecessor(&f);
		filter_close(&f);
		if (has < 0)
			return has;
		if (has)
			usleep(LOOK_US);
	}
	return err;
}
