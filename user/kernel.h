/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is this process, and this kernel, able to run a filter? And if not, why not? */
#ifndef XDP_DEDUP_KERNEL_H
#define XDP_DEDUP_KERNEL_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/bpf.h>

/* Privileges. Also directs what libbpf and libxdp say: to stderr if verbose, else nowhere. */
int kernel_permits(bool verbose);

/* kernel_permits, and bpffs, which is mounted where it is missing. */
int kernel_ready(bool verbose);

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

/* After loading failed with err: says why, by what this kernel lacks, or by the
 * memory that `bytes` of filter need. Returns err.
 */
int kernel_explain(int err, uint64_t bytes);

/* Bytes that can be had without swapping; 0 if unknown. */
uint64_t kernel_memory_available(void);

/* CLOCK_MONOTONIC, as the hand reads it: also in a time namespace, once kernel_permits() was there. */
uint64_t kernel_now_ns(void);

/* The inode of this process's network namespace: which one it is. */
uint32_t kernel_netns(void);

#endif
