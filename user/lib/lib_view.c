// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "lib_handle.h"
#include "open.h"
#include "stream_ids.h"

#define RETRY_NS 10000000

static uint64_t views; /* number of the last view */

static void close_view(struct view *v)
{
	if (v)
		filter_close(&v->filter);
	free(v);
}

/* Selects the stream of the last view again. If the application named no stream, it had the only
 * one; if there are several now, it keeps that one.
 */
static int select_same_stream(const struct xdp_dedup_filter *f, struct filter *next)
{
	const struct filter *last = f->view ? &f->view->filter : NULL;

	if (f->stream)
		return stream_select(next, f->stream);
	if (next->stream >= 0 || !last || last->stream < 0)
		return 0;
	return stream_select(next, last->config->policy.streams[last->stream].name);
}

/* Returns -ENOENT if the filter that has the name now is an unrelated one. */
static int check_kin(const struct xdp_dedup_filter *f, const struct filter *next)
{
	int kin = f->view ? filter_is_kin(&f->view->filter, next) : 1;

	return kin < 0 ? kin : kin ? 0 : -ENOENT;
}

static int open_view(const struct xdp_dedup_filter *f, struct view **out)
{
	struct view *v = calloc(1, sizeof(*v));
	int err = v ? filter_open(f->name, &v->filter) : -ENOMEM;

	if (err) {
		free(v);
		return err;
	}
	err = check_kin(f, &v->filter)
	      ?: select_same_stream(f, &v->filter)
	      ?: filter_open_predecessor(&v->filter)
	      ?: filter_open_change(&v->filter);
	if (err) {
		close_view(v);
		return err;
	}
	v->checked_serial = v->filter.serial;
	v->number = __atomic_add_fetch(&views, 1, __ATOMIC_RELAXED);
	*out = v;
	return 0;
}

int lib_open_view(struct xdp_dedup_filter *f)
{
	readers_begin();
	return open_view(f, &f->view);
}

void lib_close_views(struct xdp_dedup_filter *f)
{
	while (f->old) {
		struct view *v = f->old;

		f->old = v->next;
		close_view(v);
	}
	close_view(f->view);
	f->view = NULL;
}

/* Closes old views that no thread uses any more. */
static void close_old(struct xdp_dedup_filter *f)
{
	for (struct view **v = &f->old; *v;) {
		struct view *old = *v;

		if (readers_are_done(old->retired)) {
			*v = old->next;
			close_view(old);
		} else {
			v = &old->next;
		}
	}
}

static void exchange_view(struct xdp_dedup_filter *f, struct view *next)
{
	struct view *last = f->view;

	__atomic_store_n(&f->view, next, __ATOMIC_RELEASE);
	last->retired = readers_retire();
	last->next = f->old;
	f->old = last;
}

/* Reopens the filter if its serial has changed, and closes old views. The caller has the lock of
 * readers.h. Returns 0, or -errno.
 */
static int refresh_view(struct xdp_dedup_filter *f, uint64_t now_ns)
{
	uint64_t serial = READ_ONCE(f->view->filter.state->serial);
	struct view *next;
	int err = 0;

	if (serial != f->view->filter.serial) {
		err = open_view(f, &next);
		if (!err)
			exchange_view(f, next);
	}
	close_old(f);
	/* While `old` is not empty, checked_serial differs, so that later calls try again. */
	WRITE_ONCE(f->view->checked_serial, f->view->filter.serial - !!f->old);
	WRITE_ONCE(f->err, err);
	WRITE_ONCE(f->tried_serial, err ? serial : f->view->filter.serial);
	WRITE_ONCE(f->retry_ns, now_ns + RETRY_NS);
	return err;
}

struct filter *lib_enter_slow(const struct xdp_dedup_filter *f)
{
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC_COARSE);
	struct view *v = __atomic_load_n(&f->view, __ATOMIC_ACQUIRE);
	uint64_t serial = READ_ONCE(v->filter.state->serial);
	int err;

	if (now_ns < READ_ONCE(f->retry_ns) && serial == READ_ONCE(f->tried_serial)) {
		err = READ_ONCE(f->err);
	} else {
		reader_leave();
		readers_lock();
		/* The public functions that only query a filter declare it const. */
		err = refresh_view((struct xdp_dedup_filter *)f, now_ns);
		readers_unlock();
		reader_enter();
	}
	v = __atomic_load_n(&f->view, __ATOMIC_ACQUIRE);
	if (!err || !lib_is_superseded(&v->filter))
		return &v->filter;
	reader_leave();
	return NULL;
}

int lib_enter_whole(const struct xdp_dedup_filter *f, struct filter **out)
{
	int err;

	*out = lib_enter(f);
	if (!*out)
		return -ESTALE;
	err = READ_ONCE(f->err);
	if (READ_ONCE((*out)->state->serial) == (*out)->serial || !err)
		return 0;
	lib_leave();
	return err;
}

void lib_copy_out(void *out, size_t out_size, const void *from, size_t size)
{
	memset(out, 0, out_size);
	memcpy(out, from, size < out_size ? size : out_size);
}
