/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a filter still in use, anywhere? An interface that moves to another network namespace
 * takes its program along, out of this process' sight; but programs and the maps they use are
 * listed for the whole machine, and a packet program that is attached to nothing, and not
 * pinned, is gone.
 */
#ifndef XDP_DEDUP_LIVE_H
#define XDP_DEDUP_LIVE_H

#include <stdint.h>

/* The id of the state map that this program uses; 0 if it has none. -errno if that cannot be
 * told.
 */
int live_state_of(int prog_fd, uint32_t *state_id);

/* Can the machine's programs be looked at at all? 0 or -errno. */
int live_can_tell(void);

/* Does anything but its own pin hold the packet program of the filter of this name? 1 or 0;
 * -errno if that cannot be told, -ENODATA where too few pins are left to tell. Says nothing.
 * Under the lock of loader_begin(): takes the program's pin away for a moment.
 */
int live_anywhere(const char *name);

#endif
