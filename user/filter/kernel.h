/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is this process, and this kernel, able to run a filter? And if not, why not? */
#ifndef XDP_DEDUP_KERNEL_H
#define XDP_DEDUP_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/bpf.h>

/* What a verb needs of the kernel, beside access to the pins; to be ORed. Root has all. */
enum kernel_right {
	KERNEL_BPF = 1 << 0,	 /* CAP_BPF, or CAP_SYS_ADMIN: pins, and the kernel's clock */
	KERNEL_LOOK_UP = 1 << 1, /* CAP_SYS_ADMIN: programs and maps by their ids */
	KERNEL_ATTACH = 1 << 2,	 /* CAP_NET_ADMIN: programs to interfaces */
};

/* The same in words, as "CAP_SYS_ADMIN and CAP_NET_ADMIN". */
const char *kernel_rights_text(unsigned int rights);

/* Has this process these rights, and are they any good? 0, or -EPERM after saying so. */
int kernel_permits(const char *verb, unsigned int rights);

/* Directs what libbpf and libxdp say: to stderr if verbose, else nowhere. */
void kernel_output(bool verbose);

/* kernel_output, a bpffs that lasts (bpffs.h), mounted where it is missing if may_mount, and the
 * kernel's clock.
 */
int kernel_ready(bool verbose, bool may_mount);

/* Waits up to 10 s for the lock on fd, which it then keeps open. */
int kernel_lock(int fd);

/* Programs may take packets in several buffers: xdp.frags, from 5.18. */
bool kernel_has_frags(void);

/* Does this kernel have the program type, or, unless BPF_FUNC_unspec, the helper in it? */
bool kernel_has(enum bpf_prog_type type, enum bpf_func_id helper);

/* The first thing that our programs need and a kernel lacks, and which version brought
 * it; NULL if it has all. `has` is kernel_has, or a test's.
 */
const char *kernel_lacks(bool (*has)(enum bpf_prog_type type, enum bpf_func_id helper));

/* Did loading fail with err for want of memory for `bytes` of filter, 0 if its maps were there
 * already? If not, -E2BIG is of a program that the verifier comes to no end with.
 */
bool kernel_lacks_memory(int err, uint64_t bytes);

/* After loading failed with err: says why, by what this kernel lacks, or by the
 * memory that `bytes` of filter need. Returns err.
 */
int kernel_explain(int err, uint64_t bytes);

/* Bytes that can be had without swapping; 0 if unknown. */
uint64_t kernel_memory_available(void);

/* CLOCK_MONOTONIC, as the hand reads it: also in a time namespace, once kernel_permits() was there. */
uint64_t kernel_now_ns(void);

/* The cookie of this process's network namespace, which no other one will ever have; 0 if it
 * cannot be told.
 */
uint64_t kernel_netns(void);

#endif
