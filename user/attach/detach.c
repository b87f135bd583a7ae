// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "detach.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "device.h"
#include "diag.h"
#include "fd.h"
#include "iface_link.h"
#include "kernel.h"
#include "links.h"
#include "pin_dirs.h"
#include "pins.h"

/* A link accepts only programs with the flags of the packet program: for BPF_XDP, with frags. */
int detach_pass_all(void)
{
	static const struct bpf_insn PASS[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = BPF_XDP,
		    .prog_flags = BPF_F_XDP_HAS_FRAGS);
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "dedup_pass_all", "Dual BSD/GPL", PASS,
			       sizeof(PASS) / sizeof(PASS[0]), &opts);

	return fd < 0 ? diag_err(-errno, "cannot load a program that passes all packets: %s",
				 strerror(errno))
		      : fd;
}

/* Moves the link's pin to PIN_LEAVING, where the link's id is the name of the pin. */
static int move_pin(const char *directory, const char *ifname, uint32_t link_id)
{
	int err = pin_dir_make(PIN_PATH(PIN_LEAVING, NULL), true);
	char id[IF_NAMESIZE];

	if (err)
		return err;
	snprintf(id, sizeof(id), "%u", link_id);
	return rename(IFACE_LINK_PATH(directory, ifname), IFACE_LINK_PATH(PIN_LEAVING, id)) ? -errno
											    : 0;
}

int detach_begin(const char *directory, const char *ifname)
{
	int fd = iface_link_open(directory, ifname), pass_all, err;
	struct iface_link link = { .id = 0 };

	if (fd == -ENOENT)
		return 0;
	pass_all = detach_pass_all();
	if (pass_all < 0) {
		fd_close(fd);
		return pass_all;
	}
	err = fd < 0 ? fd : iface_link_info(fd, &link) ?: iface_link_update(fd, pass_all);
	close(pass_all);
	fd_close(fd);
	if (!err)
		err = move_pin(directory, ifname, link.id);
	return err ? diag_err(err, "cannot detach from %s: %s; it goes on filtering", ifname,
			      strerror(-err))
		   : 0;
}

/* May applications have zero-copy sockets on the link's interface? False on a kernel without
 * xsk_diag (detach.h), and for an interface in another network namespace.
 */
static bool may_have_sockets(const struct iface_link *link, const struct links *links)
{
	const struct link *l = links_find(links, link->ifindex);
	int has = l && link_runs_xdp(l, link->prog_id)
			  ? device_has_zerocopy_sockets((int)link->ifindex)
			  : 0;

	return has && has != -ENOENT;
}

/* Does step 3 for one link. */
static int finish_link(const struct iface_link *link)
{
	int fd = iface_link_open(PIN_LEAVING, link->ifname), err = 0;

	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	if (bpf_link_detach(fd))
		err = -errno;
	close(fd);
	return err ?: iface_link_unpin(PIN_LEAVING, link->ifname);
}

/* Does steps 2 and 3. *kept: an interface whose link stays for zero-copy sockets; or 0. */
static int finish_all(uint32_t *kept)
{
	struct iface_link list[DEDUP_IFACES_MAX];
	int cnt = iface_links_read(PIN_LEAVING, list), err = cnt < 0 ? cnt : 0;
	struct links links = { 0 };

	*kept = 0;
	if (cnt < 0)
		return err;
	if (cnt)
		kernel_wait_for_packets();
	err = cnt ? links_read(&links) : 0;
	for (int i = 0; i < cnt && !err; i++) {
		if (may_have_sockets(&list[i], &links))
			*kept = list[i].ifindex;
		else
			err = finish_link(&list[i]);
	}
	links_free(&links);
	rmdir(PIN_PATH(PIN_LEAVING, NULL)); /* fails unless the directory is empty */
	return err;
}

int detach_finish(void)
{
	char ifname[IF_NAMESIZE];
	uint32_t kept;
	int err = finish_all(&kept);

	if (err)
		return diag_err(err,
				"cannot detach a program that passes all packets: %s" ADVICE
				"any xdp-dedup command that changes filters tries again",
				strerror(-err));
	if (kept && if_indextoname(kept, ifname))
		diag_note("%s keeps a program that passes all packets, as applications may have zero-copy sockets there" ADVICE
			  "when they have ended, any xdp-dedup command that changes filters detaches it",
			  ifname);
	return 0;
}

void detach_recover(void)
{
	uint32_t kept;

	finish_all(&kept);
}

bool detach_is_leaving(uint32_t ifindex)
{
	struct iface_link list[DEDUP_IFACES_MAX];
	int cnt = iface_links_read(PIN_LEAVING, list);

	for (int i = 0; i < cnt; i++)
		if (list[i].ifindex == ifindex)
			return true;
	return false;
}
