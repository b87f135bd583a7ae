// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim.h"

#include <stdlib.h>
#include <string.h>

#include "age.h"
#include "hand.h"
#include "ids.h"
#include "plan.h"
#include "support.h"

struct options sim_options(uint64_t capacity, double fpr, uint64_t window_ns)
{
	return (struct options){
		.capacity = capacity,
		.fpr = fpr,
		.window_ns = window_ns,
		.ports = { { 8001, 8001 } },
		.ports_cnt = 1,
	};
}

void sim_start(struct sim *s, const struct options *o, uint64_t seed)
{
	memset(s, 0, sizeof(*s));
	assert_int_equal(plan_config(o, SIM_CPUS, SIM_HZ, &s->config), 0);
	for (int i = 0; i < DEDUP_KEYS; i++)
		s->config.key[i] = random_next(&seed);
	s->filter.config = &s->config;
	s->filter.state = &s->state;
	s->filter.stats_fd = -1;
	s->filter.blocks = aligned_alloc(64, s->config.blocks * sizeof(struct dedup_block));
	assert_non_null(s->filter.blocks);
	memset(s->filter.blocks, 0, s->config.blocks * sizeof(struct dedup_block));

	s->now_ns = 1000000000;
	s->state.started_ns = s->state.last_ns = s->now_ns;
	s->state.limit = dedup_hand_limit(&s->state, &s->config);
}

void sim_stop(struct sim *s)
{
	free(s->filter.blocks);
	s->filter.blocks = NULL;
}

uint64_t sim_step(struct sim *s)
{
	uint64_t early = s->state.early;
	uint32_t n, done = 0;

	dedup_hand_clock(&s->state, s->config.places, s->config.tick_ns, s->now_ns);
	while (done < DEDUP_STEP_PLACES && (n = dedup_hand_due(&s->state, &s->config))) {
		if (n > DEDUP_STEP_PLACES - done)
			n = DEDUP_STEP_PLACES - done;
		for (uint32_t i = 0; i < n; i++) {
			assert_int_equal(dedup_age(s->filter.blocks, &s->config, s->state.hand, i),
					 0);
			if (s->on_pass)
				s->on_pass(s, dedup_hand_pos(s->state.hand) + i, s->arg);
		}
		dedup_hand_pass(&s->state, &s->config, n, s->now_ns);
		done += n;
	}
	s->passed += done;
	s->state.limit = dedup_hand_limit(&s->state, &s->config);
	return s->state.early != early || done >= DEDUP_STEP_PLACES ? s->config.early_tick_ns
								    : s->config.tick_ns;
}

void sim_run_until(struct sim *s, uint64_t ns)
{
	while (s->now_ns < ns)
		s->now_ns += sim_step(s);
}

int sim_learn(struct sim *s, const uint64_t id[4])
{
	return ids_see(&s->filter, (const uint8_t *)id);
}

bool sim_knows(const struct sim *s, const uint64_t id[4])
{
	return ids_test(&s->filter, (const uint8_t *)id);
}
