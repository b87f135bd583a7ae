// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "xsk.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#ifndef AF_XDP
#define AF_XDP 44
#endif
#ifndef SOL_XDP
#define SOL_XDP 283
#endif

void xsk_begin(struct xsk *x)
{
	*x = (struct xsk){ .fd = -1, .fill_map = MAP_FAILED, .rx_map = MAP_FAILED };
}

static int set_number(int fd, int option, uint32_t number)
{
	return setsockopt(fd, SOL_XDP, option, &number, sizeof(number)) ? -errno : 0;
}

/* Shared: a child has the same pages, not copies of those that the kernel writes into. */
static int make_memory(struct xsk *x)
{
	size_t bytes = (size_t)x->frames * XSK_FRAME_BYTES;
	struct xdp_umem_reg reg = { .len = bytes, .chunk_size = XSK_FRAME_BYTES };
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED)
		return -errno;
	x->memory = memory;
	reg.addr = (uintptr_t)memory;
	return setsockopt(x->fd, SOL_XDP, XDP_UMEM_REG, &reg, sizeof(reg)) ? -errno : 0;
}

/* Maps a ring, whose elements begin behind its head. */
static int map_ring(const struct xsk *x, off_t at, const struct xdp_ring_offset *offset,
		    size_t element, void **map, size_t *bytes)
{
	*bytes = offset->desc + x->frames * element;
	*map = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, x->fd, at);
	return *map == MAP_FAILED ? -errno : 0;
}

static int map_rings(struct xsk *x)
{
	struct xdp_mmap_offsets offsets;
	socklen_t len = sizeof(offsets);
	uint8_t *ring;
	int err;

	if (getsockopt(x->fd, SOL_XDP, XDP_MMAP_OFFSETS, &offsets, &len))
		return -errno;
	if (len != sizeof(offsets)) /* before Linux 5.4 */
		return -EOPNOTSUPP;
	err = map_ring(x, XDP_UMEM_PGOFF_FILL_RING, &offsets.fr, sizeof(uint64_t), &x->fill_map,
		       &x->fill_bytes);
	if (err)
		return err;
	ring = x->fill_map;
	x->fill = (struct xsk_ring_prod){
		.mask = x->frames - 1,
		.size = x->frames,
		.producer = (void *)(ring + offsets.fr.producer),
		.consumer = (void *)(ring + offsets.fr.consumer),
		.flags = (void *)(ring + offsets.fr.flags),
		.ring = (void *)(ring + offsets.fr.desc),
		.cached_cons = x->frames, /* libxdp's way of saying that all of it is free */
	};
	err = map_ring(x, XDP_PGOFF_RX_RING, &offsets.rx, sizeof(struct xdp_desc), &x->rx_map,
		       &x->rx_bytes);
	if (err)
		return err;
	ring = x->rx_map;
	x->rx = (struct xsk_ring_cons){
		.mask = x->frames - 1,
		.size = x->frames,
		.producer = (void *)(ring + offsets.rx.producer),
		.consumer = (void *)(ring + offsets.rx.consumer),
		.flags = (void *)(ring + offsets.rx.flags),
		.ring = (void *)(ring + offsets.rx.desc),
	};
	return 0;
}

int xsk_set_up(struct xsk *x, int fd, uint32_t frames)
{
	int err;

	xsk_begin(x);
	x->fd = fd;
	x->frames = frames;
	err = make_memory(x);
	if (!err)
		err = set_number(fd, XDP_UMEM_FILL_RING, frames);
	if (!err) /* of packets that are sent, which none are; but there must be one */
		err = set_number(fd, XDP_UMEM_COMPLETION_RING, 1);
	if (!err)
		err = set_number(fd, XDP_RX_RING, frames);
	if (!err)
		err = map_rings(x);
	if (err) {
		x->fd = -1;
		xsk_close(x);
	}
	return err;
}

static int bind_once(const struct xsk *x, const struct xsk_where *where, uint16_t flags)
{
	struct sockaddr_xdp address = {
		.sxdp_family = AF_XDP,
		.sxdp_flags = flags,
		.sxdp_ifindex = where->ifindex,
		.sxdp_queue_id = where->queue,
	};

	return bind(x->fd, (struct sockaddr *)&address, sizeof(address)) ? -errno : 0;
}

int xsk_bind(struct xsk *x, const struct xsk_where *where)
{
	uint16_t flags = XDP_USE_NEED_WAKEUP | (where->copy ? XDP_COPY : 0) |
			 (where->zerocopy ? XDP_ZEROCOPY : 0);
	struct xdp_options options = { 0 };
	socklen_t len = sizeof(options);
	int err = -EINVAL;

	x->several = where->several;
	if (where->several)
		err = bind_once(x, where, flags | XDP_USE_SG);
	if (err == -EINVAL || err == -EOPNOTSUPP) { /* kernels, or drivers, that lack it */
		x->several = false;
		err = bind_once(x, where, flags);
	}
	if (err)
		return err;
	if (getsockopt(x->fd, SOL_XDP, XDP_OPTIONS, &options, &len))
		return -errno;
	x->zerocopy = options.flags & XDP_OPTIONS_ZEROCOPY;
	return 0;
}

void xsk_close(struct xsk *x)
{
	if (x->fd >= 0)
		close(x->fd);
	if (x->fill_map != MAP_FAILED)
		munmap(x->fill_map, x->fill_bytes);
	if (x->rx_map != MAP_FAILED)
		munmap(x->rx_map, x->rx_bytes);
	if (x->memory)
		munmap(x->memory, (size_t)x->frames * XSK_FRAME_BYTES);
	xsk_begin(x);
}

void xsk_wake(struct xsk *x)
{
	if (xsk_ring_prod__needs_wakeup(&x->fill))
		recvfrom(x->fd, NULL, 0, MSG_DONTWAIT, NULL, NULL);
}
