// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Advice on a filter, and the search for an interface whose packets it does not see. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "status.h"

#define LOOK_STEP_MS 10
#define LOOK_MS 300

static bool is_read(const struct sockets *k, uint32_t ifindex, uint32_t queue)
{
	for (int i = 0; i < k->cnt; i++)
		if (k->list[i].queue.ifindex == ifindex && k->list[i].queue.queue == queue)
			return k->list[i].is_read;
	return false;
}

/* Counts queues that a process reads, and finds the first one that no process reads. */
static void read_queues(const struct status *s, struct advice_reading *r)
{
	for (int i = 0; i < s->sockets->cnt; i++)
		r->readers += s->sockets->list[i].is_read;
	for (int i = 0; i < s->ifaces_cnt && !r->unread; i++)
		for (uint32_t q = 0; q < s->ifaces[i].queues && !r->unread; q++) {
			if (is_read(s->sockets, s->ifaces[i].ifindex, q))
				continue;
			r->unread = s->ifaces[i].name;
			r->unread_queue = q;
		}
}

/* Finds the socket that has lost the most. */
static void read_full(const struct status_behind *b, struct advice_reading *r)
{
	const struct stack_socket *most = NULL;

	for (int i = 0; i < b->sockets_cnt; i++)
		if (b->sockets[i].dropped && (!most || b->sockets[i].dropped > most->dropped))
			most = &b->sockets[i];
	if (!most)
		return;
	r->full_inode = most->inode;
	r->full_dropped = most->dropped;
	r->full_buffer = most->buffer;
	r->full_port = most->port;
}

int status_advice(const struct status *s, const struct filter_counters *recent,
		  struct advice out[ADVICE_MAX])
{
	struct advice_reading r = {
		.name = s->filter.name,
		.config = s->filter.config,
		.total = s->counters,
		.recent = recent ? *recent : s->counters,
		.pace = s->pace,
		.stopped = s->stopped,
		.uses_predecessor = s->predecessor.asked,
		.macs_changed = s->faults.stale_cnt ? s->faults.stale[0] : NULL,
		.unseen = *s->unseen ? s->unseen : NULL,
		.behind = *s->behind_note ? s->behind_note : NULL,
	};

	for (int i = 0; i < s->ifaces_cnt && !r.detached; i++)
		if (s->ifaces[i].state == IFACE_DETACHED)
			r.detached = s->ifaces[i].name;
	for (int i = 0; i < s->ifaces_cnt && !r.skb; i++) {
		if (s->ifaces[i].state != IFACE_ATTACHED || s->ifaces[i].mode != MODE_SKB)
			continue;
		r.skb = s->ifaces[i].name;
		r.skb_native = s->ifaces[i].native;
	}
	for (int i = 0; i < s->ifaces_cnt && !r.mtu; i++) {
		r.mtu = s->ifaces[i].mtu_max ? s->ifaces[i].name : NULL;
		r.mtu_max = s->ifaces[i].mtu_max;
	}
	for (int i = 0; i < s->ifaces_cnt && !r.strips; i++)
		r.strips = s->ifaces[i].strips_tags ? s->ifaces[i].name : NULL;
	if (s->sockets)
		read_queues(s, &r);
	read_full(&s->behind, &r);
	return advice_of(&r, out);
}

void status_note_received(struct status *s, const struct links *l)
{
	for (int i = 0; i < s->ifaces_cnt; i++) {
		const struct link *link = links_find(l, s->ifaces[i].ifindex);

		s->ifaces[i].is_counted = link && link->is_counted;
		s->ifaces[i].received = link ? link->received : 0;
	}
}

/* Returns whether the filter sees each packet that the driver counts: in skb mode the stack may
 * merge packets before, and in shared mode other programs may drop some.
 */
static bool sees_all(const struct status_iface *i)
{
	return i->state == IFACE_ATTACHED && i->mode == MODE_NATIVE && !i->shared;
}

void status_reading(const struct status *s, uint64_t rx_before, struct watch_reading *r)
{
	*r = (struct watch_reading){ .now_ns = clock_ns(CLOCK_MONOTONIC),
				     .all = s->counters,
				     .rx_before = rx_before,
				     .ifaces_cnt = s->ifaces_cnt };
	for (int i = 0; i < s->ifaces_cnt; i++) {
		const struct status_iface *from = &s->ifaces[i];
		struct watch_iface *to = &r->ifaces[i];

		memcpy(to->name, from->name, sizeof(to->name));
		to->is_counted = from->is_counted;
		to->received = from->received;
		to->sees_all = sees_all(from);
	}
}

/* Reads the counters of the drivers and of the filter at about one moment. Returns 0 or -errno. */
static int read_both(struct status *s, uint64_t rx_before, struct watch_reading *r)
{
	struct links now;
	int err = links_read(&now);

	if (!err) {
		status_note_received(s, &now);
		status_reading(s, rx_before, r);
		err = filter_counters(&s->filter, &r->all);
	}
	links_free(&now);
	return err;
}

static bool sees_all_of_any(const struct watch_reading *r)
{
	bool any = false;

	for (int i = 0; i < r->ifaces_cnt; i++)
		any |= r->ifaces[i].sees_all;
	return any;
}

/* Returns whether packets have arrived of which the filter has seen less than half. */
static bool is_suspicious(const struct watch_reading *first, const struct watch_reading *last)
{
	uint64_t received = 0;

	for (int i = 0; i < last->ifaces_cnt; i++)
		if (last->ifaces[i].sees_all)
			received += last->ifaces[i].received - first->ifaces[i].received;
	return received && last->all.rx - first->all.rx < received / 2.0;
}

void status_look_for_unseen(struct status *s)
{
	static struct watch_reading first, last;
	struct filter_counters before;
	const char *unseen = NULL;

	if (filter_counters(&s->filter, &before) || read_both(s, before.rx, &first) ||
	    !sees_all_of_any(&first))
		return;
	for (int ms = 0; ms < LOOK_MS && !unseen; ms += LOOK_STEP_MS) {
		usleep(LOOK_STEP_MS * 1000);
		if (read_both(s, WATCH_UNKNOWN, &last) || !is_suspicious(&first, &last))
			return;
		unseen = watch_unseen(&first, &last);
	}
	snprintf(s->unseen, sizeof(s->unseen), "%s", unseen ?: "");
}
