// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What users do to a filter that runs, at random, for some simulated hours, or the environment's
 * HOURS. set, resize to any layout, size, rate and window, with and without --forget,
 * rotate, reset, with hands that step late, any load; beside a plain model that knows each id and
 * its time.
 *
 * - No id is forgotten before it is a window old, unless rotate, reset or --forget passes it.
 * - None is known when it is older than two windows, and what steps are late; nor after a reset.
 * - Fresh ids, and those forgotten, are taken for known at the rate that was asked for, at most.
 * - A predecessor holds nothing once it is reported to have forgotten every id. That is reported
 *   within two of its windows, and what steps are late.
 * - A predecessor's hand counts what its filter learned, and what its successor learns, scaled.
 */

#include "unit.h"

#include "countdown.h"
#include "e2e_runner.h"
#include "plan.h"
#include "predecessor.h"
#include "sim.h"

#define MS 1000000ULL
#define S (1000 * MS)
#define HOUR (3600 * S)
#define WINDOWS 30 /* a life */
#define EVENTS_A_WINDOW 300
#define OPERATIONS_A_WINDOW 2
/* Of a window: how late the predecessor may be told of ids without passing anything early. */
#define TOLD_LATE_PART 256
#define TOLD_AHEAD_PART 256 /* of turn_ids: what a successor may learn before it tells it */

enum operation { SET, RESIZE, RESIZE_FORGET, ROTATE, RESET, OPERATIONS };

struct learned {
	uint64_t id[4], at_ns, late_before_ns;
	double part; /* of the capacity */
};

struct life {
	struct sim *sim; /* the newest filter */
	uint64_t seed, secrets;
	double load; /* in capacities a window; above 1 nothing is promised about young ids */
	bool is_in_bursts;
	enum sim_lateness lateness;
	double wait;			/* of an id that has not come yet */
	uint64_t windows_ns[2];		/* of its filters; the shorter one is first */
	uint64_t next_ns, operation_ns; /* when ids come again, and the next operation */
	uint64_t late_ns, gap_ns,
		slack_ns; /* sum of late steps; longest one; what else may be late */
	struct learned *ids;
	size_t cnt, size;
	size_t young;	 /* from here on they came in the last windows_ns[0], */
	double parts;	 /* of which this is the sum */
	size_t own;	 /* from here on the filter in charge learned them in its last window */
	size_t checked;	 /* from here on they have not been looked for at the end of a window */
	size_t old;	 /* nor when they must be forgotten */
	size_t excused;	 /* up to here they may be gone: something has passed them */
	bool is_turning; /* rotate or reset is under way */
	size_t before;	 /* up to here the predecessor has learned them */
	/* When the filter in charge became that, and what its predecessor had learned by then. */
	uint64_t charge_ns, charge_late_ns, charge_learned;
	/* Since it began: ids that found no room; has rotate or reset taken some? */
	uint64_t unlearned;
	bool is_turned;
	char text[256];
};

/* In all lives. */
static uint64_t held, gone, forgotten, false_positives, done[OPERATIONS];
static double expected;

#define check(l, condition)                                                                    \
	do {                                                                                   \
		if (!(condition))                                                              \
			fail_msg("%s: %s at %" PRIu64 " ns, layout %u", (l)->text, #condition, \
				 (l)->sim->now_ns, (l)->sim->config.memory.layout);            \
	} while (0)

static uint64_t lateness(struct sim *s)
{
	struct life *l = s->arg;
	uint64_t late_ns = sim_lateness(s, l->lateness, 0, &l->seed);

	l->late_ns += late_ns;
	if (s->config.memory.tick_ns + late_ns > l->gap_ns)
		l->gap_ns = s->config.memory.tick_ns + late_ns;
	return late_ns;
}

static struct sim *new_filter(struct life *l, uint64_t window_ns)
{
	struct filter_spec spec =
		sim_spec(sim_log_uniform(&l->seed, random_below(&l->seed, 2) ? 1 : 500, 2000),
			 pow(10, -2.0 - random_below(&l->seed, 5)), window_ns);
	struct sim *s = calloc(1, sizeof(*s));
	uint64_t slack_ns;

	assert_non_null(s);
	spec.layout = random_below(&l->seed, 3);
	if (spec.layout == DEDUP_COUNTDOWN)
		spec.countdown_bits = 2 + random_below(&l->seed, 7);
	sim_start(s, &spec, l->secrets++);
	s->lateness = lateness;
	s->arg = l;
	slack_ns = 4 * s->config.memory.late_ns + 4 * s->config.memory.tick_ns +
		   (l->lateness == SIM_ON_TIME ? 0 : 3 * s->config.memory.stale_ns);
	if (slack_ns > l->slack_ns)
		l->slack_ns = slack_ns;
	return s;
}

