/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an application needs to receive from one queue of a filter that delivers
 * (include/deliver.h), so that it can be handed to a process without any right. It holds for the
 * program that the filter has now: after a change it must be made anew. Prints nothing.
 */
#ifndef XDP_DEDUP_LOAN_H
#define XDP_DEDUP_LOAN_H

#include <stdint.h>

#include "pins.h"

/* The number of a descriptor from which a process can receive some: xdp-dedup exec. */
#define LOAN_ENVIRONMENT "XDP_DEDUP_RECEIVE_FD"

enum loan_fd {
	LOAN_SOCKET, /* an AF_XDP socket of the interface's network namespace, not bound */
	LOAN_XSKS,
	LOAN_SOCKETS,
	LOAN_HANDED,
	LOAN_CONFIG, /* from here on: to have ids wanted */
	LOAN_STATE,
	LOAN_WANTED,
	LOAN_FDS,
};

struct loan {
	uint32_t format; /* DEDUP_FORMAT */
	uint32_t ifindex, queue;
	uint32_t place;		 /* of the queue: delivery.h */
	uint64_t serial;	 /* state.serial */
	int64_t clock_offset_ns; /* clock_measure_offset() */
	int fds[LOAN_FDS];
};

/* Makes one for a queue of an interface of this network namespace; ifname NULL: of the only one on
 * which the filter runs here. 0, and the caller closes *out with loan_close(). -EOPNOTSUPP: the
 * filter does not deliver, or the kernel has no AF_XDP; -ENODEV: there is no such interface, or the
 * filter does not run on it; -EINVAL: which one?; -ENOTUNIQ: the filter also runs on one of the same
 * index in another network namespace, and its program cannot tell them apart; -ENOSPC of
 * delivery_place(); another -errno as of filter_open().
 */
int loan_make(const struct filter *f, const char *ifname, uint32_t queue, struct loan *out);
void loan_close(struct loan *l);

/* None yet: loan_close() does nothing. */
void loan_begin(struct loan *l);

/* Sends it as one message over a Unix socket of type SOCK_SEQPACKET; the caller still closes its
 * own. 0 or -errno.
 */
int loan_send(const struct loan *l, int to);

/* Receives one. 0, and the caller closes it; -ENODATA: none is left, and no sender; -EPROTO: it is
 * of another version, or none; another -errno.
 */
int loan_receive(int from, struct loan *out);

#endif
