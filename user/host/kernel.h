/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Permissions of this process; features, memory and clock of this kernel. */
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <linux/membarrier.h>

/* Bits: capabilities that a verb needs, besides file access to the pins. */
enum kernel_right {
	KERNEL_BPF = 1 << 0,	 /* CAP_BPF, or CAP_SYS_ADMIN: open pins */
	KERNEL_PERFMON = 1 << 1, /* CAP_PERFMON, or CAP_SYS_ADMIN: load programs like ours */
	KERNEL_ATTACH = 1 << 2,	 /* CAP_NET_ADMIN: attach programs to interfaces */
	KERNEL_MONITOR = 1 << 3, /* CAP_SYS_ADMIN, beside CAP_NET_ADMIN: the drop monitor */
};

/* The rights that load needs; with --share also CAP_SYS_ADMIN. */
#define KERNEL_LOAD (KERNEL_BPF | KERNEL_PERFMON | KERNEL_ATTACH)

/* Returns "CAP_SYS_ADMIN and CAP_NET_ADMIN", in a static buffer, until the next call. */
const char *kernel_rights_text(unsigned int rights);

/* Checks that this process has these rights, and that they work here (in a container they may not).
 * Returns 0, or -EPERM (logged).
 */
int kernel_permits(const char *verb, unsigned int rights);

/* Does this process have these rights? Does not check whether they work here. Logs nothing. */
bool kernel_has_rights(unsigned int rights);

/* Sets the function that gets the messages of libbpf and libxdp if verbose; without it they are
 * discarded. It gets whole lines, or parts of lines.
 */
void kernel_print_by(int (*print)(const char *format, va_list args));

/* Returns the kernel's message about the last request of libbpf that failed since
 * kernel_forget_message(); "" if the kernel sent none.
 */
const char *kernel_message(void);
void kernel_forget_message(void);

/* Turns the messages of libbpf and libxdp on if verbose, else off. */
void kernel_output(bool verbose);

/* Calls kernel_output() and bpffs_ready(), and reads the clock's offset for kernel_now_ns().
 * Returns 0, or -errno (logged).
 */
int kernel_ready(bool verbose, bool may_mount);

/* Reads the kernel's information on an open program, map or link into *info, a cleared struct
 * bpf_prog_info, bpf_map_info or bpf_link_info. Returns 0, or -errno.
 */
static inline int kernel_info(int fd, void *info, uint32_t bytes)
{
	return bpf_obj_get_info_by_fd(fd, info, &bytes) ? -errno : 0;
}

/* Check that this kernel has what our programs need, and what filters with --deliver need, as far
 * as that is known. Return 0; or err, or -EOPNOTSUPP, after logging what is missing.
 */
int kernel_check(int err);
int kernel_check_delivery(void);

/* Does a kernel with these texts of uname(), and this configuration file, let a CPU begin another
 * packet before it has finished one? Then a fresh packet could be judged by the id of another one,
 * which is in per-CPU memory. Kernels with PREEMPT_RT do so since Linux 6.18, unless they were built
 * with PREEMPT_RT_NEEDS_BH_LOCK: without the file that counts as not set, which is its default.
 */
bool kernel_preempts(const char *release, const char *version, const char *config);

/* Checks that a filter that drops duplicates may run here. Returns 0; or -EOPNOTSUPP (logged). */
int kernel_check_preemption(void);

/* Did loading a filter of `bytes` (0 if its maps existed already) fail with err for lack of memory? */
bool kernel_lacks_memory(int err, uint64_t bytes);

/* Logs why loading this filter has failed with err. Returns err. */
int kernel_explain(int err, uint64_t bytes);

/* Returns the bytes of memory that can be used without swapping (MemAvailable); 0 if unknown. */
uint64_t kernel_memory_available(void);

/* Waits until all packets that a CPU is processing now have ended. Without membarrier(2), which
 * does synchronize_rcu(), waits far longer than a packet takes.
 */
static inline void kernel_wait_for_packets(void)
{
	struct timespec left = { .tv_nsec = 50000000 };

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		while (nanosleep(&left, &left) && errno == EINTR)
			;
}

/* Returns the kernel's CLOCK_MONOTONIC, which the hand reads, in ns. In a time namespace this is
 * right only after kernel_ready(), which reads the offset (clock.h).
 */
uint64_t kernel_now_ns(void);
