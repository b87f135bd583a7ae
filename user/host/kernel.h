/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What this process and this kernel can do: permissions, features, memory, clock. */
#ifndef XDP_DEDUP_KERNEL_H
#define XDP_DEDUP_KERNEL_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

/* The capabilities that a verb needs, besides file access to the pins; to be ORed. */
enum kernel_right {
	KERNEL_BPF = 1 << 0,	 /* CAP_BPF, or CAP_SYS_ADMIN: open pins, measure the clock */
	KERNEL_LOOK_UP = 1 << 1, /* CAP_SYS_ADMIN: find programs and maps by their ids */
	KERNEL_ATTACH = 1 << 2,	 /* CAP_NET_ADMIN: attach programs to interfaces */
	KERNEL_PACKETS = 1 << 3, /* CAP_NET_RAW: have an AF_XDP socket */
};

#define KERNEL_LOAD (KERNEL_LOOK_UP | KERNEL_ATTACH) /* what load needs */

/* The names of rights for people: "CAP_SYS_ADMIN and CAP_NET_ADMIN". In static memory, until the
 * next call.
 */
const char *kernel_rights_text(unsigned int rights);

/* Does this process have these rights, and do they work here (in a container they may not)? 0, or
 * -EPERM after logging what is missing.
 */
int kernel_permits(const char *verb, unsigned int rights);

/* Has this process these rights, whether or not they work here? Logs nothing. */
bool kernel_has_rights(unsigned int rights);

/* Has what libbpf and libxdp print if verbose go to this function; without it, nowhere. It gets
 * whole lines, or parts of them.
 */
void kernel_print_by(int (*print)(const char *format, va_list args));

/* The kernel's own words about the last netlink request that failed by libbpf or libxdp, since
 * kernel_forget_message(); "": it said none.
 */
const char *kernel_message(void);
void kernel_forget_message(void);

/* Has libbpf and libxdp print, if verbose, else not. */
void kernel_output(bool verbose);

/* What verbs need before anything else: kernel_output(), bpffs_ready(), and the clock for
 * kernel_now_ns(). 0 or -errno (logged).
 */
int kernel_ready(bool verbose, bool may_mount);

/* Locks the open file fd (flock), for as long as it stays open. 0; -EBUSY after waiting 10 s for
 * another process, or another -errno: logged.
 */
int kernel_lock(int fd);

/* Reads what the kernel tells about an open program, map or link into *info, a cleared struct
 * bpf_prog_info, bpf_map_info or bpf_link_info. Returns 0, or -errno.
 */
static inline int kernel_info(int fd, void *info, uint32_t bytes)
{
	return bpf_obj_get_info_by_fd(fd, info, &bytes) ? -errno : 0;
}

/* May XDP programs take packets in several buffers (xdp.frags, from Linux 5.18)? */
bool kernel_has_frags(void);

/* The first thing that our programs need and this kernel lacks, with the version that brought it,
 * as the rest of a sentence; NULL if it has all. has(): does this kernel have this program type
 * (helper is BPF_FUNC_unspec), or this helper for programs of this type?
 */
const char *kernel_lacks(bool (*has)(enum bpf_prog_type type, enum bpf_func_id helper));

/* Has this kernel what our programs need? 0; or err, after logging what it lacks. */
int kernel_check(int err);

/* Does this kernel have this type of map? True also if that cannot be told. */
bool kernel_has_map(enum bpf_map_type type);

/* Has it what filters need that deliver (include/deliver.h)? 0; or -EOPNOTSUPP, after logging what
 * it lacks. `has` is kernel_has_map(), or a test's own.
 */
int kernel_check_delivery(bool (*has)(enum bpf_map_type type));

/* A load of a filter of `bytes` (0 if its maps existed already) has failed with err: was it for
 * want of memory? The kernel says -E2BIG for maps that are too large, and also for a program that
 * is too complex for the verifier.
 */
bool kernel_lacks_memory(int err, uint64_t bytes);

/* Logs why a load of a filter of `bytes` (0 if its maps existed already) has failed with err: a
 * feature that this kernel lacks, too little memory, or the cause that err names. Returns err.
 */
int kernel_explain(int err, uint64_t bytes);

/* Bytes of memory that can be used without swapping (MemAvailable); 0 if unknown. */
uint64_t kernel_memory_available(void);

/* Waits until every packet that any CPU has begun is done with. */
void kernel_wait_for_packets(void);

/* The kernel's CLOCK_MONOTONIC, which the hand reads. In a time namespace only once kernel_ready()
 * has measured the offset (clock.h).
 */
uint64_t kernel_now_ns(void);

#endif
