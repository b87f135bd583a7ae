/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Replaces the program of a running filter, and perhaps the filter itself. No id is forgotten and
 * no packet is lost. include/exchange.h explains why each packet is judged once during the
 * exchange, include/predecessor.h what happens to the ids.
 *
 * A change is committed by one system call. The steps before it leave the running filter as it is.
 * The steps after it can be repeated, by any command that takes the lock, until they are done:
 * 1. The next program is made in +NAME (loader_next_program(), loader_next_filter()). Its record
 *    (record.h) is written, and its hand has stepped. state.exchanging is 1, and all CPUs take the
 *    slow path.
 * 2. NAME and +NAME are exchanged. That is the commit.
 * 3. NAME's program is attached where its record says: in a dispatcher beside the program of
 *    +NAME, else in its place. If that fails, NAME and +NAME are exchanged back.
 * 4. A successor is put in charge, by two stores into its predecessor's state.successor.
 * 5. The program of +NAME is detached (detach.h), its counters are kept, and +NAME is removed.
 *
 * A process that is killed leaves one of four states, which live_exchange_settle() handles:
 * - Only +NAME exists: a load or an unload was cut off. +NAME is removed.
 * - Only NAME exists: the filter runs.
 * - +NAME is incomplete, or newer than NAME (config.serial): a change was cut off before its
 *   commit, or undone. NAME's program is attached again where it does not run, and +NAME is
 *   removed. The counters of the program of +NAME are lost.
 * - +NAME is older than NAME: a change is committed. Steps 3 to 5 are done.
 */
#ifndef XDP_DEDUP_LIVE_EXCHANGE_H
#define XDP_DEDUP_LIVE_EXCHANGE_H

#include <stdint.h>

struct pair; /* pair.h */
struct placement;

/* Makes a change, after loader_next_program() or loader_next_filter() has made +NAME. where: all
 * interfaces on which the filter is to run, and the mode for those on which it does not run yet.
 * drop_until_ns: when the time of --for ends, by kernel_now_ns(); 0: without --for, or as the
 * memory has it. Returns 0; -errno (logged), and the filter is as it was; or
 * LIVE_EXCHANGE_UNFINISHED (the reason is logged): the change is committed, and the next command
 * that takes the lock ends it.
 */
#define LIVE_EXCHANGE_UNFINISHED 1
int live_exchange(const char *name, const struct placement *where, uint64_t drop_until_ns);

/* Undoes a change that is not committed, or that an exchange back has undone: attaches NAME's
 * program where the program of +NAME has replaced it, and removes +NAME. Returns 0, or -errno
 * (logged).
 */
int live_exchange_undo(struct pair *p);

/* Does steps 4 and 5. Returns 0, or -errno (logged). */
int live_exchange_complete(struct pair *p);

/* Ends the changes of killed processes whose interfaces are in this network namespace. Logs a
 * change that cannot be ended, and leaves it to the next command. Removes predecessors that have
 * forgotten every id. The caller holds the lock.
 */
void live_exchange_settle(void);

#endif
