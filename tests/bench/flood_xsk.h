/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A plain AF_XDP socket, as an application without the library's receiver has one: packets are
 * redirected to it by programs that know neither credits nor headers. What it costs is the least
 * that AF_XDP costs.
 */
#pragma once

#include "xsk.h"

/* Binds one to the only queue of this interface, with as many frames as the library's receiver has.
 * 0, and the caller closes it with xsk_close(); -errno.
 */
int flood_xsk_open(struct xsk *x, uint32_t ifindex);

struct flood_frame {
	const uint8_t *data;
	uint32_t len;
};

/* Takes up to `max` frames without waiting, and returns how many; all are to be given back. */
uint32_t flood_xsk_receive(struct xsk *x, struct flood_frame *frames, uint32_t max);
void flood_xsk_give_back(struct xsk *x, const struct flood_frame *frames, uint32_t cnt);
