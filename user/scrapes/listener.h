/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The socket that answers scrapes. It follows the configured address. If the address cannot be
 * used, the old socket stays, and the address is tried again every 10 s.
 */
#ifndef XDP_DEDUP_LISTENER_H
#define XDP_DEDUP_LISTENER_H

#include "scrapes.h"

/* Begins with `events`, `write` and `arg` (scrapes_open()) set, and the rest 0. */
struct listener {
	sd_event *events;
	scrapes_fn write;
	void *arg;
	struct scrapes *scrapes; /* NULL: nobody listens */
	char *at;		 /* the address in the file */
	char *wanted;		 /* the address that failed, and is tried again; NULL: none */
	bool was_logged;	 /* that it failed */
	unsigned int tries;	 /* tries to open it while the old socket may be in the way */
	sd_event_source *retry;	 /* timer of the next try */
	uint64_t retry_us;	 /* for tests: the time between two tries; 0: 10 s */
};

/* Listens at `where`, [ADDRESS:]PORT; NULL: nowhere. Does nothing if it listens there already. The
 * old socket is closed once the new one listens. If both have one port, the old one is closed
 * first, and opened again after a failure: at the first try, and then at every 30th. A failure is
 * logged once. Called when the address may have changed: the event loop makes the further tries. If
 * it cannot, that is logged, and the next call tries again.
 */
void listener_configure(struct listener *l, const char *where);
void listener_close(struct listener *l);

#endif
