/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An AF_XDP socket that receives from one queue, and cannot send. It is made by system calls, as
 * libxdp's functions would attach programs; its rings are used through libxdp's xsk.h. Its memory
 * is shared: after fork() the child can use the socket.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xdp/xsk.h>

#define XSK_FRAME_BYTES 4096 /* size of a frame; every kernel accepts it */
#define XSK_FRAMES_MIN 64
#define XSK_FRAMES_MAX 4096

/* Bytes of a packet that always fit into a frame. The kernel reserves 256 bytes in front of them,
 * and some kernels a struct skb_shared_info behind them.
 */
#define XSK_FRAME_ROOM (XSK_FRAME_BYTES - 256 - 320)

#ifndef XDP_PKT_CONTD /* Linux 6.6 */
#define XDP_PKT_CONTD (1 << 0)
#define XDP_USE_SG (1 << 4)
#endif

struct xsk_map {
	void *mem; /* NULL: not mapped */
	size_t bytes;
};

struct xsk {
	int fd;
	uint8_t *memory; /* `frames` of XSK_FRAME_BYTES; a frame's address is its offset */
	uint32_t frames;
	struct xsk_ring_prod fill; /* both have room for all frames */
	struct xsk_ring_cons rx;
	struct xsk_map memory_map, fill_map, rx_map;
	bool zerocopy; /* the driver writes into the memory; else packets are copied */
	bool several;  /* packets may come in several frames */
};

/* Is this number of frames allowed? A power of 2 from XSK_FRAMES_MIN to XSK_FRAMES_MAX is. */
bool xsk_frames_ok(uint32_t frames);

/* Makes a socket with this many frames, and its rings; the kernel gets all frames. Returns 0, and
 * the caller closes it with xsk_close(); -EAFNOSUPPORT if the kernel has no AF_XDP; -ENOBUFS if
 * RLIMIT_MEMLOCK does not let this process lock the memory; another -errno.
 */
int xsk_open(struct xsk *x, uint32_t frames);

struct xsk_binding {
	uint32_t ifindex, queue;
	bool copy;     /* copy packets even if the driver supports zero-copy */
	bool zerocopy; /* fail with -EOPNOTSUPP unless the driver supports zero-copy */
	bool several;  /* receive packets in several frames, if the kernel supports that */
};

/* Binds the socket to a queue. Returns 0; -EBUSY if the queue has another socket, or the kernel
 * has not finished with a closed one; -ENODEV if there is no such interface; -EINVAL if it has no
 * such queue; -EOPNOTSUPP; another -errno.
 */
int xsk_bind(struct xsk *x, const struct xsk_binding *where);

/* Makes *x empty, so that xsk_close() does nothing. */
void xsk_begin(struct xsk *x);
void xsk_close(struct xsk *x);

/* Wakes the driver after new frames, if it needs that. */
void xsk_wake(struct xsk *x);
