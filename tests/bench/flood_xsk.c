// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "flood_xsk.h"

#define FRAMES 512

int flood_xsk_open(struct xsk *x, uint32_t ifindex)
{
	const struct xsk_binding where = { .ifindex = ifindex };
	int err = xsk_open(x, FRAMES);

	if (err)
		return err;
	err = xsk_bind(x, &where);
	if (err)
		xsk_close(x);
	return err;
}

uint32_t flood_xsk_receive(struct xsk *x, struct flood_frame *frames, uint32_t max)
{
	uint32_t at = 0, cnt = xsk_ring_cons__peek(&x->rx, max, &at);

	for (uint32_t i = 0; i < cnt; i++) {
		const struct xdp_desc *d = xsk_ring_cons__rx_desc(&x->rx, at + i);

		frames[i] = (struct flood_frame){ x->memory + d->addr, d->len };
	}
	xsk_ring_cons__release(&x->rx, cnt);
	return cnt;
}

void flood_xsk_give_back(struct xsk *x, const struct flood_frame *frames, uint32_t cnt)
{
	uint32_t at = 0;

	if (!xsk_ring_prod__reserve(&x->fill, cnt, &at))
		return;
	for (uint32_t i = 0; i < cnt; i++)
		*xsk_ring_prod__fill_addr(&x->fill, at + i) =
			(uint64_t)(frames[i].data - x->memory) & ~(XSK_FRAME_BYTES - 1ULL);
	xsk_ring_prod__submit(&x->fill, cnt);
	xsk_wake(x);
}
