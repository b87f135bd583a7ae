/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Tracks which threads are inside a call of the library, so that nothing they use is unmapped: like
 * the kernel's RCU, or liburcu's flavour "memb". A call marks its own thread by two plain stores,
 * without barriers; membarrier(2) replaces these when another thread reads the marks. There is one
 * list of threads for all open filters.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct reader {
	unsigned int inside; /* number of nested calls; only its own thread writes it */
	bool listed;
	uint64_t out_at; /* the last number of readers_retire() after which it was outside */
	struct reader *next, **link;
};

/* At a fixed offset in each thread's memory, so that no call is needed to find it. */
extern __thread struct reader reader_self __attribute__((tls_model("initial-exec")));

void reader_list(void);

/* Begins a call: pointers that are read after this stay valid until reader_leave(). */
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

/* Initializes the list, before any call. */
void readers_begin(void);

/* The lock of all open filters. It is held while a view is exchanged, so that fork() happens before
 * or after the exchange. The caller of the two functions below holds it.
 */
void readers_lock(void);
void readers_unlock(void);

/* Called after a pointer was replaced, so that new calls cannot find the old object. Returns a
 * number for readers_are_done().
 */
uint64_t readers_retire(void);

/* Has every thread been outside of calls since that readers_retire(), so that none uses the object?
 * Without membarrier(2) it is never known: false.
 */
bool readers_are_done(uint64_t retired);
