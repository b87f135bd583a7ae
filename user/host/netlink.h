/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One question to the kernel by netlink, through libmnl. Logs nothing. */
#ifndef XDP_DEDUP_NETLINK_H
#define XDP_DEDUP_NETLINK_H

#include <libmnl/libmnl.h>

/* Asks by a socket of its own, which it closes, and calls each() with every message of the answer
 * that carries data. each() returns MNL_CB_OK, or MNL_CB_ERROR with errno set, which ends the call.
 * The question asks for a dump or for an acknowledgement: that ends the answer. Returns 0; -errno
 * of the kernel or of each(); -EAGAIN if what is dumped changed meanwhile, so that the parts of the
 * answer may contradict each other.
 */
int netlink_ask(int protocol, const struct nlmsghdr *question, mnl_cb_t each, void *arg);

#endif
