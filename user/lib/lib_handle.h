/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The internals of a filter that an application has opened: its maps, and how they are replaced
 * after a change of the running filter, while calls run in any number of threads. Every change
 * raises state.serial. The first call that finds another serial reopens the filter. The old maps
 * are closed once no thread uses them any more (readers.h).
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "fips_sequences.h"
#include "open_filter.h"
#include "predecessor.h"
#include "readers.h"

/* The maps that one opening of the filter found. */
struct view {
	struct filter filter;
	uint64_t number;	 /* unique in this process; never 0 */
	uint64_t checked_serial; /* calls with another state->serial take lib_enter_slow() */

	/* Of a view that new calls no longer use: */
	struct view *next; /* the next one in xdp_dedup_filter.old */
	uint64_t retired;  /* readers_retire() */
};

struct xdp_dedup_filter {
	struct view *view;	 /* for new calls */
	struct view *old;	 /* list of views that earlier calls may still use */
	char *name, *stream;	 /* of xdp_dedup_open(); stream may be NULL */
	int64_t clock_offset_ns; /* of clock_read_offset() */

	/* The last try to reopen the filter and to close `old`: its result, the serial for which it
	 * was, and when it is repeated.
	 */
	int err;
	uint64_t tried_serial, retry_ns;

	pthread_mutex_t absorbing; /* held while a FIPS message is absorbed; guards `sequences` */
	struct fips_sequences sequences;
};

/* Opens the filter f->name, f->stream as f->view. Returns 0, and the caller closes it with
 * lib_close_views(); or -errno of xdp_dedup_open().
 */
int lib_open_view(struct xdp_dedup_filter *f);
void lib_close_views(struct xdp_dedup_filter *f);

/* Does what lib_enter() does if the filter may have to be reopened first. */
struct filter *lib_enter_slow(const struct xdp_dedup_filter *f);

/* Begins a call. Returns the current filter, valid until lib_leave(). Returns NULL, and no call has
 * begun, if the filter was replaced by one that this process could not open.
 */
static inline struct filter *lib_enter(const struct xdp_dedup_filter *f)
{
	struct view *v;

	reader_enter();
	v = __atomic_load_n(&f->view, __ATOMIC_ACQUIRE);
	if (likely(READ_ONCE(v->filter.state->serial) == READ_ONCE(v->checked_serial)))
		return &v->filter;
	return lib_enter_slow(f);
}

static inline void lib_leave(void)
{
	reader_leave();
}

/* Begins a call about the whole filter. Returns 0; or -errno if its current state is not open. */
int lib_enter_whole(const struct xdp_dedup_filter *f, struct filter **out);

/* Returns the view that contains this filter of lib_enter(). */
static inline const struct view *lib_view_of(const struct filter *of)
{
	return (const struct view *)((const char *)of - offsetof(struct view, filter));
}

/* Copies a struct to a caller that may have been built with another version of it: a shorter one
 * gets the first fields, a longer one zeros behind them.
 */
void lib_copy_out(void *out, size_t out_size, const void *from, size_t size);

/* Is a successor in charge of this filter, or about to be? Called after an id was looked up. */
static inline bool lib_is_superseded(const struct filter *of)
{
	return unlikely(READ_ONCE(of->state->successor) != DEDUP_PREDECESSOR_IN_CHARGE);
}

/* Has the hand stopped, which is the window's clock? Then the filter's answers are not valid. */
bool lib_is_stopped(const struct xdp_dedup_filter *f, const struct filter *of);
