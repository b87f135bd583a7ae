/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The connections there are, and for how long: none may stay for ever, however slowly its client
 * sends or reads; and none takes the place of one that comes.
 */
#ifndef XDP_DEDUP_CONNECTIONS_H
#define XDP_DEDUP_CONNECTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct connection {
	int fd;
	uint64_t since_ms;
	bool has_asked; /* its request is there */
	bool is_ended;	/* it was shut down */
	struct connection *older, *newer;
};

struct connections {
	struct connection *oldest, *newest;
	int cnt, ended; /* ended: of cnt */
};

/* A connection has come; NULL: no memory. Or it has gone: its descriptor may be closed by then. */
struct connection *connections_add(struct connections *g, int fd, uint64_t now_ms);
void connections_remove(struct connections *g, struct connection *connection);

/* Shuts down the connections that have been there for longer than this: they end then. */
void connections_end_older(struct connections *g, uint64_t now_ms, uint64_t age_ms);

/* If there are more than `most`, shuts down the oldest: of the older half that have not asked, or
 * else of all. Those of the newer half have had no time to ask.
 */
void connections_make_room(struct connections *g, int most);

#endif
