// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "attach.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/if_link.h>
#include <xdp/libxdp.h>

#include "attachments.h"
#include "detach.h"
#include "device.h"
#include "diag.h"
#include "kernel.h"
#include "links.h"

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

const char *attach_mode_name(enum attach_mode mode)
{
	return MODES[mode].name;
}

int attach_mode_xdp(enum attach_mode mode)
{
	return MODES[mode].xdp;
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

/* Logs which other program runs on the interface. Returns -EBUSY. */
static int log_other(const char *ifname, const struct link *l)
{
	uint32_t id = l->xdp_ids[LINK_XDP_ANY];

	if (detach_is_leaving(l->index))
		return diag_err(
			-EBUSY,
			"applications have zero-copy sockets on %s, of a filter that is unloaded" ADVICE
			"end them first",
			ifname);
	return diag_err(
		-EBUSY,
		"%s runs another XDP program (id %u)" ADVICE
		"if libxdp's dispatcher runs it (bpftool net shows xdp_dispatcher): --share; else detach it first: ip link set dev %s xdp off",
		ifname, id, ifname);
}

int attach_check_room(const char *ifname, const struct links *links, bool share)
{
	const struct link *l = links_find(links, if_nametoindex(ifname));
	char name[NAME_MAX_LEN + 1];
	int found = l ? attachments_filter_on(l, name) : 0;

	if (found < 0)
		return diag_err(found, "cannot tell which XDP program runs on %s: %s", ifname,
				strerror(-found));
	if (found)
		return diag_err(
			-EEXIST,
			"%s already runs the filter %s" ADVICE
			"xdp-dedup set, resize or load --replace change it; unload %s forgets all ids",
			ifname, name, ifname);
	return l && link_runs_xdp(l, 0) && !share ? log_other(ifname, l) : 0;
}

const char *attach_refusal(int err)
{
	const char *text = kernel_message();

	return !*text || strstr(text, "Underlying driver") ? strerror(-err) : text;
}

/* Does err mean that the interface does not support the mode? Then another mode may work. */
static bool is_mode_refused(int err)
{
	return err < 0 && err != -EBUSY && err != -EEXIST && err != -EPERM && err != -ENOMEM;
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
	/* A driver without this feature drops packets that a program redirects. */
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

static int explain_failure(const char *ifname, enum attach_mode mode, int err)
{
	if (mode != MODE_ANY && is_mode_refused(err))
		return log_mode_refused(ifname, mode, err);
	return diag_err(err, "cannot attach to %s: %s" ADVICE "--verbose shows what the kernel says",
			ifname, attach_refusal(err));
}

/* Attaches once more, by netlink, to get the driver's message (kernel_message()): creating a link
 * returns only an errno. Returns the new error, or err if this time the kernel did not refuse.
 */
static int read_refusal(int prog_fd, int ifindex, uint32_t flag, int err)
{
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts, .old_prog_fd = prog_fd);
	int again;

	kernel_forget_message();
	again = bpf_xdp_attach(ifindex, prog_fd, flag | XDP_FLAGS_UPDATE_IF_NOEXIST, NULL);
	if (again)
		return again;
	bpf_xdp_detach(ifindex, flag | XDP_FLAGS_REPLACE, &opts);
	return err;
}

static int create_link(const void *arg, const char *ifname, enum attach_mode mode)
{
	int prog_fd = *(const int *)arg, ifindex = (int)if_nametoindex(ifname), fd;
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = MODES[mode].flag);

	fd = bpf_link_create(prog_fd, ifindex, BPF_XDP, &opts);
	return is_mode_refused(fd) ? read_refusal(prog_fd, ifindex, opts.flags, fd) : fd;
}

int attach_by(attach_fn attach, const void *arg, const char *ifname, enum attach_mode *mode)
{
	enum attach_mode tried = *mode == MODE_ANY ? MODE_NATIVE : *mode;
	int result = attach(arg, ifname, tried), skb;
	char why[160];

	if (*mode == MODE_ANY && is_mode_refused(result)) {
		snprintf(why, sizeof(why), "%s", attach_refusal(result));
		skb = attach(arg, ifname, MODE_SKB);
		if (skb >= 0) {
			note_skb_mode(ifname, why);
			result = skb;
			tried = MODE_SKB;
		}
	}
	if (result < 0)
		return explain_failure(ifname, *mode, result);
	*mode = tried;
	return result;
}

int attach_link(int prog_fd, const char *ifname, enum attach_mode *mode)
{
	return attach_by(create_link, &prog_fd, ifname, mode);
}
