// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* rotate and reset: turns of the hand that are asked for. */
#include <stdio.h>
#include <unistd.h>

#include "hand.h"
#include "kernel.h"
#include "loader.h"
#include "say.h"
#include "stats.h"
#include "verbs.h"
#include "attachments.h"

/* Asks the hand for it; returns how many places it will then have passed. */
typedef __u64 (*ask_fn)(struct dedup_state *st, const struct dedup_config *c);

/* Asks the hand and waits until it has done so. */
static int turn(const struct options *o, ask_fn ask)
{
	uint64_t goal;
	struct filter f;
	int err = 0;

	if (kernel_ready(o->verbose, false) || attachments_open(o->args[0], &f))
		return EXIT_FAILED;
	goal = ask(f.state, f.config);
	/* However long: a large filter takes its time, and a hand that lives gets there. */
	while (READ_ONCE(f.state->passed) < goal && !err) {
		if (stats_stopped(f.config, f.state, kernel_now_ns()))
			err = say_err(-1, "the hand of %s has stopped; unload and load it again",
				      f.name);
		usleep(1000);
	}
	filter_close(&f);
	return err ? EXIT_FAILED : EXIT_DONE;
}

int verb_rotate(const struct options *o)
{
	return turn(o, dedup_hand_rotate);
}

int verb_reset(const struct options *o)
{
	return turn(o, dedup_hand_reset);
}
