/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inside of a filter that an application has opened: its maps, and how they are exchanged for
 * others after the filter was changed while it runs (set, resize), with calls under way in any
 * number of threads. Every change raises state.serial of the filter that a call finds, which is all
 * that calls compare; the first one that finds another number opens the filter anew. What was open
 * is closed once no thread uses it any more (readers.h).
 */
#ifndef XDP_DEDUP_LIB_HANDLE_H
#define XDP_DEDUP_LIB_HANDLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "compiler.h"
#include "fips_sequences.h"
#include "open_filter.h"
#include "predecessor.h"
#include "readers.h"

/* The maps, as they were opened at one time. */
struct view {
	struct filter filter;
	uint64_t number; /* no other view of this process has it; never 0 */
	uint64_t settled; /* state->serial as long as calls have nothing to do but what they are for */

	/* Once it is no longer used by calls that begin: */
	struct view *next; /* the next view that is no longer used */
	uint64_t retired;  /* readers_retire() */
};

struct xdp_dedup_filter {
	struct view *view;	 /* of calls that begin now */
	struct view *old;	 /* what calls may still use that began before */
	char *name, *stream;	 /* by which it was opened; stream may be NULL */
	int64_t clock_offset_ns; /* of clock_measure_offset() */

	/* If the last try to open it anew failed: how, at which serial, and when the next is due;
	 * that is also when `old` is looked at again.
	 */
	int err;
	uint64_t failed_serial, retry_ns;

	pthread_mutex_t absorbing; /* held while a FIPS message is absorbed; guards `sequences` */
	struct fips_sequences sequences;
};

/* Opens the filter as f->view; f->name and f->stream are set. 0, and lib_close_views() closes it;
 * -errno of xdp_dedup_open().
 */
int lib_open_view(struct xdp_dedup_filter *f);
void lib_close_views(struct xdp_dedup_filter *f);

/* lib_enter() if something is to be done first. */
struct filter *lib_follow(const struct xdp_dedup_filter *f);

/* Begins a call: the filter as it is now, to be used until lib_leave(). NULL, and no call has
 * begun, if another one is in its place which this process could not open.
 */
static inline struct filter *lib_enter(const struct xdp_dedup_filter *f)
{
	struct view *v;

	reader_enter();
	v = __atomic_load_n(&f->view, __ATOMIC_ACQUIRE);
	if (likely(READ_ONCE(v->filter.state->serial) == READ_ONCE(v->settled)))
		return &v->filter;
	return lib_follow(f);
}

static inline void lib_leave(void)
{
	reader_leave();
}

/* Begins a call about the filter as a whole. 0; -errno if it is not open as it is now. */
int lib_enter_whole(const struct xdp_dedup_filter *f, struct filter **out);

/* The view of which this is the filter, as calls have it. */
static inline const struct view *lib_view_of(const struct filter *of)
{
	return (const struct view *)((const char *)of - offsetof(struct view, filter));
}

/* Copies our struct to a caller's, which may be a shorter or longer version: cuts it, or fills it
 * up with zeros.
 */
void lib_copy_out(void *out, size_t out_size, const void *from, size_t size);

/* Is another filter in charge in the place of this one, or about to be? Asked after something was
 * found or learned in it, for that may have been too late.
 */
static inline bool lib_is_superseded(const struct filter *of)
{
	return unlikely(READ_ONCE(of->state->successor) != DEDUP_PREDECESSOR_IN_CHARGE);
}

/* Has the hand stopped, which is the window's clock? Then the filter says nothing about ids. */
bool lib_is_stopped(const struct xdp_dedup_filter *f, const struct filter *of);

#endif
