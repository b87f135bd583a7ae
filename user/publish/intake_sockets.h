/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The UDP sockets of an intake (intake.h). */
#ifndef XDP_DEDUP_PUBLISH_INTAKE_SOCKETS_H
#define XDP_DEDUP_PUBLISH_INTAKE_SOCKETS_H

#include "intake.h"

/* Opens a socket for each address of --listen, or for each port of the published streams, and joins
 * the streams' multicast groups on the filter's interfaces. Closes what the streams do not have any
 * more. Logs once what cannot be opened; the next call tries again. Returns 0; or -errno (logged)
 * if a socket cannot be opened that is required.
 */
int intake_sockets_refresh(struct intake *in);
void intake_sockets_close(struct intake *in);

/* Counts the datagrams that the sockets dropped. The kernel's count includes datagrams without room
 * and datagrams with a wrong checksum.
 */
void intake_sockets_count_overflow(struct intake *in);

/* Does what intake_take() does, for one socket. */
uint32_t intake_sockets_take(struct intake *in, struct intake_socket *s, uint32_t most,
			     intake_fn fn, void *arg);

#endif
