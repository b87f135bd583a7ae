// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* rotate and reset: the hand passes all places once or more, on request. */
#include <stdio.h>
#include <unistd.h>

#include "hand.h"
#include "kernel.h"
#include "loader.h"
#include "say.h"
#include "stats.h"
#include "verbs.h"
#include "attachments.h"

/* Requests passes of the hand; returns what dedup_state.passed will be when they are done. */
typedef __u64 (*request_fn)(struct dedup_state *st, const struct dedup_config *c);

bool hand_has_stopped(const struct filter *f)
{
	if (!stats_stopped(f->config, f->state, kernel_now_ns()))
		return false;
	say_err(0, "the hand of %s has stopped; unload and load it again", f->name);
	return true;
}

/* Has the predecessor's hand something to do yet? Not if it has stopped, as it does when the
 * predecessor is given up meanwhile.
 */
static bool before_is_turning(const struct filter *before, uint64_t goal)
{
	return before && READ_ONCE(before->state->passed) < goal &&
	       !stats_stopped(before->config, before->state, kernel_now_ns());
}

/* Makes a request of the hand, and of the predecessor's, and waits until it is done. */
static int turn(const struct options *o, request_fn request)
{
	uint64_t goal, goal_before = 0;
	struct filter f;
	bool stopped = false;
	int err;

	if (kernel_ready(o->verbose, false) || attachments_open(o->args[0], &f))
		return EXIT_FAILED;
	err = filter_open_before(&f);
	if (err) {
		loader_explain(f.name, err);
		filter_close(&f);
		return EXIT_FAILED;
	}
	goal = request(f.state, f.config);
	if (f.before)
		goal_before = request(f.before->state, f.before->config);
	/* Without a time limit: a large filter takes long, and a running hand gets there. */
	while (!stopped &&
	       (READ_ONCE(f.state->passed) < goal || before_is_turning(f.before, goal_before))) {
		stopped = hand_has_stopped(&f);
		usleep(1000);
	}
	filter_close(&f);
	return stopped ? EXIT_FAILED : EXIT_DONE;
}

int verb_rotate(const struct options *o)
{
	return turn(o, dedup_hand_rotate);
}

int verb_reset(const struct options *o)
{
	return turn(o, dedup_hand_reset);
}
