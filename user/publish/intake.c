// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "intake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "clock.h"
#include "diag.h"
#include "intake_event.h"
#include "intake_sockets.h"

#define FAILURES_MAX 5 /* of refreshes, until the filter counts as gone */
#define WAIT_CALLS 10
#define UNREAD_MAX 65536 /* datagrams of a socket, at the end: more come meanwhile */
#define FRAMES_MIN 64
#define FRAMES_MAX 2048

static struct intake_queue *find_queue(const struct intake *in, uint32_t ifindex, uint32_t queue)
{
	for (int i = 0; i < INTAKE_QUEUES_MAX; i++)
		if (in->queues[i] && in->queues[i]->queue == queue &&
		    in->queues[i]->interface.index == ifindex)
			return in->queues[i];
	return NULL;
}

/* So many that all pending messages may be of one queue, if there are few queues. */
static uint32_t frames_of(const struct intake *in, uint32_t queues)
{
	uint32_t frames = FRAMES_MIN;

	while (frames < FRAMES_MAX && frames * queues < in->options->pending)
		frames *= 2;
	return frames;
}

/* AF_XDP does not work here: said once. Returns -EAGAIN, and all comes by UDP sockets; or the error
 * if AF_XDP is a must.
 */
static int do_without(struct intake *in, const char *ifname, int err)
{
	bool is_must = in->options->receive == PUBLISH_XSK;

	if (in->said_xsk)
		return is_must ? err : -EAGAIN;
	in->said_xsk = true;
	if (is_must && err == -EOPNOTSUPP)
		return diag_err(
			err,
			"%s: the filter, the kernel or the driver does not deliver by AF_XDP" ADVICE
			"xdp-dedup set %s --deliver xsk",
			ifname, in->options->filter);
	if (is_must)
		return diag_err(err, "%s: no AF_XDP socket: %s", ifname, strerror(-err));
	diag_note("%s: no AF_XDP socket (%s): events come by UDP sockets", ifname, strerror(-err));
	return -EAGAIN;
}

/* The interfaces are unknown: said once. Returns 0; or the error if AF_XDP is a must. */
static int do_without_interfaces(struct intake *in, int err)
{
	bool is_must = in->options->receive == PUBLISH_XSK;
	const char *filter = in->options->filter;

	in->wait = WAIT_CALLS;
	if (in->said_xsk)
		return is_must ? err : 0;
	in->said_xsk = true;
	if (is_must)
		return diag_err(err, "%s: its interfaces are unknown: %s", filter, strerror(-err));
	diag_note("%s: its interfaces are unknown: %s", filter, strerror(-err));
	return 0;
}

static int open_queue(struct intake *in, const struct xdp_dedup_interface *interface,
		      uint32_t queue, bool at_once)
{
	const struct xdp_dedup_receive_options options = {
		.size = sizeof(options),
		.ifname = interface->name,
		.queue = queue,
		.frames = frames_of(in, interface->queues ?: 1),
		.frames_a_packet = 4,
		.unfinished = true,
		.timestamps = true,
		.at_once = at_once,
	};
	struct intake_queue *q = find_queue(in, interface->index, queue);
	int free_place = 0, err;

	if (q)
		return 0;
	while (free_place < INTAKE_QUEUES_MAX && in->queues[free_place])
		free_place++;
	if (free_place == INTAKE_QUEUES_MAX)
		return 0;
	q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	q->interface = *interface;
	q->queue = queue;
	err = xdp_dedup_receive_open(in->options->filter, &options, &q->receiver);
	if (err) {
		free(q);
		return do_without(in, interface->name, err);
	}
	in->queues[free_place] = q;
	return 1;
}

/* Opens those that are not open: *opened says whether there were some. at_once: does not wait for a
 * queue that another program has. Returns 0; or -errno (logged once) if AF_XDP is a must, and does
 * not work on an interface, or the interfaces are unknown.
 */
