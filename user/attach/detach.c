// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "detach.h"

#include <errno.h>
#include <string.h>

#include <xdp/libxdp.h>

#include "diag.h"

/* 0 if the interface does not run it any more, whoever detached it; else -errno. Logs nothing. */
static int detach_one(const struct attachment *a)
{
	struct attachment still = { 0 };
	struct xdp_program *prog;
	fd_set before;
	int err;

	attach_note_fds(&before);
	prog = xdp_program__from_id(a->id.prog_id);
	err = libxdp_get_error(prog);
	if (!err) {
		err = xdp_program__detach(prog, a->ifindex, attach_mode_xdp(a->mode), 0);
		xdp_program__close(prog);
	}
	attach_close_other_fds(&before);
	/* It is no failure if another process was first, or the interface is gone. */
	return err && attach_find(a->ifindex, &still) == 0 ? 0 : err;
}

/* The kernel does not change the XDP program of a device while a device on top of it (its bridge,
 * say) runs one: the upper one must go first. So all that are left are tried again after each round
 * that has detached any.
 */
int detach_meant(struct attachment *list, int cnt)
{
	bool progress = true;
	int err = 0;

	while (progress) {
		progress = false;
		for (int i = 0; i < cnt; i++)
			if (list[i].meant && !list[i].detached) {
				list[i].detach_err = detach_one(&list[i]);
				list[i].detached = !list[i].detach_err;
				progress |= list[i].detached;
			}
	}
	for (int i = 0; i < cnt; i++)
		if (list[i].meant && !list[i].detached)
			err = diag_err(list[i].detach_err,
				       "cannot detach from %s: %s; it goes on filtering" ADVICE "%s",
				       list[i].ifname, strerror(-list[i].detach_err),
				       list[i].detach_err == -EBUSY
					       ? "if a device on top of it, as a bridge, runs XDP: first ip link set dev DEVICE xdp off"
					       : "--verbose shows what the kernel says");
	return err;
}
