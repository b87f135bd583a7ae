/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A filter in this process's memory, with a clock that the test turns. The hand is
 * the kernel's own (include/hand.h); only the timer around it is played here.
 */
#ifndef XDP_DEDUP_TESTS_SIM_H
#define XDP_DEDUP_TESTS_SIM_H

#include "loader.h"
#include "spec.h"

#define SIM_CPUS 2
#define SIM_HZ 250

struct sim {
	struct filter filter; /* what ids.c and stats.c work on */
	struct dedup_config config;
	struct dedup_state state;
	uint64_t now_ns;
	/* Called, if set, before the hand passes these places. */
	void (*on_pass)(struct sim *s, uint32_t place, uint32_t cnt, void *arg);
	void *arg;
};

/* Options as the command line's defaults would be, but for these. */
struct filter_spec sim_spec(uint64_t capacity, double fpr, uint64_t window_ns);

/* The hand alone, of any size: no id can be learned. */
void sim_start_hand(struct sim *s, const struct dedup_config *c);

/* A filter of this plan with a secret drawn from seed. Fails the test if there is no
 * such plan. The caller calls sim_stop().
 */
void sim_start(struct sim *s, const struct filter_spec *spec, uint64_t seed);
void sim_stop(struct sim *s);

/* One step of the hand, at now_ns. Returns the time until the next one. */
uint64_t sim_step(struct sim *s);

/* Steps the hand, each step on time, until now_ns has reached this. */
void sim_run_until(struct sim *s, uint64_t ns);

/* Has the hand pass so many places at once, by request, in steps that take no time. */
void sim_pass(struct sim *s, uint64_t places);

/* The packet path's learning: 1 new, 0 duplicate, -ENOSPC unlearned. */
int sim_learn(struct sim *s, const uint64_t id[4]);

/* Is it in the window? */
bool sim_knows(const struct sim *s, const uint64_t id[4]);

#endif
