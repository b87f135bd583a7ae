/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Replaces the program of a running filter, and perhaps the filter itself. No id is forgotten and
 * no packet is lost: an interface runs one program at any moment. include/predecessor.h explains
 * how the successor knows the ids of its predecessor.
 *
 * A change is committed by one system call. The steps before it leave the running filter as it is.
 * The steps after it can be repeated, by any command that takes the lock, until they are done:
 * 1. The next program is made in +NAME (loader_next_program(), loader_next_filter()). Its record
 *    (record.h) is written, and its hand has stepped. Links that stay are pinned in +NAME, too.
 *    Interfaces that are added get a link with a program that passes all packets. state.exchanging
 *    is 1, and all CPUs take the slow path.
 * 2. NAME and +NAME are exchanged. That is the commit.
 * 3. Each link of NAME gets NAME's program. Links that +NAME alone has are detached (detach.h).
 *    Shared interfaces (share.h): the old program is detached, then the new one is attached.
 * 4. A successor is put in charge, by two stores into its predecessor's state.successor.
 * 5. The counters of +NAME are kept, and +NAME is removed.
 *
 * A killed process leaves one of the four states in ARCHITECTURE.md (a change has one commit
 * point), which live_exchange_recover() handles.
 */
#pragma once

#include <net/if.h>
#include <stdint.h>

#include "open_filter.h"

/* The filters in NAME and +NAME. */
struct pair {
	const char *name;
	struct filter f, staged;
};

/* All interfaces on which a filter is to run: entries of its next record with their current names,
 * and their names in NAME's record. An interface that NAME's record has, but whose link another
 * program has detached, gets no link.
 */
struct requested_ifaces {
	struct dedup_iface list[DEDUP_IFACES_MAX];
	char recorded[DEDUP_IFACES_MAX][IF_NAMESIZE]; /* "": it is added */
	int cnt;
};

/* Makes a change, after loader_next_program() or loader_next_filter() has made +NAME. drop_until_ns:
 * when the time of --for ends, by kernel_now_ns(); 0: without --for, or it stays unchanged. Returns
 * 0; -errno (logged), and the filter is as before; or LIVE_EXCHANGE_UNFINISHED (the reason is
 * logged): the change is committed, and the next command that takes the lock completes it.
 */
#define LIVE_EXCHANGE_UNFINISHED 1
int live_exchange(const char *name, const struct requested_ifaces *ifaces, uint64_t drop_until_ns);

/* Completes or undoes the changes of killed processes. Logs a failure; the next command tries
 * again. Removes predecessors that have forgotten every id. The caller holds the lock.
 */
void live_exchange_recover(void);
