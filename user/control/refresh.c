// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* refresh: updates which MACs are this host's in filters. */
#include <errno.h>

#include "attachments.h"
#include "control.h"
#include "loader.h"
#include "lock.h"
#include "open.h"
#include "receivers.h"

static int refresh(const char *what, const struct links *now)
{
	struct attachments at;
	struct filter f;
	int err = attachments_open(what, &f);

	if (err)
		return err;
	err = attachments_read(&f, now, &at);
	if (err) {
		loader_explain(f.name, err);
	} else {
		attachments_update_record(&f, &at);
		receivers_refresh(&f, now);
	}
	filter_close(&f);
	return err;
}

int control_refresh(const struct wish *w)
{
	struct links now = { 0 };
	char **names = NULL;
	int err = lock_take(w->verbose);

	if (err)
		return EXIT_FAILED;
	err = receivers_links(&now);
	if (!err)
		err = w->name ? refresh(w->name, &now) : loader_names(&names);
	for (char **n = names; n && *n; n++)
		if (refresh(*n, &now))
			err = -EIO; /* logged; the other filters are still refreshed */
	loader_free_names(names);
	links_free(&now);
	lock_release();
	return err ? EXIT_FAILED : EXIT_DONE;
}
