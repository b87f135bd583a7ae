// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "live_exchange.h"
#include "loader.h"
#include "open.h"
#include "pin_dirs.h"
#include "predecessor.h"
#include "start.h"

/* Opens NAME, which is also open as *f, and +NAME. Returns -ENOENT also if +NAME was incomplete, and
 * is removed; or if +NAME is of another version, which alone can complete that change:
 * pin_dir_begin() logs it.
 */
static int open_pair(const char *name, const struct filter *f, struct pair *p)
{
	int format, err = pair_open(name, p);

	if (err != -EPROTO)
		return err;
	format = filter_format(PIN_STAGING(name));
	if (format < 0)
		return format;
	if (format && (format < DEDUP_FORMAT_OLDEST || format > DEDUP_FORMAT))
		return -ENOENT;
	err = filter_stop_staging(name);
	if (err)
		return err;
	WRITE_ONCE(f->state->exchanging, 0);
	return -ENOENT;
}

/* Completes or undoes the change of one filter. An unreadable NAME (-EPROTO) is not logged: the
 * commands that use this filter log it.
 */
static void recover(const char *name)
{
	struct filter f;
	struct pair p;
	int err = filter_open(name, &f);

	if (err == -ENOENT) {
		filter_stop_staging(name);
		return;
	}
	if (!err) {
		err = open_pair(name, &f, &p);
		filter_close(&f);
	}
	if (err) {
		if (err != -ENOENT && err != -EPROTO)
			diag_err(err, "cannot look at what is beside %s: %s", name, strerror(-err));
		return;
	}
	if (filter_is_later(&p.f, &p.staged))
		live_exchange_complete(&p);
	else
		live_exchange_undo(&p);
	pair_close(&p);
}

static bool has_predecessor_pin(const char *name)
{
	return !access(PIN_PATH(name, PINS[PIN_PREDECESSOR_STATE]), F_OK);
}

/* Removes the predecessor of the filter, if it has forgotten every id, or if it cannot be opened
 * because its removal (filter_drop_predecessor()) was cut off.
 */
static void recover_predecessor(const char *name)
{
	struct filter f;
	int err;

	if (!has_predecessor_pin(name) || filter_open(name, &f))
		return;
	err = filter_open_predecessor(&f);
	if (!err &&
	    (f.predecessor ? dedup_is_forgotten(f.predecessor->state) : has_predecessor_pin(name)))
		err = filter_drop_predecessor(&f);
	if (err)
		diag_err(err, "cannot free the predecessor of %s: %s", name, strerror(-err));
	filter_close(&f);
}

/* For scandir(): is the entry a +NAME? */
static int is_staging(const struct dirent *entry)
{
	return entry->d_name[0] == *STAGING && filter_name_ok(entry->d_name + 1);
}

void live_exchange_recover(void)
{
	struct dirent **found;
	int cnt = scandir(PIN_ROOT, &found, is_staging, alphasort);
	char **names;

	for (int i = 0; i < cnt; i++) {
		recover(found[i]->d_name + 1);
		free(found[i]);
	}
	if (cnt >= 0)
		free(found);
	if (loader_find_names(&names))
		return;
	for (char **n = names; *n; n++)
		recover_predecessor(*n);
	loader_free_names(names);
}
