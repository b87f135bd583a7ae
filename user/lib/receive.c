// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "datagram.h"
#include "grant_program.h"
#include "receiver.h"
#include "stream_ids.h"

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
	if (!queue_grant_is_lost(&r->grant))
		__atomic_store_n(&r->grant.socket->granted, granted, __ATOMIC_RELEASE);
	queue_grant_tell(&r->grant);
}

/* Puts a packet's frames into the fill ring, which has room for all there are. */
static void refill(struct xdp_dedup_receiver *r, const struct slot *s)
{
	uint32_t i;

	if (!xsk_ring_prod__reserve(&r->grant.xsk.fill, s->parts_cnt, &i))
		return;
	for (unsigned int n = 0; n < s->parts_cnt; n++)
		*xsk_ring_prod__fill_addr(&r->grant.xsk.fill, i + n) =
			s->parts[n].at & ~(XSK_FRAME_BYTES - 1U);
	xsk_ring_prod__submit(&r->grant.xsk.fill, s->parts_cnt);
}

void receiver_end_packet(struct xdp_dedup_receiver *r, uint64_t number)
{
	struct slot *s = receiver_slot(r, number);

	queue_grant_clear(&r->grant, number);
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
	int err = -ESTALE;

	if (!r->filter)
		err = grant_program_want(r->grant.ask_fd, &r->grant.copy->ask, h);
	else if (f)
		err = delivery_want(f, h);
	if (err == -ESTALE)
		return false;
	r->stats.forgotten += err < 0;
	return true;
}

/* Its id is wanted no more, as far as this process can do that. */
static void want_no_more(struct xdp_dedup_receiver *r, struct filter *f,
			 const struct dedup_in_flight *h)
{
	if (!r->filter)
		grant_program_want_no_more(r->grant.ask_fd, &r->grant.copy->ask, h);
	else if (f)
		delivery_want_no_more(f, h);
}

/* Is this broken packet's id also that of another one of the last? */
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

/* Wants the id of a broken packet, and no longer that of the one RECEIVER_BROKEN_MAX before:
 * whoever sends many of them takes no room from other ids. Returns as receiver_want().
 */
static bool want_broken(struct xdp_dedup_receiver *r, struct filter *f,
			const struct dedup_in_flight *h)
{
	struct dedup_in_flight *last = &r->broken[r->broken_cnt++ % RECEIVER_BROKEN_MAX];

	if (last->number && !is_broken_again(r, last))
		want_no_more(r, f, last);
	*last = *h;
	return receiver_want(r, f, h);
}

/* Takes the next packet's parts from the ring, of which `cnt` from i on are there. False if its
 * last one has not come yet.
 */
