/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An AF_XDP socket that receives from one queue, and cannot send. By system calls, as libxdp's
 * functions attach programs. Its rings are used by libxdp's xsk.h. Its memory is shared: another
 * process can go on with it, a child (fork) or one that it is passed to (xsk_adopt()).
 */
#ifndef XDP_DEDUP_XSK_H
#define XDP_DEDUP_XSK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <xdp/xsk.h>

#define XSK_FRAME_BYTES 4096 /* of the socket's memory; any kernel takes these */
#define XSK_FRAMES_MIN 64
#define XSK_FRAMES_MAX 4096

/* Bytes of a packet that fit into a frame at least: in front of them the kernel keeps 256, and some
 * kernels as much as a struct skb_shared_info behind them.
 */
#define XSK_FRAME_ROOM (XSK_FRAME_BYTES - 256 - 320)

#ifndef XDP_PKT_CONTD /* Linux 6.6 */
#define XDP_PKT_CONTD (1 << 0)
#define XDP_USE_SG (1 << 4)
#endif

/* A ring as it is mapped. */
struct xsk_map {
	void *mem; /* MAP_FAILED: it is not */
	size_t bytes;
};

struct xsk {
	int fd, memory_fd;
	uint8_t *memory; /* `frames` of XSK_FRAME_BYTES; a frame's address is its offset */
	uint32_t frames;
	struct xsk_ring_prod fill; /* both have room for all frames */
	struct xsk_ring_cons rx;
	struct xsk_map fill_map, rx_map;
	bool zerocopy; /* the driver writes into the memory; else packets are copied */
	bool several;  /* packets may come in several frames */
};

/* None yet: xsk_close() does nothing. */
void xsk_begin(struct xsk *x);

/* May a socket have so many? A power of 2 from XSK_FRAMES_MIN to XSK_FRAMES_MAX. */
bool xsk_frames_ok(uint32_t frames);

/* Makes a socket with so many frames, and rings. 0, and the caller closes it with xsk_close();
 * -EAFNOSUPPORT: the kernel has none; -ENOBUFS: more memory than RLIMIT_MEMLOCK lets this process
 * lock; another -errno.
 */
int xsk_open(struct xsk *x, uint32_t frames);

struct xsk_where {
	uint32_t ifindex, queue;
	bool copy;     /* copy packets also where the driver need not */
	bool zerocopy; /* -EOPNOTSUPP where it cannot do without */
	bool several;  /* if the kernel has that: packets in several frames */
};

/* Binds it to a queue. 0; -EBUSY: there is another socket, or the kernel is not done with one that
 * was closed; -ENODEV: there is no such interface; -EINVAL: or no such queue; -EOPNOTSUPP; -errno.
 */
int xsk_bind(struct xsk *x, const struct xsk_where *where);

/* Gives the kernel all frames. */
void xsk_fill(struct xsk *x);

/* A socket that another process has made, bound and filled, by its descriptors, which are this
 * one's then in any case. 0, and the caller closes it; -EPROTO: it is none; another -errno.
 */
int xsk_adopt(struct xsk *x, int fd, int memory_fd, uint32_t frames);

/* Can another process adopt it, once it is bound? 0; -EOPNOTSUPP: not before Linux 6.4. */
int xsk_can_be_adopted(const struct xsk *x);

void xsk_close(struct xsk *x);

/* Has the driver to be told of new frames? Then this does it. */
void xsk_wake(struct xsk *x);

#endif