static void check_holds_nothing(struct life *l, const struct sim *s)
{
	const struct dedup_memory *c = &s->config.memory;
	uint32_t elapsed = dedup_countdowns(s->state.hand, c->places);

	for (uint32_t b = 0; b < c->blocks; b++)
		for (int w = 0; w < DEDUP_BLOCK_CELLS; w++) {
			uint32_t cell = s->filter.blocks[b].cell[w];

			check(l, c->layout == DEDUP_COUNTDOWN
					 ? !dedup_cell_left(cell, elapsed, c->places)
					 : !cell);
		}
}

/* Do fewer ids come in a step than are told ahead? Then each finds room. */
static bool has_short_steps(const struct life *l)
{
	const struct dedup_memory *c = &l->sim->config.memory;
	double ids = 1 + l->load * c->capacity * c->tick_ns / c->window_ns;
	uint64_t ahead = c->turn_ids / TOLD_AHEAD_PART;

	return l->load <= 1 && !l->is_in_bursts && l->lateness == SIM_ON_TIME && 2 * ids <= ahead;
}

/* It is reported to have forgotten every id. What its hand counts are the ids that it learned
 * itself, and of the successor's those that it was told of, as if all at once.
 */
static void check_forgotten(struct life *l, const struct sim *before)
{
	const struct dedup_memory *c = &before->config.memory;
	const struct sim *s = l->sim;
	double told = s->state.reported * (double)s->config.predecessor_scale;
	uint64_t slack_ns = l->lateness == SIM_ON_TIME
				    ? 4 * c->late_ns + 2 * s->config.memory.tick_ns
				    : 3 * (c->late_ns + c->stale_ns) + l->late_ns - l->charge_late_ns;

	check(l, s->now_ns - l->charge_ns <= 2 * c->window_ns + slack_ns);
	check(l, before->state.learned - l->charge_learned == ceil(told / (1 << DEDUP_SCALE_SHIFT)));
	check_holds_nothing(l, before);
	if (has_short_steps(l) && !l->is_turned)
		check(l, l->unlearned == 0);
	forgotten++;
}

static void drop_predecessor(struct life *l)
{
	sim_stop(l->sim->before);
	free(l->sim->before);
	l->sim->before = NULL;
}

static const struct sim *in_charge(const struct life *l)
{
	const struct sim *before = l->sim->before;

	return before && !before->state.successor ? before : l->sim;
}

/* An id that nobody can know was looked for: at which rate may it be taken for known? */
static void note_answer(struct life *l, bool is_known)
{
	double fpr = plan_fpr(&l->sim->config);

	if (l->sim->before && plan_fpr(&l->sim->before->config) > fpr)
		fpr = plan_fpr(&l->sim->before->config);
	expected += fpr;
	false_positives += is_known;
}

/* Would one more be within capacity, of the filter in charge, and of both in the shorter window? */
static bool has_room(struct life *l)
{
	const struct dedup_config *c = &in_charge(l)->config;
	uint64_t now_ns = l->sim->now_ns;

	for (; l->young < l->cnt && l->ids[l->young].at_ns + l->windows_ns[0] <= now_ns; l->young++)
		l->parts -= l->ids[l->young].part;
	while (l->own < l->cnt && l->ids[l->own].at_ns + c->memory.window_ns <= now_ns)
		l->own++;
	return l->cnt - l->own < c->memory.capacity &&
	       l->parts + 1.0 / c->memory.capacity <= 1 + 1e-9;
}

static void learn(struct life *l)
{
	struct learned *e;
	int result;

	if (!has_room(l) && l->load <= 1)
		return;
	if (l->cnt == l->size) {
		l->size = 2 * l->size + 1024;
		l->ids = realloc(l->ids, l->size * sizeof(*l->ids));
		assert_non_null(l->ids);
	}
	e = &l->ids[l->cnt];
	for (int w = 0; w < 4; w++)
		e->id[w] = random_next(&l->seed);
	e->at_ns = l->sim->now_ns;
	e->late_before_ns = l->late_ns;
	e->part = 1.0 / in_charge(l)->config.memory.capacity;
	result = sim_learn(l->sim, e->id);
	l->unlearned += result < 0;
	note_answer(l, result == 1);
	if (result)
		return;
	l->parts += e->part;
	l->cnt++;
}

