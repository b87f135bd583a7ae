/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A filter's AF_XDP sockets (include/deliver.h) as seen by a process that has none of them. Writes
 * and logs nothing; the filter and the applications go on meanwhile.
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
	bool zerocopy;	       /* deliver.h: of its socket, or of its last one */
	uint32_t frames_taken; /* by packets that were delivered and not given back */
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

/* Opens the maps of delivery of an open filter, and reads them. Returns 0, and the caller frees
 * *out with sockets_free(); *out is NULL if the filter does not deliver. Or -errno of
 * delivery_open(), or -ENOMEM.
 */
int sockets_open(const struct filter *f, struct sockets **out);
void sockets_free(struct sockets *s); /* NULL is fine */

/* Reads them again. */
void sockets_look(struct sockets *s);

#endif
