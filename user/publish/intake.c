// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "intake.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "clock.h"
#include "diag.h"
#include "fd.h"
#include "integers.h"

#define FAILURES_MAX 5 /* failed refreshes until the filter counts as gone */
#define WAIT_CALLS 10
#define FRAMES_MIN 64
#define FRAMES_MAX 2048

int intake_read_streams(struct intake *in)
{
	int changed = publish_streams_refresh(in->streams);

	in->has_changed |= changed > 0;
	in->is_unreadable = changed < 0;
	return changed;
}

/* Finds the id. Its stream number is valid only for one version of the filter's streams: if the
 * filter has changed, reads the streams again, until both are of one version.
 */
static int find_id(struct intake *in, const struct xdp_dedup_datagram *d,
		   struct xdp_dedup_identity *id)
{
	int is_event = xdp_dedup_id_of(in->streams->filter, d, id, sizeof(*id));

	while (is_event == 1 && id->change != in->streams->change) {
		int changed = intake_read_streams(in);

		is_event = changed < 0 ? changed
				       : xdp_dedup_id_of(in->streams->filter, d, id, sizeof(*id));
	}
	return is_event;
}

static struct intake_event *keep_found(struct intake *in, const struct intake_event *found)
{
	struct intake_event *e = in->allocate(sizeof(*e) + (found->queue ? 0 : found->len));

	in->counters.no_memory += !e;
	if (!e)
		return NULL;
	*e = *found;
	e->stream->held++;
	if (e->queue)
		e->queue->held++;
	else
		e->payload = memcpy(e->copy, found->payload, found->len);
	in->counters.received[e->queue ? INTAKE_XSK : INTAKE_UDP]++;
	return e;
}

int intake_keep(struct intake *in, const struct xdp_dedup_datagram *d, struct intake_event *found,
		intake_fn fn, void *arg)
{
	int is_event = found->payload ? find_id(in, d, &found->id) : 0;
	struct intake_event *e;

	found->stream = is_event == 1 ? publish_streams_of(in->streams, &found->id) : NULL;
	in->counters.unreadable += is_event < 0;
	in->counters.not_events += is_event >= 0 && !found->stream;
	e = found->stream ? keep_found(in, found) : NULL;
	if (e)
		fn(arg, e);
	else if (found->queue)
		xdp_dedup_give_back(found->queue->receiver, &found->packet, 1);
	return is_event < 0 ? is_event : 0;
}

/* Returns the key that library calls take for the event; it is valid until the next call. */
static const uint8_t *key_of(const struct intake_event *e, size_t *len)
{
	static uint8_t key[XDP_DEDUP_IDENTITY_MAX + INTAKE_PAYLOAD_MAX];
	const struct xdp_dedup_stream *s = &e->stream->is;
	size_t hashed = s->digest == XDP_DEDUP_DIGEST_PAYLOAD ? e->len : 0;

	memcpy(key, e->id.bytes, s->bytes);
	memcpy(key + s->bytes, e->payload, hashed);
	*len = s->bytes + hashed;
	return key;
}

void intake_end(struct intake *in, struct intake_event *e, enum intake_outcome outcome)
{
	if (outcome == INTAKE_STORED && !in->is_unreadable &&
	    publish_streams_learns(in->streams, e->stream)) {
		size_t len;
		const uint8_t *key = key_of(e, &len);

		xdp_dedup_add(e->stream->filter, key, len);
	}
	if (e->queue) {
		if (outcome != INTAKE_LEFT) /* the kernel overwrites the packet then */
			xdp_dedup_give_back(e->queue->receiver, &e->packet, 1);
		e->queue->held--;
	}
	e->stream->held--;
	free(e);
}

int intake_watch(struct intake *in, int fd)
{
	struct epoll_event e = { .events = EPOLLIN };

	return epoll_ctl(in->epoll, EPOLL_CTL_ADD, fd, &e) ? -errno : 0;
}

