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

/* Unrolls the loop that follows: old verifiers walk every round of one that is left, and lose what
 * they know of a register that was spilled in it.
 */
#ifdef __bpf__
#define DEDUP_UNROLL _Pragma("unroll")
#else
#define DEDUP_UNROLL
#endif

/* i &= max, a mask, that the compiler cannot rebuild: Linux 6.1 loses the bounds of an index that
 * clang makes anew by an OR or in 32 bits, and refuses the access that it is for.
 */
#ifdef __bpf__
#define DEDUP_BOUND(i, max) asm volatile("%0 &= %1" : "+r"(i) : "i"(max))
#else
#define DEDUP_BOUND(i, max) ((i) &= (max))
#endif

/* Keeps the branch that it stands on. Where a condition is constant to the verifier (a field of the
 * configuration), the verifier removes the way that is never gone; clang, to which it is none,
 * would rather compute both ways and choose.
 */
#ifdef __bpf__
#define DEDUP_KEEP_BRANCH() asm volatile("")
#else
#define DEDUP_KEEP_BRANCH()
#endif

/* What is on the other way where there is nothing to do: an empty one is where both ways meet, and
 * would not be removed; the jump to the next instruction is.
 */
#ifdef __bpf__
#define DEDUP_ELSE() asm volatile("goto +0")
#else
#define DEDUP_ELSE()
#endif

/* libbpf's: a value that the compiler can say nothing about, so that it neither computes it
 * elsewhere nor sees through it.
 */
#ifdef __bpf__
#include <bpf/bpf_helpers.h>
#else
#define barrier_var(value)
#endif

/* Reads, once and now, what another processor may be changing. */
#define READ_ONCE(value) (*(const volatile __typeof__(value) *)&(value))
#define WRITE_ONCE(value, to) (*(volatile __typeof__(value) *)&(value) = (to))

#endif
