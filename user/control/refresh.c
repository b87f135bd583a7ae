// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* refresh: tells filters which MACs are this host's now. */
#include <errno.h>

#include "loader.h"
#include "lock.h"
#include "open.h"
#include "receivers.h"
#include "verbs.h"
#include "attachments.h"

static int refresh(const char *what, const struct attach_view *now)
{
	struct filter f;
	int err = attachments_open(what, &f);

	if (err)
		return err;
	err = attachments_follow(&f, now->list, now->cnt);
	if (!err)
		receivers_refresh(&f, &now->links);
	filter_close(&f);
	return err;
}

int verb_refresh(const struct options *o)
{
	struct attach_view now;
	char **names = NULL;
	int err;

	if (lock_take(o->verbose) || attach_view_read(&now))
		return EXIT_FAILED;
	if (o->args_cnt)
		err = refresh(o->args[0], &now);
	else
		err = loader_names(&names);
	for (char **n = names; n && *n; n++)
		if (refresh(*n, &now))
			err = -EIO; /* logged; the other filters are still refreshed */
	loader_free_names(names);
	attach_view_free(&now);
	return err ? EXIT_FAILED : EXIT_DONE;
}
