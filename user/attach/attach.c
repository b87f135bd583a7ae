// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "attach.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <xdp/libxdp.h>

#include "config.h"
#include "detach_program.h"
#include "device.h"
#include "diag.h"
#include "kernel.h"
#include "object.h"

static const struct mode {
	const char *name;
	enum xdp_attach_mode xdp;
	__u32 flag;
} MODES[] = {
	[MODE_ANY] = { "none", XDP_MODE_UNSPEC, 0 },
	[MODE_NATIVE] = { "native", XDP_MODE_NATIVE, XDP_FLAGS_DRV_MODE },
	[MODE_SKB] = { "skb", XDP_MODE_SKB, XDP_FLAGS_SKB_MODE },
	[MODE_HW] = { "hw", XDP_MODE_HW, XDP_FLAGS_HW_MODE },
};

/* A mode that another process has written may be any number. */
static const struct mode *row_of_mode(enum attach_mode mode)
{
	return &MODES[mode <= MODE_HW ? mode : MODE_ANY];
}

const char *attach_mode_name(enum attach_mode mode)
{
	return row_of_mode(mode)->name;
}

int attach_mode_xdp(enum attach_mode mode)
{
	return row_of_mode(mode)->xdp;
}

uint32_t attach_mode_flag(enum attach_mode mode)
{
	return row_of_mode(mode)->flag;
}

/* If `all` is given: puts the open descriptors of this process into it (without /proc, every number
 * there could be, so that none is closed later). If it is NULL: closes every descriptor that is not
 * in `keep`.
 */
static void walk_fds(const fd_set *keep, fd_set *all)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	if (all)
		memset(all, dir ? 0 : 0xff, sizeof(*all));
	while (dir && (entry = readdir(dir))) {
		int fd = atoi(entry->d_name);

		if (entry->d_name[0] == '.' || fd >= FD_SETSIZE || fd == dirfd(dir))
			continue;
		if (all)
			FD_SET(fd, all);
		else if (!FD_ISSET(fd, keep))
			close(fd);
	}
	if (dir)
		closedir(dir);
}

void attach_note_fds(fd_set *open)
{
	walk_fds(NULL, open);
}

void attach_close_other_fds(const fd_set *open)
{
	walk_fds(open, NULL);
}

int attach_log_unknown(const struct attachment *list, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		if (list[i].err == -EPERM)
			return diag_err(
				-EPERM,
				"not permitted to see which XDP program runs on %s" ADVICE
				"run as root, or with CAP_SYS_ADMIN, or say the filter's own name",
				list[i].ifname);
		if (list[i].err)
			return diag_err(list[i].err,
					"cannot tell which XDP program runs on %s: %s" ADVICE
					"if it is of no use: ip link set dev %s xdp off",
					list[i].ifname, strerror(-list[i].err), list[i].ifname);
	}
	return 0;
}

int attach_ifindex(const char *ifname)
{
	int ifindex = if_nametoindex(ifname);

	if (!ifindex && errno != ENODEV)
		return diag_err(-errno, "cannot look for the interface %s: %s", ifname,
				strerror(errno));
	return ifindex;
}

int attach_check_named(const struct placement *where, int i)
{
	const char *ifname = where->ifnames[i];
	int ifindex = attach_ifindex(ifname);

	if (ifindex < 0)
		return ifindex;
	if (!ifindex)
		return diag_err(-ENODEV,
				"there is no interface %s here" ADVICE
				"ip link shows those there are",
				ifname);
	for (int j = 0; j < i; j++)
		if (ifindex == (int)if_nametoindex(where->ifnames[j]))
			return diag_err(-EINVAL, "%s is named twice", ifname);
	return 0;
}

/* The program of a filter that was unloaded is still there. */
static int log_waits(const char *ifname, int err)
{
	if (device_has_zerocopy_sockets((int)if_nametoindex(ifname)) == 1)
		return diag_err(
			err,
			"applications have zero-copy sockets on %s, of a filter that is unloaded" ADVICE
			"end them first",
			ifname);
	return diag_err(err,
			"%s keeps the program of a filter that is unloaded; it passes all packets" ADVICE
				DETACH_UPPER_FIRST,
			ifname);
}

int attach_check_room(const char *ifname)
{
	struct attachment there = { 0 };
	int err = attach_find((int)if_nametoindex(ifname), &there);

	if (err == 1)
		return diag_err(-EEXIST,
				"%s already runs xdp-dedup" ADVICE
				"set, resize and load --replace change it; unload %s forgets all ids",
				ifname, ifname);
	if (err && err != -EBUSY) {
		there.err = err;
		snprintf(there.ifname, sizeof(there.ifname), "%s", ifname);
		return attach_log_unknown(&there, 1);
	}
	if (err && detach_program_is(there.id.prog_id))
		return log_waits(ifname, err);
	if (err)
		return diag_err(err,
				"%s runs another XDP program (id %u) that lets none beside it" ADVICE
				"detach that first: ip link set dev %s xdp off",
				ifname, there.id.prog_id, ifname);
	return 0;
}

const char *attach_refusal(int err)
{
	const char *words = kernel_message();

	return !*words || strstr(words, "Underlying driver") ? strerror(-err) : words;
}

