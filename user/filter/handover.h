/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Puts another program, and perhaps another filter, in the place of a filter that runs: nothing is
 * forgotten, and no packet is lost. include/exchange.h says why each packet is judged once meanwhile,
 * include/predecessor.h what becomes of the ids.
 *
 * It is done in this order, in which the process may be killed at any moment: the next command that
 * takes the lock ends what was begun.
 * 1. What is to come is made in +NAME (loader_next_program(), loader_next_filter()).
 * 2. state.exchanging becomes 1, and all CPUs are seen to look closely.
 * 3. Once its hand is seen to step, its program is attached: beside the old one in a dispatcher, else
 *    in its place.
 * 4. NAME and +NAME are exchanged, by one system call. Before it everything is undone, after it
 *    everything is completed.
 * 5. A successor is put in charge, by two stores into its predecessor's state.successor.
 * 6. The old program is detached; state.exchanging becomes 0.
 * 7. What is left in +NAME is removed; a predecessor becomes ~NAME, until it has forgotten every id.
 */
#ifndef XDP_DEDUP_HANDOVER_H
#define XDP_DEDUP_HANDOVER_H

#include "attach.h"

/* Steps 2 to 7. where: all interfaces on which the filter is to run then, and the mode for those on
 * which it does not run yet. 0; or -errno, which is said, and all is as it was, or after step 4 is
 * completed by the next command.
 */
int handover(const char *name, const struct placement *where);

/* Ends what killed processes have begun, and removes predecessors that have forgotten every id. The
 * caller holds the lock. What cannot be ended is said, and left to the next command.
 */
void handover_settle(void);

/* Removes the predecessor of the filter if it has forgotten every id; or if the filter does not
 * know it, as that of an image which was to become it. The caller holds the lock.
 */
void handover_settle_before(const char *name);

/* Has the filter a predecessor, or is the memory of one still held? 1 or 0; -errno if that cannot
 * be told. Says nothing.
 */
int handover_has_predecessor(const char *name);

/* Removes the predecessor of the filter, whatever it knows. 0 or -errno, which is said. */
int handover_forget(const char *name);

#endif
