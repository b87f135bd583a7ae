/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The socket that answers scrapes. It follows the address in the file from one reading to the
 * next, so that a socket always listens, if one can be opened.
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
	char *failed_at;	 /* the address that failed; that was logged */
	unsigned int tries; /* tries to open failed_at while the old socket may be in the way */
};

/* Listens at `where`, [ADDRESS:]PORT; NULL: nowhere. Does nothing if it listens there already. The
 * old socket is closed once the new one listens. If both have one port, the old one is closed
 * first, and opened again after a failure: at the first call, and then at every 30th. A failure is
 * logged once, and the old socket stays. Called every few seconds, to try again.
 */
void listener_configure(struct listener *l, const char *where);
void listener_close(struct listener *l);

#endif
