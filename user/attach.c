// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "attach.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <xdp/libxdp.h>

#include "kernel.h"
#include "say.h"
#include "xdp_dedup.skel.h"

#define PROG_NAME "xdp_dedup"
#define STATE_MAP_NAME ".data.state"
#define PROG_MAPS_MAX 16

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

/* The id of the state map that this program uses; 0 if it has none. */
static uint32_t state_of(int prog_fd)
{
	__u32 maps[PROG_MAPS_MAX], len;
	struct bpf_prog_info info = { .map_ids = (uintptr_t)maps, .nr_map_ids = PROG_MAPS_MAX };
	uint32_t id = 0;

	len = sizeof(info);
	if (bpf_obj_get_info_by_fd(prog_fd, &info, &len))
		return 0;
	for (__u32 i = 0; i < info.nr_map_ids && i < PROG_MAPS_MAX && !id; i++) {
		struct bpf_map_info map = { 0 };
		int fd = bpf_map_get_fd_by_id(maps[i]);

		len = sizeof(map);
		if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &map, &len) &&
		    !strcmp(map.name, STATE_MAP_NAME))
			id = map.id;
		if (fd >= 0)
			close(fd);
	}
	return id;
}

/* Is this one of ours? Then fills in what it knows of it. */
static bool is_ours(const struct xdp_program *prog, struct attachment *a)
{
	if (!prog || strcmp(xdp_program__name(prog), PROG_NAME))
		return false;
	a->prog_id = xdp_program__id(prog);
	a->state_id = state_of(xdp_program__fd(prog));
	return a->state_id != 0;
}

/* Looks for our program on one interface. 1 and *a, or 0; or -EBUSY with *a->prog_id
 * where another program is alone, without a dispatcher.
 */
static int find_on(int ifindex, struct attachment *a)
{
	struct xdp_multiprog *mp = xdp_multiprog__get_from_ifindex(ifindex);
	struct xdp_program *prog = NULL, *main;
	int found = 0;

	if (libxdp_get_error(mp) || !mp)
		return 0;
	a->ifindex = ifindex;
	a->mode = from_xdp(xdp_multiprog__attach_mode(mp));
	a->dispatcher = !xdp_multiprog__is_legacy(mp);
	if (a->dispatcher) {
		while (!found && (prog = xdp_multiprog__next_prog(prog, mp)))
			found = is_ours(prog, a);
	} else {
		main = xdp_multiprog__hw_prog(mp) ?: xdp_multiprog__main_prog(mp);
		found = is_ours(main, a) ? 1 : -EBUSY;
		if (main)
			a->prog_id = xdp_program__id(main);
		if (xdp_multiprog__hw_prog(mp))
			a->mode = MODE_HW;
	}
	xdp_multiprog__close(mp);
	return found;
}

int attach_list(struct attachment **out, int *cnt)
{
	struct if_nameindex *names = if_nameindex();
	struct attachment *list;
	int n = 0;

	if (!names)
		return say_err(-errno, "cannot list the interfaces: %s", strerror(errno));
	while (names[n].if_index)
		n++;
	list = calloc(n + 1, sizeof(*list));
	if (!list) {
		if_freenameindex(names);
		return -ENOMEM;
	}
	*cnt = 0;
	for (int i = 0; i < n; i++) {
		struct attachment a = { 0 };

		if (find_on(names[i].if_index, &a) != 1)
			continue;
		memccpy(a.ifname, names[i].if_name, 0, sizeof(a.ifname) - 1);
		list[(*cnt)++] = a;
	}
	if_freenameindex(names);
	*out = list;
	return 0;
}

int attach_check(char *const *ifnames, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		int ifindex = if_nametoindex(ifnames[i]);
		struct attachment there = { 0 };
		int err;

		if (!ifindex)
			return say_err(
				-ENODEV,
				"there is no interface %s here; ip link shows those there are",
				ifnames[i]);
		for (int j = 0; j < i; j++)
			if (ifindex == (int)if_nametoindex(ifnames[j]))
				return say_err(-EINVAL, "%s is named twice", ifnames[i]);
		err = find_on(ifindex, &there);
		if (err == 1)
			return say_err(-EEXIST,
				       "%s already runs xdp-dedup; first: xdp-dedup unload %s",
				       ifnames[i], ifnames[i]);
		if (err)
			return say_err(err,
				       "%s runs another XDP program (id %u) that lets none beside "
				       "it; detach that first: ip link set dev %s xdp off",
				       ifnames[i], there.prog_id, ifnames[i]);
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

int attach_all(struct xdp_dedup *skel, char *const *ifnames, int cnt, enum attach_mode mode)
{
	DECLARE_LIBXDP_OPTS(xdp_program_opts, opts, .obj = skel->obj, .prog_name = PROG_NAME);
	/* One for all: libxdp links the program it has loaded for the first one again. */
	struct xdp_program *prog = xdp_program__create(&opts);
	int err = libxdp_get_error(prog);

	if (err)
		return say_err(err, "libxdp refused the program: %s", strerror(-err));
	for (int i = 0; i < cnt && !err; i++)
		err = attach_one(prog, ifnames[i], mode);
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

int detach(const struct attachment *a)
{
	struct xdp_program *prog = xdp_program__from_id(a->prog_id);
	int err = libxdp_get_error(prog);

	if (err)
		return err == -ENOENT ? 0 : err;
	err = xdp_program__detach(prog, a->ifindex, to_xdp(a->mode), 0);
	xdp_program__close(prog);
	if (err && !if_indextoname(a->ifindex, (char[IF_NAMESIZE]){ 0 }))
		return 0;
	if (err)
		return say_err(err, "cannot detach from %s: %s", a->ifname, strerror(-err));
	return 0;
}
