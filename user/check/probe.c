// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "probe.h"

#include <errno.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <linux/bpf.h>

#include "fd.h"
#include "kernel.h"

#define PASS                                                                 \
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = XDP_PASS }, /* r0 = */ \
	{                                                                    \
		.code = BPF_JMP | BPF_EXIT                                   \
	}

/* A function that returns XDP_PASS; and a program that calls such a function, which follows it. */
static const struct bpf_insn FUNCTION[] = { PASS };
static const struct bpf_insn CALLER[] = {
	{ .code = BPF_JMP | BPF_CALL, .src_reg = BPF_PSEUDO_CALL, .imm = 1 },
	{ .code = BPF_JMP | BPF_EXIT },
	PASS,
};
#define CNT(insns) (sizeof(insns) / sizeof((insns)[0]))

int probe_jit(void)
{
	struct bpf_prog_info info = { 0 };
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "probe", "GPL", FUNCTION, CNT(FUNCTION), NULL);
	int err;

	if (fd < 0)
		return fd;
	err = kernel_info(fd, &info, sizeof(info)) ?: info.jited_prog_len > 0;
	close(fd);
	return err;
}

/* Makes the BTF of `int caller(void)` and of the global, so replaceable, `int function(void)`.
 * Writes their type ids to ids[]. Returns NULL on failure.
 */
static struct btf *make_types(int ids[2])
{
	struct btf *btf = btf__new_empty();
	int number, proto;

	if (!btf)
		return NULL;
	number = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	proto = btf__add_func_proto(btf, number);
	ids[0] = btf__add_func(btf, "caller", BTF_FUNC_STATIC, proto);
	ids[1] = btf__add_func(btf, "function", BTF_FUNC_GLOBAL, proto);
	if (number > 0 && proto > 0 && ids[0] > 0 && ids[1] > 0 && !btf__load_into_kernel(btf))
		return btf;
	btf__free(btf);
	return NULL;
}

/* Replaces the caller's function, as libxdp does in its dispatcher. */
static int probe_replacement(const struct btf *btf, const int ids[2])
{
	const struct bpf_func_info both[] = { { 0, ids[0] }, { 2, ids[1] } };
	const struct bpf_func_info one = { 0, ids[1] };
	LIBBPF_OPTS(bpf_prog_load_opts, caller, .prog_btf_fd = btf__fd(btf), .func_info = both,
		    .func_info_cnt = 2, .func_info_rec_size = sizeof(one));
	LIBBPF_OPTS(bpf_prog_load_opts, by, .prog_btf_fd = btf__fd(btf), .func_info = &one,
		    .func_info_cnt = 1, .func_info_rec_size = sizeof(one), .attach_btf_id = ids[1]);
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "probe", "GPL", CALLER, CNT(CALLER), &caller);
	int by_fd, link;

	if (fd < 0)
		return fd;
	by.attach_prog_fd = fd;
	by_fd = bpf_prog_load(BPF_PROG_TYPE_EXT, "probe", "GPL", FUNCTION, CNT(FUNCTION), &by);
	link = by_fd < 0 ? by_fd : bpf_raw_tracepoint_open(NULL, by_fd);
	fd_close(link);
	fd_close(by_fd);
	close(fd);
	return link < 0 ? link : 0;
}

int probe_replacing(void)
{
	int ids[2];
	struct btf *btf = make_types(ids);
	int err = btf ? probe_replacement(btf, ids) : -errno ?: -ENOMEM;

	btf__free(btf);
	return err;
}
