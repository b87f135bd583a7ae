// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "loan.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "config_streams.h"
#include "here.h"
#include "kept.h"
#include "lent.h"
#include "open_filter.h"
#include "stream_ids.h"

#define BIND_TRIES 200 /* the kernel takes some 20 ms to be done with a socket that was closed */
#define BIND_WAIT_US 5000

void loan_begin(struct loan *l)
{
	*l = (struct loan){ .ask_fd = -1 };
	xsk_begin(&l->xsk);
	delivery_begin(&l->delivery);
}

void loan_close(struct loan *l)
{
	xsk_close(&l->xsk);
	delivery_close(&l->delivery);
	if (l->ask_fd >= 0)
		close(l->ask_fd);
	free(l->copy);
	loan_begin(l);
}

/* The index of the interface here that is meant. */
static int find_interface(const struct filter *f, const char *ifname, uint32_t *ifindex)
{
	uint32_t named = ifname ? if_nametoindex(ifname) : 0;
	unsigned int here = 0;

	if (ifname && !named)
		return -ENODEV;
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		const struct dedup_iface *iface = &f->record->ifaces[i];

		if (!iface->ifindex || (named && iface->ifindex != named) || !here_has(iface))
			continue;
		*ifindex = iface->ifindex;
		here++;
	}
	if (here != 1)
		return here ? -EINVAL : -ENODEV;
	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (f->record->ifaces[i].ifindex == *ifindex && !here_has(&f->record->ifaces[i]))
			return -ENOTUNIQ;
	return 0;
}

/* Makes the socket and binds it: nobody else has the queue then, nor does any program that still
 * runs know of a socket that was there before.
 */
static int open_socket(struct loan *l, const struct loan_options *o)
{
	const struct xsk_where where = { l->facts.ifindex, o->queue, o->copy, o->zerocopy,
					 o->parts > 1 };
	int err = xsk_open(&l->xsk, o->frames);

	if (err)
		return err == -EAFNOSUPPORT ? -EOPNOTSUPP : err;
	err = xsk_bind(&l->xsk, &where);
	for (int i = 0; i < BIND_TRIES && err == -EBUSY; i++) {
		usleep(BIND_WAIT_US);
		err = xsk_bind(&l->xsk, &where);
	}
	if (!err && o->to_another)
		err = xsk_can_be_adopted(&l->xsk);
	l->facts.frames = o->frames;
	l->facts.zerocopy = l->xsk.zerocopy;
	/* The driver's frames hold what it likes: how many a packet takes cannot be told before. */
	l->facts.parts = l->xsk.several && !l->xsk.zerocopy ? o->parts : 1;
	return err;
}

/* Takes the queue's place, in which there is no credit then. The place, or -errno. */
static int take_place(struct loan *l, struct filter *f, uint32_t queue)
{
	struct loan_facts *facts = &l->facts;
	int err = delivery_open(f, &l->delivery), place;
	struct dedup_socket *s;

	if (err)
		return err;
	place = delivery_place(&l->delivery, f, (struct dedup_queue){ facts->ifindex, queue });
	if (place < 0)
		return place;
	l->socket = s = &l->delivery.sockets[place];
	l->handed = delivery_handed(&l->delivery, place, 0);
	facts->stale_ns = f->config->memory.stale_ns;
	facts->opened = delivery_reopen(s);
	WRITE_ONCE(s->granted, READ_ONCE(s->taken));
	delivery_want_left(&l->delivery, f, place, &facts->recovered, &facts->forgotten);
	s->frame_bytes = XSK_FRAME_ROOM;
	s->pid = 0;
	s->zerocopy = facts->zerocopy;
	return place;
}

/* Puts the socket into the place, from where on it gets packets, after all else that can fail. */
static int enter_place(struct loan *l, const struct filter *f, uint32_t place, bool to_another)
{
	const struct lent_queue q = { place, l->facts.opened, l->facts.parts };

	if (to_another) {
		l->ask_fd = lent_load(f, &q);
		if (l->ask_fd < 0)
			return l->ask_fd;
	}
	xsk_fill(&l->xsk);
	return delivery_enter(&l->delivery, place, l->xsk.fd);
}

void loan_describe_ids(const struct dedup_config *c, struct loan_facts *out)
{
	out->streams_cnt = c->policy.streams_cnt;
	for (uint32_t n = 0; n < out->streams_cnt; n++) {
		out->slots[n] = c->policy.streams[n].slot;
		out->forms[n] = stream_form_of(c, n);
	}
}

int loan_stream(const struct loan_facts *facts, uint32_t slot)
{
	for (uint32_t n = 0; n < facts->streams_cnt; n++)
		if (facts->slots[n] == slot)
			return (int)n;
	return -1;
}

int loan_make(struct filter *f, const struct loan_options *o, struct loan *out)
{
	struct loan l;
	int err, place;

	loan_begin(&l);
	l.facts.format = DEDUP_FORMAT;
	err = f->config->policy.deliver ? find_interface(f, o->ifname, &l.facts.ifindex)
					: -EOPNOTSUPP;
	if (!err)
		err = open_socket(&l, o);
	if (!err) {
		place = take_place(&l, f, o->queue);
		err = place < 0 ? place : enter_place(&l, f, place, o->to_another);
	}
	if (err) {
		loan_close(&l);
		return err;
	}
	loan_describe_ids(f->config, &l.facts);
	*out = l;
	return 0;
}
