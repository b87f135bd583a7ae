/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a filter in use anywhere on the machine? An interface that moves to another network namespace
 * takes its program along, and this process cannot see the interface there. But the kernel lists
 * all programs of the machine, with the maps that they use, and frees a packet program that is
 * neither attached nor pinned. So if a filter's program stays in the list while its pin is taken
 * away, the filter is in use.
 */
#ifndef XDP_DEDUP_LIVE_H
#define XDP_DEDUP_LIVE_H

#include <stdint.h>

/* Can this process list the machine's programs and their maps? Returns 0 if so, else -errno. */
int live_can_tell(void);

/* Is the packet program of this filter held by anything other than its own pin: an interface, a
 * dispatcher, another process? Returns 1 or 0; -errno if that is unknown; -ENODATA if the
 * filter's directory has pins, but neither that of the state map nor that of the program. Takes
 * the program's pin away for up to 3 s, so the caller holds the lock of lock_take(). Logs nothing.
 */
int live_anywhere(const char *name);

/* Finds a packet program that uses this state map. *prog_id: its id; 0 if there is none. Returns
 * 0; -errno if that is unknown.
 */
int live_find_program(uint32_t state_id, uint32_t *prog_id);

/* Does anything in the machine still run, or hold, a packet program with this configuration map?
 * Waits up to 3 s for the kernel to free the program. Returns 1 or 0; -errno if that is unknown.
 * Logs nothing.
 */
int live_program_of(uint32_t config_id);

/* live_program_of() without waiting. */
int live_program_now(uint32_t config_id);

#endif
