/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What can be seen of a filter's AF_XDP sockets (include/deliver.h) by who has none. Nothing is
 * written, nothing is printed; the filter and the applications are at work meanwhile.
 */
#ifndef XDP_DEDUP_SOCKETS_H
#define XDP_DEDUP_SOCKETS_H

#include <stdbool.h>
#include <stdint.h>

#include "delivery.h"
#include "open_filter.h"

/* A queue that has a socket, or had one. */
struct socket_seen {
	struct dedup_queue queue;
	uint32_t pid;	       /* of the application, as it sees itself; 0: it closed the socket */
	bool is_read;	       /* a process has this number here */
	bool zerocopy;	       /* deliver.h: of the socket that it has, or had last */
	uint32_t frames_taken; /* by packets that were handed over and not given back */
	uint32_t frames_free;  /* that packets may take yet; 0 unless it is read */
	uint32_t unreturned;   /* packets that were not given back. Where nobody reads, whoever
				* opens the queue next wants their ids.
				*/
};

/* Of a filter that delivers. */
struct sockets {
	struct delivery delivery;
	struct socket_seen list[DEDUP_SOCKETS_MAX]; /* by interface, then queue */
	int cnt;
};

/* Opens what an open filter delivers through, and looks. 0, and the caller frees *out, which is
 * NULL of a filter that does not deliver; -errno as of delivery_open(), -ENOMEM.
 */
int sockets_open(const struct filter *f, struct sockets **out);
void sockets_free(struct sockets *s); /* NULL is fine */

/* Looks again. */
void sockets_look(struct sockets *s);

#endif
