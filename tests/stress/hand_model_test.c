// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hand against a plain model of what it promises, at random: any layout, window and size, steps
 * that come late, any load. There is no memory, only arithmetic: the model follows some ids, and
 * when the hand would make each of them forgotten.
 *
 * - An id is never forgotten before W while the load is within capacity.
 * - It is never known for longer than 2 W, and what steps are late.
 * - The hand passes nothing early, nor late, without a cause.
 *
 * hand_test has the details: each pass, and what is counted; operations_test has requests.
 */
#include "unit.h"

#include "hand.h"
#include "plan.h"
#include "sim.h"

#define MS 1000000ULL
#define S (1000 * MS)
#define HOUR (3600 * S)
#define WATCHED_IDS 32
#define TURNS 6
#define STEPS_MIN 4000
#define EVENTS_A_WINDOW 400 /* at which ids come, in traffic that never rests */

enum traffic { EVEN, BURSTS, ALL_AT_ONCE, OVERLOAD, TRAFFICS };

struct watched_id {
	bool is_used;
	uint32_t place;
	uint64_t learned_ns, late_before_ns;
	uint64_t epoch;	 /* flat: of the array that it is in */
	uint64_t passes; /* of its place since then; countdown: countdowns */
};

struct model {
	struct sim sim;
	uint64_t seed;
	enum traffic traffic;
	enum sim_lateness lateness;
	double load;	      /* in capacities a window */
	double part;	      /* of an id that has not come yet */
	uint64_t next_ns;     /* when ids come again */
	uint64_t late_ns;     /* the most that a step was late */
	uint64_t late_sum_ns; /* all steps together */
	uint64_t round_ns;    /* what passing the whole circle takes at least */
	uint64_t unlearned, forgotten;
	struct watched_id ids[WATCHED_IDS];
	char text[256];
};

static bool is_countdown(const struct model *m)
{
	return m->sim.config.memory.layout == DEDUP_COUNTDOWN;
}

#define check(m, condition)                                                         \
	do {                                                                        \
		if (!(condition))                                                   \
			fail_msg("%s: %s at %" PRIu64 " ns", (m)->text, #condition, \
				 (m)->sim.now_ns);                                  \
	} while (0)

/* How late what the clock asks for may come, twice, since steps have been late by so much in all:
 * by the latest of them, or by as many of those as passing the whole circle takes.
 */
static uint64_t slack_ns(const struct model *m, uint64_t late_before_ns)
{
	uint64_t steps = m->sim.config.memory.places / DEDUP_STEP_PLACES + 1;
	uint64_t late_ns = m->late_sum_ns - late_before_ns;

	if (late_ns > 2 * steps * m->late_ns)
		late_ns = 2 * steps * m->late_ns;
	return 2 * (m->sim.config.memory.late_ns + m->round_ns) + late_ns;
}

static bool within_capacity(const struct model *m)
{
	return m->traffic != OVERLOAD && m->traffic != ALL_AT_ONCE;
}

static uint64_t age_ns(const struct model *m, const struct watched_id *id)
{
	return m->sim.now_ns - id->learned_ns;
}

static bool is_overdue(const struct model *m, const struct watched_id *id)
{
	return age_ns(m, id) > 2 * m->sim.config.memory.window_ns + slack_ns(m, id->late_before_ns);
}

static void forget(struct model *m, struct watched_id *id)
{
	bool is_guarded = !is_countdown(m) || m->sim.config.memory.places > 1;

	id->is_used = false;
	m->forgotten++;
	check(m, !is_overdue(m, id));
	if (within_capacity(m) && is_guarded)
		check(m, age_ns(m, id) >= m->sim.config.memory.window_ns);
}

static void pass_id(struct model *m, struct watched_id *id, uint32_t place, uint32_t cnt)
{
	const struct dedup_config *c = &m->sim.config;

	switch (c->memory.layout) {
	case DEDUP_FLAT: /* as soon as the hand leaves its first place */
		if (place == 0 && dedup_hand_epoch(m->sim.state.hand) != id->epoch)
			forget(m, id);
		break;
	case DEDUP_COUNTDOWN:
		id->passes += cnt;
		if (id->passes >= c->memory.places)
			forget(m, id);
		break;
	default:
		if (id->place >= place && id->place < place + cnt && ++id->passes == 2)
			forget(m, id);
	}
}

static void on_pass(struct sim *s, uint32_t place, uint32_t cnt, void *arg)
{
	struct model *m = arg;

	(void)s;
	for (int i = 0; i < WATCHED_IDS; i++)
		if (m->ids[i].is_used)
			pass_id(m, &m->ids[i], place, cnt);
}

static void watch(struct model *m)
{
	struct watched_id *id = &m->ids[random_below(&m->seed, WATCHED_IDS)];

	if (id->is_used)
		return;
	*id = (struct watched_id){
		.is_used = true,
		.place = random_below(&m->seed, m->sim.config.memory.places),
		.learned_ns = m->sim.now_ns,
		.late_before_ns = m->late_sum_ns,
		.epoch = dedup_hand_epoch(m->sim.state.hand),
	};
}

/* As packets do: up to the limit, and no further. */
static void learn(struct model *m, uint64_t n)
{
	struct dedup_state *st = &m->sim.state;
	uint64_t room = st->limit > st->learned ? st->limit - st->learned : 0;

	st->learned += n < room ? n : room;
	m->unlearned += n < room ? 0 : n - room;
	if (n && room)
		watch(m);
}

