// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* status: what a filter is, where it runs, what it holds and what it has done. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "attachments.h"
#include "json_out.h"
#include "kernel.h"
#include "loader.h"
#include "open.h"
#include "predecessor.h"
#include "status_view.h"
#include "verbs.h"

/* Prints an open filter, or, unless `list` is NULL, appends it there. Closes the filter. *view is
 * one of earlier filters, or empty.
 */
static int show_filter(struct filter *f, struct attach_view *view, bool exact, json_object *list)
{
	struct status *s = calloc(1, sizeof(*s));
	int err = s ? attachments_view(f, view) : -ENOMEM;

	if (err) {
		filter_close(f);
		free(s);
		return err;
	}
	err = status_collect(f, view, exact, s);
	if (!err)
		status_look_for_unseen(s);
	if (!err && list)
		json_object_array_add(list, status_json(s));
	else if (!err)
		status_print(s);
	status_free(s);
	free(s);
	return err;
}

static bool is_attachment_in(const struct attachment *list, int cnt, const struct attachment *a)
{
	for (int i = 0; i < cnt; i++)
		if (list[i].ifindex == a->ifindex && list[i].id.state_id == a->id.state_id)
			return true;
	return false;
}

/* Does attachments_has_state() for each of these names. Returns 1 or 0; -errno (logged). */
static int is_named(char **names, uint32_t state_id)
{
	for (char **n = names; *n; n++) {
		int has = attachments_has_state(*n, state_id);

		if (has < 0)
			return loader_explain(*n, has);
		if (has)
			return 1;
	}
	return 0;
}

/* Leaves in the list what runs a filter that none of these names has. Returns how many; or -errno
 * (logged).
 */
static int keep_nameless(char **names, struct attachment *list, int cnt)
{
	int kept = 0;

	for (int i = 0; i < cnt; i++) {
		int named = list[i].err ? 1 : is_named(names, list[i].id.state_id);

		if (named < 0)
			return named;
		if (!named)
			list[kept++] = list[i];
	}
	return kept;
}

/* Logs each interface that runs a filter which has no name any more, as its pins are gone: -ESTALE
 * if one does. Pins are there as long as a filter is attached, so one that was attached before and
 * after they were looked for lacks them; others are being loaded or unloaded.
 */
static int check_nameless(void)
{
	struct attachment *before = NULL, *after = NULL;
	int before_cnt = 0, after_cnt = 0;
	char **names = NULL;
	int gone = 0, err = attach_list(&before, &before_cnt) ?: loader_names(&names);

	if (!err) {
		before_cnt = keep_nameless(names, before, before_cnt);
		err = before_cnt < 0 ? before_cnt : attach_list(&after, &after_cnt);
	}
	for (int i = 0; i < after_cnt && !err; i++)
		if (!after[i].err && is_attachment_in(before, before_cnt, &after[i]))
			gone = attachments_explain_gone(after[i].ifname);
	if (!err)
		err = attach_log_unknown(after, after_cnt) ?: gone;
	loader_free_names(names);
	free(before);
	free(after);
	return err;
}

static int show_all(bool exact, bool json)
{
	json_object *list = json ? json_object_new_array() : NULL, *all;
	struct attach_view view = { 0 };
	char **names;
	int err = loader_names(&names), shown = 0;

	for (char **n = names; n && *n; n++) {
		struct filter f;
		int open_err = filter_open(*n, &f);

		if (open_err == -ENOENT)
			continue; /* unloaded since */
		if (shown++ && !json)
			putchar('\n');
		if (open_err ? loader_explain(*n, open_err) : show_filter(&f, &view, exact, list))
			err = -EIO;
	}
	attach_view_free(&view);
	if (!err)
		err = check_nameless();
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
	struct attach_view view = { 0 };
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
	err = show_filter(&f, &view, o->exact, list);
	attach_view_free(&view);
	if (!err && o->json)
		json_print(json_object_get(json_object_array_get_idx(list, 0)));
	json_object_put(list);
	return err ? EXIT_FAILED : EXIT_DONE;
}
