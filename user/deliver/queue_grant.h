/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an application needs to receive from one queue of a filter that delivers
 * (include/deliver.h). It can be handed to a process without any right: the socket is bound to the
 * queue by then, and can neither be bound elsewhere nor send; and it has none of the filter's maps,
 * but a program to ask (grant_program.h), and copies of what that has answered. It holds for the
 * filter as it is now: after a change it must be made anew. Logs nothing.
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

/* The number of a descriptor from which a process can receive some: xdp-dedup exec. */
#define QUEUE_GRANT_ENVIRONMENT "XDP_DEDUP_RECEIVE_FD"

#define QUEUE_GRANT_FRAMES_DEFAULT 512
#define QUEUE_GRANT_PARTS_MAX 4 /* frames of a packet */

struct queue_grant_options {
	const char *ifname; /* NULL: the only one on which the filter runs here */
	uint32_t queue;
	uint32_t frames;     /* of memory: xsk_frames_ok() */
	uint32_t parts;	     /* frames of a packet, at most: 1 to QUEUE_GRANT_PARTS_MAX */
	bool copy, zerocopy; /* struct xsk_where */
	bool to_another;     /* it can be sent */
};

/* What is sent beside descriptors. */
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

/* What a holder has in the place of maps. */
struct queue_grant_copy {
	struct dedup_ask ask; /* packets: those that it gives back, until the next queue_grant_tell() */
	struct dedup_in_flight in_flight[DEDUP_IN_FLIGHT_MAX];
};

struct queue_grant {
	struct queue_grant_facts facts;
	struct xsk xsk;
	struct delivery delivery;      /* none if it was accepted */
	int ask_fd;		       /* -1 unless it is for another process, or of one */
	struct queue_grant_copy *copy; /* NULL unless it was accepted */

	/* Its element of `sockets`, and its elements of `in_flight`: in the maps, or copies. */
	struct dedup_socket *socket;
	struct dedup_in_flight *in_flight;
};

/* Makes one for a queue of an interface of this network namespace: from then on it is open, though
 * no packets come until credits are granted. What the last reader left is wanted. 0, and the caller
 * closes *out with queue_grant_close(); else nobody has the queue.
 *   -EOPNOTSUPP   the filter does not deliver; kernel or driver lack AF_XDP, or zerocopy; or to
 *                 another process: Linux before 6.4
 *   -ENODEV       there is no such interface, or the filter does not run on it
 *   -EINVAL       which interface? Or there is no such queue
 *   -ENOTUNIQ     the filter also runs on one of the same index in another network namespace, and
 *                 its program cannot tell them apart
 *   -EBUSY, -ENOBUFS, -ENOSPC   of xsk_bind(), xsk_open(), delivery_slot()
 * Another -errno as of filter_open().
 */
int queue_grant_make(struct filter *f, const struct queue_grant_options *o, struct queue_grant *out);
void queue_grant_close(struct queue_grant *g);

/* None yet: queue_grant_close() does nothing. */
void queue_grant_begin(struct queue_grant *g);

/* Says what ids look like. */
void queue_grant_describe_ids(const struct dedup_config *c, struct queue_grant_facts *out);

/* The stream with this slot; -1 if there was none when the queue was opened. */
int queue_grant_stream(const struct queue_grant_facts *facts, uint32_t slot);

/* Sends it as one message over a Unix socket of type SOCK_SEQPACKET; the caller still closes its
 * own. 0 or -errno.
 */
int queue_grant_send(const struct queue_grant *g, int to);

/* Receives one. 0, and the caller closes it; -ENODATA: none is left, and no sender; -EPROTO: it is
 * of another version, or none; another -errno.
 */
int queue_grant_receive(int from, struct queue_grant *out);

/* The entry of a packet, by its number or the lower half of it. */
static inline struct dedup_in_flight *queue_grant_in_flight(const struct queue_grant *g,
							    uint64_t number)
{
	return &g->in_flight[number % DEDUP_IN_FLIGHT_MAX];
}

/* Has the slot been lost: to another socket, or as no packets come any more (DEDUP_ENDED)? */
static inline bool queue_grant_is_lost(const struct queue_grant *g)
{
	return READ_ONCE(g->socket->opened) != g->facts.opened;
}

/* Have all entries been wanted, so that who gives a packet back takes that back? */
static inline bool queue_grant_has_ended(const struct queue_grant *g)
{
	return READ_ONCE(g->socket->opened) == (g->facts.opened | DEDUP_ENDED);
}

/* Makes the copies of a grant that was received. 0; -ENOMEM; another -errno of the program. */
int queue_grant_make_copy(struct queue_grant *g);

/* Where there are copies: makes entries of packets, by their numbers or the lower halves of them,
 * what they are in the kernel; at most DEDUP_ASK_MAX. If that fails, the slot is lost, and there
 * are no such entries.
 */
void queue_grant_fetch(struct queue_grant *g, const uint32_t *numbers, unsigned int cnt);
void queue_grant_fetch_all(struct queue_grant *g);

/* For queue_grant_clear(). */
void queue_grant_note_cleared(struct queue_grant *g, uint64_t number);

/* Clears the packet's entry, unless it is another one's; where there are copies, queue_grant_tell()
 * does it in the kernel.
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

/* Where there are copies: tells the kernel what was cleared, and what *g->socket says now; then
 * `taken` and `opened` there are what they are in the kernel. If it fails, the slot is lost.
 */
void queue_grant_tell(struct queue_grant *g);

#endif
