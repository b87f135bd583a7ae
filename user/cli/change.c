// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "change.h"

#include <errno.h>
#include <stdlib.h>

#include "attachments.h"
#include "loader.h"
#include "say.h"

/* Leaves in c->list the attachments of this filter. */
static int find_attachments(struct change *c)
{
	int all, err = attach_list(&c->list, &all);

	if (!err)
		err = attach_say_unknown(c->list, all);
	if (err)
		return err;
	for (int i = 0; i < all; i++)
		if (c->list[i].id.state_id == c->f.state_id)
			c->list[c->cnt++] = c->list[i];
	if (!c->cnt)
		return say_err(-ENODEV, "%s runs on no interface here: load it again", c->f.name);
	for (int i = 0; i < c->cnt; i++)
		c->ifnames[i] = c->list[i].ifname;
	return 0;
}

int change_begin(const struct options *o, struct change *c)
{
	const char *unseen;
	int err;

	*c = (struct change){ .f = { .stats_fd = -1, .wanted_fd = -1 } };
	err = loader_begin(o->verbose);
	if (!err)
		err = attachments_open(o->args[0], &c->f);
	if (err)
		return err;
	err = attachments_follow(&c->f);
	if (!err)
		err = find_attachments(c);
	unseen = err ? NULL : attachments_unseen(&c->f);
	if (unseen)
		err = say_err(
			-EXDEV,
			"%s also runs, or ran, on %s, which is not here: only where all of its "
			"interfaces are can it be changed (xdp-dedup unload there, first)",
			c->f.name, unseen);
	if (err) {
		change_end(c);
		return err;
	}
	c->where = (struct placement){ c->ifnames, c->cnt, o->mode };
	spec_of_config(c->f.config, &c->spec);
	return 0;
}

void change_end(struct change *c)
{
	filter_close(&c->f);
	free(c->list);
	c->list = NULL;
}