static bool take_parts(struct xdp_dedup_receiver *r, uint32_t i, uint32_t cnt, struct slot *s)
{
	for (uint32_t n = 0; n < cnt && n < QUEUE_GRANT_PARTS_MAX; n++) {
		const struct xdp_desc *d = xsk_ring_cons__rx_desc(&r->grant.xsk.rx, i + n);

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

	p->data = r->grant.xsk.memory + s->parts[0].at;
	p->len = s->parts[0].len;
	if (s->parts_cnt == 1)
		return;
	to = s->joined = r->free_joined[--r->free_joined_cnt];
	for (unsigned int n = 0; n < s->parts_cnt; n++) {
		memcpy(to, r->grant.xsk.memory + s->parts[n].at, s->parts[n].len);
		to += s->parts[n].len;
	}
	p->data = s->joined;
	p->len = to - s->joined;
}

static void describe_packet(const struct xdp_dedup_receiver *r, const struct dedup_in_flight *h,
			    struct slot *s, struct xdp_dedup_packet *p)
{
	const struct queue_grant_facts *facts = &r->grant.facts;
	int n = queue_grant_stream(facts, READ_ONCE(h->slot));

	p->number = s->number;
	p->time_ns = h->time_ns;
	if (p->time_ns && r->filter)
		p->time_ns -= r->filter->clock_offset_ns; /* of this process's time namespace */
	p->stream = n < 0 ? UINT32_MAX : (uint32_t)n;
	p->id = s->id;
	p->id_len = n < 0 ? 0 : stream_form_bytes(&facts->forms[n], &h->id, s->id);
}

/* Is what came to be handed out? */
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

/* A packet that has come, in these parts. Is it handed out as *p? */
static bool hand_out(struct xdp_dedup_receiver *r, struct filter *f, const struct slot *came,
		     struct xdp_dedup_packet *p)
{
	uint8_t *front = r->grant.xsk.memory + came->parts[0].at;
	struct dedup_in_flight *h;
	struct slot *s;
	uint32_t number;
	uint64_t noted;

	memcpy(&number, front, sizeof(number));
	h = queue_grant_in_flight(&r->grant, number);
	s = receiver_slot(r, number);
	noted = READ_ONCE(h->number);
	if ((uint32_t)(noted - 1) != number || !noted || s->state != SLOT_UNSEEN) {
		refill(r, came); /* another program's, or one that had vanished */
		return false;
	}
	memcpy(front, &h->front, sizeof(h->front));
	s->parts_cnt = came->parts_cnt;
	memcpy(s->parts, came->parts, sizeof(s->parts));
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

/* Has the entries of packets that came at hand, for up to `most` of those whose `cnt` parts are
 * there from i on. Returns how many parts these are.
 */
static uint32_t fetch(struct xdp_dedup_receiver *r, uint32_t i, uint32_t cnt, uint32_t most)
{
	uint32_t numbers[DEDUP_ASK_MAX], packets = 0, n;
	bool begins = true;

	if (r->filter)
		return cnt;
	if (most > DEDUP_ASK_MAX)
		most = DEDUP_ASK_MAX;
	for (n = 0; n < cnt; n++) {
		const struct xdp_desc *d = xsk_ring_cons__rx_desc(&r->grant.xsk.rx, i + n);

		if (begins && packets == most)
			break;
		if (begins)
			memcpy(&numbers[packets++], r->grant.xsk.memory + d->addr, sizeof(*numbers));
		begins = !(d->options & XDP_PKT_CONTD);
	}
	queue_grant_fetch(&r->grant, numbers, packets);
	return n;
}

int xdp_dedup_receive(struct xdp_dedup_receiver *r, struct xdp_dedup_packet *packets, unsigned int max)
{
	uint32_t most = max > r->grant.xsk.frames ? r->grant.xsk.frames : max, i = 0;
	uint32_t came, fetched = 0, used = 0;
	struct filter *f = receiver_enter(r);
	uint64_t done = r->done;
	struct slot s;
	int cnt = 0;

	if (f && unlikely(f->serial != r->serial)) {
		queue_grant_describe_ids(f->config, &r->grant.facts);
		r->serial = f->serial;
	}
	came = xsk_ring_cons__peek(&r->grant.xsk.rx, r->grant.xsk.frames, &i);
	while (used < came && (uint32_t)cnt < most) {
		if (used == fetched)
			fetched += fetch(r, i + used, came - used, most - cnt);
		if (!take_parts(r, i + used, fetched - used, &s))
			break;
		used += s.parts_cnt;
		cnt += hand_out(r, f, &s, &packets[cnt]);
	}
	xsk_ring_cons__cancel(&r->grant.xsk.rx, came - used);
	xsk_ring_cons__release(&r->grant.xsk.rx, used);
	/* Broken ones. Not before: the ring has no room for more than all frames, and the kernel
	 * drops what finds none.
	 */
	if (r->done != done)
		receiver_grant(r);
	if (!came)
		cnt = receiver_be_idle(r, f);
	receiver_leave(f);
	return cnt;
}

/* These were given back, and whoever ended the delivery may have wanted their ids (deliver.h). */
static void take_wants_back(struct xdp_dedup_receiver *r, const struct xdp_dedup_packet *packets,
			    unsigned int cnt)
{
	struct filter *f = receiver_enter(r);

	for (unsigned int i = 0; i < cnt; i++)
		if (receiver_slot(r, packets[i].number)->number == packets[i].number)
			want_no_more(r, f, queue_grant_in_flight(&r->grant, packets[i].number));
	receiver_leave(f);
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
	if (unlikely(queue_grant_has_ended(&r->grant)))
		take_wants_back(r, packets, cnt);
	xsk_wake(&r->grant.xsk);
}

int xdp_dedup_receive_fd(const struct xdp_dedup_receiver *r)
{
	return r->grant.xsk.fd;
}

void xdp_dedup_receive_stats(const struct xdp_dedup_receiver *r,
			     struct xdp_dedup_receive_stats *stats, size_t size)
{
	lib_copy_out(stats, size, &r->stats, sizeof(r->stats));
}
