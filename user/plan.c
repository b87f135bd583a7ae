// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "plan.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "block.h"
#include "hand.h"
#include "say.h"
#include "units.h"

#define MS 1000000ULL

/* The hand steps a thousand times a window: finer than anyone sees, rarer than costs. */
#define STEPS_A_WINDOW 1024
#define TICK_MIN_NS (MS / 4)
#define TICK_MAX_NS (10 * MS)
#define EARLY_TICK_NS (1 * MS)
/* Half of what a step may do is left for rotate and for load. */
#define CLOCK_STEP_BLOCKS (DEDUP_STEP_BLOCKS / 2)

/* A clock that is late by a quarter window has stopped; by 2 s in any case. */
#define STALE_MIN_NS (100 * MS)
#define STALE_MAX_NS (2000 * MS)

/* Slack beyond the capacity, as a part of it: for a turn being longer than a window,
 * for what overload may teach between two steps of the hand, and for credit that
 * CPUs hold. Each costs that part of memory.
 */
#define TURN_SLACK 128
#define BURST_SLACK 64
#define CLAIM_SLACK 1024
#define CLAIM_MAX 64

static uint64_t clamp(uint64_t value, uint64_t lo, uint64_t hi)
{
	return value < lo ? lo : value > hi ? hi : value;
}

struct geometry plan_geometry(const struct dedup_config *cfg)
{
	return (struct geometry){ cfg->blocks, cfg->words, cfg->bits };
}

double plan_fpr(const struct dedup_config *cfg)
{
	return cfg->fpr_e18 / 1e18;
}

double plan_ids(const struct dedup_config *cfg, unsigned int cpus)
{
	/* Each CPU may hold credit, and may race past the limit by one claim. */
	return (double)cfg->turn_ids + cfg->burst_ids + 2.0 * cpus * cfg->claim;
}

static int plan_paces(struct dedup_config *c, unsigned int hz)
{
	uint64_t tick = clamp(c->window_ns / STEPS_A_WINDOW, TICK_MIN_NS, TICK_MAX_NS);
	uint64_t work = c->window_ns / (c->blocks / CLOCK_STEP_BLOCKS + 1);
	uint64_t stale = clamp(c->window_ns / 4, STALE_MIN_NS, STALE_MAX_NS);

	if (tick > work)
		tick = work;
	if (tick < TICK_MIN_NS)
		return -ERANGE;
	c->tick_ns = tick;
	c->early_tick_ns = tick < EARLY_TICK_NS ? tick : EARLY_TICK_NS;
	c->turn_ns = c->window_ns + 2 * tick * (1 + c->segment_blocks / DEDUP_STEP_BLOCKS);
	c->stale_ns = stale;
	c->stale_jiffies = stale * hz / (1000 * MS) + 1;
	return 0;
}

/* The rate to size for. In a flood most ids come when the hand's step has been used up,
 * and are only tested: each segment then shows all that it may hold, where size_fpr
 * takes the mean of what it shows over the step. The difference is half a step at most;
 * a whole one is allowed for.
 */
static double flood_fpr(double fpr, const struct dedup_config *c, uint32_t blocks)
{
	uint32_t segments = blocks < DEDUP_MARKS ? blocks : DEDUP_MARKS;

	return fpr / (1 + 1.0 / segments + (double)c->burst_ids / c->turn_ids);
}

int plan_config(const struct options *o, unsigned int cpus, unsigned int hz, struct dedup_config *out)
{
	struct dedup_config c = {
		.format = DEDUP_FORMAT,
		.count_only = o->count_only,
		.learn_app = o->learn_app,
		.window_ns = o->window_ns,
		.capacity = o->capacity,
		.fpr_e18 = llround(o->fpr * 1e18),
		.ports_cnt = o->ports_cnt,
	};
	struct geometry g;
	int err;

	memcpy(c.ports, o->ports, sizeof(c.ports));
	c.claim = clamp(c.capacity / (CLAIM_SLACK * cpus), 1, CLAIM_MAX);
	c.turn_ids = c.capacity + c.capacity / TURN_SLACK + 1;
	c.burst_ids = c.capacity / BURST_SLACK + 2 * c.claim;

	err = size_pick(plan_ids(&c, cpus), o->fpr, &g);
	if (!err)
		err = size_pick(plan_ids(&c, cpus), flood_fpr(o->fpr, &c, g.blocks), &g);
	if (err)
		return err;
	c.blocks = g.blocks;
	c.words = g.words;
	c.bits = g.bits;
	c.segment_blocks = (c.blocks + DEDUP_MARKS - 1) / DEDUP_MARKS;

	c.pace_ids = c.turn_ids * c.segment_blocks / c.blocks + 1;

	err = plan_paces(&c, hz);
	if (err)
		return err;
	*out = c;
	return 0;
}

/* The kernel's HZ: its coarse clock moves once a jiffy. */
static unsigned int kernel_hz(void)
{
	struct timespec res;

	if (clock_getres(CLOCK_MONOTONIC_COARSE, &res) || res.tv_sec || res.tv_nsec <= 0)
		return 1000; /* the highest there is: stale a little late, never early */
	return (1000000000 + res.tv_nsec / 2) / res.tv_nsec;
}

int plan_here(const struct options *o, struct dedup_config *out)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	char window[32];
	int err = plan_config(o, cpus > 0 ? cpus : 1, kernel_hz(), out);

	if (err == -ERANGE)
		return say_err(err,
			       "--window %s is too short for so large a filter: the hand cannot go "
			       "round it in time; lower --capacity or lengthen --window",
			       format_time(o->window_ns, window, sizeof(window)));
	if (err)
		return say_err(err,
			       "a filter of this capacity and rate needs more than %u blocks; "
			       "lower --capacity or raise --fpr",
			       UINT32_MAX);
	return 0;
}
