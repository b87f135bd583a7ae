// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* unload: from some interfaces, or a filter, or all there are. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "kernel.h"
#include "loader.h"
#include "say.h"
#include "verbs.h"
#include "where.h"

/* Where this process cannot see it, the program stays: without its hand it lets
 * everything pass.
 */
static void note_other_netns(const struct filter *f)
{
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		const struct dedup_iface *iface = &f->state->ifaces[i];

		if (iface->ifindex && iface->netns != kernel_netns())
			say_note("%s also ran on %s in another network namespace; there: "
				 "xdp-dedup unload %s",
				 f->name, iface->name, iface->name);
	}
}

static int unload_name(const char *name)
{
	struct filter f;
	int err = filter_open(name, &f);

	if (err && err != -EPROTO)
		return filter_explain(name, err);
	if (!err) {
		note_other_netns(&f);
		filter_close(&f);
	}
	err = where_detach(name, 0);
	return err < 0 ? err : loader_remove(name);
}

static int unload_interface(const char *ifname)
{
	char name[NAME_MAX_LEN + 1];
	struct dedup_iface *iface;
	struct attachment a;
	struct filter f;
	int left, err = where_on(ifname, &a, &f);

	if (err == -ENOENT && a.ifindex)
		return detach(&a); /* its pins are gone: only the program is left */
	if (err == -ENOENT)
		return say_err(err, "%s runs no filter; xdp-dedup status lists those that do",
			       ifname);
	if (err)
		return err;

	left = where_detach(f.name, a.ifindex ? a.ifindex : -1);
	iface = where_recorded(&f, ifname);
	if (left >= 0 && iface)
		*iface = (struct dedup_iface){ 0 };
	if (!left)
		left = where_elsewhere(&f);
	snprintf(name, sizeof(name), "%s", f.name);
	filter_close(&f);
	if (left < 0)
		return left;
	return left ? 0 : loader_remove(name);
}

/* Goes on after a failure, and does not forget it. */
static int first_error(int err, int next)
{
	return err ? err : next;
}

/* Every filter, and programs whose pins are gone. */
static int unload_all(void)
{
	struct attachment *list;
	char **names;
	int cnt, err = loader_names(&names);

	if (err)
		return err;
	for (char **n = names; *n; n++)
		err = first_error(err, unload_name(*n));
	loader_free_names(names);
	if (attach_list(&list, &cnt))
		return -EIO;
	for (int i = 0; i < cnt; i++)
		err = first_error(err, detach(&list[i]));
	free(list);
	return err;
}

int verb_unload(const struct options *o)
{
	int err = 0;

	if (!!o->args_cnt + !!o->name + o->all != 1) {
		say_err(0, "unload takes interfaces, or --name NAME, or --all");
		return EXIT_MISUSED;
	}
	if (loader_begin(o->verbose))
		return EXIT_FAILED;
	if (o->name)
		err = unload_name(o->name);
	for (int i = 0; i < o->args_cnt; i++)
		err = first_error(err, unload_interface(o->args[i]));
	if (o->all)
		err = unload_all();
	return err ? EXIT_FAILED : EXIT_DONE;
}
