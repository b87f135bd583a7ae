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

#define FAILURES_MAX 5 /* failed refreshes until the filter counts as gone */
#define WAIT_CALLS 10
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

/* Returns how many frames a queue's socket has: all queues together hold all pending messages. */
static uint32_t frames_of(const struct intake *in, uint32_t queues)
{
	uint32_t frames = FRAMES_MIN;

	while (frames < FRAMES_MAX && frames * queues < in->options->pending)
		frames *= 2;
	return frames;
}

/* Logs once that an interface has no AF_XDP. Returns -EAGAIN: events come by UDP sockets; or the
 * error if the user requires AF_XDP.
 */
static int report_no_xsk(struct intake *in, const char *ifname, int err)
{
	bool is_required = in->options->receive == PUBLISH_XSK;

	if (in->logged_xsk)
		return is_required ? err : -EAGAIN;
	in->logged_xsk = true;
	if (is_required && err == -EOPNOTSUPP)
		return diag_err(
			err,
			"%s: the filter, the kernel or the driver does not deliver by AF_XDP" ADVICE
			"xdp-dedup set %s --deliver xsk",
			ifname, in->options->filter);
	if (is_required)
		return diag_err(err, "%s: no AF_XDP socket: %s", ifname, strerror(-err));
	diag_note("%s: no AF_XDP socket (%s): events come by UDP sockets", ifname, strerror(-err));
	return -EAGAIN;
}

/* Logs once that the interfaces are unknown. Returns 0, or the error if AF_XDP is required. */
static int report_no_interfaces(struct intake *in, int err)
{
	bool is_required = in->options->receive == PUBLISH_XSK;
	const char *filter = in->options->filter;

	in->wait = WAIT_CALLS;
	if (in->logged_xsk)
		return is_required ? err : 0;
	in->logged_xsk = true;
	if (is_required)
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
	int free_slot = 0, err;

	if (q)
		return 0;
	while (free_slot < INTAKE_QUEUES_MAX && in->queues[free_slot])
		free_slot++;
	if (free_slot == INTAKE_QUEUES_MAX)
		return 0;
	q = calloc(1, sizeof(*q));
	if (!q)
		return -ENOMEM;
	q->interface = *interface;
	q->queue = queue;
	err = xdp_dedup_receive_open(in->options->filter, &options, &q->receiver);
	if (err) {
		free(q);
		return report_no_xsk(in, interface->name, err);
	}
	in->queues[free_slot] = q;
	return 1;
}

/* Opens the queues that are not open; *opened says whether it opened any. at_once: does not wait
 * for a queue that another program uses. Returns 0; or -errno (logged once) if the user requires
 * AF_XDP and it does not work on an interface, or the interfaces are unknown.
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
		return report_no_interfaces(in, cnt);
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
		in->logged_xsk = false;
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

/* Notes that a queue has ended if xdp_dedup_receive() returned an error other than -ENETDOWN. */
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

void intake_close(struct intake *in)
{
	for (int i = 0; i < INTAKE_QUEUES_MAX; i++)
		if (in->queues[i])
			close_queue(in, i);
	intake_sockets_close(in);
}

/* Closes queues that have ended, including those without traffic. A queue stays open while events
 * are held: their packets are in its memory. Returns whether a queue was closed or has ended.
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

/* Returns whether the filter's clock has stopped, as after an unload. */
static bool is_stopped(const struct intake *in)
{
	struct xdp_dedup_counters c;

	return !xdp_dedup_counters(in->streams->filter, &c, sizeof(c)) && c.stopped;
}

/* Logs that the filter could not be read FAILURES_MAX times, and returns the error. */
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

/* Reads the filter's streams again. Returns as intake_refresh() does. */
static int refresh_streams(struct intake *in)
{
	int changed = is_stopped(in) ? -ESTALE : intake_event_refresh(in);

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
		changed |= intake_sockets_refresh(in);
	intake_sockets_join(in);
	if (in->wait && in->wait--)
		return changed;
	open_queues(in, !closed, &opened); /* the kernel frees a closed queue with a delay */
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

/* Keeps a packet's event. Returns NULL, and gives the packet back, if there is none or no memory. */
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
		intake_event_discard(in, &found);
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

/* Reads the source of this number: queues come first, then sockets. */
static uint32_t take_from_source(struct intake *in, int source, uint32_t most, intake_fn fn, void *arg)
{
	if (source >= INTAKE_QUEUES_MAX)
		return intake_sockets_take(in, &in->sockets[source - INTAKE_QUEUES_MAX], most, fn,
					   arg);
	if (!in->queues[source] || in->queues[source]->has_ended)
		return 0;
	return take_from_queue(in, in->queues[source], most, fn, arg);
}

uint32_t intake_take(struct intake *in, uint32_t most, intake_fn fn, void *arg)
{
	int sources_cnt = INTAKE_QUEUES_MAX + in->sockets_cnt, first = in->next_source;
	uint32_t took = 0;

	if (intake_event_refresh(in) < 0)
		return 0;
	for (int i = 0; i < sources_cnt && took < most; i++) {
		int source = (first + i) % sources_cnt;
		uint32_t cnt = take_from_source(in, source, most - took, fn, arg);

		took += cnt;
		if (cnt)
			in->next_source = source + 1;
	}
	return took;
}