static int open_queues(struct intake *in, bool at_once, bool *opened)
{
	struct xdp_dedup_interface at[INTAKE_QUEUES_MAX];
	bool has_all = true;
	int cnt, must = 0;

	*opened = false;
	if (in->options->receive == PUBLISH_UDP)
		return 0;
	cnt = xdp_dedup_interfaces(in->streams->filter, at, sizeof(*at), INTAKE_QUEUES_MAX);
	if (cnt < 0)
		return do_without_interfaces(in, cnt);
	for (int i = 0; i < cnt && i < INTAKE_QUEUES_MAX; i++) {
		int err = 0;

		for (uint32_t q = 0; q < (at[i].queues ?: 1) && err >= 0; q++) {
			err = open_queue(in, &at[i], q, at_once);
			*opened |= err > 0;
		}
		if (err < 0)
			in->wait = WAIT_CALLS;
		if (err < 0 && err != -EAGAIN)
			must = err;
		has_all &= err >= 0;
	}
	if (has_all)
		in->said_xsk = false;
	return must;
}

int intake_open(struct intake *in, const struct publish_options *o, struct publish_streams *s)
{
	bool opened;
	int err;

	*in = (struct intake){ .options = o, .streams = s, .allocate = malloc };
	err = open_queues(in, false, &opened) ?: intake_sockets_open(in);
	if (err)
		intake_close(in);
	else
		intake_sockets_join(in);
	return err;
}

/* Notes whether a queue has ended, by what xdp_dedup_receive() has returned. */
static void note_end(struct intake *in, struct intake_queue *q, int received)
{
	if (received >= 0 || received == -ENETDOWN)
		return;
	in->has_ended |= !q->has_ended;
	q->has_ended = true;
}

static void close_queue(struct intake *in, int i)
{
	xdp_dedup_receive_close(in->queues[i]->receiver);
	free(in->queues[i]);
	in->queues[i] = NULL;
}

static void lose(void *arg, struct intake_event *e)
{
	intake_end(arg, e, INTAKE_GIVEN_UP);
}

/* Events that lie in sockets: nobody takes them any more. */
static void lose_unread(struct intake *in)
{
	uint64_t wanted = in->counters.wanted, forgotten = in->counters.forgotten;

	if (in->sockets_cnt && intake_event_follow(in) < 0)
		return;
	for (int i = 0; i < in->sockets_cnt; i++)
		for (uint32_t left = UNREAD_MAX, came = 1; came && left; left -= came)
			came = intake_sockets_take(in, &in->sockets[i], left, lose, in);
	wanted = in->counters.wanted - wanted;
	forgotten = in->counters.forgotten - forgotten;
	if (wanted)
		diag_note("%ju events in UDP sockets were not taken; the ids of %ju of them are wanted",
			  (uintmax_t)wanted, (uintmax_t)(wanted - forgotten));
}

void intake_close(struct intake *in)
{
	lose_unread(in);
	for (int i = 0; i < INTAKE_QUEUES_MAX; i++)
		if (in->queues[i])
			close_queue(in, i);
	intake_sockets_close(in);
}

/* Closes queues that have ended, also those to which nothing comes. Returns whether there were
 * some. Packets that are held lie in the memory of their queue.
 */
static bool close_ended_queues(struct intake *in)
{
	bool changed = false;

	for (int i = 0; i < INTAKE_QUEUES_MAX; i++) {
		struct intake_queue *q = in->queues[i];

		if (!q)
			continue;
		note_end(in, q, xdp_dedup_receive(q->receiver, NULL, 0));
		if (q->has_ended && !q->held) {
			close_queue(in, i);
			changed = true;
		}
	}
	return changed || in->has_ended;
}

/* Has the filter's clock stopped, as after an unload? */
static bool is_stopped(const struct intake *in)
{
	struct xdp_dedup_counters c;

	return !xdp_dedup_counters(in->streams->filter, &c, sizeof(c)) && c.stopped;
}

/* The filter could not be read for too long. */
static int give_up(const struct intake *in, int err)
{
	const char *filter = in->options->filter;

	if (err == -ESTALE || err == -ENOENT)
		return diag_err(err,
				"filter %s is loaded no more, or its clock has stopped" ADVICE
				"xdp-dedup status says how it is",
				filter);
	return diag_err(err, "filter %s cannot be read: %s", filter, strerror(-err));
}

