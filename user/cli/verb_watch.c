// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* watch: shows what filters do, by one reading a second. Each reading opens the filters by their
 * names, so that it shows what set, resize and load --replace have made of them.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "attachments.h"
#include "receivers.h"
#include "clock.h"
#include "diag.h"
#include "kernel.h"
#include "loader.h"
#include "open.h"
#include "stop.h"
#include "terminal.h"
#include "verbs.h"
#include "watch_view.h"

#define MS 1000000ULL
#define WAIT_MS 200 /* the longest delay of a signal that arrives just before a wait */
#define HEAD_LINES 20

struct session {
	const struct options *o;
	char only[sizeof(STAGING) + NAME_MAX_LEN]; /* the filter to show; "": all filters */
	struct monitor filters;
	const struct watched *selected; /* one of `filters`; NULL: there is none */
	struct links links;		/* the interfaces in this reading */
	bool on_screen;
	char note[256]; /* the last message while on the screen */
	uint64_t lines;
};

static void note_message(void *to, const struct diag *d)
{
	struct session *s = to;

	diag_text(d, s->note, sizeof(s->note));
}

/* Takes a reading of an open filter, which belongs to *f then. Returns 0, or -errno (logged). */
static int take_reading(struct watched *f, struct filter *open, const struct links *links)
{
	static struct watch_reading r;
	int err;

	status_free(&f->status);
	err = status_collect(open, links, false, &f->status);
	if (err)
		return err;
	status_reading(&f->status, f->rx_before, &r);
	r.streams_cnt = (int)f->status.filter.config->policy.streams_cnt;
	memcpy(r.streams, f->status.streams, sizeof(r.streams));
	for (int n = 0; n < r.streams_cnt; n++)
		r.slots[n] = f->status.filter.config->policy.streams[n].slot;
	err = filter_cpu_counters(&f->status.filter, &r.cpus, &r.cpus_cnt);
	if (err)
		return diag_err(err, "cannot read the counters of %s: %s", f->name, strerror(-err));
	watch_take(&f->watch, &r);
	err = sender_watch_take(&f->senders, &f->status.filter, f->watch.seconds);
	if (err)
		return diag_err(err, "cannot read the senders of %s: %s", f->name, strerror(-err));
	return 0;
}

/* Reads one filter. Returns 0, also if there is none of that name; or -errno (logged). */
static int read_filter(struct session *s, const char *name)
{
	struct watched *f;
	struct filter open;
	int err = filter_open(name, &open);

	if (err == -ENOENT)
		return 0;
	if (err)
		return loader_explain(name, err);
	f = monitor_get(&s->filters, name);
	if (!f) {
		filter_close(&open);
		return -ENOMEM;
	}
	err = take_reading(f, &open, &s->links);
	if (err)
		return err;
	f->seen = true;
	if (!s->selected)
		s->selected = f;
	monitor_advise(f);
	if (!s->on_screen && !s->o->json)
		monitor_log_advice(f, false);
	return 0;
}

/* Reads all loaded filters. Leaves out those that cannot be read (logged). */
static int read_all_filters(struct session *s)
{
	char **names;
	int err = loader_names(&names);

	for (char **n = names; !err && *n; n++)
		read_filter(s, *n);
	loader_free_names(names);
	return err;
}

/* Removes filters that were not read. If one was selected, selects the next one, or the last. */
static void drop_unseen(struct session *s)
{
	struct monitor *m = &s->filters;

	for (int i = m->cnt - 1; i >= 0; i--) {
		if (m->list[i]->seen)
			continue;
		if (s->selected == m->list[i])
			s->selected = i + 1 < m->cnt ? m->list[i + 1] : i ? m->list[i - 1] : NULL;
		monitor_remove(m, i);
	}
}

/* Takes a reading. Returns 0; or -errno (logged), also if s->only has been unloaded. */
static int read_now(struct session *s)
{
	int err;

	s->note[0] = '\0';
	links_free(&s->links);
	monitor_begin(&s->filters, true);
	err = receivers_links(&s->links);
	if (err)
		return err;
	err = *s->only ? read_filter(s, s->only) : read_all_filters(s);
	drop_unseen(s);
	if (!err && *s->only && !s->filters.cnt)
		return diag_err(-ENOENT, "%s has been unloaded", s->only);
	return err;
}

