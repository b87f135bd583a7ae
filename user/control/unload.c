// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* unload: detaches filters from some interfaces, or unloads a filter by name, or all filters. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "attachments.h"
#include "control.h"
#include "detach.h"
#include "diag.h"
#include "iface.h"
#include "identity.h"
#include "loader.h"
#include "lock.h"
#include "open.h"
#include "share.h"
#include "start.h"
#include "unread.h"

/* Detaches the program from one interface. */
static int take_off(const char *name, const struct attachment *a)
{
	struct identity id;
	int err;

	if (!a->shared)
		return detach_begin(name, a->recorded);
	err = filter_identity(name, &id);
	return err ? loader_explain(name, err)
		   : share_detach(a->ifname, (int)a->ifindex, id.config_id);
}

/* Detaches a filter from one of several interfaces. */
static int unload_interface(struct filter *f, const struct attachment *a)
{
	int err = take_off(f->name, a);

	if (err)
		return err;
	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (f->record->ifaces[i].ifindex && !strcmp(f->record->ifaces[i].name, a->recorded))
			f->record->ifaces[i] = (struct dedup_iface){ 0 };
	/* Makes readers of its queues check where it runs. */
	__sync_fetch_and_add(&f->state->serial, 1);
	unread_want(f, f);
	return detach_finish();
}

static int unload_from(const char *ifname, bool *ret_last, char name[NAME_MAX_LEN + 1])
{
	const struct attachment *a;
	struct attachments at;
	struct filter f;
	int err = attachments_find(ifname, &f);

	if (err == -ENOENT)
		return diag_err(err,
				"%s runs no filter" ADVICE "xdp-dedup status lists those that do",
				ifname);
	if (err)
		return err;
	err = attachments_read(&f, NULL, &at);
	if (err)
		diag_err(err, "cannot tell where %s runs: %s", f.name, strerror(-err));
	a = err ? NULL : attachments_on(&at, ifname);
	if (!err && !a && at.cnt)
		err = diag_err(-ENODEV,
			       "%s runs no filter" ADVICE
			       "unload --name %s removes the filter of that name",
			       ifname, f.name);
	snprintf(name, NAME_MAX_LEN + 1, "%.*s", NAME_MAX_LEN, f.name);
	*ret_last = !a || at.cnt == 1;
	if (!err && !*ret_last)
		err = unload_interface(&f, a);
	filter_close(&f);
	return err;
}

/* Detaches the filter from this interface here, and unloads it if that was its last interface. */
static int unload_ifname(const char *ifname)
{
	char name[NAME_MAX_LEN + 1];
	bool last = false;
	int err = unload_from(ifname, &last, name);

	return err ?: last ? filter_stop(name) : 0;
}

/* Unloads the filter of this name, even if it cannot be opened. */
static int unload_name(const char *name)
{
	struct filter f;
	int err = filter_open_without_blocks(name, &f);

	if (err == -ENOENT || err == -ENODEV)
		return loader_explain(name, err);
	if (!err)
		filter_close(&f);
	return filter_stop(name);
}

static int unload_all(void)
{
	char **names;
	int err = loader_names(&names);

	for (char **n = names; n && *n; n++)
		if (filter_stop(*n))
			err = -EIO; /* logged; the others are still unloaded */
	loader_free_names(names);
	return err;
}

int control_unload(const struct wish *w)
{
	int err = 0;

	if (!!w->where.cnt + !!w->name + w->all != 1)
		return diag_err(EXIT_MISUSED, "unload takes interfaces, or --name NAME, or --all");
	if (lock_take(w->verbose))
		return EXIT_FAILED;
	for (int i = 0; i < w->where.cnt; i++)
		if (unload_ifname(w->where.ifnames[i]))
			err = -EIO;
	if (w->name)
		err = unload_name(w->name);
	if (w->all)
		err = unload_all();
	lock_release();
	return err ? EXIT_FAILED : EXIT_DONE;
}
