/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The UDP sockets of an intake (intake.h). */
#ifndef XDP_DEDUP_PUBLISH_INTAKE_SOCKETS_H
#define XDP_DEDUP_PUBLISH_INTAKE_SOCKETS_H

#include "intake.h"

/* Opens a socket for each address of --listen, or for each port of the published streams. Returns
 * 0, or -errno (logged).
 */
int intake_sockets_open(struct intake *in);
void intake_sockets_close(struct intake *in);

/* Adapts the sockets to the streams, unless --listen names them: closes those whose port is in no
 * stream, and opens missing ones. Logs once what cannot be opened; the next call tries again.
 */
void intake_sockets_refresh(struct intake *in);

/* Joins the streams' multicast groups on the filter's interfaces, unless they are joined. */
void intake_sockets_join(struct intake *in);

/* Counts the datagrams that the sockets dropped. The kernel's count includes datagrams without room
 * and datagrams with a wrong checksum.
 */
void intake_sockets_count_overflow(struct intake *in);

/* Does what intake_take() does, for one socket. */
uint32_t intake_sockets_take(struct intake *in, struct intake_socket *s, uint32_t most,
			     intake_fn fn, void *arg);

#endif
