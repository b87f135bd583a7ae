// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Checks of this host and this process. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "bpffs.h"
#include "detach.h"
#include "diag.h"
#include "dirs.h"
#include "check_context.h"
#include "kernel.h"
#include "lock.h"
#include "name.h"
#include "open_filter.h"
#include "share.h"
#include "receivers.h"

int check_rights(struct check_context *q)
{
	check_found(q, "this process may load BPF programs and attach them");
	return kernel_permits("load", KERNEL_LOAD);
}

int check_kernel(struct check_context *q)
{
	struct utsname un;

	uname(&un);
	check_text(q, "kernel_release", un.release);
	if (!kernel_has_rights(KERNEL_BPF))
		return check_unknown(q, "Linux %s; what of BPF it has cannot be told without CAP_BPF",
				     un.release);
	check_found(q, "Linux %s: has XDP, BPF timers and loops, frags", un.release);
	return kernel_check(-EOPNOTSUPP);
}

int check_preemption(struct check_context *q)
{
	if (q->subject->spec->count_only)
		return check_found(q, "with --action count no packet is dropped");
	check_found(q, "a CPU ends each packet before it begins another one");
	return kernel_check_preemption();
}

/* Returns 1 if the kernel compiles BPF programs, 0 if not; -errno if that is unknown. */
static int jit_is_on(void)
{
	struct bpf_prog_info info = { 0 };
	int fd = kernel_has_rights(KERNEL_LOAD) ? detach_pass_all() : -EPERM, err;

	if (fd < 0)
		return fd;
	err = kernel_info(fd, &info, sizeof(info)) ?: info.jited_prog_len > 0;
	close(fd);
	return err;
}

int check_jit(struct check_context *q)
{
	int on = jit_is_on();

	if (on >= 0)
		check_flag(q, "jit", on);
	check_found(q, on < 0 ? "whether BPF programs are compiled cannot be told"
			      : "BPF programs are compiled");
	if (!on)
		diag_note("BPF programs are interpreted, which takes several times as long" ADVICE
			  "sysctl -w net.core.bpf_jit_enable=1");
	return on < 0 ? CHECK_IS_UNKNOWN : 0;
}

int check_dispatcher(struct check_context *q)
{
	int err, runs;

	if (!q->subject->where->share)
		return check_found(
			q, "the filter is alone on its interfaces, without libxdp's dispatcher");
	err = share_ready();
	if (err)
		return err;
	/* The dispatcher's functions are replaced by programs of this type. */
	runs = libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_EXT, NULL);
	if (runs < 0 || (!runs && !kernel_has_rights(KERNEL_LOAD)))
		return check_unknown(q, "it is unknown whether libxdp's dispatcher can run");
	check_flag(q, "dispatcher_runs", runs);
	check_found(q, "libxdp's dispatcher can run: other XDP programs may be beside the filter");
	if (!runs)
		diag_note("libxdp's dispatcher cannot run: this kernel has no programs of type EXT, or no BTF");
	return 0;
}

int check_bpffs(struct check_context *q)
{
	int err = bpffs_ready(false);

	check_found(q, "pins last: the BPF file system at " BPFFS " is mounted elsewhere, too");
	if (!err && !dir_is_bpffs_mounted())
		diag_note("there is no BPF file system at " BPFFS ": load mounts one");
	return err;
}

int check_lock(struct check_context *q)
{
	check_found(q, "no other xdp-dedup is changing filters");
	return lock_check();
}

int check_name(struct check_context *q)
{
	char name[NAME_MAX_LEN + 1];

	if (q->subject->name)
		snprintf(name, sizeof(name), "%s", q->subject->name);
	else
		name_default(q->ifname, name);
	check_found(q, "no filter is called %s", name);
	return name_check(name);
}

int check_links(struct check_context *q)
{
	struct links l;
	int err = receivers_links(&l);

	if (!err)
		check_number(q, "interfaces", l.cnt);
	check_found(q, "%d interfaces are in this network namespace", l.cnt);
	links_free(&l);
	return err;
}
