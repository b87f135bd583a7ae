// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* status: shows a filter, its interfaces, its memory and its counters. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attachments.h"
#include "json_out.h"
#include "kernel.h"
#include "loader.h"
#include "open.h"
#include "status_view.h"
#include "verbs.h"

/* Appends an open filter to `list`, or prints it if that is NULL. Closes the filter. */
static int show_filter(struct filter *f, bool exact, json_object *list)
{
	static struct status s;
	int err = status_collect(f, NULL, exact, &s);

	if (!err)
		status_look_for_unseen(&s);
	if (!err && list)
		json_object_array_add(list, status_json(&s));
	else if (!err)
		status_print(&s);
	status_free(&s);
	return err;
}

static int show_all(bool exact, bool json)
{
	json_object *list = json ? json_object_new_array() : NULL, *all;
	char **names;
	int err = loader_names(&names), shown = 0;

	for (char **n = names; n && *n; n++) {
		struct filter f;
		int open_err = filter_open(*n, &f);

		if (open_err == -ENOENT)
			continue; /* unloaded since */
		if (shown++ && !json)
			putchar('\n');
		if (open_err ? loader_explain(*n, open_err) : show_filter(&f, exact, list))
			err = -EIO;
	}
	if (!err && !shown && !json)
		puts("no filter is loaded");
	loader_free_names(names);
	if (json) {
		all = json_object_new_object();
		json_object_object_add(all, "filters", list);
		json_print(all);
	}
	return err;
}

int verb_status(const struct options *o)
{
	json_object *list = NULL;
	struct filter f;
	int err;

	if (kernel_ready(o->wish.verbose, false))
		return EXIT_FAILED;
	if (!o->args_cnt)
		return show_all(o->exact, o->json) ? EXIT_FAILED : EXIT_DONE;
	if (attachments_open(o->args[0], &f))
		return EXIT_FAILED;
	if (o->json)
		list = json_object_new_array();
	err = show_filter(&f, o->exact, list);
	if (!err && o->json)
		json_print(json_object_get(json_object_array_get_idx(list, 0)));
	json_object_put(list);
	return err ? EXIT_FAILED : EXIT_DONE;
}
