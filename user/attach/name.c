// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "name.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "attachments.h"
#include "diag.h"
#include "loader.h"
#include "open.h"
#include "start.h"

void name_default(const char *ifname, char name[NAME_MAX_LEN + 1])
{
	snprintf(name, NAME_MAX_LEN + 1, "%s", ifname);
	for (char *c = name; *c; c++)
		if (!filter_name_ok((char[]){ *c, 0 }))
			*c = '_';
	if (!filter_new_name_ok(name))
		name[0] = '_';
	if (strcmp(name, ifname))
		diag_note("the filter is called %s: pins cannot have %s's name", name, ifname);
}

static int log_loaded(const char *name, const char *other)
{
	return diag_err(-EEXIST,
			"the filter %s is loaded already%s" ADVICE
			"--name gives another name, xdp-dedup unload --name %s removes it",
			name, other, name);
}

int name_claim(const char *name)
{
	struct filter f;
	int in_use, err = filter_open(name, &f);
	const char *other;

	if (err == -ENOENT)
		return 0;
	if (err && err != -EPROTO)
		return loader_explain(name, err);
	if (!err)
		filter_close(&f);
	in_use = attachments_in_use(name);
	if (in_use < 0)
		return diag_err(
			in_use,
			"cannot tell whether the filter %s is in use: %s" ADVICE
			"--name gives another name, xdp-dedup unload --name %s --force removes it",
			name, strerror(-in_use), name);
	other = err ? ", by another version of this program" : "";
	if (in_use == ATTACHED_ELSEWHERE)
		return diag_err(
			-EEXIST,
			"the filter %s is loaded already%s, in another network namespace (or something else holds its program)" ADVICE
			"--name gives another name, xdp-dedup unload IFNAME there or unload --name %s --force removes it",
			name, other, name);
	if (in_use)
		return log_loaded(name, other);
	diag_note("removing what an earlier load left of %s: nothing is attached to it", name);
	return filter_remove(name);
}

int name_look(const char *name)
{
	struct identity id = { 0 };
	char path[PATH_MAX];
	int err, here;

	pin_path(path, name, NULL);
	err = access(path, F_OK) ? -errno : filter_identity(name, &id);
	if (err == -ENOENT)
		return 0;
	if (err)
		return diag_err(err, "cannot tell whether there is a filter %s: %s", name,
				strerror(-err));
	here = attachments_here(id);
	if (here)
		return here < 0 ? here : log_loaded(name, "");
	diag_note("there are pins of a filter %s: load removes them if nothing uses it, and else fails" ADVICE
		  "--name gives another name",
		  name);
	return 0;
}
