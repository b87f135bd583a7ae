/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which threads are inside a call of the library: what one of them may be using is not unmapped. A
 * call notes itself in a word of its own thread, by two plain stores; membarrier(2) makes up for
 * the barriers that these lack when another thread reads the words. (As the kernel's RCU, or
 * liburcu's flavour "memb".) There is one list of threads for all open filters.
 */
#ifndef XDP_DEDUP_LIB_READERS_H
#define XDP_DEDUP_LIB_READERS_H

#include <stdbool.h>
#include <stdint.h>

struct reader {
	unsigned int inside; /* calls, one within the other; written by its own thread alone */
	bool listed;
	uint64_t out_at; /* when it was seen outside last: readers_retire() */
	struct reader *next, **link;
};

/* In a fixed place of each thread's memory, so that it is found without a call. */
extern __thread struct reader reader_self __attribute__((tls_model("initial-exec")));

void reader_list(void);

/* Begins a call: pointers that are read from here on stay valid until it ends. */
static inline void reader_enter(void)
{
	if (__builtin_expect(!reader_self.listed, 0))
		reader_list();
	__atomic_store_n(&reader_self.inside, reader_self.inside + 1, __ATOMIC_RELAXED);
	__asm__ volatile("" ::: "memory");
}

static inline void reader_leave(void)
{
	__atomic_store_n(&reader_self.inside, reader_self.inside - 1, __ATOMIC_RELEASE);
}

/* Before any call: makes ready. Where the system has no membarrier(2) readers_are_done() always
 * says no.
 */
void readers_begin(void);

/* The lock of all open filters. It is held while what calls find is changed, so that a fork finds
 * the change done or not begun. The two functions below are called with it held.
 */
void readers_lock(void);
void readers_unlock(void);

/* Something can be found no longer by calls that begin from now on. Returns a number for
 * readers_are_done().
 */
uint64_t readers_retire(void);

/* Has every thread been outside since, so that none uses it? */
bool readers_are_done(uint64_t retired);

#endif
