// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "readings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "attachments.h"
#include "clock.h"
#include "config_streams.h"
#include "diag.h"
#include "hand.h"
#include "kernel.h"
#include "loader.h"
#include "open.h"
#include "stats.h"

static void forget_filter(struct reading *r)
{
	status_free(&r->status);
	r->status = (struct status){ .filter = { .stats_fd = -1, .wanted_fd = -1 } };
	r->refreshed_ns = 0;
	r->has_recent = r->has_shown = r->has_shown_streams = false;
	r->advice_cnt = 0;
}

static void remove_at(struct readings *r, int i)
{
	forget_filter(r->list[i]);
	free(r->list[i]);
	r->cnt--;
	memmove(&r->list[i], &r->list[i + 1], (r->cnt - i) * sizeof(struct reading *));
}

/* The reading of this name, put into the list if it is not there yet. NULL: no memory. */
static struct reading *of_name(struct readings *r, const char *name)
{
	struct reading **more, *new;
	int i = 0;

	while (i < r->cnt && strcmp(r->list[i]->name, name) < 0)
		i++;
	if (i < r->cnt && !strcmp(r->list[i]->name, name))
		return r->list[i];
	more = realloc(r->list, (r->cnt + 1) * sizeof(struct reading *));
	new = calloc(1, sizeof(*new));
	if (more)
		r->list = more;
	if (!more || !new) {
		free(new);
		return NULL;
	}
	snprintf(new->name, sizeof(new->name), "%s", name);
	new->status.filter = (struct filter){ .stats_fd = -1, .wanted_fd = -1 };
	memmove(&r->list[i + 1], &r->list[i], (r->cnt - i) * sizeof(struct reading *));
	r->list[i] = new;
	r->cnt++;
	return new;
}

/* Keeps the first message about a filter: it tells the most. */
static void keep(void *to, const struct diag *d)
{
	struct reading *r = to;

	if (!*r->found)
		diag_text(d, r->found, sizeof(r->found));
}

static void log_once(struct reading *r)
{
	if (*r->found && strcmp(r->found, r->logged))
		diag_err(0, "metrics: %s", r->found);
	memcpy(r->logged, r->found, sizeof(r->logged));
	r->found[0] = '\0';
}

/* Is what is open still the filter of this name, with all that belongs to it? */
static bool is_current(const struct reading *r)
{
	const struct filter *f = &r->status.filter;

	return f->config && READ_ONCE(f->state->serial) == f->serial && !filter_is_loaded(f);
}

/* A child by fork() would copy the page tables of all of it: a filter of 730 MB has 180,000 pages. */
static void keep_from_children(const struct filter *f)
{
	madvise(f->blocks, f->config->memory.blocks * sizeof(struct dedup_block), MADV_DONTFORK);
	if (f->before)
		keep_from_children(f->before);
	if (f->beside)
		keep_from_children(f->beside);
}

/* Takes the open filter out of the status, without its predecessor and what is in +NAME. */
static struct filter take_filter(struct status *s)
{
	struct filter f = s->filter;
	struct filter *others[] = { f.before, f.beside };

	for (int i = 0; i < 2; i++) {
		if (others[i])
			filter_close(others[i]);
		free(others[i]);
	}
	f.before = f.beside = NULL;
	s->filter = (struct filter){ .stats_fd = -1, .wanted_fd = -1 };
	return f;
}

