// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* rotate and reset: the hand passes all places once or more, on request. */
#include <errno.h>
#include <unistd.h>

#include "clock.h"
#include "diag.h"
#include "hand.h"
#include "kernel.h"
#include "loader.h"
#include "open.h"
#include "stats.h"
#include "verbs.h"
#include "attachments.h"

/* Requests passes of the hand; returns what dedup_state.passed will be when they are done. */
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

/* Nobody requests this many turns: the state was overwritten, as a process with a queue grant can
 * do.
 */
#define TURNS_MAX 64
#define SLACK 10 /* a running hand takes a tenth of the time that it is given */
#define SLACK_NS 5000000000ULL

/* What a hand was asked for. */
struct turning {
	const struct filter *f;
	uint64_t goal;	   /* dedup_state.passed when it is done */
	uint64_t until_ns; /* by then it is, whatever the load */
};

static int log_garbled(const struct filter *f)
{
	return diag_err(
		-EUCLEAN,
		"the hand of %s does not do what it is asked for, as if somebody had overwritten its state" ADVICE
		"unload it and load it again",
		f->name);
}

/* Logs that it will not be done. Returns false. */
static bool request_turn(struct filter *f, request_fn request, struct turning *out)
{
	uint64_t passed = READ_ONCE(f->state->passed);
	uint64_t goal = request(f->state, f->config), places = goal - passed;
	uint64_t steps = places / DEDUP_STEP_PLACES;

	if (places / TURNS_MAX > f->config->memory.places) {
		log_garbled(f);
		return false;
	}
	*out = (struct turning){ f, goal,
				 clock_ns(CLOCK_MONOTONIC) + SLACK_NS +
					 SLACK * steps * f->config->memory.tick_ns };
	return true;
}

/* 1: it is done; 0: not yet; -errno (logged). */
static int is_done(const struct turning *t)
{
	if (READ_ONCE(t->f->state->passed) >= t->goal)
		return 1;
	return clock_ns(CLOCK_MONOTONIC) < t->until_ns ? 0 : log_garbled(t->f);
}

/* Makes a request of the hand, and of the predecessor's, and waits until it is done. */
static int turn_both(struct filter *f, request_fn request)
{
	struct filter *predecessor = f->predecessor;
	struct turning own, other;
	int done = 0;

	if (!request_turn(f, request, &own) ||
	    (predecessor && !request_turn(predecessor, request, &other)))
		return -EUCLEAN;
	while (!done) {
		usleep(1000);
		done = is_done(&own);
		if (!done && hand_has_stopped(f))
			done = -ESTALE;
		/* A predecessor's hand has nothing to do if it has stopped, as it does when the
		 * predecessor is given up meanwhile.
		 */
		if (done == 1 && predecessor &&
		    !stats_stopped(predecessor->config, predecessor->state, kernel_now_ns()))
			done = is_done(&other);
	}
	return done < 0 ? done : 0;
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