static void traffic(struct life *l)
{
	const struct dedup_config *c = &in_charge(l)->config;

	if (l->is_in_bursts) {
		l->wait = l->load * c->memory.capacity;
		l->next_ns +=
			c->memory.window_ns + 1 + random_below(&l->seed, c->memory.window_ns / 16);
	} else {
		l->wait += l->load * c->memory.capacity / EVENTS_A_WINDOW;
		l->next_ns += c->memory.window_ns / EVENTS_A_WINDOW + 1;
	}
	for (; l->wait >= 1; l->wait--)
		learn(l);
}

/* When the next id is as old as it is promised to become. */
static uint64_t next_check(const struct life *l)
{
	uint64_t window_ns = l->windows_ns[0];
	uint64_t gap_ns = l->gap_ns * TOLD_LATE_PART > window_ns ? l->gap_ns : 0;
	uint64_t promised_ns = window_ns > gap_ns ? window_ns - gap_ns : 1;

	return l->checked < l->cnt ? l->ids[l->checked].at_ns + promised_ns - 1 : UINT64_MAX;
}

static void check_held(struct life *l)
{
	bool is_known = sim_knows(l->sim, l->ids[l->checked].id);

	if (l->checked++ < l->excused || l->load > 1 || l->is_turning)
		return;
	check(l, is_known);
	held++;
}

static void check_gone(struct life *l)
{
	for (; l->old < l->cnt; l->old++) {
		const struct learned *e = &l->ids[l->old];

		if (l->sim->now_ns - e->at_ns <=
		    2 * l->windows_ns[1] + l->slack_ns + l->late_ns - e->late_before_ns)
			break;
		note_answer(l, sim_knows(l->sim, e->id));
		gone++;
	}
}

static void run_until(struct life *l, uint64_t end_ns)
{
	while (l->sim->now_ns < end_ns) {
		uint64_t check_ns = next_check(l), ns = l->next_ns < check_ns ? l->next_ns : check_ns;
		uint64_t until_ns = ns < end_ns ? ns : end_ns;

		/* That the predecessor has forgotten is seen as soon as it is reported. */
		if (l->sim->before && until_ns > l->sim->now_ns + l->sim->config.memory.tick_ns)
			until_ns = l->sim->now_ns + l->sim->config.memory.tick_ns;
		if (until_ns > l->sim->now_ns)
			sim_run_both_until(l->sim, until_ns);
		if (l->sim->before && !sim_has_predecessor(l->sim)) {
			check_forgotten(l, l->sim->before);
			drop_predecessor(l);
		}
		if (ns > l->sim->now_ns || ns >= end_ns)
			continue;
		if (check_ns <= ns)
			check_held(l);
		else
			traffic(l);
	}
	check_gone(l);
}

/* Another program over the same memory: its timer starts again. */
static void set(struct life *l)
{
	l->sim->config.serial++;
	l->sim->next_ns = l->sim->now_ns + random_below(&l->seed, l->sim->config.memory.tick_ns);
}

static void resize(struct life *l)
{
	struct sim *before = l->sim, *s = new_filter(l, l->windows_ns[random_below(&l->seed, 2)]);

	l->charge_learned = before->state.learned - l->cnt;
	l->unlearned = 0;
	l->is_turned = false;
	l->sim = s;
	s->now_ns = before->now_ns;
	sim_succeed(s, before);
	do
		run_until(l, s->now_ns + 1 + random_below(&l->seed, 4 * s->config.memory.tick_ns));
	while (s->state.last_ns == s->state.started_ns);
	sim_take_charge(s);
	l->own = l->before = l->cnt;
	l->charge_ns = s->now_ns;
	l->charge_late_ns = l->late_ns;
	l->charge_learned += l->cnt;
}

static void resize_forget(struct life *l)
{
	if (l->sim->before) {
		if (l->before > l->excused)
			l->excused = l->before;
		drop_predecessor(l);
	}
	resize(l);
}

