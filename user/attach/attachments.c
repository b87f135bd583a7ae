// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "attachments.h"

#include <stdlib.h>
#include <string.h>

#include "detach.h"
#include "diag.h"
#include "links.h"
#include "live.h"
#include "pin_dirs.h"

bool attachments_is_theirs(const struct attachment *a, struct identity id)
{
	if (a->err)
		return false;
	return (id.state_id && a->id.state_id == id.state_id) ||
	       (id.prog_id && a->id.prog_id == id.prog_id);
}

int attachments_here(struct identity id)
{
	struct attachment *list;
	bool here = false;
	int cnt, err = attach_list(&list, &cnt);

	if (err)
		return err;
	for (int i = 0; i < cnt; i++)
		here |= attachments_is_theirs(&list[i], id);
	free(list);
	return here;
}

int attachments_elsewhere(const char *name)
{
	struct identity id, staged;
	char directory[PATH_MAX];
	int err = filter_identity(name, &id);

	pin_dir_staging(directory, name);
	if (!err)
		err = filter_identity(directory, &staged);
	if (!err && !id.prog_id) /* a load was killed before it could pin its program */
		err = live_find_program(id.state_id, &id.prog_id);
	if (err)
		return err;
	if (staged.config_id || (id.prog_id && links_run_xdp_elsewhere(id.prog_id) > 0))
		return 1;
	return live_anywhere(name);
}

int attachments_has_state(const char *name, uint32_t state_id)
{
	char directory[PATH_MAX];
	struct identity id;
	int err = filter_identity(name, &id);

	if (err || id.state_id == state_id)
		return err ?: 1;
	pin_dir_staging(directory, name);
	return filter_identity(directory, &id) ?: id.state_id == state_id;
}

int attachments_in_use(const char *name)
{
	struct identity id;
	int err = filter_identity(name, &id) ?: attachments_here(id);

	if (err)
		return err > 0 ? ATTACHED_HERE : err;
	err = attachments_elsewhere(name);
	return err > 0 ? ATTACHED_ELSEWHERE : err;
}

int attachments_detach(const char *name)
{
	struct attachment *list;
	struct identity id;
	int cnt, err = filter_identity(name, &id);

	if (err)
		return diag_err(err, "cannot tell where %s runs: %s", name, strerror(-err));
	err = attach_list(&list, &cnt);
	if (err)
		return err;
	for (int i = 0; i < cnt; i++)
		list[i].meant = attachments_is_theirs(&list[i], id);
	err = detach_meant(list, cnt) ?: detach_finish();
	free(list);
	return err;
}
