/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Puts another program, and perhaps another filter, in the place of a filter that runs: nothing is
 * forgotten, and no packet is lost. include/exchange.h says why each packet is judged once
 * meanwhile, include/predecessor.h what becomes of the ids.
 *
 * A change is committed by one system call. What is before it leaves the filter that runs as it is;
 * what is after it can be repeated, by any command that takes the lock, until it is done:
 * 1. What is to come is made in +NAME (loader_next_program(), loader_next_filter()), with its record
 *    (record.h), and its hand is seen to step. state.exchanging is 1, and all CPUs look closely.
 * 2. NAME and +NAME are exchanged. That is the commit.
 * 3. NAME's program is attached where its record says: beside the one of +NAME in a dispatcher, else
 *    in its place. If that fails, the two are exchanged back.
 * 4. A successor is put in charge, by two stores into its predecessor's state.successor.
 * 5. The program of +NAME is detached, what it has counted is kept, and +NAME removed.
 *
 * So whatever was killed when, there are four states, which handover_settle() tells apart:
 * - there is +NAME alone: a load or an unload was cut off. +NAME is removed.
 * - there is NAME alone: the filter runs.
 * - +NAME is incomplete, or newer than NAME (config.serial): a change was cut off before its commit,
 *   or taken back. NAME's program runs again where it does not, and +NAME is removed.
 * - +NAME is older than NAME: a change is committed. Steps 3 to 5 are done.
 */
#ifndef XDP_DEDUP_HANDOVER_H
#define XDP_DEDUP_HANDOVER_H

#include <stdbool.h>

struct pair; /* pair.h */
struct placement;

/* Goes on from where +NAME was made in step 1, to the end of step 5. where: all interfaces on which
 * the filter is to run then, and the mode for those on which it does not run yet. begins_drops: the
 * time of --for begins with that. 0; or -errno, which is said, and all is as it was, or after step
 * 3 is completed by the next command.
 */
int handover(const char *name, const struct placement *where, bool begins_drops);

/* For a change that is not committed, or was taken back: NAME's program runs again where that of
 * +NAME has taken its place, and +NAME is removed. 0 or -errno, which is said.
 */
int handover_undo(struct pair *p);

/* Steps 4 and 5, likewise. */
int handover_complete(struct pair *p);

/* Ends what killed processes have begun, as far as it is of this network namespace; what cannot be
 * ended is said, and left to the next command. Removes predecessors that have forgotten every id.
 * The caller holds the lock.
 */
void handover_settle(void);

#endif
