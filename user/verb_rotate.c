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

/* How many places of the hand's circle that takes. */
typedef uint64_t (*places_fn)(const struct dedup_config *c);

/* Asks the hand to pass places at once and waits until it has done so. */
static int turn(const struct options *o, places_fn places)
{
	uint64_t goal;
	struct filter f;
	int err = 0;

	if (kernel_ready(o->verbose) || filter_open_or_say(o->args[0], &f))
		return EXIT_FAILED;
	goal = __sync_add_and_fetch(&f.state->asked, places(f.config));
	for (int ms = 0; dedup_read(&f.state->served) < goal && !err; ms++) {
		if (stats_stopped(f.config, f.state, kernel_now_ns()) || ms == WAIT_MS)
			err = say_err(-1, "the hand of %s has stopped; unload and load it again",
				      f.name);
		usleep(1000);
	}
	filter_close(&f);
	return err ? EXIT_FAILED : EXIT_DONE;
}

/* Ids are one generation older: a turn, or one countdown. */
static uint64_t one_generation(const struct dedup_config *c)
{
	return c->layout == DEDUP_COUNTDOWN ? 1 : c->places;
}

/* Twice round clears both halves or arrays; once round counts every cell down to 0. */
static uint64_t everything(const struct dedup_config *c)
{
	return c->layout == DEDUP_COUNTDOWN ? c->places : 2ULL * c->places;
}

int verb_rotate(const struct options *o)
{
	return turn(o, one_generation);
}

int verb_reset(const struct options *o)
{
	return turn(o, everything);
}