/* Returns this queue; if it is not open, a free one; or NULL. */
static struct intake_queue *find_queue(struct intake *in, uint32_t ifindex, uint32_t queue)
{
	struct intake_queue *free = NULL;

	for (struct intake_queue *q = in->queues; q < in->queues + INTAKE_QUEUES_MAX; q++) {
		if (!q->receiver)
			free = free ?: q;
		else if (q->queue == queue && q->interface.index == ifindex)
			return q;
	}
	return free;
}

/* Returns how many frames a queue's socket has: all queues together hold all pending messages. */
static uint32_t frames_of(const struct intake *in, uint32_t queues)
{
	uint32_t frames = FRAMES_MIN;

	while (frames < FRAMES_MAX && frames * queues < in->options->pending)
		frames *= 2;
	return frames;
}

/* Logs once that there is no AF_XDP. `of`: an interface or a filter. Returns -EAGAIN: events come
 * by UDP sockets; or the error if the user requires AF_XDP.
 */
static int report_no_xsk(struct intake *in, const char *of, const char *what, int err)
{
	bool is_required = in->options->receive == PUBLISH_XSK, was_logged = in->logged_xsk;

	in->logged_xsk = true;
	in->wait = WAIT_CALLS;
	if (!was_logged && !is_required)
		diag_note("%s: %s: %s" ADVICE "events come by UDP sockets", of, what, strerror(-err));
	else if (!was_logged && err == -EOPNOTSUPP)
		diag_err(0,
			 "%s: the filter, the kernel or the driver does not deliver by AF_XDP" ADVICE
			 "xdp-dedup set %s --deliver xsk",
			 of, in->options->filter);
	else if (!was_logged)
		diag_err(0, "%s: %s: %s", of, what, strerror(-err));
	return is_required ? err : -EAGAIN;
}

static void close_queue(struct intake_queue *q)
{
	xdp_dedup_receive_close(q->receiver);
	q->receiver = NULL;
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
	int err;

	if (!q || q->receiver)
		return 0;
	*q = (struct intake_queue){ .interface = *interface, .queue = queue };
	err = xdp_dedup_receive_open(in->options->filter, &options, &q->receiver);
	if (!err)
		err = intake_watch(in, xdp_dedup_receive_fd(q->receiver));
	if (!err)
		return 0;
	close_queue(q);
	return report_no_xsk(in, interface->name, "no AF_XDP socket", err);
}

/* Opens the queues that are not open. at_once: does not wait for a queue that another program uses.
 * Returns 0; or -errno (logged once) if the user requires AF_XDP and it does not work on an
 * interface, or the interfaces are unknown.
 */
static int open_queues(struct intake *in, bool at_once)
{
	struct xdp_dedup_interface at[INTAKE_QUEUES_MAX];
	int cnt, err = 0;

	if (in->options->receive == PUBLISH_UDP)
		return 0;
	cnt = xdp_dedup_interfaces(in->streams->filter, at, sizeof(*at), INTAKE_QUEUES_MAX);
	if (cnt < 0)
		err = report_no_xsk(in, in->options->filter, "its interfaces are unknown", cnt);
	for (int i = 0; i < cnt && i < INTAKE_QUEUES_MAX; i++) {
		int failed = 0;

		for (uint32_t q = 0; q < (at[i].queues ?: 1) && !failed; q++)
			failed = open_queue(in, &at[i], q, at_once);
		if (failed && (!err || err == -EAGAIN))
			err = failed;
	}
	if (!err)
		in->logged_xsk = false;
	return err == -EAGAIN ? 0 : err;
}

int intake_open(struct intake *in, const struct publish_options *o, struct publish_streams *s)
{
	int err;

	*in = (struct intake){ .options = o, .streams = s, .allocate = malloc };
	in->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (in->epoll < 0)
		return diag_err(-errno, "no event loop: %s", strerror(errno));
	err = open_queues(in, false) ?: intake_sockets_refresh(in);
	if (err)
		intake_close(in);
	return err;
}

