/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A queue grant: what an application needs to receive from one queue of a filter that delivers
 * (include/deliver.h). It can be sent to a process without any right. Its socket is bound to the
 * queue already: it cannot be bound elsewhere, nor send. Its holder has none of the filter's maps,
 * but a program for requests (grant_program.h), and copies of the program's answers. A grant is
 * valid for the filter as it is now: after a change a new one is needed. Logs nothing.
 */
#ifndef XDP_DEDUP_QUEUE_GRANT_H
#define XDP_DEDUP_QUEUE_GRANT_H

#include <stdbool.h>
#include <stdint.h>

#include "ask.h"
#include "delivery.h"
#include "open_filter.h"
#include "stream_ids.h"
#include "xsk.h"

/* Environment variable of `xdp-dedup exec`: the number of the descriptor from which the process
 * can receive grants.
 */
#define QUEUE_GRANT_ENVIRONMENT "XDP_DEDUP_RECEIVE_FD"

#define QUEUE_GRANT_FRAMES_DEFAULT 512
#define QUEUE_GRANT_PARTS_MAX 4 /* frames of a packet */

struct queue_grant_options {
	const char *ifname; /* NULL: the only one on which the filter runs here */
	uint32_t queue;
	uint32_t frames;     /* of memory: xsk_frames_ok() */
	uint32_t parts;	     /* frames of a packet, at most: 1 to QUEUE_GRANT_PARTS_MAX */
	bool copy, zerocopy; /* struct xsk_where */
	bool to_another;     /* the grant can be sent */
	bool at_once;	     /* does not wait for a queue that is busy */
};

/* The data that is sent beside the descriptors. */
struct queue_grant_facts {
	uint32_t format; /* DEDUP_FORMAT */
	uint32_t ifindex;
	uint32_t opened; /* dedup_socket.opened */
	uint32_t frames, parts;
	uint32_t zerocopy;
	uint32_t recovered,
		forgotten; /* ids that the last reader left: wanted, or no room for them */
	uint32_t streams_cnt;
	uint64_t stale_ns;		   /* as in the configuration */
	uint32_t slots[DEDUP_STREAMS_MAX]; /* of the streams (kept.h) */
	struct stream_form forms[DEDUP_STREAMS_MAX];
};

/* What a process that received the grant has in the place of maps. */
struct queue_grant_copy {
	struct dedup_ask ask; /* packets: those it gives back, until the next queue_grant_tell() */
	struct dedup_in_flight in_flight[DEDUP_IN_FLIGHT_MAX];
};

struct queue_grant {
	struct queue_grant_facts facts;
	struct xsk xsk;
	struct delivery delivery;      /* empty if the grant was received */
	int ask_fd;		       /* -1 unless made for another process, or received */
	struct queue_grant_copy *copy; /* NULL unless the grant was received */

	/* The queue's element of `sockets`, and its elements of `in_flight`: in the maps, or
	 * copies.
	 */
	struct dedup_socket *socket;
	struct dedup_in_flight *in_flight;
};

/* Makes a grant for a queue of an interface of this network namespace. The queue is open from then
 * on, but no packets come until credits are granted. Ids that the last reader left are wanted.
 * Returns 0, and the caller closes *out with queue_grant_close(); or an error, and then nobody has
 * the queue:
 *   -EOPNOTSUPP   the filter does not deliver; kernel or driver lack AF_XDP, or zerocopy; or
 *                 to_another on Linux before 6.4
 *   -ENODEV       there is no such interface, or the filter does not run on it
 *   -EINVAL       no interface is named and there are several; or there is no such queue
 *   -ENOTUNIQ     the filter also runs on an interface with the same index in another network
 *                 namespace, and its program cannot tell them apart
 *   -EBUSY, -ENOBUFS, -ENOSPC   of xsk_bind(), xsk_open(), delivery_slot()
 * Another -errno as filter_open() does.
 */
int queue_grant_make(struct filter *f, const struct queue_grant_options *o, struct queue_grant *out);
void queue_grant_close(struct queue_grant *g);

/* Makes *g empty, so that queue_grant_close() does nothing. */
void queue_grant_begin(struct queue_grant *g);

/* Fills in the fields of *out that describe ids: stale_ns and those of the streams. */
void queue_grant_describe_ids(const struct dedup_config *c, struct queue_grant_facts *out);

/* Returns the stream with this slot; -1 if there was none when the queue was opened. */
int queue_grant_stream(const struct queue_grant_facts *facts, uint32_t slot);

/* Sends the grant as one message over a Unix socket of type SOCK_SEQPACKET. The caller still
 * closes its own copy. Returns 0, or -errno.
 */
int queue_grant_send(const struct queue_grant *g, int to);

/* Receives a grant. Returns 0, and the caller closes it; -ENODATA if none is left and the sender
 * has closed its end; -EPROTO if the message is of another version, or no grant; another -errno.
 */
int queue_grant_receive(int from, struct queue_grant *out);

/* The in-flight entry of a packet, by the packet's number or the lower half of that number. */
static inline struct dedup_in_flight *queue_grant_in_flight(const struct queue_grant *g,
							    uint64_t number)
{
	return &g->in_flight[number % DEDUP_IN_FLIGHT_MAX];
}

/* Has the queue been lost, to another socket, or because no packets come any more (DEDUP_ENDED)?
 */
static inline bool queue_grant_is_lost(const struct queue_grant *g)
{
	return READ_ONCE(g->socket->opened) != g->facts.opened;
}

/* Are the ids of all entries wanted? If so, a reader that gives a packet back must take that back.
 */
static inline bool queue_grant_has_ended(const struct queue_grant *g)
{
	return READ_ONCE(g->socket->opened) == (g->facts.opened | DEDUP_ENDED);
}

/* Makes the copies for a grant that was received. Returns 0; -ENOMEM; or another -errno of the
 * program.
 */
int queue_grant_make_copy(struct queue_grant *g);

/* With copies: reads the entries of these packets from the kernel, by their numbers or the lower
 * halves of them; at most DEDUP_ASK_MAX. If that fails, the queue is lost, and the copies have no
 * such entries.
 */
void queue_grant_fetch(struct queue_grant *g, const uint32_t *numbers, unsigned int cnt);
void queue_grant_fetch_all(struct queue_grant *g);

/* For queue_grant_clear(). */
void queue_grant_note_cleared(struct queue_grant *g, uint64_t number);

/* Clears the packet's entry, unless it belongs to another packet. With copies, queue_grant_tell()
 * does so in the kernel.
 */
static inline void queue_grant_clear(struct queue_grant *g, uint64_t number)
{
	struct dedup_in_flight *h = queue_grant_in_flight(g, number);

	if (h->number != number + 1)
		return;
	WRITE_ONCE(h->number, 0);
	if (unlikely(g->copy))
		queue_grant_note_cleared(g, number);
}

/* With copies: writes to the kernel what was cleared, and the values of *g->socket; then reads
 * `taken` and `opened` from there. If that fails, the queue is lost.
 */
void queue_grant_tell(struct queue_grant *g);

#endif
