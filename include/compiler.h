/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What clang and the kernel's verifier make necessary in BPF programs. In user space these macros
 * do nothing, or what their name says in plain C.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

/* Code of bpf/, for the kernel or, as user/replay/program.c includes it, for user space. */
#ifdef __bpf__
#define DEDUP_PACKET_PROGRAM
#endif

/* From <bpf/bpf_helpers.h> or <sys/cdefs.h>, where those are included. */
#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

/* Which way most packets go: that one is laid out without a jump. */
#ifndef likely
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif

/* Unrolls the loop that follows. The verifier walks every round of a loop that is not unrolled, and
 * that of Linux 6.1 loses the bounds of registers that are spilled to the stack in it.
 */
#ifdef __bpf__
#define DEDUP_UNROLL _Pragma("unroll")
#else
#define DEDUP_UNROLL
#endif

/* i &= mask, in assembly. The verifier must see that an index is within bounds. From `i &= mask`
 * in C clang may make equivalent instructions, an OR or 32-bit ones, in which Linux 6.1 loses the
 * bounds: it then refuses the access.
 */
#ifdef __bpf__
#define DEDUP_BOUND(i, mask) asm volatile("%0 &= %1" : "+r"(i) : "i"(mask))
#else
#define DEDUP_BOUND(i, mask) ((i) &= (mask))
#endif

/* Two XORs with `unknown`, a number of which the verifier knows nothing: i keeps its value, and the
 * verifier forgets it. So ways on which i got different values look alike from here on, and the
 * verifier walks what follows once. Linux 7.3 sees through a conversion to the CPU's byte order.
 */
#ifdef __bpf__
#define DEDUP_FORGET(i, unknown) \
	asm volatile("%0 ^= %1\n%0 ^= %1" : "+&r"(i) : "r"((__u64)(unknown)))
#else
#define DEDUP_FORGET(i, unknown)
#endif

/* The first statement of an if or else: keeps it a branch of its own. Otherwise clang may move the
 * branch's instructions in front of the condition, where every packet pays for them, or compute
 * both branches and select. That costs even where the condition is a field of the configuration:
 * the field is a constant to the verifier, which removes a branch that is never taken, but not
 * what was computed outside the branch.
 */
#ifdef __bpf__
#define DEDUP_KEEP_BRANCH() asm volatile("")
#else
#define DEDUP_KEEP_BRANCH()
#endif

/* In a branch with no instruction of its own, mostly an empty else, under a condition that is a
 * constant to the verifier. The verifier removes a conditional jump if it never reaches one of the
 * two targets. A branch without instructions has the code behind it as its target, which is always
 * reached, so the test would stay. This is an instruction for it: a jump to the next one, which the
 * verifier removes, too.
 */
#ifdef __bpf__
#define DEDUP_ELSE() asm volatile("goto +0")
#else
#define DEDUP_ELSE()
#endif

/* Calls callback(i, context) for i from 0 to cnt - 1, until one returns not 0. The verifier walks
 * the callback once, not each round. The context is on the stack.
 */
#ifdef __bpf__
#define DEDUP_LOOP(cnt, callback, context) bpf_loop(cnt, callback, context, 0)
#else
#define DEDUP_LOOP(cnt, callback, context)           \
	do {                                         \
		for (__u32 i_ = 0; i_ < (cnt); i_++) \
			if (callback(i_, context))   \
				break;               \
	} while (0)
#endif

/* barrier_var(value), of libbpf: the compiler computes `value` here, and assumes nothing about it.
 * Otherwise it computes it elsewhere, or derives it anew at each use; the comments at the uses
 * explain which.
 */
#ifdef __bpf__
#include <bpf/bpf_helpers.h>
#elif !defined(barrier_var)
#define barrier_var(value)
#endif

/* One load, or one store, at this point, of a value that another CPU may write or read
 * concurrently. Otherwise the compiler may load it again later, or not at all.
 */
#define READ_ONCE(value) (*(const volatile __typeof__(value) *)&(value))
#define WRITE_ONCE(value, to) (*(volatile __typeof__(value) *)&(value) = (to))

/* 0, which no CPU has before it has read `value`. What is read at an index with this added is read
 * later than `value`, also by CPUs that read in another order than the program has.
 */
#ifdef __bpf__
#define DEDUP_AFTER(value)                             \
	({                                             \
		__u64 none_ = (value);                 \
		asm volatile("%0 &= 0" : "+r"(none_)); \
		none_;                                 \
	})
#else
#define DEDUP_AFTER(value) ((void)(value), __atomic_thread_fence(__ATOMIC_ACQUIRE), (__u64)0)
#endif
