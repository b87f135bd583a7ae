// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Attaches a filter to interfaces that have come back with their names. The filter keeps its
 * program for that, as a new one would take ten times as long.
 */
#include <errno.h>
#include <string.h>

#include "change.h"
#include "control.h"
#include "diag.h"
#include "fd.h"
#include "iface.h"
#include "links_exchange.h"
#include "loader.h"
#include "lock.h"
#include "receivers.h"

/* Returns the entry of the record with this name, or NULL. */
static struct dedup_iface *recorded_entry(const struct change *c, const char *ifname)
{
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		struct dedup_iface *entry = &c->f.record->ifaces[i];

		if (entry->ifindex && !strcmp(entry->name, ifname))
			return entry;
	}
	return NULL;
}

/* Returns whether the filter runs where it is to run, except interfaces that have come back. */
static bool has_only_returned(const struct change *c)
{
	bool only = c->requested.cnt == c->at.cnt && !c->f.config->policy.deliver;

	for (int i = 0; i < c->at.cnt; i++)
		only &= !c->at.list[i].shared && (!c->at.list[i].ifindex || c->at.list[i].ours);
	for (int i = 0; i < c->requested.cnt; i++) {
		const struct dedup_iface *entry = &c->requested.list[i];

		only &= *c->requested.recorded[i] ||
			(!entry->shared && recorded_entry(c, entry->name));
	}
	return only;
}

/* Attaches the filter's present program to one interface that has come back. */
static int attach_returned(struct change *c, const struct dedup_iface *entry_now, int prog_fd,
			   const struct links *links)
{
	struct dedup_iface *entry = recorded_entry(c, entry_now->name), before = *entry;
	int err;

	*entry = *entry_now;
	receivers_refresh(&c->f, links);
	err = links_attach(c->f.name, entry, prog_fd);
	if (err)
		*entry = before;
	else
		diag_done("%s: runs on %s again", c->f.name, entry_now->name);
	return err;
}

static int attach_all_returned(struct change *c)
{
	int prog_fd = loader_open_program(c->f.name);
	struct links links = { 0 };
	int err = prog_fd < 0 ? prog_fd : receivers_links(&links);

	for (int i = 0; i < c->requested.cnt && !err; i++)
		if (!*c->requested.recorded[i])
			err = attach_returned(c, &c->requested.list[i], prog_fd, &links);
	links_free(&links);
	fd_close(prog_fd);
	return err;
}

static int attach_in_change(struct change *c)
{
	int err = change_request_interfaces(c);

	if (!err && !has_only_returned(c))
		return -EAGAIN;
	return err ?: change_check_stacking(c, c->f.config) ?: attach_all_returned(c);
}

int control_attach_returned(const struct wish *w)
{
	int err = lock_try();
	struct change c;

	if (err)
		return err == -EBUSY ? -EAGAIN : err;
	err = change_find(w, w->name, &c);
	if (!err) {
		err = attach_in_change(&c);
		change_end(&c);
	}
	lock_release();
	return err == -ENOENT ? -EAGAIN : err;
}
