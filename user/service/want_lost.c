// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "want_lost.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "clock.h"
#include "event_loop.h"
#include "receivers.h"

#define PART 10		     /* of the time: 1/PART of a CPU at most */
#define CREDIT_NS 500000000  /* so much time without work is remembered, for bursts */
#define PAUSE_MIN_NS 2000000 /* a wake-up takes longer than a packet */

/* Makes program_identify() find the ids of this filter. */
static void identify_by(struct want_lost *w, const struct recovered *r)
{
	if (w->identified != r)
		program_open_to_identify(r->filter->config, true);
	w->identified = r;
}

/* Takes a packet that the kernel has discarded. */
static int take_drop(void *arg, const struct drop *d)
{
	struct want_lost *w = arg;

	for (int i = 0; i < w->cnt && lost_reason_of(d)->want; i++) {
		struct recovered *r = w->list[i];
		const struct attachment *at = lost_interface(&r->packets.at, &w->links, d);
		struct lost_packet packet;

		if (!at || !r->filter)
			continue;
		identify_by(w, r);
		if (lost_packet_read(d, at, &packet))
			lost_packets_want(&r->packets, r->filter, &packet);
	}
	return 0;
}

void want_lost_count(struct want_lost *w)
{
	uint32_t missed = w->monitor ? drop_monitor_missed(w->monitor) : w->missed;

	w->unread += missed - w->missed;
	w->missed = missed;
}

static void turn_off(struct want_lost *w)
{
	want_lost_count(w);
	w->packets = sd_event_source_disable_unref(w->packets);
	w->pause = sd_event_source_disable_unref(w->pause);
	if (w->monitor)
		drop_monitor_close(w->monitor);
	w->monitor = NULL;
	w->missed = 0;
	w->is_flooded = false;
}

static bool is_unread(const struct want_lost *w)
{
	struct pollfd events = { .fd = drop_monitor_fd(w->monitor), .events = POLLIN };

	return poll(&events, 1, 0);
}

static int on_pause_end(sd_event_source *source, uint64_t usec, void *arg)
{
	struct want_lost *w = arg;

	(void)source, (void)usec;
	if (w->is_flooded && !is_unread(w)) {
		w->is_flooded = false;
		if (drop_monitor_turn_on(w->monitor)) {
			turn_off(w); /* want_lost_update() tries again, and says why it cannot */
			return 0;
		}
	}
	return sd_event_source_set_enabled(w->packets, SD_EVENT_ON);
}

/* Returns the pause after a turn that took used_ns of CPU time. */
static uint64_t pause_us(struct want_lost *w, uint64_t used_ns)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC), pause_ns;

	if (w->paid_ns + CREDIT_NS < now_ns)
		w->paid_ns = now_ns - CREDIT_NS;
	w->paid_ns += PART * used_ns;
	pause_ns = w->paid_ns > now_ns ? w->paid_ns - now_ns : 0;
	return pause_ns > PAUSE_MIN_NS ? pause_ns / 1000 : PAUSE_MIN_NS / 1000;
}

/* Does one turn, and pauses. Readings may close a filter between turns. A filter that was changed
 * since the last one has the old one's wanted ids, and predecessor: so the old one does.
 */
static int on_packets(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID), unread;
	struct want_lost *w = arg;
	int err;

	(void)fd, (void)revents;
	w->identified = NULL;
	for (int i = 0; i < w->cnt; i++)
		w->list[i]->filter = readings_last_filter(w->readings, w->list[i]->name);
	err = drop_monitor_poll(w->monitor, 0, take_drop, w);
	if (err) {
		diag_err(err, "cannot read the kernel's drop monitor: %s", strerror(-err));
		turn_off(w); /* want_lost_update() tries again */
		return 0;
	}
	unread = w->unread;
	want_lost_count(w);
	/* A full buffer gets no packet until all are read: so the kernel need not make reports. */
	if (w->unread != unread && !w->is_flooded) {
		drop_monitor_turn_off(w->monitor);
		w->is_flooded = true;
	}
	sd_event_source_set_enabled(source, SD_EVENT_OFF);
	return timer_arm(w->events, &w->pause,
			 pause_us(w, clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns), on_pause_end, w);
}

