// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* rotate and reset: request that the hand pass all places once or more. */
#include <errno.h>
#include <unistd.h>

#include "diag.h"
#include "hand.h"
#include "kernel.h"
#include "loader.h"
#include "open.h"
#include "stats.h"
#include "verbs.h"
#include "attachments.h"

/* Requests passes of the hand. Returns the value of dedup_state.passed when they are done. */
typedef __u64 (*request_fn)(struct dedup_state *st, const struct dedup_config *c);

int explain_gone(const struct filter *f)
{
	return diag_err(-ENOENT, "%s was unloaded, or replaced by another filter", f->name);
}

bool hand_has_stopped(const struct filter *f)
{
	if (!stats_stopped(f->config, f->state, kernel_now_ns()))
		return false;
	if (filter_is_loaded(f) == -ENOENT)
		explain_gone(f);
	else
		diag_err(0, "the hand of %s has stopped" ADVICE "unload and load it again", f->name);
	return true;
}

/* Requests passes of the hand and of the predecessor's hand, and waits until they are done. */
static int turn_both(struct filter *f, request_fn request)
{
	struct filter *predecessor = f->predecessor;
	__u64 goal = request(f->state, f->config);
	__u64 other = predecessor ? request(predecessor->state, predecessor->config) : 0;

	while (READ_ONCE(f->state->passed) < goal) {
		if (hand_has_stopped(f))
			return -ESTALE;
		usleep(1000);
	}
	/* The predecessor's hand stops for ever if the predecessor is removed meanwhile. */
	while (predecessor && READ_ONCE(predecessor->state->passed) < other &&
	       !stats_stopped(predecessor->config, predecessor->state, kernel_now_ns()))
		usleep(1000);
	return 0;
}

static int turn_hand(const struct options *o, request_fn request)
{
	struct filter f;
	int err;

	if (kernel_ready(o->wish.verbose, false) || attachments_open(o->args[0], &f))
		return EXIT_FAILED;
	err = filter_open_predecessor(&f);
	if (err)
		loader_explain(f.name, err);
	else
		err = turn_both(&f, request);
	filter_close(&f);
	return err ? EXIT_FAILED : EXIT_DONE;
}

int verb_rotate(const struct options *o)
{
	return turn_hand(o, dedup_hand_rotate);
}

int verb_reset(const struct options *o)
{
	return turn_hand(o, dedup_hand_reset);
}
