// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "share.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>

#include <bpf/libbpf.h>
#include <xdp/libxdp.h>

#include "diag.h"
#include "dirs.h"
#include "identity.h"
#include "kernel.h"
#include "loader.h"
#include "object.h"
#include "pin_dirs.h"

int share_ready(void)
{
	return pin_dir_make(BPFFS "/xdp", true);
}

static enum attach_mode mode_of(enum xdp_attach_mode mode)
{
	return mode == XDP_MODE_NATIVE ? MODE_NATIVE : mode == XDP_MODE_HW ? MODE_HW : MODE_SKB;
}

int share_find(int ifindex, uint32_t config_id, struct shared_program *ret)
{
	struct xdp_multiprog *all = config_id ? xdp_multiprog__get_from_ifindex(ifindex) : NULL;
	int err = libxdp_get_error(all), found = 0;
	struct xdp_program *prog = NULL;

	if (!all || err)
		return err == -ENOENT ? 0 : err;
	if (xdp_multiprog__is_legacy(all)) {
		prog = xdp_multiprog__main_prog(all);
		found = identity_uses_map(xdp_program__id(prog), config_id);
	}
	while (!found && !xdp_multiprog__is_legacy(all) &&
	       (prog = xdp_multiprog__next_prog(prog, all)))
		found = identity_uses_map(xdp_program__id(prog), config_id);
	if (found == 1)
		*ret = (struct shared_program){ .prog_id = xdp_program__id(prog),
						.mode = mode_of(xdp_multiprog__attach_mode(all)) };
	xdp_multiprog__close(all);
	return found;
}

static int attach_program(const void *arg, const char *ifname, enum attach_mode mode)
{
	struct xdp_program *const *prog = arg;

	kernel_forget_message();
	return xdp_program__attach(*prog, (int)if_nametoindex(ifname), attach_mode_xdp(mode), 0);
}

int share_attach(const char *directory, const char *ifname, enum attach_mode *mode)
{
	DECLARE_LIBXDP_OPTS(xdp_program_opts, opts);
	struct xdp_program *prog;
	struct xdp_dedup *skel;
	int err = share_ready() ?: loader_program_open(directory, &skel);

	if (err)
		return err;
	opts.obj = skel->obj;
	opts.prog_name = bpf_program__name(object_packet_program(skel));
	prog = xdp_program__create(&opts);
	err = libxdp_get_error(prog);
	if (err) {
		diag_err(err, "libxdp refused the program: %s", strerror(-err));
	} else {
		err = attach_by(attach_program, &prog, ifname, mode);
		xdp_program__close(prog);
	}
	xdp_dedup__destroy(skel);
	return err;
}

static int detach_program(int ifindex, const struct shared_program *found)
{
	struct xdp_program *prog = xdp_program__from_id(found->prog_id);
	int err = libxdp_get_error(prog);

	if (err)
		return err;
	err = xdp_program__detach(prog, ifindex, attach_mode_xdp(found->mode), 0);
	xdp_program__close(prog);
	return err;
}

int share_detach(const char *ifname, int ifindex, uint32_t config_id)
{
	struct shared_program found = { 0 };
	int err;

	kernel_forget_message();
	err = share_find(ifindex, config_id, &found);
	if (err > 0)
		err = detach_program(ifindex, &found);
	if (!err || !share_find(ifindex, config_id, &found))
		return 0;
	return diag_err(err,
			"cannot detach from %s: %s; it goes on filtering" ADVICE
			"--verbose shows what the kernel says",
			ifname, attach_refusal(err));
}
