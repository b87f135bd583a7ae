/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lock that a process holds while it changes filters. Failures are logged. */
#ifndef XDP_DEDUP_LOCK_H
#define XDP_DEDUP_LOCK_H

#include <stdbool.h>

/* Takes the lock against other xdp-dedup processes. It is held until lock_release(), or until the
 * process ends. Called before anything that changes filters. Before that it does kernel_ready(),
 * which mounts bpffs if it is missing, and makes PIN_ROOT, which only root may write to. After
 * that it ends the changes of killed processes (detach_settle(), live_exchange_settle()). Returns
 * 0; or -errno (logged), and then the lock is not held.
 */
int lock_take(bool verbose);

/* Takes the lock if nobody holds it. kernel_ready() was called, and no change of a killed process
 * is ended. Returns 0; -EBUSY (not logged) if another process holds it; or another -errno (logged).
 */
int lock_try(void);

/* Lets the next process change filters. */
void lock_release(void);

/* Checks, as far as that changes nothing, whether lock_take() would succeed. Returns 0, with a
 * note if another process holds the lock now; or -errno (logged).
 */
int lock_look(void);

#endif
