/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The open connections, by age. A slow client cannot keep a connection forever, and open
 * connections cannot keep new ones out.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct connection {
	int fd;
	uint64_t since_ms;
	bool has_request; /* its request was received */
	bool is_ended;	  /* it was shut down */
	struct connection *older, *newer;
};

struct connections {
	struct connection *oldest, *newest;
	int cnt, ended; /* all; those of them that were shut down */
};

/* Add a new connection (NULL: no memory), or remove a closed one, which may be NULL. */
struct connection *connections_add(struct connections *g, int fd, uint64_t now_ms);
void connections_remove(struct connections *g, struct connection *connection);

/* Shuts down the connections that are older than this. */
void connections_end_older(struct connections *g, uint64_t now_ms, uint64_t age_ms);

/* If there are more than `most` connections, shuts down the oldest one of the older half without a
 * request, or else the oldest of all. Those of the newer half may not have had time for a request.
 */
void connections_make_room(struct connections *g, int most);
