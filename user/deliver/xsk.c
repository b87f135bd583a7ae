// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "xsk.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fd.h"

void xsk_begin(struct xsk *x)
{
	*x = (struct xsk){ .fd = -1 };
}

bool xsk_frames_ok(uint32_t frames)
{
	return frames >= XSK_FRAMES_MIN && frames <= XSK_FRAMES_MAX && !(frames & (frames - 1));
}

/* Maps memory of the socket at this offset, or anonymous memory if fd is -1. */
static int map(struct xsk_map *m, size_t bytes, int fd, off_t at)
{
	int flags = MAP_SHARED | MAP_POPULATE | (fd < 0 ? MAP_ANONYMOUS : 0);
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE, flags, fd, at);

	if (mem == MAP_FAILED)
		return -errno;
	*m = (struct xsk_map){ mem, bytes };
	return 0;
}

static void unmap(const struct xsk_map *m)
{
	if (m->mem)
		munmap(m->mem, m->bytes);
}

static int set_number(int fd, int option, uint32_t number)
{
	return setsockopt(fd, SOL_XDP, option, &number, sizeof(number)) ? -errno : 0;
}

static int make_memory(struct xsk *x)
{
	struct xdp_umem_reg reg = { .len = (size_t)x->frames * XSK_FRAME_BYTES,
				    .chunk_size = XSK_FRAME_BYTES };
	int err = map(&x->memory_map, reg.len, -1, 0);

	x->memory = x->memory_map.mem;
	reg.addr = (uintptr_t)x->memory;
	return err ?: setsockopt(x->fd, SOL_XDP, XDP_UMEM_REG, &reg, sizeof(reg)) ? -errno : 0;
}

/* Initializes libxdp's struct of a ring at this address. The structs of both kinds have these fields. */
#define RING(x, address, offset)                                      \
	{                                                             \
		.mask = (x)->frames - 1, .size = (x)->frames,         \
		.producer = (void *)((address) + (offset)->producer), \
		.consumer = (void *)((address) + (offset)->consumer), \
		.flags = (void *)((address) + (offset)->flags),       \
		.ring = (void *)((address) + (offset)->desc),         \
	}

static int map_rings(struct xsk *x)
{
	struct xdp_mmap_offsets offsets;
	socklen_t len = sizeof(offsets);
	uint8_t *ring;
	int err;

	if (getsockopt(x->fd, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &len))
		return -errno;
	/* A ring is its head, and its elements behind that. */
	err = map(&x->fill_map, offsets.fr.desc + x->frames * sizeof(uint64_t), x->fd,
		  XDP_UMEM_PGOFF_FILL_RING)
		      ?: map(&x->rx_map, offsets.rx.desc + x->frames * sizeof(struct xdp_desc),
			     x->fd, XDP_PGOFF_RX_RING);
	if (err)
		return err;
	ring = x->fill_map.mem;
	x->fill = (struct xsk_ring_prod)RING(x, ring, &offsets.fr);
	x->fill.cached_prod = *x->fill.producer;
	x->fill.cached_cons = *x->fill.consumer + x->frames; /* libxdp's way of counting */
	ring = x->rx_map.mem;
	x->rx = (struct xsk_ring_cons)RING(x, ring, &offsets.rx);
	x->rx.cached_prod = *x->rx.producer;
	x->rx.cached_cons = *x->rx.consumer;
	return 0;
}

/* Gives the kernel all frames, before bind: then a driver takes its frames from the fill ring. */
static void fill(struct xsk *x)
{
	uint32_t i = 0;

	xsk_ring_prod__reserve(&x->fill, x->frames, &i);
	for (uint32_t n = 0; n < x->frames; n++)
		*xsk_ring_prod__fill_addr(&x->fill, i + n) = (uint64_t)n * XSK_FRAME_BYTES;
	xsk_ring_prod__submit(&x->fill, x->frames);
}

/* Makes no TX ring. A bound socket cannot get one later, so it can never send. */
int xsk_open(struct xsk *x, uint32_t frames)
{
	int err;

	xsk_begin(x);
	x->frames = frames;
	x->fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);
	err = x->fd < 0 ? -errno : make_memory(x);
	if (!err) /* no packet is sent, but the kernel requires a completion ring */
		err = set_number(x->fd, XDP_UMEM_FILL_RING, frames)
		      ?: set_number(x->fd, XDP_UMEM_COMPLETION_RING, 1)
		      ?: set_number(x->fd, XDP_RX_RING, frames)
		      ?: map_rings(x);
	if (err)
		xsk_close(x);
	else
		fill(x);
	return err;
}

static int bind_once(const struct xsk *x, const struct xsk_binding *where, uint16_t flags)
{
	struct sockaddr_xdp address = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = flags,
		.sxdp_ifindex = where->ifindex,
		.sxdp_queue_id = where->queue,
	};

	return bind(x->fd, (struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
}

int xsk_bind(struct xsk *x, const struct xsk_binding *where)
{
	uint16_t flags = XDP_USE_NEED_WAKEUP | (where->copy ? XDP_COPY : 0) |
			 (where->zerocopy ? XDP_ZEROCOPY : 0);
	struct xdp_options options = { 0 };
	socklen_t len = sizeof(options);
	int err = -EINVAL;

	x->several = where->several;
	if (where->several)
		err = bind_once(x, where, flags | XDP_USE_SG);
	if (err == -EINVAL || err == -EOPNOTSUPP) { /* kernel or driver lack several frames */
		x->several = false;
		err = bind_once(x, where, flags);
	}
	/* virtio returns -EINVAL if its device cannot map the memory; others, if the queue does not
	 * exist. In the latter case binding with copies fails, too.
	 */
	if (err == -EINVAL && where->zerocopy && !bind_once(x, where, XDP_USE_NEED_WAKEUP | XDP_COPY))
		return -EOPNOTSUPP;
	if (err)
		return err;
	if (getsockopt(x->fd, SOL_XDP, XDP_OPTIONS, &options, &len))
		return -errno;
	x->zerocopy = options.flags & XDP_OPTIONS_ZEROCOPY;
	return 0;
}

void xsk_close(struct xsk *x)
{
	fd_close(x->fd);
	unmap(&x->fill_map);
	unmap(&x->rx_map);
	unmap(&x->memory_map);
	xsk_begin(x);
}

void xsk_wake(struct xsk *x)
{
	if (xsk_ring_prod__needs_wakeup(&x->fill))
		recvfrom(x->fd, NULL, 0, MSG_DONTWAIT, NULL, NULL);
}
