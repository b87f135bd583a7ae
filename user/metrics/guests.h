/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The connections there are, and for how long: none may stay for ever, however slowly its client
 * sends or reads.
 */
#ifndef XDP_DEDUP_GUESTS_H
#define XDP_DEDUP_GUESTS_H

#include <stdint.h>

struct guest {
	int fd;
	uint64_t since_ms;
	struct guest *next, **link;
};

struct guests {
	struct guest *first; /* the newest one */
	int cnt;
};

/* A connection has come; NULL: no memory. Or it has gone: its descriptor may be closed by then. */
struct guest *guests_add(struct guests *g, int fd, uint64_t now_ms);
void guests_remove(struct guests *g, struct guest *guest);

/* Shuts down the connections that have been there for longer than this: they end then. */
void guests_end_older(const struct guests *g, uint64_t now_ms, uint64_t age_ms);

#endif
