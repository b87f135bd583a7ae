// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* refresh: tells filters which MACs are this host's now. */
#include <errno.h>

#include "loader.h"
#include "receivers.h"
#include "verbs.h"
#include "attachments.h"

static int refresh(const char *what, const struct links *links)
{
	struct filter f;
	int err = attachments_open(what, &f);

	if (err)
		return err;
	err = attachments_follow(&f);
	if (!err)
		receivers_refresh(&f, links);
	filter_close(&f);
	return err;
}

int verb_refresh(const struct options *o)
{
	struct links links;
	char **names = NULL;
	int err;

	if (loader_begin(o->verbose) || receivers_links(&links))
		return EXIT_FAILED;
	if (o->args_cnt)
		err = refresh(o->args[0], &links);
	else
		err = loader_names(&names);
	for (char **n = names; n && *n; n++)
		if (refresh(*n, &links))
			err = -EIO; /* said; the other filters are still refreshed */
	loader_free_names(names);
	links_free(&links);
	return err ? EXIT_FAILED : EXIT_DONE;
}
