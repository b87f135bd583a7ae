// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "detach_program.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "fd.h"
#include "kernel.h"

/* With frags, so that no MTU is too large. The first instruction gives the program a tag that no
 * other program has.
 */
int detach_program_load(void)
{
	static const struct bpf_insn PASS[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 0x6465647a },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts,
		    .prog_flags = kernel_has_frags() ? BPF_F_XDP_HAS_FRAGS : 0);
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, DETACH_PROGRAM, "Dual BSD/GPL", PASS,
			       sizeof(PASS) / sizeof(PASS[0]), &opts);

	return fd < 0 ? -errno : fd;
}

/* Returns 1 or 0; -errno if that is unknown. libbpf leaves a program without a name if it takes
 * the kernel for one that keeps none.
 */
static int is_detach_program(const struct bpf_prog_info *info)
{
	struct bpf_prog_info own = { 0 };
	int fd, err;

	if (info->nr_map_ids || (*info->name && strcmp(info->name, DETACH_PROGRAM)))
		return 0;
	fd = detach_program_load();
	err = fd < 0 ? fd : kernel_info(fd, &own, sizeof(own));
	fd_close(fd);
	return err ?: !memcmp(own.tag, info->tag, sizeof(own.tag));
}

int detach_program_open(uint32_t prog_id)
{
	struct bpf_prog_info info = { 0 };
	int fd = bpf_prog_get_fd_by_id(prog_id), err;

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	err = kernel_info(fd, &info, sizeof(info)) ?: is_detach_program(&info);
	if (err == 1)
		return fd;
	close(fd);
	return err;
}

bool detach_program_is(uint32_t prog_id)
{
	int fd = detach_program_open(prog_id);

	fd_close(fd > 0 ? fd : -1);
	return fd > 0;
}