/* rotate or reset. What came just before a rotate is known after it, and nothing after a reset. */
static void turn(struct life *l, bool is_reset)
{
	__u64 (*request)(struct dedup_state *, const struct dedup_config *) =
		is_reset ? dedup_hand_reset : dedup_hand_rotate;
	uint64_t goal = request(&l->sim->state, &l->sim->config), goal_before = 0;
	size_t cnt = l->cnt;

	if (l->sim->before)
		goal_before = request(&l->sim->before->state, &l->sim->before->config);
	l->is_turning = l->is_turned = true;
	/* The predecessor may have gone meanwhile. */
	while (l->sim->state.passed < goal ||
	       (l->sim->before && l->sim->before->state.passed < goal_before))
		run_until(l, l->sim->now_ns + l->sim->config.memory.tick_ns);
	l->is_turning = false;
	l->excused = l->cnt; /* also what came meanwhile may have been passed */
	for (size_t i = cnt > 100 ? cnt - 100 : 0; i < cnt && is_reset; i++)
		note_answer(l, sim_knows(l->sim, l->ids[i].id));
}

/* What a rotate finds is aged once: no id is gone that nothing has passed before. */
static void rotate(struct life *l)
{
	size_t last = l->cnt;

	learn(l);
	turn(l, false);
	if (l->cnt > last && l->load <= 1 &&
	    l->sim->now_ns - l->ids[last].at_ns < l->windows_ns[0] / 8)
		check(l, sim_knows(l->sim, l->ids[last].id));
}

static void operate(struct life *l)
{
	enum operation op = random_below(&l->seed, OPERATIONS);

	if (op == RESIZE && l->sim->before)
		return; /* the tool refuses */
	done[op]++;
	if (op == SET)
		set(l);
	else if (op == RESIZE)
		resize(l);
	else if (op == RESIZE_FORGET)
		resize_forget(l);
	else if (op == ROTATE)
		rotate(l);
	else
		turn(l, true);
}

/* Returns how long it took, on its clock. */
static uint64_t live(uint64_t seed)
{
	struct life l = { .seed = seed, .secrets = 1000 * seed };
	uint64_t begin_ns, end_ns;

	l.lateness = seed % SIM_BY_JIFFIES;
	l.load = seed % 4 ? (1 + random_below(&l.seed, 100)) / 100.0
			  : 1.05 + random_below(&l.seed, 900) / 100.0;
	l.is_in_bursts = seed % 4 == 1;
	l.windows_ns[0] = sim_log_uniform(&l.seed, 10 * MS, 10 * S);
	l.windows_ns[1] =
		l.windows_ns[0] * (random_below(&l.seed, 2) ? 1 : 1 + random_below(&l.seed, 8));
	snprintf(l.text, sizeof(l.text), "seed %" PRIu64 ", load %.3g, lateness %d, window %" PRIu64,
		 seed, l.load, l.lateness, l.windows_ns[0]);
	l.sim = new_filter(&l, l.windows_ns[random_below(&l.seed, 2)]);
	begin_ns = l.next_ns = l.operation_ns = l.sim->now_ns;
	l.sim->next_ns = begin_ns + l.sim->config.memory.tick_ns;
	end_ns = begin_ns + WINDOWS * l.windows_ns[1];
	while (l.sim->now_ns < end_ns) {
		l.operation_ns += random_below(&l.seed, 2 * l.windows_ns[0] / OPERATIONS_A_WINDOW);
		if (random_below(&l.seed, 8) == 0) /* a time of rest, in which ids become old */
			l.operation_ns += 3 * l.windows_ns[1];
		run_until(&l, l.operation_ns);
		operate(&l);
		if (l.operation_ns < l.sim->now_ns)
			l.operation_ns = l.sim->now_ns;
	}
	end_ns = l.sim->now_ns;
	if (l.sim->before)
		drop_predecessor(&l);
	sim_stop(l.sim);
	free(l.sim);
	free(l.ids);
	return end_ns - begin_ns;
}

TEST(any_operations)
{
	uint64_t seed = environment_number("SEED", 1);
	uint64_t hours = environment_number("HOURS", 3), ns = 0, part = tries(6, 1);

	while (ns < hours * HOUR / part)
		ns += live(seed++);
	print_message("# up to seed %" PRIu64 ": %" PRIu64 " ids held, %" PRIu64 " gone, %" PRIu64
		      " predecessors forgotten, false positives %" PRIu64
		      " of at most %.1f expected\n",
		      seed - 1, held, gone, forgotten, false_positives, expected);
	for (int i = 0; i < OPERATIONS; i++)
		assert_true(done[i] > 20 * hours / part);
	assert_true(held > 20000 * hours / part);
	assert_true(gone > 20000 * hours / part);
	assert_true(forgotten > 100 * hours / part);
	assert_true(false_positives <= poisson_bound(expected));
}

UNIT_MAIN()
