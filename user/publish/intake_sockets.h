/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The UDP sockets of an intake (intake.h). */
#ifndef XDP_DEDUP_PUBLISH_INTAKE_SOCKETS_H
#define XDP_DEDUP_PUBLISH_INTAKE_SOCKETS_H

#include "intake.h"

/* Opens a socket for each address of --listen, or for each port of the streams that are published.
 * Returns 0, or -errno (logged).
 */
int intake_sockets_open(struct intake *in);
void intake_sockets_close(struct intake *in);

/* After the streams have changed: opens the sockets that are missing, unless --listen names them.
 * Those of other ports stay, for what is in them. Returns 0, or -errno (logged).
 */
int intake_sockets_add(struct intake *in);

/* Joins the streams' multicast groups on the filter's interfaces: those that are not joined yet. */
void intake_sockets_join(struct intake *in);

/* Counts datagrams for which the sockets had no room, also if nothing is taken from them. */
void intake_sockets_count_overflow(struct intake *in);

/* As intake_take(), of one socket. */
uint32_t intake_sockets_take(struct intake *in, struct intake_socket *s, uint32_t most,
			     intake_fn fn, void *arg);

#endif
