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
#include "dispatch.h"
#include "kernel.h"
#include "live.h"
#include "say.h"
#include "xdp_dedup.skel.h"

#define PROG_NAME "xdp_dedup"

static const struct {
	enum attach_mode mode;
	enum xdp_attach_mode xdp;
	const char *name;
} MODES[] = {
	{ MODE_NATIVE, XDP_MODE_NATIVE, "native" },
	{ MODE_SKB, XDP_MODE_SKB, "skb" },
	{ MODE_HW, XDP_MODE_HW, "hw" },
};
#define MODES_CNT (int)(sizeof(MODES) / sizeof(MODES[0]))

const char *attach_mode_name(enum attach_mode mode)
{
	for (int i = 0; i < MODES_CNT; i++)
		if (MODES[i].mode == mode)
			return MODES[i].name;
	return "none";
}

static enum xdp_attach_mode to_xdp(enum attach_mode mode)
{
	for (int i = 0; i < MODES_CNT; i++)
		if (MODES[i].mode == mode)
			return MODES[i].xdp;
	return XDP_MODE_UNSPEC;
}

static enum attach_mode from_xdp(enum xdp_attach_mode xdp)
{
	for (int i = 0; i < MODES_CNT; i++)
		if (MODES[i].xdp == xdp)
			return MODES[i].mode;
	return MODE_ANY;
}

/* Fills in `all` with the open descriptors of this process (with all there could be, if that
 * cannot be told); or, where all is NULL, closes those that are not in `keep`.
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

/* libxdp 1.3 leaves programs open that it has looked at, and to this process' own eyes they
 * would seem in use: around its calls.
 */
static void note_fds(fd_set *open)
{
	walk_fds(NULL, open);
}

static void close_other_fds(const fd_set *open)
{
	walk_fds(open, NULL);
}

/* Is this one of ours? 1, and fills in what it knows of it, or 0; -errno if that cannot be
 * told.
 */
static int is_ours(const struct xdp_program *prog, struct attachment *a)
{
	int err;

	if (!prog || strcmp(xdp_program__name(prog), PROG_NAME))
		return 0;
	a->prog_id = xdp_program__id(prog);
	err = live_state_of(xdp_program__fd(prog), &a->state_id);
	return err ? err : a->state_id != 0;
}

/* Is there any XDP program on the interface? The kernel is asked, for libxdp's errors may mean
 * either. 1 or 0; -errno. *id is that of one in the driver or the stack.
 */
static int is_any_on(int ifindex, uint32_t *id)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, opts);
	int err = bpf_xdp_query(ifindex, 0, &opts);

	if (err)
		return err == -ENODEV ? 0 : err;
	*id = opts.drv_prog_id ?: opts.skb_prog_id;
	return opts.attach_mode != XDP_ATTACHED_NONE;
}

/* `pinned`: the programs of a dispatcher can be found. libxdp 1.3 takes one that it cannot look
 * into for a program that is alone, and of one whose BTF it does not get it says nothing.
 */
static int look_into(struct xdp_multiprog *mp, bool pinned, struct attachment *a)
{
	struct xdp_program *prog = NULL, *main;
	int found = 0;

	a->mode = from_xdp(xdp_multiprog__attach_mode(mp));
	a->dispatcher = !xdp_multiprog__is_legacy(mp);
	main = xdp_multiprog__hw_prog(mp) ?: xdp_multiprog__main_prog(mp);
	if (!main || (pinned && !a->dispatcher))
		return -EIO;
	if (a->dispatcher) {
		while (!found && (prog = xdp_multiprog__next_prog(prog, mp)))
			found = is_ours(prog, a);
		return found;
	}
	found = is_ours(main, a) ?: -EBUSY;
	a->prog_id = xdp_program__id(main);
	if (xdp_multiprog__hw_prog(mp))
		a->mode = MODE_HW;
	return found;
}

