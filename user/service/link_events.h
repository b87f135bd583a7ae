/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Changes of the interfaces of this network namespace, as rtnetlink tells them: no polling. */
#ifndef XDP_DEDUP_LINK_EVENTS_H
#define XDP_DEDUP_LINK_EVENTS_H

#include <stdbool.h>

#include "links.h"

struct link_events {
	struct mnl_socket *socket;
	int fd;		  /* the socket, readable when something has changed */
	struct links now; /* as of the last look */
};

/* Opens the socket, and looks. 0, and the caller closes it; or -errno (logged). */
int link_events_open(struct link_events *e);
void link_events_close(struct link_events *e);

/* Takes all messages from the socket. What they say is looked up: some may have been lost. */
void link_events_drain(const struct link_events *e);

/* Looks anew. *changed: an interface has come, gone, or has another name or MAC. 0; or -errno
 * (logged), and then e->now is as it was.
 */
int link_events_look(struct link_events *e, bool *changed);

/* The index of the interface of this name; 0 if there is none. */
uint32_t link_events_index(const struct link_events *e, const char *ifname);

#endif
