/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Changes of the interfaces of this network namespace, which rtnetlink reports without polling. */
#pragma once

#include <stdbool.h>

#include "links.h"

struct link_events {
	struct mnl_socket *socket;
	int fd;		  /* the socket, readable when something has changed */
	struct links now; /* the interfaces, as read last */
};

/* Opens the socket, and reads the interfaces. Returns 0, and the caller closes *e with
 * link_events_close(); or -errno (logged).
 */
int link_events_open(struct link_events *e);
void link_events_close(struct link_events *e);

/* Receives all messages of the socket, and discards them. As messages may have been lost,
 * link_events_read() reads the interfaces themselves.
 */
void link_events_drain(const struct link_events *e);

/* Reads the interfaces. *changed: an interface has appeared, gone, or has another name or MAC.
 * Returns 0; or -errno (logged), and then e->now is as it was.
 */
int link_events_read(struct link_events *e, bool *changed);

/* Returns the index of the interface with this name or alternative name; 0 if there is none. */
uint32_t link_events_index(const struct link_events *e, const char *ifname);
