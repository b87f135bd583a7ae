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

#define WAIT_MS 60000

/* Asks the hand for so many turns at once and waits until it has done them. */
static int turn(const struct options *o, unsigned int turns)
{
	uint64_t blocks, goal;
	struct filter f;
	int err = 0;

	if (kernel_ready(o->verbose) || filter_open_or_say(o->args[0], &f))
		return EXIT_FAILED;
	blocks = (uint64_t)turns * f.config->blocks;
	goal = __sync_add_and_fetch(&f.state->asked, blocks);
	for (int ms = 0; dedup_read(&f.state->served) < goal && !err; ms++) {
		if (stats_stopped(f.config, f.state, kernel_now_ns()) || ms == WAIT_MS)
			err = say_err(-1, "the hand of %s has stopped; unload and load it again",
				      f.name);
		usleep(1000);
	}
	filter_close(&f);
	return err ? EXIT_FAILED : EXIT_DONE;
}

int verb_rotate(const struct options *o)
{
	return turn(o, 1);
}

int verb_reset(const struct options *o)
{
	/* Twice round clears both halves of every block. */
	return turn(o, 2);
}
