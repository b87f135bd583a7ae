// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "readings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "receivers.h"
#include "clock.h"
#include "diag_once.h"
#include "hand.h"
#include "iface.h"
#include "kernel.h"
#include "loader.h"
#include "open.h"
#include "own_macs.h"

/* One filter. */
struct reading {
	struct watched watched;
	struct filter_counters shown, shown_streams[DEDUP_STREAMS_MAX]; /* in the last reading */
	bool has_shown, has_shown_streams;
	struct diag_once unreadable; /* why it is */
};

static void forget_filter(struct reading *r)
{
	monitor_forget(&r->watched);
	r->has_shown = r->has_shown_streams = false;
}

/* Returns whether the open filter is still the one of its name, and has not been changed since. */
static bool is_current(const struct reading *r)
{
	const struct filter *f = &r->watched.status.filter;

	return f->config && READ_ONCE(f->state->serial) == f->serial && !filter_is_loaded(f);
}

/* Keeps fork() from copying the filter's page tables: a filter of 730 MB has 180,000 pages. */
static void keep_from_children(const struct filter *f)
{
	madvise(f->blocks, dedup_blocks(f->config) * sizeof(struct dedup_block), MADV_DONTFORK);
	if (f->predecessor)
		keep_from_children(f->predecessor);
	if (f->staged)
		keep_from_children(f->staged);
}

/* Takes the open filter out of the status. Closes its predecessor, and the filter in +NAME. */
static struct filter take_filter(struct status *s)
{
	struct filter f = s->filter;
	struct filter *others[] = { f.predecessor, f.staged };

	for (int i = 0; i < 2; i++) {
		if (others[i])
			filter_close(others[i]);
		free(others[i]);
	}
	f.predecessor = f.staged = NULL;
	s->filter = (struct filter){ .stats_fd = -1, .wanted_fd = -1 };
	return f;
}

static void raise_to(struct filter_counters *c, const struct filter_counters *least)
{
#define X(name, help)              \
	if (c->name < least->name) \
		c->name = least->name;
	DEDUP_COUNTERS(X)
	X(dropped_bytes, "")
#undef X
}

/* Counters must not go back while the program is exchanged. A reading may then lack the counts of
 * earlier programs, which are added only at the end (live_exchange.h). A scraper would take lower
 * counters for a restart from 0, and count all packets a second time.
 */
static void keep_shown(struct reading *r, bool is_exchanging)
{
	struct status *s = &r->watched.status;

	if (is_exchanging && r->has_shown)
		raise_to(&s->counters, &r->shown);
	for (uint32_t n = 0; n < DEDUP_STREAMS_MAX && is_exchanging && r->has_shown_streams; n++)
		raise_to(&s->streams[n], &r->shown_streams[n]);
	r->shown = s->counters;
	memcpy(r->shown_streams, s->streams, sizeof(r->shown_streams));
	r->has_shown = r->has_shown_streams = true;
}

static bool has_same_streams(const struct dedup_config *a, const struct dedup_config *b)
{
	bool same = a->policy.streams_cnt == b->policy.streams_cnt;

	for (uint32_t n = 0; n < a->policy.streams_cnt && same; n++)
		same = !strcmp(a->policy.streams[n].name, b->policy.streams[n].name);
	return same;
}

/* Opens the filter that has the name now. If a change made it from the one that was open, keeps the
 * counters last shown, so that none goes back. Returns 0, or -errno.
 */
static int open_anew(struct reading *r, struct filter *f)
{
	const struct filter *old = &r->watched.status.filter;
	int err = filter_open(r->watched.name, f);
	bool kin = !err && r->has_shown && filter_is_kin(old, f) == 1;
	bool same = kin && has_same_streams(old->config, f->config);
	struct sender_watch senders = r->watched.senders;

	r->watched.senders = (struct sender_watch){ .list = NULL };
	forget_filter(r);
	if (kin)
		r->watched.senders = senders;
	else
		sender_watch_free(&senders);
	r->has_shown = kin;
	r->has_shown_streams = same;
	return err;
}

/* Reads everything about a filter, and opens it if it is not open. Returns 0, or -errno (logged,
 * except -ENOENT).
 */
static int refresh_one(struct reading *r, const struct links *links)
{
	bool was_open, is_exchanging;
	struct watch_reading now;
	struct filter f;
	int err = 0;

	/* A filter that is current now was so when the interfaces were read, too. */
	was_open = is_current(r);
	if (was_open) {
		f = take_filter(&r->watched.status);
		status_free(&r->watched.status);
	} else {
		err = open_anew(r, &f);
	}
	if (err && err != -ENOENT)
		loader_explain(r->watched.name, err);
	if (err)
		return err;
	is_exchanging = READ_ONCE(f.state->exchanging);
	err = status_collect(&f, links, false, &r->watched.status);
	if (err)
		return err;
	keep_shown(r, is_exchanging);
	sender_watch_take(&r->watched.senders, &r->watched.status.filter, 0);
	keep_from_children(&r->watched.status.filter);
	status_reading(&r->watched.status, r->watched.rx_before, &now);
	watch_take(&r->watched.watch, &now);
	return 0;
}

