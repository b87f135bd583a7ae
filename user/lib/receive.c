// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "datagram.h"
#include "receiver.h"

void receiver_grant(struct xdp_dedup_receiver *r)
{
	uint64_t granted = r->first + r->done + r->credits;

	while (receiver_slot(r, r->oldest)->state == SLOT_DONE) {
		struct slot *s = receiver_slot(r, r->oldest);

		s->state = SLOT_UNSEEN;
		r->oldest += s->credits;
	}
	if (granted > r->oldest + DEDUP_IN_FLIGHT_MAX)
		granted = r->oldest + DEDUP_IN_FLIGHT_MAX;
	if (!queue_is_lost(&r->queue))
		__atomic_store_n(&r->queue.socket->granted, granted, __ATOMIC_RELEASE);
}

/* Puts a packet's frames into the fill ring, which has room for all frames. */
static void refill(struct xdp_dedup_receiver *r, const struct slot *s)
{
	uint32_t i;

	if (!xsk_ring_prod__reserve(&r->queue.xsk.fill, s->parts_cnt, &i))
		return;
	for (unsigned int n = 0; n < s->parts_cnt; n++)
		*xsk_ring_prod__fill_addr(&r->queue.xsk.fill, i + n) =
			s->parts[n].at & ~(XSK_FRAME_BYTES - 1U);
	xsk_ring_prod__submit(&r->queue.xsk.fill, s->parts_cnt);
}

void receiver_end_packet(struct xdp_dedup_receiver *r, uint64_t number)
{
	struct slot *s = receiver_slot(r, number);

	queue_clear(&r->queue, number);
	refill(r, s);
	if (s->joined)
		r->free_joined[r->free_joined_cnt++] = s->joined;
	s->joined = NULL;
	s->parts_cnt = 0;
	s->state = SLOT_DONE;
	r->done += s->credits;
}

bool receiver_want(struct xdp_dedup_receiver *r, struct filter *f, const struct dedup_in_flight *h)
{
	int err = f ? delivery_want(f, h) : -ESTALE;

	if (err == -ESTALE)
		return false;
	r->stats.forgotten += err < 0;
	return true;
}

/* Has one of the last RECEIVER_BROKEN_MAX broken packets the same id as this one? */
static bool is_broken_again(const struct xdp_dedup_receiver *r, const struct dedup_in_flight *h)
{
	for (int i = 0; i < RECEIVER_BROKEN_MAX; i++) {
		const struct dedup_in_flight *other = &r->broken[i];

		if (other != h && other->number && other->slot == h->slot &&
		    !memcmp(&other->id, &h->id, sizeof(h->id)))
			return true;
	}
	return false;
}

/* Does receiver_want() for a broken packet, and undoes it for the oldest of RECEIVER_BROKEN_MAX: a
 * sender of many broken packets cannot take the room of other ids.
 */
static bool want_broken(struct xdp_dedup_receiver *r, struct filter *f,
			const struct dedup_in_flight *h)
{
	struct dedup_in_flight *last = &r->broken[r->broken_cnt++ % RECEIVER_BROKEN_MAX];

	if (f && last->number && !is_broken_again(r, last))
		delivery_want_no_more(f, last);
	*last = *h;
	return receiver_want(r, f, h);
}

/* Takes the next packet's parts from the ring, which has `cnt` parts from i on. Returns false if
 * the packet's last part is not there yet.
 */
static bool take_parts(struct xdp_dedup_receiver *r, uint32_t i, uint32_t cnt, struct slot *s)
{
	for (uint32_t n = 0; n < cnt && n < QUEUE_PARTS_MAX; n++) {
		const struct xdp_desc *d = xsk_ring_cons__rx_desc(&r->queue.xsk.rx, i + n);

		s->parts[n].at = d->addr;
		s->parts[n].len = d->len;
		s->parts_cnt = n + 1;
		if (!(d->options & XDP_PKT_CONTD))
			return true;
	}
	return false;
}

static void join_parts(struct xdp_dedup_receiver *r, struct slot *s, struct xdp_dedup_packet *p)
{
	uint8_t *to;

	p->data = r->queue.xsk.memory + s->parts[0].at;
	p->len = s->parts[0].len;
	if (s->parts_cnt == 1)
		return;
	to = s->joined = r->free_joined[--r->free_joined_cnt];
	for (unsigned int n = 0; n < s->parts_cnt; n++) {
		memcpy(to, r->queue.xsk.memory + s->parts[n].at, s->parts[n].len);
		to += s->parts[n].len;
	}
	p->data = s->joined;
	p->len = to - s->joined;
}

void receiver_describe_streams(struct xdp_dedup_receiver *r, const struct filter *f)
{
	r->serial = f->serial;
	r->streams_cnt = f->config->policy.streams_cnt;
	for (uint32_t n = 0; n < r->streams_cnt; n++) {
		r->slots_of[n] = f->config->policy.streams[n].slot;
		r->forms[n] = stream_form_of(f->config, n);
	}
}

/* Returns the stream with this slot; -1 if it was removed. */
static int stream_of_slot(const struct xdp_dedup_receiver *r, uint32_t slot)
{
	for (uint32_t n = 0; n < r->streams_cnt; n++)
		if (r->slots_of[n] == slot)
			return (int)n;
	return -1;
}

