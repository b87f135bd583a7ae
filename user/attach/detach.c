// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "detach.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/if_link.h>
#include <xdp/libxdp.h>

#include "detach_program.h"
#include "device.h"
#include "diag.h"
#include "dispatch.h"
#include "fd.h"
#include "kernel.h"
#include "links.h"

/* Step 1 on one interface; -EOPNOTSUPP if other programs share the dispatcher. */
static int pass_all(const struct attachment *a, int program_fd)
{
	struct attachment caller = *a;
	int err;

	if (program_fd < 0 || a->mode == MODE_HW)
		return -EOPNOTSUPP;
	err = attach_caller(a, &caller.id.prog_id);
	if (err != 1)
		return err ?: -EOPNOTSUPP;
	err = attach_exchange(&caller, program_fd);
	if (!err && a->dispatcher)
		dispatch_remove(a->ifindex, caller.id.prog_id);
	return err;
}

/* Both steps in one. */
static int detach_now(const struct attachment *a)
{
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
	return err;
}

/* 0 if the interface does not run it any more, whoever detached it; else -errno. Logs nothing. */
static int detach_one(const struct attachment *a, int program_fd)
{
	struct attachment still = { 0 };
	int err;

	kernel_forget_message();
	err = pass_all(a, program_fd);
	if (err)
		err = detach_now(a);
	/* It is no failure if another process was first, or the interface is gone. */
	return err && attach_find(a->ifindex, &still) == 0 ? 0 : err;
}

/* Goes once over those that are left. Returns how many have been detached. */
static int detach_round(struct attachment *list, int cnt, int program_fd)
{
	int detached = 0;

	for (int i = 0; i < cnt; i++)
		if (list[i].meant && !list[i].detached) {
			list[i].detach_err = detach_one(&list[i], program_fd);
			list[i].detached = !list[i].detach_err;
			detached += list[i].detached;
		}
	return detached;
}

static int count_left(const struct attachment *list, int cnt)
{
	int left = 0;

	for (int i = 0; i < cnt; i++)
		left += list[i].meant && !list[i].detached;
	return left;
}

static int log_kept(const struct attachment *a)
{
	if (a->detach_err == -EBUSY)
		return diag_err(
			a->detach_err,
			"cannot detach from %s: %s; it goes on filtering" ADVICE DETACH_UPPER_FIRST,
			a->ifname, strerror(EBUSY));
	return diag_err(a->detach_err,
			"cannot detach from %s: %s; it goes on filtering" ADVICE
			"--verbose shows what the kernel says",
			a->ifname, attach_refusal(a->detach_err));
}

/* The kernel does not change the XDP program of a device while a device on top of it (its bridge,
 * say) runs one: the upper one must go first. So all that are left are tried again after each round
 * that has detached any.
 */
int detach_meant(struct attachment *list, int cnt)
{
	int err = 0, program_fd = count_left(list, cnt) ? detach_program_load() : -1;

	while (detach_round(list, cnt, program_fd) && count_left(list, cnt))
		detach_finish();
	fd_close(program_fd);
	for (int i = 0; i < cnt; i++)
		if (list[i].meant && !list[i].detached)
			err = log_kept(&list[i]);
	return err;
}

/* May applications have zero-copy sockets there? False on a kernel that does not tell (detach.h). */
static bool may_have_sockets(const struct link *l)
{
	int has = device_has_zerocopy_sockets((int)l->index);

	return has && has != -ENOENT;
}

/* Step 2 in this mode, after a wait for packets, unless that is done. Returns 1 if step 2 was done;
 * 0 if DETACH_PROGRAM does not run there; -errno.
 */
static int finish_mode(const struct link *l, enum link_xdp xdp, enum attach_mode mode, bool *waited)
{
	int fd = l->xdp_ids[xdp] ? detach_program_open(l->xdp_ids[xdp]) : 0, err;
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = fd);

	if (fd <= 0)
		return fd;
	if (may_have_sockets(l)) {
		close(fd);
		return -EUSERS;
	}
	if (!*waited)
		kernel_wait_for_packets();
	*waited = true;
	err = bpf_xdp_detach((int)l->index, attach_mode_flag(mode) | XDP_FLAGS_REPLACE, &opts);
	close(fd);
	if (err == -ENODEV) /* the interface has gone */
		err = 0;
	return err ?: 1;
}

/* Goes once over all interfaces. Returns how many were detached, and the first failure. */
static int finish_round(const struct links *links, char ifname[IF_NAMESIZE], int *ret_err)
{
	bool waited = false;
	int detached = 0;

	*ret_err = 0;
	for (int i = 0; i < links->cnt; i++) {
		const struct link *l = &links->list[i];
		int err = finish_mode(l, LINK_XDP_NATIVE, MODE_NATIVE, &waited)
				  ?: finish_mode(l, LINK_XDP_SKB, MODE_SKB, &waited);

		detached += err > 0;
		if (err < 0 && (!*ret_err || *ret_err == -EUSERS)) {
			*ret_err = err;
			memcpy(ifname, l->name, IF_NAMESIZE);
		}
	}
	return detached;
}

/* Step 2 wherever it is left to do. *ifname: "", or the interface that it failed on. */
static int finish_all(char ifname[IF_NAMESIZE])
{
	struct links links;
	int detached, err;

	do {
		*ifname = 0;
		err = links_read(&links);
		detached = err ? 0 : finish_round(&links, ifname, &err);
		links_free(&links);
	} while (err && detached); /* a device on top must be detached before the device below */
	return err;
}

int detach_finish(void)
{
	char ifname[IF_NAMESIZE];
	int err = finish_all(ifname);

	if (err && !*ifname)
		return diag_err(err, "cannot list the interfaces: %s", strerror(-err));
	if (err == -EUSERS) {
		diag_note("%s keeps a program that passes all packets, as applications may have zero-copy sockets there" ADVICE
			  "when they have ended, any xdp-dedup command that changes filters detaches it",
			  ifname);
		return 0;
	}
	return err ? diag_err(err,
			      "cannot detach from %s: %s; it passes all packets" ADVICE DETACH_UPPER_FIRST,
			      ifname, strerror(-err))
		   : 0;
}

void detach_settle(void)
{
	char ifname[IF_NAMESIZE];

	finish_all(ifname);
}
