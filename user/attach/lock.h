/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lock that whoever changes filters holds. Failures are logged. */
#ifndef XDP_DEDUP_LOCK_H
#define XDP_DEDUP_LOCK_H

#include <stdbool.h>

/* To be called before anything that changes filters. Does kernel_ready() (bpffs is mounted if
 * missing), makes PIN_ROOT, which only root may write to, and takes a lock against other xdp-dedup
 * processes, which this one holds until lock_release(), or until it ends. Then ends what a killed
 * process has begun (live_exchange_settle()), and removes pins of dispatchers that run nowhere
 * (dispatch_sweep()). Returns 0; or -errno (logged): then the lock is not held.
 */
int lock_take(bool verbose);

/* Lets the next process change filters. */
void lock_release(void);

/* What of that can be told without changing anything: 0, after a note if another process holds the
 * lock now; or -errno (logged).
 */
int lock_look(void);

#endif
