/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an application needs to receive from one queue of a filter that delivers
 * (include/deliver.h). It can be handed to a process without any right: the socket is bound to the
 * queue by then, and can neither be bound elsewhere nor send; of the filter's maps it has those two
 * that are only about sockets; and for all else there is a program to ask (lent.h). It holds for
 * the filter as it is now: after a change it must be made anew. Prints nothing.
 */
#ifndef XDP_DEDUP_LOAN_H
#define XDP_DEDUP_LOAN_H

#include <stdbool.h>
#include <stdint.h>

#include "delivery.h"
#include "stream_ids.h"
#include "xsk.h"

/* The number of a descriptor from which a process can receive some: xdp-dedup exec. */
#define LOAN_ENVIRONMENT "XDP_DEDUP_RECEIVE_FD"

#define LOAN_FRAMES_DEFAULT 512
#define LOAN_PARTS_MAX 4 /* frames of a packet */

struct loan_options {
	const char *ifname; /* NULL: the only one on which the filter runs here */
	uint32_t queue;
	uint32_t frames;     /* of memory: xsk_frames_ok() */
	uint32_t parts;	     /* frames of a packet, at most: 1 to LOAN_PARTS_MAX */
	bool copy, zerocopy; /* struct xsk_where */
	bool to_another;     /* it can be sent */
};

/* What is sent beside descriptors. */
struct loan_facts {
	uint32_t format; /* DEDUP_FORMAT */
	uint32_t ifindex;
	uint32_t place;	 /* of the queue: delivery.h */
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

struct loan {
	struct loan_facts facts;
	struct xsk xsk;
	struct delivery delivery;
	int sockets_fd, handed_fd, ask_fd; /* -1 unless it is for another process */
};

/* Makes one for a queue of an interface of this network namespace: from then on it is open, though
 * no packets come until credits are granted. What the last reader left is wanted. 0, and the caller
 * closes *out with loan_close(); else the queue is as it was.
 *   -EOPNOTSUPP   the filter does not deliver; kernel or driver lack AF_XDP, or zerocopy; or to
 *                 another process: Linux before 6.4
 *   -ENODEV       there is no such interface, or the filter does not run on it
 *   -EINVAL       which interface? Or there is no such queue
 *   -ENOTUNIQ     the filter also runs on one of the same index in another network namespace, and
 *                 its program cannot tell them apart
 *   -EBUSY, -ENOBUFS, -ENOSPC   of xsk_bind(), xsk_open(), delivery_place()
 * Another -errno as of filter_open().
 */
int loan_make(struct filter *f, const struct loan_options *o, struct loan *out);
void loan_close(struct loan *l);

/* None yet: loan_close() does nothing. */
void loan_begin(struct loan *l);

/* Says what ids look like. */
void loan_describe_ids(const struct dedup_config *c, struct loan_facts *out);

/* The stream with this slot; -1 if there was none when the queue was opened. */
int loan_stream(const struct loan_facts *facts, uint32_t slot);

/* Sends it as one message over a Unix socket of type SOCK_SEQPACKET; the caller still closes its
 * own. 0 or -errno.
 */
int loan_send(const struct loan *l, int to);

/* Receives one. 0, and the caller closes it; -ENODATA: none is left, and no sender; -EPROTO: it is
 * of another version, or none; another -errno.
 */
int loan_receive(int from, struct loan *out);

#endif
