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

/* Opens the sockets that are missing, and closes those whose port is in no stream, once they are
 * empty; unless --listen names them. What cannot be opened is logged once, and tried again by the
 * next call. Called every second. Returns whether descriptors have changed.
 */
bool intake_sockets_follow(struct intake *in);

/* Joins the streams' multicast groups on the filter's interfaces: those that are not joined yet. */
void intake_sockets_join(struct intake *in);

/* Counts datagrams that the sockets dropped, also if nothing is taken from them: the kernel has one
 * count for those without room and those with a wrong checksum.
 */
void intake_sockets_count_overflow(struct intake *in);

/* As intake_take(), of one socket. */
uint32_t intake_sockets_take(struct intake *in, struct intake_socket *s, uint32_t most,
			     intake_fn fn, void *arg);

#endif