static int turn_on(struct want_lost *w)
{
	int err = lost_monitor_open("recover losses", false, &w->monitor);

	if (err)
		return err;
	err = sd_event_add_io(w->events, &w->packets, drop_monitor_fd(w->monitor), EPOLLIN,
			      on_packets, w);
	return err < 0 ? diag_err(err, "cannot recover losses: %s", strerror(-err)) : 0;
}

/* Returns the entry of this name; adds it if needed. NULL (logged): no memory. */
static struct recovered *entry_of(struct want_lost *w, const char *name)
{
	struct recovered **more, *r;

	for (int i = 0; i < w->cnt; i++)
		if (!strcmp(w->list[i]->name, name))
			return w->list[i];
	more = reallocarray(w->list, w->cnt + 1, sizeof(struct recovered *));
	w->list = more ?: w->list;
	r = more ? calloc(1, sizeof(*r)) : NULL;
	if (!r) {
		diag_err(-ENOMEM, "out of memory");
		return NULL;
	}
	snprintf(r->name, sizeof(r->name), "%s", name);
	return w->list[w->cnt++] = r;
}

/* Reads where a filter runs: nowhere if the service could not read it. If only its interfaces
 * cannot be read, it runs where it did.
 */
static void read_filter(struct want_lost *w, struct recovered *r)
{
	const struct filter *f = readings_last_filter(w->readings, r->name);
	struct attachments at = { .cnt = 0 };

	if (!f || !attachments_read(f, &w->links, &at))
		r->packets.at = at;
}

/* Reads the interfaces, and where the filters of the file run. Returns 0, or -errno (logged). */
static int read_filters(struct want_lost *w)
{
	const struct config_file *file = w->readings->wanted;
	int err;

	links_free(&w->links);
	err = receivers_links(&w->links);
	if (err)
		return err;
	for (int i = 0; i < w->cnt; i++)
		w->list[i]->seen = false;
	for (int i = 0; i < file->cnt; i++) {
		struct recovered *r = entry_of(w, file->filters[i].name);

		if (!r)
			return -ENOMEM;
		r->seen = true;
		read_filter(w, r);
	}
	for (int i = w->cnt - 1; i >= 0; i--)
		if (!w->list[i]->seen) {
			free(w->list[i]);
			w->list[i] = w->list[--w->cnt];
		}
	return 0;
}

/* Do the interfaces allow that the monitor is on? Returns 1; 0 if no filter runs here; -EOPNOTSUPP
 * (logged).
 */
static int may_be_on(const struct want_lost *w)
{
	const char *costly = lost_costly_interface(&w->links);
	int any = 0;

	for (int i = 0; i < w->cnt; i++)
		for (int n = 0; n < w->list[i]->packets.at.cnt; n++)
			any |= w->list[i]->packets.at.list[n].local;
	return any && costly ? diag_err(-EOPNOTSUPP, "off for all filters: " LOST_COSTLY, costly)
			     : any;
}

void want_lost_update(struct want_lost *w, bool recover)
{
	bool was_on = w->monitor;
	int state;

	diag_once_begin(&w->off);
	state = recover ? read_filters(w) ?: may_be_on(w) : 0;
	/* Somebody may have stopped it, or have it on with other settings. */
	if (state <= 0 || (w->monitor && !w->is_flooded && drop_monitor_turn_on(w->monitor)))
		turn_off(w);
	if (state > 0 && !w->monitor && turn_on(w))
		turn_off(w);
	diag_once_end(&w->off, "recover");
	if (!was_on != !w->monitor)
		diag_note("recover: %s",
			  w->monitor ? "what is lost behind the filters is wanted" : "off");
}

void want_lost_close(struct want_lost *w)
{
	turn_off(w);
	for (int i = 0; i < w->cnt; i++)
		free(w->list[i]);
	free(w->list);
	links_free(&w->links);
	w->list = NULL;
	w->cnt = 0;
}