static int log_mode_refused(const char *ifname, enum attach_mode mode, int err)
{
	return diag_err(err,
			"cannot attach to %s in %s mode (%s)" ADVICE
			"without --mode the best that works is taken",
			ifname, attach_mode_name(mode), attach_refusal(err));
}

static void note_skb_mode(const char *ifname, const char *why)
{
	diag_note("%s has no native XDP (%s): skb mode is taken, which saves less", ifname, why);
}

int attach_check_mode(const char *ifname, enum attach_mode mode, bool has_native, bool has_hw)
{
	if ((mode == MODE_NATIVE && !has_native) || (mode == MODE_HW && !has_hw))
		return log_mode_refused(ifname, mode, -EOPNOTSUPP);
	if (mode == MODE_ANY && !has_native)
		note_skb_mode(ifname, strerror(EOPNOTSUPP));
	return 0;
}

int attach_check_redirect(const char *ifname, enum attach_mode mode, uint64_t features)
{
	bool is_native = mode == MODE_NATIVE || (mode == MODE_ANY && features & DEVICE_XDP);

	if (mode == MODE_HW)
		return diag_err(
			-EOPNOTSUPP,
			"%s has no AF_XDP sockets in hw mode, so --deliver xsk cannot work there" ADVICE
			"--mode native",
			ifname);
	/* A driver without it drops what a program redirects. */
	if (is_native && !(features & DEVICE_XDP_REDIRECT))
		return diag_err(
			-EOPNOTSUPP,
			"the driver of %s cannot redirect packets, which --deliver xsk needs, in native XDP" ADVICE
			"--mode skb can, but slowly",
			ifname);
	if (!is_native)
		diag_note("%s delivers in skb mode: the kernel has made an skb of each packet, and copies it, which saves less",
			  ifname);
	return 0;
}

/* Does err mean that the interface does not support the mode? Then another mode may work. */
static bool is_mode_refused(int err)
{
	return err && err != -EBUSY && err != -EEXIST && err != -EPERM && err != -ENOMEM;
}

static int attach_one(struct xdp_program *prog, const char *ifname, enum attach_mode mode)
{
	int ifindex = if_nametoindex(ifname);
	int err;

	kernel_forget_message();
	err = xdp_program__attach(prog, ifindex,
				  row_of_mode(mode == MODE_ANY ? MODE_NATIVE : mode)->xdp, 0);
	if (mode == MODE_ANY && is_mode_refused(err)) {
		char why[160];

		snprintf(why, sizeof(why), "%s", attach_refusal(err));
		if (!xdp_program__attach(prog, ifindex, XDP_MODE_SKB, 0)) {
			note_skb_mode(ifname, why);
			return 0;
		}
	}
	if (!err)
		return 0;
	if (mode != MODE_ANY && is_mode_refused(err))
		return log_mode_refused(ifname, mode, err);
	return diag_err(err, "cannot attach to %s: %s" ADVICE "--verbose shows what the kernel says",
			ifname, attach_refusal(err));
}

int attach_each(struct xdp_dedup *skel, char *const *ifnames, const enum attach_mode *modes, int cnt)
{
	DECLARE_LIBXDP_OPTS(xdp_program_opts, opts, .obj = skel->obj,
			    .prog_name = bpf_program__name(object_packet_program(skel)));
	/* One for all interfaces: libxdp loads it at the first attach, and uses the loaded program
	 * for the others too.
	 */
	struct xdp_program *prog = xdp_program__create(&opts);
	int err = libxdp_get_error(prog);

	if (err)
		return diag_err(err, "libxdp refused the program: %s", strerror(-err));
	for (int i = 0; i < cnt && !err; i++)
		err = attach_one(prog, ifnames[i], modes[i]);
	xdp_program__close(prog);
	return err;
}

int attach_all(struct xdp_dedup *skel, const struct placement *where)
{
	enum attach_mode modes[DEDUP_IFACES_MAX];

	for (int i = 0; i < where->cnt; i++)
		modes[i] = where->mode;
	return attach_each(skel, where->ifnames, modes, where->cnt);
}

int attach_exchange(const struct attachment *old, int new_fd)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = bpf_prog_get_fd_by_id(old->id.prog_id));
	int err;

	if (opts.old_prog_fd < 0)
		return -errno;
	err = bpf_xdp_attach(old->ifindex, new_fd, row_of_mode(old->mode)->flag | XDP_FLAGS_REPLACE,
			     &opts);
	close(opts.old_prog_fd);
	return err;
}

int attach_replace(const struct attachment *old, int new_fd)
{
	int err = attach_exchange(old, new_fd);
	const char *advice =
		err == -EEXIST ? DETACH_UPPER_FIRST : "--verbose shows what the kernel says";

	return err ? diag_err(err, "cannot exchange the program on %s: %s" ADVICE "%s", old->ifname,
			      strerror(-err), advice)
		   : 0;
}

int attach_prog_fd(struct xdp_dedup *skel)
{
	const struct bpf_program *prog = object_packet_program(skel);
	int err, fd = bpf_program__fd(prog);

	if (fd >= 0)
		return fd;
	err = bpf_object__load(skel->obj);
	return err ? kernel_explain(err, 0) : bpf_program__fd(prog);
}