void intake_close(struct intake *in)
{
	for (int i = 0; i < INTAKE_QUEUES_MAX; i++)
		close_queue(&in->queues[i]);
	intake_sockets_close(in);
	fd_close(in->epoll);
	in->epoll = -1;
}

/* Notes that a queue has ended if xdp_dedup_receive() returned an error other than -ENETDOWN. */
static void note_end(struct intake *in, struct intake_queue *q, int received)
{
	if (received >= 0 || received == -ENETDOWN || q->has_ended)
		return;
	q->has_ended = true;
	epoll_ctl(in->epoll, EPOLL_CTL_DEL, xdp_dedup_receive_fd(q->receiver), NULL);
}

/* Closes queues that have ended, including those without traffic. A queue stays open while events
 * are held: their packets are in its memory. Returns whether a queue was closed.
 */
static bool close_ended_queues(struct intake *in)
{
	bool closed = false;

	for (struct intake_queue *q = in->queues; q < in->queues + INTAKE_QUEUES_MAX; q++) {
		if (!q->receiver)
			continue;
		note_end(in, q, xdp_dedup_receive(q->receiver, NULL, 0));
		if (q->has_ended && !q->held) {
			close_queue(q);
			closed = true;
		}
	}
	return closed;
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

int intake_refresh(struct intake *in)
{
	struct xdp_dedup_counters c;
	bool closed, is_stopped; /* the filter's clock, as after an unload */
	int err;

	is_stopped = !xdp_dedup_counters(in->streams->filter, &c, sizeof(c)) && c.stopped;
	err = is_stopped ? -ESTALE : intake_read_streams(in);
	in->failures = err < 0 ? in->failures + 1 : 0;
	if (in->failures == FAILURES_MAX)
		return give_up(in, err);
	closed = close_ended_queues(in);
	intake_sockets_count_overflow(in);
	if (!in->failures && in->has_changed) {
		in->has_changed = false;
		in->wait = 0;
		publish_streams_report(in->streams);
	}
	intake_sockets_refresh(in);
	if (!in->wait || !in->wait--)
		open_queues(in, !closed); /* the kernel frees a closed queue with a delay */
	return 0;
}

static uint32_t take_from_queue(struct intake *in, struct intake_queue *q, uint32_t most,
				intake_fn fn, void *arg)
{
	struct xdp_dedup_packet packets[INTAKE_BATCH];
	int cnt;

	if (!q->receiver || q->has_ended)
		return 0;
	cnt = xdp_dedup_receive(q->receiver, packets, lesser(most, INTAKE_BATCH));
	note_end(in, q, cnt);
	for (int i = 0; i < cnt; i++) {
		const struct xdp_dedup_packet *p = &packets[i];
		const struct xdp_dedup_datagram d = { .frame = p->data, .frame_len = p->len };
		struct intake_event found = {
			.received_ns = p->time_ns ?: clock_ns(CLOCK_MONOTONIC),
			.queue = q,
			.packet = *p,
			.payload = p->payload,
			.len = p->payload_len,
		};

		memcpy(&found.from, &p->source, sizeof(found.from));
		found.arrival_ns = found.received_ns + in->clock_offset_ns;
		intake_keep(in, &d, &found, fn, arg);
	}
	return cnt > 0 ? cnt : 0;
}

uint32_t intake_take(struct intake *in, uint32_t most, intake_fn fn, void *arg)
{
	int sources_cnt = INTAKE_QUEUES_MAX + in->sockets.cnt, first = in->next_source;
	uint32_t took = 0;

	if (intake_read_streams(in) < 0)
		return 0;
	in->clock_offset_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
	for (int i = 0; i < sources_cnt && took < most; i++) {
		int source = (first + i) % sources_cnt, n = source - INTAKE_QUEUES_MAX;
		uint32_t cnt =
			n < 0 ? take_from_queue(in, &in->queues[source], most - took, fn, arg)
			      : intake_sockets_take(in, &in->sockets.list[n], most - took, fn, arg);

		took += cnt;
		if (cnt)
			in->next_source = source + 1;
	}
	return took;
}