/* Follows the filter's streams. As intake_refresh(). */
static int refresh_streams(struct intake *in)
{
	int changed = is_stopped(in) ? -ESTALE : intake_event_follow(in);

	if (changed < 0)
		return ++in->failures == FAILURES_MAX ? give_up(in, changed) : 0;
	in->failures = 0;
	if (!in->has_changed)
		return 0;
	in->has_changed = false;
	publish_streams_report(in->streams);
	in->wait = 0;
	return 1;
}

int intake_refresh(struct intake *in)
{
	int changed = refresh_streams(in);
	bool closed, opened;

	if (changed < 0)
		return changed;
	closed = close_ended_queues(in);
	changed |= closed;
	intake_sockets_count_overflow(in);
	if (!in->failures)
		changed |= intake_sockets_follow(in);
	intake_sockets_join(in);
	if (in->wait && in->wait--)
		return changed;
	open_queues(in, !closed, &opened); /* the kernel takes time for those that were closed */
	return opened || changed;
}

int intake_fds(const struct intake *in, int fds[INTAKE_QUEUES_MAX + INTAKE_SOCKETS_MAX])
{
	int cnt = 0;

	for (int i = 0; i < INTAKE_QUEUES_MAX; i++)
		if (in->queues[i] && !in->queues[i]->has_ended)
			fds[cnt++] = xdp_dedup_receive_fd(in->queues[i]->receiver);
	for (int i = 0; i < in->sockets_cnt; i++)
		if (in->sockets[i].fd >= 0)
			fds[cnt++] = in->sockets[i].fd;
	return cnt;
}

/* Keeps the event in a packet. NULL: it has none that is published, and was given back. */
static struct intake_event *take_packet(struct intake *in, struct intake_queue *q,
					const struct xdp_dedup_packet *p, uint64_t offset)
{
	const struct xdp_dedup_datagram d = { .frame = p->data, .frame_len = p->len };
	struct intake_event found = {
		.pending.arrival_ns = p->time_ns ?: clock_ns(CLOCK_MONOTONIC),
		.queue = q,
		.packet = *p,
		.payload = p->payload,
		.len = p->payload_len,
	};
	bool is_event = p->payload && intake_event_find(in, &d, &found) == 1;
	struct intake_event *e;

	memcpy(&found.from, &p->source, sizeof(found.from));
	found.arrival_ns = found.pending.arrival_ns + offset;
	e = is_event ? intake_event_keep(in, &found) : NULL;
	in->counters.not_events += !p->payload;
	if (e)
		return e;
	if (is_event)
		intake_event_lose(in, &found);
	else
		xdp_dedup_give_back(q->receiver, p, 1);
	return NULL;
}

static uint32_t take_from_queue(struct intake *in, struct intake_queue *q, uint32_t most,
				intake_fn fn, void *arg)
{
	struct xdp_dedup_packet packets[INTAKE_BATCH];
	uint64_t offset = intake_event_clock_offset();
	int cnt = xdp_dedup_receive(q->receiver, packets, most < INTAKE_BATCH ? most : INTAKE_BATCH);

	if (cnt < 0) {
		note_end(in, q, cnt);
		return 0;
	}
	for (int i = 0; i < cnt; i++) {
		struct intake_event *e = take_packet(in, q, &packets[i], offset);

		if (!e)
			continue;
		in->counters.received[INTAKE_XSK]++;
		q->held++;
		fn(arg, e);
	}
	return cnt;
}

/* The places that are read: queues, then sockets. */
static uint32_t take_from_place(struct intake *in, int place, uint32_t most, intake_fn fn, void *arg)
{
	if (place >= INTAKE_QUEUES_MAX)
		return intake_sockets_take(in, &in->sockets[place - INTAKE_QUEUES_MAX], most, fn,
					   arg);
	if (!in->queues[place] || in->queues[place]->has_ended)
		return 0;
	return take_from_queue(in, in->queues[place], most, fn, arg);
}

uint32_t intake_take(struct intake *in, uint32_t most, intake_fn fn, void *arg)
{
	int places = INTAKE_QUEUES_MAX + in->sockets_cnt, first = in->next_place;
	uint32_t took = 0;

	if (intake_event_follow(in) < 0)
		return 0;
	for (int i = 0; i < places && took < most; i++) {
		int place = (first + i) % places;
		uint32_t came = take_from_place(in, place, most - took, fn, arg);

		took += came;
		if (came)
			in->next_place = place + 1;
	}
	return took;
}