static void note_recent(struct reading *r, bool has_then)
{
	const struct filter_counters *now = &r->status.counters;

	r->has_recent = stats_came(now, &r->then, &r->recent) && has_then;
	r->then = *now;
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

/* While a change is being made the filter may be read without what earlier programs have counted,
 * which is added only at its end (live_exchange.h). A scraper would take that for a start from 0,
 * and then the sum for what came since: so counters stay meanwhile what they were, at least.
 */
static void keep_shown(struct reading *r, bool is_exchanging)
{
	struct status *s = &r->status;

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

/* Opens what is loaded under the name now. What was shown stays known only if it is of the same
 * filter, before a change. 0 or -errno.
 */
static int open_anew(struct reading *r, struct filter *f)
{
	const struct filter *old = &r->status.filter;
	int err = filter_open(r->name, f);
	bool kin = !err && r->has_shown && filter_is_kin(old, f) == 1;
	bool same = kin && has_same_streams(old->config, f->config);

	forget_filter(r);
	r->has_shown = kin;
	r->has_shown_streams = same;
	return err;
}

/* Reads all there is of a filter, opening it if need be. *view is of filters before it, or empty. 0
 * or -errno, which is logged unless it is -ENOENT.
 */
static int refresh_one(struct reading *r, struct attach_view *view)
{
	int err = view->links.cnt ? 0 : attach_view_read(view);
	bool was_open, is_exchanging;
	struct filter f;

	if (err)
		return err;
	/* What is current after the interfaces were looked at was so before. */
	was_open = is_current(r);
	if (was_open) {
		f = take_filter(&r->status);
		status_free(&r->status);
	} else {
		err = open_anew(r, &f);
	}
	if (err && err != -ENOENT)
		loader_explain(r->name, err);
	if (err)
		return err;
	if (!was_open)
		err = attachments_view(&f, view);
	if (err) {
		filter_close(&f);
		return err;
	}
	is_exchanging = READ_ONCE(f.state->exchanging);
	err = status_collect(&f, view, false, &r->status);
	if (err)
		return err;
	keep_shown(r, is_exchanging);
	keep_from_children(&r->status.filter);
	note_recent(r, was_open && r->refreshed_ns);
	r->refreshed_ns = clock_ns(CLOCK_MONOTONIC);
	return 0;
}

static void read_rest(struct reading *r)
{
	struct status *s = &r->status;
	uint64_t now_ns = kernel_now_ns(),
		 due_ns = dedup_hand_due_ns(s->filter.state, s->filter.config);

	r->hand_lag_ns = now_ns > due_ns ? now_ns - due_ns : 0;
	r->fill_ns = clock_ns(CLOCK_MONOTONIC) - r->refreshed_ns;
	r->advice_cnt = status_advice(s, r->has_recent ? &r->recent : NULL, r->advice);
}

/* The same of what takes no time. */
static int update_one(struct reading *r)
{
	bool is_exchanging = READ_ONCE(r->status.filter.state->exchanging);
	int err = status_update(&r->status);

	if (!err)
		keep_shown(r, is_exchanging);
	return err;
}

static void read_one(struct reading *r, bool all, struct attach_view *view)
{
	struct diag_receiver receiver = { .take = keep, .to = r };

	diag_receive(&receiver);
	if (all || r->err || !is_current(r))
		r->err = refresh_one(r, view);
	else
		r->err = update_one(r);
	if (r->err)
		forget_filter(r);
	else
		read_rest(r);
	diag_receive_end(&receiver);
	log_once(r);
}

static int read_names(struct readings *r, char *const *names, bool all)
{
	int err = 0;

	if (all)
		attach_view_free(&r->view);
	for (; *names && !err; names++) {
		struct reading *one = of_name(r, *names);

		if (!one) {
			err = diag_err(-ENOMEM, "no memory");
			break;
		}
		read_one(one, all, &r->view);
		one->is_seen = one->err != -ENOENT; /* else unloaded since */
	}
	return err;
}

static int list_wanted(struct readings *r, const struct config_file *wanted)
{
	for (int i = 0; wanted && i < wanted->cnt; i++) {
		struct reading *one = of_name(r, wanted->filters[i].name);

		if (!one)
			return diag_err(-ENOMEM, "no memory");
		one->wanted = &wanted->filters[i];
		if (one->is_seen)
			continue;
		forget_filter(one);
		one->err = -ENOENT;
		one->is_seen = true;
	}
	return 0;
}

static int read_all(struct readings *r, const struct config_file *wanted, bool all)
{
	uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
	char **names;
	int err = loader_names(&names);

	if (err)
		return err;
	for (int i = 0; i < r->cnt; i++) {
		r->list[i]->is_seen = false;
		r->list[i]->wanted = NULL;
	}
	err = read_names(r, names, all) ?: list_wanted(r, wanted);
	for (int i = r->cnt - 1; i >= 0; i--)
		if (!r->list[i]->is_seen)
			remove_at(r, i);
	loader_free_names(names);
	*(all ? &r->refresh_ns : &r->take_ns) = clock_ns(CLOCK_MONOTONIC) - began_ns;
	return err;
}

int readings_take(struct readings *r, const struct config_file *wanted)
{
	return read_all(r, wanted, false);
}

int readings_refresh(struct readings *r, const struct config_file *wanted)
{
	return read_all(r, wanted, true);
}

void readings_free(struct readings *r)
{
	while (r->cnt)
		remove_at(r, r->cnt - 1);
	free(r->list);
	attach_view_free(&r->view);
	*r = (struct readings){ 0 };
}