static int ask_libxdp(int ifindex, bool pinned, struct attachment *a)
{
	struct xdp_multiprog *mp;
	fd_set before;
	uint32_t id;
	int found, err;

	note_fds(&before);
	mp = xdp_multiprog__get_from_ifindex(ifindex);
	err = libxdp_get_error(mp);
	if (!err && mp) {
		found = look_into(mp, pinned, a);
		xdp_multiprog__close(mp);
	} else {
		found = is_any_on(ifindex, &id); /* or has it gone meanwhile? */
		if (found > 0)
			found = err && err != -EBUSY ? err : -EIO; /* -EBUSY says else */
	}
	close_other_fds(&before);
	return found;
}

/* Looks for our program on one interface. 1 and *a, or 0; or -EBUSY with *a->prog_id
 * where another program is alone, without a dispatcher; another -errno if it cannot be told.
 */
static int find_on(int ifindex, struct attachment *a)
{
	uint32_t id = 0;
	int pinned, found = is_any_on(ifindex, &id);

	if (found <= 0)
		return found;
	a->ifindex = ifindex;
	pinned = dispatch_follow(ifindex, id);
	return pinned < 0 ? pinned : ask_libxdp(ifindex, pinned, a);
}

static int list_interfaces(const struct if_nameindex *names, int n, struct attachment **out)
{
	struct attachment *list = calloc(n + 1, sizeof(*list));
	int cnt = 0;

	if (!list)
		return -ENOMEM;
	for (int i = 0; i < n; i++) {
		struct attachment *a = &list[cnt];
		int found = find_on(names[i].if_index, a);

		if (found == 0 || found == -EBUSY) {
			*a = (struct attachment){ 0 };
			continue;
		}
		a->err = found < 0 ? found : 0;
		a->ifindex = names[i].if_index;
		memccpy(a->ifname, names[i].if_name, 0, sizeof(a->ifname) - 1);
		cnt++;
	}
	*out = list;
	return cnt;
}

int attach_list(struct attachment **out, int *cnt)
{
	struct if_nameindex *names = if_nameindex();
	int n = 0;

	if (!names)
		return say_err(-errno, "cannot list the interfaces: %s", strerror(errno));
	while (names[n].if_index)
		n++;
	n = list_interfaces(names, n, out);
	if_freenameindex(names);
	if (n < 0)
		return say_err(n, "cannot list the interfaces: %s", strerror(-n));
	*cnt = n;
	return 0;
}

int attach_say_unknown(const struct attachment *list, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		if (list[i].err == -EPERM)
			return say_err(-EPERM,
				       "not permitted to see which XDP program runs on %s; run as "
				       "root, or with CAP_SYS_ADMIN, or say the filter's own name",
				       list[i].ifname);
		if (list[i].err)
			return say_err(list[i].err,
				       "cannot tell which XDP program runs on %s: %s; if it is of "
				       "no use: ip link set dev %s xdp off",
				       list[i].ifname, strerror(-list[i].err), list[i].ifname);
	}
	return 0;
}

int attach_check(const struct placement *where)
{
	for (int i = 0; i < where->cnt; i++) {
		const char *ifname = where->ifnames[i];
		int ifindex = if_nametoindex(ifname);
		struct attachment there = { 0 };
		int err;

		if (!ifindex)
			return say_err(
				-ENODEV,
				"there is no interface %s here; ip link shows those there are",
				ifname);
		for (int j = 0; j < i; j++)
			if (ifindex == (int)if_nametoindex(where->ifnames[j]))
				return say_err(-EINVAL, "%s is named twice", ifname);
		err = find_on(ifindex, &there);
		if (err == 1)
			return say_err(-EEXIST,
				       "%s already runs xdp-dedup; first: xdp-dedup unload %s",
				       ifname, ifname);
		if (err && err != -EBUSY) {
			there.err = err;
			snprintf(there.ifname, sizeof(there.ifname), "%s", ifname);
			return attach_say_unknown(&there, 1);
		}
		if (err)
			return say_err(err,
				       "%s runs another XDP program (id %u) that lets none beside "
				       "it; detach that first: ip link set dev %s xdp off",
				       ifname, there.prog_id, ifname);
	}
	return 0;
}

