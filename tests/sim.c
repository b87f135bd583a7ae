// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sim.h"

#include <stdlib.h>
#include <string.h>

#include "age.h"
#include "hand.h"
#include "ids.h"
#include "plan.h"
#include "support.h"

struct filter_spec sim_spec(uint64_t capacity, double fpr, uint64_t window_ns)
{
	return (struct filter_spec){
		.capacity = capacity,
		.fpr = fpr,
		.window_ns = window_ns,
		.ports = { { 8001, 8001 } },
		.ports_cnt = 1,
	};
}

void sim_start_hand(struct sim *s, const struct dedup_config *c)
{
	memset(s, 0, sizeof(*s));
	s->config = *c;
	s->filter.config = &s->config;
	s->filter.state = &s->state;
	s->filter.stats_fd = -1;
	s->now_ns = 1000000000;
	dedup_hand_start(&s->state, &s->config, s->now_ns);
}

void sim_start(struct sim *s, const struct filter_spec *spec, uint64_t seed)
{
	struct dedup_config c;

	assert_int_equal(plan_config(spec, SIM_CPUS, SIM_HZ, &c), 0);
	for (int i = 0; i < DEDUP_KEYS; i++)
		c.key[i] = random_next(&seed);
	sim_start_hand(s, &c);
	s->filter.blocks = aligned_alloc(64, c.blocks * sizeof(struct dedup_block));
	assert_non_null(s->filter.blocks);
	memset(s->filter.blocks, 0, c.blocks * sizeof(struct dedup_block));
}

void sim_stop(struct sim *s)
{
	free(s->filter.blocks);
	s->filter.blocks = NULL;
}

/* Passes what is due, at most so many places. Returns how many. */
static uint32_t pass(struct sim *s, uint32_t most)
{
	struct dedup_pass due;
	struct dedup_mark *mark;
	uint32_t n;

	dedup_hand_due(&s->state, &s->config, s->now_ns, &due);
	n = due.places < most ? due.places : most;
	if (!n)
		return 0;
	if (s->on_pass)
		s->on_pass(s, dedup_hand_pos(s->state.hand), n, s->arg);
	for (uint32_t i = 0; i < n && s->filter.blocks; i++)
		assert_int_equal(dedup_age(s->filter.blocks, &s->config, s->state.hand, i), 0);
	mark = dedup_hand_pass(&s->state, &s->config, &due, n);
	mark->at_ns = s->now_ns;
	return n;
}

uint64_t sim_step(struct sim *s)
{
	uint64_t early = s->state.early;
	uint32_t n, done = 0;

	while (done < DEDUP_STEP_PLACES && (n = pass(s, DEDUP_STEP_PLACES - done)))
		done += n;
	s->state.last_ns = s->now_ns;
	s->state.limit = dedup_hand_limit(&s->state, &s->config);
	return dedup_hand_sleep(&s->state, &s->config, s->now_ns,
				s->state.early != early || done >= DEDUP_STEP_PLACES);
}

void sim_run_until(struct sim *s, uint64_t ns)
{
	while (s->now_ns < ns)
		s->now_ns += sim_step(s);
}

void sim_pass(struct sim *s, uint64_t places)
{
	uint64_t goal = dedup_hand_request(&s->state, &s->config, places, false);

	while (s->state.passed < goal)
		sim_step(s);
}

int sim_learn(struct sim *s, const uint64_t id[4])
{
	return ids_see(&s->filter, (const uint8_t *)id);
}

bool sim_knows(const struct sim *s, const uint64_t id[4])
{
	return ids_test(&s->filter, (const uint8_t *)id);
}
