/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lock that a process holds while it changes filters. Failures are logged. */
#pragma once

#include <stdbool.h>

/* Takes the lock against other xdp-dedup processes, until lock_release() or the end of the process.
 * Every verb that changes filters calls it first. Before taking the lock it calls kernel_ready(),
 * which mounts bpffs if it is missing, and makes PIN_ROOT, which only root may write to. Afterwards
 * it completes or undoes the changes of killed processes (detach_recover(),
 * live_exchange_recover()). Returns 0; or -errno (logged), and then the lock is not held.
 */
int lock_take(bool verbose);

/* Takes the lock if no process holds it, after the caller has called kernel_ready(). Leaves changes
 * of killed processes alone. Returns 0; -EBUSY (not logged) if another process holds the lock; or
 * another -errno (logged).
 */
int lock_try(void);

/* Releases the lock. */
void lock_release(void);

/* Checks, without changing anything, whether lock_take() would succeed. Returns 0, with a note if
 * another process holds the lock now; or -errno (logged).
 */
int lock_check(void);
