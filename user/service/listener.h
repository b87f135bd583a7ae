/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where scrapes are answered, as the file says it: followed from one reading of the file to the
 * next, so that there is always a socket that listens, if one can be had.
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
	char *at;		 /* where: as the file says */
	char *failed_at;	 /* where it could not, which was logged */
	unsigned int tries;	 /* to open that where the old socket may be in the way */
};

/* Listens at `where`, [ADDRESS:]PORT; NULL: nowhere. Does nothing if it does so already. The old
 * socket is closed once the new one listens. Where both are of one port it is closed before, and
 * opened again after a failure: the first time, and then at every 30th call. A failure is logged
 * once, and the old one stays: to be called again every few seconds.
 */
void listener_configure(struct listener *l, const char *where);
void listener_close(struct listener *l);

#endif