/* The interface itself said no to this mode; another may do. */
static bool mode_refused(int err)
{
	return err && err != -EBUSY && err != -EEXIST && err != -EPERM && err != -ENOMEM;
}

static int attach_one(struct xdp_program *prog, const char *ifname, enum attach_mode mode)
{
	int ifindex = if_nametoindex(ifname);
	int err =
		xdp_program__attach(prog, ifindex, to_xdp(mode == MODE_ANY ? MODE_NATIVE : mode), 0);

	if (mode == MODE_ANY && mode_refused(err)) {
		int native_err = err;

		err = xdp_program__attach(prog, ifindex, XDP_MODE_SKB, 0);
		if (!err)
			say_note(
				"%s has no native XDP (%s): attached in skb mode, which saves less",
				ifname, strerror(-native_err));
		else
			err = native_err;
	}
	if (!err)
		return 0;
	if (mode != MODE_ANY && mode_refused(err))
		return say_err(err,
			       "cannot attach to %s in %s mode (%s); without --mode the best that "
			       "works is taken",
			       ifname, attach_mode_name(mode), strerror(-err));
	return say_err(err, "cannot attach to %s: %s; --verbose shows what the kernel says", ifname,
		       strerror(-err));
}

int attach_all(struct xdp_dedup *skel, const struct placement *where)
{
	DECLARE_LIBXDP_OPTS(xdp_program_opts, opts, .obj = skel->obj, .prog_name = PROG_NAME);
	/* One for all: libxdp links the program it has loaded for the first one again. */
	struct xdp_program *prog = xdp_program__create(&opts);
	int err = libxdp_get_error(prog);

	if (err)
		return say_err(err, "libxdp refused the program: %s", strerror(-err));
	for (int i = 0; i < where->cnt && !err; i++)
		err = attach_one(prog, where->ifnames[i], where->mode);
	xdp_program__close(prog);
	return err;
}

int attach_prog_fd(struct xdp_dedup *skel)
{
	int fd = bpf_program__fd(skel->progs.xdp_dedup);
	int err;

	if (fd >= 0)
		return fd;
	err = bpf_object__load(skel->obj);
	return err ? kernel_explain(err, 0) : bpf_program__fd(skel->progs.xdp_dedup);
}

/* 0 once the interface does not run it; says nothing. */
static int detach(const struct attachment *a)
{
	struct attachment now = { 0 };
	struct xdp_program *prog;
	fd_set before;
	int err;

	note_fds(&before);
	prog = xdp_program__from_id(a->prog_id);
	err = libxdp_get_error(prog);
	if (!err) {
		err = xdp_program__detach(prog, a->ifindex, to_xdp(a->mode), 0);
		xdp_program__close(prog);
	}
	close_other_fds(&before);
	/* Gone meanwhile, itself or with its interface? */
	return err && find_on(a->ifindex, &now) == 0 ? 0 : err;
}

/* The kernel changes no XDP program below one: an interface that is part of a bridge waits
 * for the bridge. So again, as long as it helps.
 */
int detach_meant(struct attachment *list, int cnt)
{
	bool helped = true;
	int err = 0;

	while (helped) {
		helped = false;
		for (int i = 0; i < cnt; i++)
			if (list[i].meant && !list[i].detached) {
				list[i].detach_err = detach(&list[i]);
				list[i].detached = !list[i].detach_err;
				helped |= list[i].detached;
			}
	}
	for (int i = 0; i < cnt; i++)
		if (list[i].meant && !list[i].detached)
			err = say_err(list[i].detach_err,
				      "cannot detach from %s: %s; it goes on filtering; %s",
				      list[i].ifname, strerror(-list[i].detach_err),
				      list[i].detach_err == -EBUSY
					      ? "if a device on top of it, as a bridge, runs XDP: "
						"first ip link set dev DEVICE xdp off"
					      : "--verbose shows what the kernel says");
	return err;
}
