/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A filter's AF_XDP sockets (include/deliver.h), for a process that does not own them: status. Only
 * reads, while the filter and the applications run. Logs nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "delivery.h"
#include "open_filter.h"

/* A queue that has a socket, or had one. */
struct socket_seen {
	struct dedup_queue queue;
	uint32_t pid;  /* of the application, in its PID namespace; 0: the socket is closed */
	bool is_read;  /* a process with this id runs in this PID namespace */
	bool zerocopy; /* of its current or last socket (deliver.h) */
	uint32_t frames_taken; /* by packets that were delivered and not given back */
	uint32_t frames_free;  /* available to packets; 0 unless is_read */
	uint32_t unreturned;   /* packets that were not given back. Without a reader, the next one
				* that opens the queue wants their ids.
				*/
};

/* All queues of a filter that delivers. */
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

/* Reads all queues again. */
void sockets_refresh(struct sockets *s);