static void print_filters(struct session *s)
{
	bool names = !*s->only;

	for (int i = 0; i < s->filters.cnt; i++) {
		const struct watched *f = s->filters.list[i];

		if (!f->watch.seconds)
			continue;
		if (s->o->json) {
			watch_json(f);
			continue;
		}
		if (s->lines++ % HEAD_LINES == 0)
			watch_lines_head(names);
		watch_line(f, names);
	}
}

/* Returns the index of the selected filter. */
static int selected_at(const struct session *s)
{
	int i = 0;

	while (i < s->filters.cnt && s->filters.list[i] != s->selected)
		i++;
	return i;
}

/* Selects the filter `by` further down in the list, if there is one. */
static void select_next(struct session *s, int by)
{
	int i = selected_at(s) + by;

	if (i >= 0 && i < s->filters.cnt)
		s->selected = s->filters.list[i];
}

static void draw_screen(struct session *s)
{
	watch_screen_draw(&s->filters, selected_at(s), s->note);
}

/* Waits until the next reading is due. Returns false if the user has ended the command. */
static bool wait_until(struct session *s, uint64_t due_ns)
{
	while (!stop_signal()) {
		uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
		uint64_t left_ms = now_ns < due_ns ? (due_ns - now_ns + MS - 1) / MS : 0;
		int ms = left_ms < WAIT_MS ? (int)left_ms : WAIT_MS;

		if (now_ns >= due_ns)
			return true;
		if (!s->on_screen) {
			nanosleep(&(struct timespec){ .tv_nsec = ms * (long)MS }, NULL);
			continue;
		}
		switch (terminal_key(ms)) {
		case TERMINAL_KEY_QUIT:
			return false;
		case TERMINAL_KEY_UP:
			select_next(s, -1);
			break;
		case TERMINAL_KEY_DOWN:
			select_next(s, 1);
			break;
		case TERMINAL_KEY_REDRAW:
			break;
		default:
			continue;
		}
		draw_screen(s);
	}
	return false;
}

static int watch_filters(struct session *s)
{
	uint64_t every_ns = s->o->watch.every_ns;
	uint64_t due_ns = clock_ns(CLOCK_MONOTONIC), left = s->o->watch.count;
	int err = read_now(s);

	while (!err) {
		if (s->on_screen)
			draw_screen(s);
		due_ns += every_ns;
		if (!wait_until(s, due_ns))
			break;
		err = read_now(s);
		if (err)
			break;
		if (!s->on_screen) {
			print_filters(s);
			if (fflush(stdout))
				break; /* check_output() logs why */
		}
		if (left && !--left)
			break;
		/* After a stop (Ctrl-Z) missed readings are left out. */
		if (clock_ns(CLOCK_MONOTONIC) > due_ns + every_ns)
			due_ns = clock_ns(CLOCK_MONOTONIC);
	}
	return err;
}

/* Finds the filter to show, which may be named by an interface. Returns 0 or -errno (logged). */
static int find_named_filter(struct session *s)
{
	struct filter f;
	int err;

	if (!s->o->args_cnt)
		return 0;
	err = attachments_open(s->o->args[0], &f);
	if (err)
		return err;
	snprintf(s->only, sizeof(s->only), "%s", f.name);
	filter_close(&f);
	return 0;
}

int verb_watch(const struct options *o)
{
	struct session s = { .o = o };
	struct diag_receiver on_screen = { .take = note_message, .to = &s };
	int err;

	if (kernel_ready(o->wish.verbose, false) || find_named_filter(&s))
		return EXIT_FAILED;
	s.on_screen = !o->json && !terminal_open();
	if (s.on_screen)
		diag_receive(&on_screen);
	stop_on_signals(0);
	err = watch_filters(&s);
	terminal_close();
	if (s.on_screen)
		diag_receive_end(&on_screen);
	if (err && *s.note)
		diag_err(err, "%s", s.note);
	monitor_free(&s.filters);
	links_free(&s.links);
	return err ? EXIT_FAILED : EXIT_DONE;
}