static void read_rest(struct watched *f)
{
	const struct filter *open = &f->status.filter;
	uint64_t now_ns = kernel_now_ns(), due_ns = dedup_hand_due_ns(open->state, open->config);

	f->hand_lag_ns = now_ns > due_ns ? now_ns - due_ns : 0;
	f->fill_ns = clock_ns(CLOCK_MONOTONIC) - f->watch.last.now_ns;
	monitor_advise(f);
}

/* Reads again only what takes no time. Returns 0, or -errno (logged). */
static int update_one(struct reading *r)
{
	bool is_exchanging = READ_ONCE(r->watched.status.filter.state->exchanging);
	int err = status_update(&r->watched.status);

	if (err)
		return err;
	keep_shown(r, is_exchanging);
	sender_watch_update(&r->watched.senders, &r->watched.status.filter);
	return 0;
}

static void update_reading(struct reading *r, bool all, const struct links *links)
{
	diag_once_begin(&r->unreadable);
	if (all || r->watched.err || !is_current(r))
		r->watched.err = refresh_one(r, links);
	else
		r->watched.err = update_one(r);
	if (r->watched.err)
		forget_filter(r);
	else
		read_rest(&r->watched);
	diag_once_end(&r->unreadable, "metrics");
}

/* Reads the filter of this name. is_wanted: keeps it in the list even if it is not loaded. */
static int read_name(struct readings *r, const char *name, bool all, bool is_wanted)
{
	struct watched *f = monitor_get(&r->filters, name);

	if (!f)
		return -ENOMEM;
	if (!f->seen)
		update_reading((struct reading *)f, all, &r->links);
	f->seen = is_wanted || f->err != -ENOENT; /* it may have been unloaded since */
	return 0;
}

/* Reads the filters of the file; and all others, if there is no file or it has `metrics-all`. */
static int read_filters(struct readings *r, bool all)
{
	char **names = NULL;
	int err = 0;

	for (int i = 0; r->wanted && i < r->wanted->cnt && !err; i++)
		err = read_name(r, r->wanted->filters[i].name, all, true);
	if (!err && (!r->wanted || r->wanted->metrics_all))
		err = loader_names(&names);
	for (char **n = names; n && *n && !err; n++)
		err = read_name(r, *n, all, false);
	loader_free_names(names);
	return err;
}

static int update_readings(struct readings *r, const struct config_file *wanted, bool all)
{
	uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
	bool reads_links = all || !r->links.cnt;
	int err = 0;

	r->wanted = wanted;
	r->filters.bytes = sizeof(struct reading);
	monitor_begin(&r->filters, reads_links);
	if (reads_links) {
		links_free(&r->links);
		err = receivers_links(&r->links);
	}
	err = err ?: read_filters(r, all);
	for (int i = r->filters.cnt - 1; i >= 0; i--)
		if (!r->filters.list[i]->seen)
			monitor_remove(&r->filters, i);
	*(all ? &r->refresh_ns : &r->take_ns) = clock_ns(CLOCK_MONOTONIC) - began_ns;
	return err;
}

int readings_take(struct readings *r, const struct config_file *wanted)
{
	return update_readings(r, wanted, false);
}

int readings_refresh(struct readings *r, const struct config_file *wanted)
{
	return update_readings(r, wanted, true);
}

/* Returns whether the open filter has the names and MACs that its interfaces have now. */
static bool has_current_links(const struct filter *f, const struct links *now)
{
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		const struct dedup_iface *entry = &f->record->ifaces[i];
		const struct link *link =
			iface_is_local(entry) ? links_find(now, entry->ifindex) : NULL;

		if (link &&
		    (strcmp(entry->name, link->name) != 0 || !own_macs_agree(f, now, link->index)))
			return false;
	}
	return true;
}

static struct watched *find_reading(const struct readings *r, const char *name)
{
	for (int i = 0; i < r->filters.cnt; i++)
		if (!strcmp(r->filters.list[i]->name, name))
			return r->filters.list[i];
	return NULL;
}

struct filter *readings_last_filter(const struct readings *r, const char *name)
{
	struct watched *f = find_reading(r, name);

	return f && !f->err ? &f->status.filter : NULL;
}

const struct filter *readings_filter(const struct readings *r, const char *name)
{
	const struct filter *f = readings_last_filter(r, name);

	return f && is_current((const struct reading *)find_reading(r, name)) ? f : NULL;
}

bool readings_agree(const struct readings *r, const struct links *now)
{
	bool agree = true;
	char **names;

	if (loader_names(&names))
		return false;
	for (char **n = names; *n && agree; n++) {
		const struct filter *f = readings_filter(r, *n);

		agree = f && has_current_links(f, now);
	}
	loader_free_names(names);
	return agree;
}

void readings_log_advice(struct readings *r)
{
	for (int i = 0; i < r->filters.cnt; i++) {
		struct watched *f = r->filters.list[i];

		if (f->err)
			f->logged_cnt = 0;
		else if (f->watch.seconds)
			monitor_log_advice(f, true);
	}
}

void readings_free(struct readings *r)
{
	monitor_free(&r->filters);
	links_free(&r->links);
	*r = (struct readings){ 0 };
}
