// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "queue_grant.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <unistd.h>

#include "fd.h"
#include "here.h"
#include "grant_program.h"
#include "open_filter.h"
#include "stream_ids.h"

#define BIND_TRIES 200 /* the kernel takes some 20 ms to be done with a socket that was closed */
#define BIND_WAIT_US 5000

void queue_grant_begin(struct queue_grant *g)
{
	*g = (struct queue_grant){ .ask_fd = -1 };
	xsk_begin(&g->xsk);
	delivery_begin(&g->delivery);
}

void queue_grant_close(struct queue_grant *g)
{
	xsk_close(&g->xsk);
	delivery_close(&g->delivery);
	fd_close(g->ask_fd);
	free(g->copy);
	queue_grant_begin(g);
}

/* The index of the interface here that is meant. */
static int find_interface(const struct filter *f, const char *ifname, uint32_t *ifindex)
{
	uint32_t named = ifname ? if_nametoindex(ifname) : 0;
	unsigned int here = 0;

	if (ifname && !named)
		return errno == ENODEV || errno == ENXIO ? -ENODEV : -errno;
	if (!here_netns())
		return -EMFILE;
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
static int open_socket(struct queue_grant *g, const struct queue_grant_options *o)
{
	const struct xsk_where where = { g->facts.ifindex, o->queue, o->copy, o->zerocopy,
					 o->parts > 1 };
	int err = xsk_open(&g->xsk, o->frames);

	if (err)
		return err == -EAFNOSUPPORT ? -EOPNOTSUPP : err;
	xsk_fill(&g->xsk); /* before a driver takes the frames of all its packets from here */
	err = xsk_bind(&g->xsk, &where);
	for (int i = 0; i < BIND_TRIES && err == -EBUSY && !o->at_once; i++) {
		usleep(BIND_WAIT_US);
		err = xsk_bind(&g->xsk, &where);
	}
	if (!err && o->to_another)
		err = xsk_can_be_adopted(&g->xsk);
	g->facts.frames = o->frames;
	g->facts.zerocopy = g->xsk.zerocopy;
	/* The driver fills its frames as it likes: how many frames a packet takes is not known before. */
	g->facts.parts = g->xsk.several && !g->xsk.zerocopy ? o->parts : 1;
	return err;
}

/* Takes the queue's slot, in which there is no credit then. The slot, or -errno. */
static int take_slot(struct queue_grant *g, struct filter *f, uint32_t queue)
{
	struct queue_grant_facts *facts = &g->facts;
	int err = delivery_open(f, &g->delivery), slot;
	struct dedup_socket *s;

	if (err)
		return err;
	slot = delivery_slot(&g->delivery, f, (struct dedup_queue){ facts->ifindex, queue });
	if (slot < 0)
		return slot;
	g->socket = s = &g->delivery.sockets[slot];
	g->in_flight = delivery_in_flight(&g->delivery, slot, 0);
	facts->stale_ns = f->config->memory.stale_ns;
	facts->opened = delivery_reopen(s);
	WRITE_ONCE(s->granted, READ_ONCE(s->taken));
	delivery_want_left(&g->delivery, f, slot, &facts->recovered, &facts->forgotten);
	s->frame_bytes = XSK_FRAME_ROOM;
	s->pid = 0;
	s->zerocopy = facts->zerocopy;
	return slot;
}

/* Puts the socket into the slot, from where on it gets packets, after all else that can fail. */
static int enter_slot(struct queue_grant *g, const struct filter *f, uint32_t slot, bool to_another)
{
	const struct granted_queue q = { slot, g->facts.opened, g->facts.parts };

	if (to_another) {
		g->ask_fd = grant_program_load(f, &q);
		if (g->ask_fd < 0)
			return g->ask_fd;
	}
	xsk_wake(&g->xsk);
	return delivery_enter(&g->delivery, slot, g->xsk.fd);
}

void queue_grant_describe_ids(const struct dedup_config *c, struct queue_grant_facts *out)
{
	out->streams_cnt = c->policy.streams_cnt;
	for (uint32_t n = 0; n < out->streams_cnt; n++) {
		out->slots[n] = c->policy.streams[n].slot;
		out->forms[n] = stream_form_of(c, n);
	}
}

int queue_grant_stream(const struct queue_grant_facts *facts, uint32_t slot)
{
	for (uint32_t n = 0; n < facts->streams_cnt; n++)
		if (facts->slots[n] == slot)
			return (int)n;
	return -1;
}

int queue_grant_make(struct filter *f, const struct queue_grant_options *o, struct queue_grant *out)
{
	struct queue_grant g;
	int err, slot;

	queue_grant_begin(&g);
	g.facts.format = DEDUP_FORMAT;
	err = f->config->policy.deliver ? find_interface(f, o->ifname, &g.facts.ifindex)
					: -EOPNOTSUPP;
	if (!err)
		err = open_socket(&g, o);
	if (!err) {
		slot = take_slot(&g, f, o->queue);
		err = slot < 0 ? slot : enter_slot(&g, f, slot, o->to_another);
	}
	if (err) {
		queue_grant_close(&g);
		return err;
	}
	queue_grant_describe_ids(f->config, &g.facts);
	*out = g;
	return 0;
}