/* Ids come now. At most `load` capacities in any interval of a window. */
static void traffic(struct model *m)
{
	const struct dedup_config *c = &m->sim.config;
	uint64_t every_ns = c->memory.window_ns / EVENTS_A_WINDOW + 1;
	double ids = m->load * c->memory.capacity;

	switch (m->traffic) {
	case EVEN:
	case OVERLOAD:
		m->part += ids / EVENTS_A_WINDOW;
		learn(m, floor(m->part));
		m->part -= floor(m->part);
		m->next_ns += every_ns;
		break;
	case BURSTS:
		learn(m, ids);
		m->next_ns +=
			c->memory.window_ns + 1 + random_below(&m->seed, c->memory.window_ns / 16);
		break;
	default:
		learn(m, ids * 10);
		m->next_ns += random_below(&m->seed, 3 * c->memory.window_ns);
	}
}

/* Steps at which nothing could happen are left out: ticks of 10 ms are many in 720 h. */
static uint64_t next_step(struct model *m, uint64_t sleep_ns)
{
	struct dedup_state *st = &m->sim.state;
	const struct dedup_config *c = &m->sim.config;
	uint64_t next_ns = m->sim.now_ns + sleep_ns, until_ns = dedup_hand_due_ns(st, c);

	if (m->next_ns < until_ns)
		until_ns = m->next_ns;
	if (next_ns < until_ns && st->learned - dedup_hand_guard_ids(st, c) <= c->memory.turn_ids)
		next_ns += (until_ns - next_ns) / c->memory.tick_ns * c->memory.tick_ns;
	return next_ns;
}

static void step(struct model *m)
{
	uint64_t sleep_ns = sim_step(&m->sim), next_ns, late_ns;

	next_ns = next_step(m, sleep_ns);
	late_ns = sim_lateness(&m->sim, m->lateness, next_ns, &m->seed);
	if (late_ns > m->late_ns)
		m->late_ns = late_ns;
	next_ns += late_ns;
	for (; m->next_ns <= next_ns; traffic(m))
		m->sim.now_ns = m->next_ns;
	m->sim.now_ns = next_ns;
	m->late_sum_ns += late_ns; /* also for what came meanwhile */
}

/* Any filter that can be loaded; false if this one cannot. */
static bool plan(struct model *m, struct dedup_config *c)
{
	static const double WINDOWS[][2] = { { 10 * MS, 100 * MS },
					     { 100 * MS, HOUR },
					     { HOUR, 720 * HOUR } };
	const double *window = WINDOWS[random_below(&m->seed, 3)];
	struct filter_spec spec = sim_spec(sim_log_uniform(&m->seed, 1, 1e9), 1e-3,
					   sim_log_uniform(&m->seed, window[0], window[1]));

	spec.layout = random_below(&m->seed, 3);
	if (spec.layout == DEDUP_COUNTDOWN) {
		spec.capacity = sim_log_uniform(&m->seed, 1, 1e5);
		spec.countdown_bits = 1 + random_below(&m->seed, random_below(&m->seed, 2) ? 24 : 8);
	}
	if (plan_config(&spec, 1 + random_below(&m->seed, 16), SIM_HZ, c))
		return false;
	snprintf(m->text, sizeof(m->text),
		 "layout %d, %u places, capacity %llu, window %llu ns, traffic %d x %.3g, lateness %d",
		 c->memory.layout, c->memory.places, c->memory.capacity, c->memory.window_ns,
		 m->traffic, m->load, m->lateness);
	return true;
}

static bool run(uint64_t seed, enum traffic traffic, enum sim_lateness lateness)
{
	struct model m = { .seed = seed, .traffic = traffic, .lateness = lateness };
	struct dedup_config c;
	uint64_t end_ns;

	m.load = traffic == OVERLOAD ? 1.05 + random_below(&m.seed, 900) / 100.0
				     : (1 + random_below(&m.seed, 100)) / 100.0;
	if (!plan(&m, &c))
		return false;
	sim_start_hand(&m.sim, &c);
	m.next_ns = m.sim.now_ns + random_below(&m.seed, c.memory.window_ns);
	m.round_ns = (c.memory.places / DEDUP_STEP_PLACES + 1) * c.memory.busy_tick_ns;
	m.sim.on_pass = on_pass;
	m.sim.arg = &m;
	end_ns = m.sim.now_ns + TURNS * c.memory.window_ns;
	for (int steps = 0; m.sim.now_ns < end_ns || steps < STEPS_MIN; steps++)
		step(&m);
	for (int i = 0; i < WATCHED_IDS; i++)
		check(&m, !m.ids[i].is_used || !is_overdue(&m, &m.ids[i]));
	check(&m, m.forgotten > 0 || c.memory.capacity < 10 || m.late_sum_ns > c.memory.window_ns);
	if (lateness == SIM_ON_TIME)
		check(&m, m.sim.state.late == 0);
	if (within_capacity(&m))
		check(&m, m.sim.state.early == 0);
	if (within_capacity(&m) && lateness == SIM_ON_TIME)
		check(&m, m.unlearned == 0);
	return true;
}

TEST(any_filter)
{
	uint64_t seed = 1, runs = 0, cnt = tries(30, 300);

	for (uint64_t i = 0; i < cnt; i++, seed++)
		runs += run(seed, i % TRAFFICS, i / TRAFFICS % SIM_LATENESSES);
	print_message("# %" PRIu64 " filters\n", runs);
	assert_true(runs >= cnt / 2);
}

UNIT_MAIN()
