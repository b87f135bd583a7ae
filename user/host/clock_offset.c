// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "clock_offset.h"

#include <errno.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "clock.h"
#include "fd.h"

#define CLOCK_TRIES 20
#define GOOD_NS 100000 /* precise enough: one run takes less, unless the process is preempted */

/* Loads a program that writes bpf_ktime_get_ns() into its context. Returns a descriptor, or -errno. */
static int load_clock_program(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_1 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_ns },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_6, .src_reg = BPF_REG_0 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_SLEEPABLE);
	int fd = bpf_prog_load(BPF_PROG_TYPE_SYSCALL, "clock", "GPL", insns,
			       sizeof(insns) / sizeof(insns[0]), &opts);

	return fd < 0 ? -errno : fd;
}

/* Runs the program once. It reads the kernel's clock between before_ns and after_ns, so the offset
 * is between *least and *most.
 */
static int measure_once(int prog_fd, int64_t *least, int64_t *most)
{
	uint64_t kernel_ns = 0, before_ns, after_ns;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &kernel_ns, .ctx_size_in = sizeof(kernel_ns));
	int err;

	before_ns = clock_ns(CLOCK_MONOTONIC);
	err = bpf_prog_test_run_opts(prog_fd, &opts);
	after_ns = clock_ns(CLOCK_MONOTONIC);
	*least = kernel_ns - after_ns;
	*most = kernel_ns - before_ns;
	return err ? -errno : 0;
}

int clock_measure_offset(int64_t *offset_ns)
{
	int64_t least = INT64_MIN, most = INT64_MAX;
	int fd = load_clock_program(), err = fd < 0 ? fd : 0;

	for (int i = 0; i < CLOCK_TRIES && !err && (uint64_t)most - least > GOOD_NS; i++) {
		int64_t from, to;

		err = measure_once(fd, &from, &to);
		if (err)
			break;
		if (from > least)
			least = from;
		if (to < most)
			most = to;
	}
	fd_close(fd);
	if (!err) /* 0 if it is possible: the offset of a time namespace is 0, or much larger */
		*offset_ns = least <= 0 && most >= 0 ? 0 : least + (most - least) / 2;
	return err;
}