static void describe_packet(const struct xdp_dedup_receiver *r, const struct dedup_in_flight *h,
			    struct slot *s, struct xdp_dedup_packet *p)
{
	int n = stream_of_slot(r, h->slot);

	p->number = s->number;
	p->time_ns = h->time_ns;
	if (p->time_ns)
		p->time_ns -= r->filter->clock_offset_ns; /* of this process's time namespace */
	p->stream = n < 0 ? UINT32_MAX : (uint32_t)n;
	p->id = s->id;
	p->id_len = n < 0 ? 0 : stream_form_bytes(&r->forms[n], &h->id, s->id);
}

/* Does the application get this packet? Counts the packets that it does not get. */
static bool is_good(struct xdp_dedup_receiver *r, struct xdp_dedup_packet *p)
{
	switch (datagram_read(p)) {
	case DATAGRAM_BROKEN:
		r->stats.broken++;
		return false;
	case DATAGRAM_UNFINISHED:
		r->stats.unfinished++;
		return r->unfinished;
	default:
		return true;
	}
}

/* Takes a packet with the parts of `arrived`. Returns whether the application gets it, as *p. */
static bool accept_packet(struct xdp_dedup_receiver *r, struct filter *f,
			  const struct slot *arrived, struct xdp_dedup_packet *p)
{
	uint8_t *front = r->queue.xsk.memory + arrived->parts[0].at;
	struct dedup_in_flight *h;
	struct slot *s;
	uint32_t number;
	uint64_t noted;

	memcpy(&number, front, sizeof(number));
	h = queue_in_flight(&r->queue, number);
	s = receiver_slot(r, number);
	noted = READ_ONCE(h->number);
	if ((uint32_t)(noted - 1) != number || !noted || s->state != SLOT_UNSEEN) {
		refill(r, arrived); /* from another program, or counted as vanished before */
		return false;
	}
	memcpy(front, &h->front, sizeof(h->front));
	s->parts_cnt = arrived->parts_cnt;
	memcpy(s->parts, arrived->parts, sizeof(s->parts));
	s->number = noted - 1;
	s->credits = h->frames;
	s->state = SLOT_HELD;
	describe_packet(r, h, s, p);
	join_parts(r, s, p);
	if (is_good(r, p)) {
		r->stats.received++;
		return true;
	}
	s->state = SLOT_BROKEN;
	if (want_broken(r, f, h))
		receiver_end_packet(r, s->number);
	return false;
}

int xdp_dedup_receive(struct xdp_dedup_receiver *r, struct xdp_dedup_packet *packets, unsigned int max)
{
	uint32_t most = max > r->queue.xsk.frames ? r->queue.xsk.frames : max, i = 0;
	uint32_t arrived, used = 0;
	struct filter *f = lib_enter(r->filter);
	uint64_t done = r->done;
	struct slot s;
	int cnt = 0;

	if (f && unlikely(f->serial != r->serial))
		receiver_describe_streams(r, f);
	arrived = xsk_ring_cons__peek(&r->queue.xsk.rx, r->queue.xsk.frames, &i);
	while (used < arrived && (uint32_t)cnt < most) {
		if (!take_parts(r, i + used, arrived - used, &s))
			break;
		used += s.parts_cnt;
		cnt += accept_packet(r, f, &s, &packets[cnt]);
	}
	xsk_ring_cons__cancel(&r->queue.xsk.rx, arrived - used);
	xsk_ring_cons__release(&r->queue.xsk.rx, used);
	/* Broken packets free credits. Before the release the RX ring might have no room for more. */
	if (r->done != done)
		receiver_grant(r);
	if (!arrived)
		cnt = receiver_be_idle(r, f);
	if (f)
		lib_leave();
	return cnt;
}

/* Undoes the wants of the command that ended the delivery (deliver.h) for returned packets. */
static void withdraw_wants(struct xdp_dedup_receiver *r, const struct xdp_dedup_packet *packets,
			   unsigned int cnt)
{
	struct filter *f = lib_enter(r->filter);

	if (!f)
		return;
	for (unsigned int i = 0; i < cnt; i++)
		if (receiver_slot(r, packets[i].number)->number == packets[i].number)
			delivery_want_no_more(f, queue_in_flight(&r->queue, packets[i].number));
	lib_leave();
}

void xdp_dedup_give_back(struct xdp_dedup_receiver *r, const struct xdp_dedup_packet *packets,
			 unsigned int cnt)
{
	for (unsigned int i = 0; i < cnt; i++) {
		const struct slot *s = receiver_slot(r, packets[i].number);

		if (s->state == SLOT_HELD && s->number == packets[i].number)
			receiver_end_packet(r, s->number);
	}
	if (cnt)
		receiver_grant(r);
	if (unlikely(queue_has_ended(&r->queue)))
		withdraw_wants(r, packets, cnt);
	xsk_wake(&r->queue.xsk);
}

int xdp_dedup_receive_fd(const struct xdp_dedup_receiver *r)
{
	return r->queue.xsk.fd;
}

void xdp_dedup_receive_stats(const struct xdp_dedup_receiver *r,
			     struct xdp_dedup_receive_stats *stats, size_t size)
{
	lib_copy_out(stats, size, &r->stats, sizeof(r->stats));
}
