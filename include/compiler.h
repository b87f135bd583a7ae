/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What code that is compiled for the kernel's verifier needs, and user space need not. */
#ifndef XDP_DEDUP_COMPILER_H
#define XDP_DEDUP_COMPILER_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

/* The kernel's side wants short loops gone; pins an index, so that the verifier sees it
 * is at most max (a mask of bits), however the compiler rebuilt it; keeps a value that
 * the compiler would rather compute elsewhere or branch on; and keeps a branch on what is
 * constant to the verifier, where the compiler would compute both ways and choose. The
 * verifier removes a jump if one of its ways is never gone. So the other way must not be
 * empty, or it would be where both meet: DEDUP_ELSE is what is in it.
 */
#ifdef __bpf__
#define DEDUP_BOUND(i, max) asm volatile("%0 &= %1" : "+r"(i) : "i"(max))
#define DEDUP_UNROLL _Pragma("unroll")
#define DEDUP_KEEP_BRANCH() asm volatile("")
#define DEDUP_ELSE() asm volatile("goto +0")
#define DEDUP_KEEP(value) asm volatile("" : "+r"(value))
#else
#define DEDUP_UNROLL
#define DEDUP_KEEP_BRANCH()
#define DEDUP_ELSE()
#define DEDUP_KEEP(value)
#define DEDUP_BOUND(i, max) ((i) &= (max))
#endif

/* Reads, once and now, what another processor may be changing. */
static __always_inline __u64 dedup_read(const __u64 *value)
{
	return *(const volatile __u64 *)value;
}

static __always_inline __u32 dedup_read32(const __u32 *value)
{
	return *(const volatile __u32 *)value;
}

#endif
