// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Filters that take over from one another (predecessor.h), at random, beside a plain model that
 * knows each id and its time: any layout, size and window, any load, hands that step late, each by
 * its own clock; at some moment a new filter, and when the predecessor has gone perhaps another.
 *
 * - No id is forgotten before it is a window old while the load is within capacity.
 * - A predecessor holds nothing once it is reported to have forgotten every id. That is reported
 *   within two of its windows, and what steps are late.
 */
#include "support.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "countdown.h"
#include "plan.h"
#include "predecessor.h"
#include "sim.h"

#define MS 1000000ULL
#define S (1000 * MS)
#define CHANGES_MAX 3
#define EVENTS_A_WINDOW 300
#define IDS_MAX 400000
/* Of a window: how late the predecessor may be told of ids without passing anything early. */
#define TOLD_LATE_PART 256
#define UNLEARNED_NONE 512 /* turn_ids from which on a step's ids are fewer than are told ahead */

enum traffic { EVEN, BURSTS, OVERLOAD, TRAFFICS };
enum lateness { ON_TIME, JITTER, SELDOM_STALLED, LATENESSES };

struct learned {
	uint64_t id[4];
	uint64_t at_ns;
	double part; /* of the capacity */
};

struct model {
	struct sim *sim; /* the newest filter */
	uint64_t seed, secrets;
	enum traffic traffic;
	enum lateness lateness;
	double load;	    /* in capacities a window */
	double wait;	    /* of an id that has not come yet */
	uint64_t window_ns; /* the shortest of all filters' */
	uint64_t next_ns;   /* when ids come again */
	uint64_t gone_ns;   /* the latest time for the predecessor to have forgotten */
	uint64_t late_ns;   /* steps of the present hands, all together */
	uint64_t gap_ns;    /* the longest time from one step of a successor's to the next */
	struct learned *ids;
	size_t cnt, young, checked; /* from `young` on they came in the last window_ns */
	double parts;		    /* the sum of those */
	size_t own; /* from here on the filter in charge learned them in its last window */
	uint64_t unlearned, forgotten, held;
	char text[512];
};

#define check(m, condition)                                                         \
	do {                                                                        \
		if (!(condition))                                                   \
			fail_msg("%s: %s at %" PRIu64 " ns", (m)->text, #condition, \
				 (m)->sim->now_ns);                                 \
	} while (0)

static uint64_t below(struct model *m, uint64_t n)
{
	return n ? random_next(&m->seed) % n : 0;
}

static uint64_t log_uniform(struct model *m, double from, double to)
{
	double part = (double)(random_next(&m->seed) >> 11) / (1ULL << 53);

	return from * pow(to / from, part);
}

static bool within_capacity(const struct model *m)
{
	return m->traffic != OVERLOAD;
}

/* The filter that learns. */
static const struct sim *in_charge(const struct model *m)
{
	const struct sim *before = m->sim->before;

	return before && !before->state.successor ? before : m->sim;
}

static uint64_t lateness(struct sim *s)
{
	struct model *m = s->arg;
	uint64_t late_ns = 0;

	if (m->lateness == JITTER && below(m, 10) == 0)
		late_ns = below(m, 10 * s->config.memory.tick_ns);
	if (m->lateness == SELDOM_STALLED && below(m, 300) == 0)
		late_ns = below(m, s->config.memory.stale_ns);
	m->late_ns += late_ns;
	if (s == m->sim && s->config.memory.tick_ns + late_ns > m->gap_ns)
		m->gap_ns = s->config.memory.tick_ns + late_ns;
	return late_ns;
}

/* Any small filter, with memory. */
static struct sim *new_filter(struct model *m, uint64_t window_ns)
{
	struct filter_spec spec =
		sim_spec(log_uniform(m, 1, 2000), pow(10, -2.0 - below(m, 5)), window_ns);
	struct sim *s = calloc(1, sizeof(*s));
	size_t used = strlen(m->text);

	assert_non_null(s);
	spec.layout = below(m, 3);
	if (spec.layout == DEDUP_COUNTDOWN)
		spec.countdown_bits = 2 + below(m, 7);
	sim_start(s, &spec, m->secrets++);
	s->lateness = lateness;
	s->arg = m;
	snprintf(m->text + used, sizeof(m->text) - used,
		 "layout %u, %u places, capacity %llu, window %llu ns; ", s->config.memory.layout,
		 s->config.memory.places, s->config.memory.capacity, s->config.memory.window_ns);
	return s;
}

static void drop_filter(struct sim *s)
{
	sim_stop(s);
	free(s);
}

/* Would one more be within capacity? That of the filter in charge; and in any interval of the
 * shortest window the parts of each filter's capacity add up to 1.
 */
static bool has_room(struct model *m)
{
	const struct dedup_config *c = &in_charge(m)->config;
	uint64_t now_ns = m->sim->now_ns;

	for (; m->young < m->cnt && m->ids[m->young].at_ns + m->window_ns <= now_ns; m->young++)
		m->parts -= m->ids[m->young].part;
	while (m->own < m->cnt && m->ids[m->own].at_ns + c->memory.window_ns <= now_ns)
		m->own++;
	return m->cnt - m->own < c->memory.capacity &&
	       m->parts + 1.0 / c->memory.capacity <= 1 + 1e-9;
}

static void learn(struct model *m)
{
	double part = 1.0 / in_charge(m)->config.memory.capacity;
	struct learned *l = &m->ids[m->cnt];

	if (!has_room(m) && within_capacity(m))
		return;
	assert_true(m->cnt < IDS_MAX);
	for (int w = 0; w < 4; w++)
		l->id[w] = random_next(&m->seed);
	l->at_ns = m->sim->now_ns;
	l->part = part;
	switch (sim_learn(m->sim, l->id)) {
	case 0:
		m->parts += part;
		m->cnt++;
		break;
	case 1:
		break;
	default:
		m->unlearned++;
	}
}

static void traffic(struct model *m)
{
	const struct dedup_config *c = &in_charge(m)->config;
	double ids = m->load * c->memory.capacity;

	if (m->traffic == BURSTS) {
		m->wait = ids;
		m->next_ns += c->memory.window_ns + 1 + below(m, c->memory.window_ns / 16);
	} else {
		m->wait += ids / EVENTS_A_WINDOW;
		m->next_ns += c->memory.window_ns / EVENTS_A_WINDOW + 1;
	}
	for (; m->wait >= 1; m->wait--)
		learn(m);
}

/* The next id that becomes a window old is still known just before, and so was all the time. */
static void check_oldest(struct model *m)
{
	bool is_known = sim_knows(m->sim, m->ids[m->checked].id);

	m->checked++;
	m->held += is_known;
	if (within_capacity(m))
		check(m, is_known);
}

/* When the next id is as old as it is promised to become. */
static uint64_t next_check(const struct model *m)
{
	uint64_t gap_ns = m->gap_ns * TOLD_LATE_PART > m->window_ns ? m->gap_ns : 0;
	uint64_t promised_ns = m->window_ns > gap_ns ? m->window_ns - gap_ns : 1;

	return m->checked < m->cnt ? m->ids[m->checked].at_ns + promised_ns - 1 : UINT64_MAX;
}

static void check_holds_nothing(struct model *m, const struct sim *s)
{
	const struct dedup_config *c = &s->config;
	uint32_t elapsed = dedup_countdowns(s->state.hand, c->memory.places);

	for (uint32_t b = 0; b < c->memory.blocks; b++)
		for (int w = 0; w < DEDUP_BLOCK_CELLS; w++) {
			uint32_t cell = s->filter.blocks[b].cell[w];

			check(m, c->memory.layout == DEDUP_COUNTDOWN
					 ? !dedup_cell_left(cell, elapsed, c->memory.places)
					 : !cell);
		}
}

static void run_until(struct model *m, uint64_t end_ns)
{
	while (m->sim->now_ns < end_ns) {
		uint64_t check_ns = next_check(m), ns = m->next_ns < check_ns ? m->next_ns : check_ns;

		if (ns < m->sim->now_ns)
			ns = m->sim->now_ns;
		sim_run_both_until(m->sim, ns < end_ns ? ns : end_ns);
		if (ns >= end_ns)
			break;
		if (ns == check_ns || check_ns < ns)
			check_oldest(m);
		else
			traffic(m);
	}
}

/* What the predecessor's hand counts are the ids that it learned itself, and of the successor's
 * those that it was told of, as if all at once.
 */
static void check_told(struct model *m, uint64_t own)
{
	const struct dedup_state *st = &m->sim->state;
	double told = st->told * (double)m->sim->config.predecessor_scale;

	check(m, m->sim->before->state.learned - own == ceil(told / (1 << DEDUP_SCALE_SHIFT)));
}

/* A new filter takes over; it is a while until then. Once the old one has forgotten, it goes. */
static void change(struct model *m, uint64_t window_ns)
{
	struct sim *before = m->sim, *s = new_filter(m, window_ns);
	uint64_t charge_ns, slack_ns, own = before->state.learned - m->cnt;

	m->sim = s;
	m->gap_ns = s->config.memory.tick_ns;
	m->unlearned = 0;
	s->now_ns = before->now_ns;
	sim_succeed(s, before);
	do
		run_until(m, s->now_ns + 1 + below(m, 4 * s->config.memory.tick_ns));
	while (s->state.last_ns == s->state.started_ns);
	sim_take_charge(s);
	own += m->cnt;
	m->own = m->cnt;
	m->next_ns = s->now_ns;
	m->late_ns = 0;
	charge_ns = s->now_ns;
	while (sim_has_predecessor(s)) {
		run_until(m, s->now_ns + s->config.memory.tick_ns);
		slack_ns = 3 * (before->config.memory.late_ns + before->config.memory.stale_ns) +
			   m->late_ns;
		if (m->lateness == ON_TIME)
			slack_ns = 4 * before->config.memory.late_ns + 2 * s->config.memory.tick_ns;
		check(m, s->now_ns - charge_ns <= 2 * before->config.memory.window_ns + slack_ns);
	}
	check_told(m, own);
	check_holds_nothing(m, before);
	if (m->traffic == EVEN && m->lateness == ON_TIME &&
	    s->config.memory.turn_ids >= UNLEARNED_NONE)
		check(m, m->unlearned == 0);
	s->before = NULL;
	drop_filter(before);
	m->forgotten++;
}

static void run(uint64_t seed, enum traffic traffic, enum lateness lateness, uint64_t *held)
{
	struct model m = {
		.seed = seed, .secrets = 1000 * seed, .traffic = traffic, .lateness = lateness
	};
	uint64_t windows[1 + CHANGES_MAX] = { 0 }, changes = 1 + below(&m, CHANGES_MAX);

	m.load = traffic == OVERLOAD ? 1.05 + below(&m, 900) / 100.0 : (1 + below(&m, 100)) / 100.0;
	m.ids = calloc(IDS_MAX, sizeof(*m.ids));
	assert_non_null(m.ids);
	m.window_ns = UINT64_MAX;
	for (uint64_t i = 0; i <= changes; i++) {
		windows[i] = i && below(&m, 2) ? windows[0] : log_uniform(&m, 10 * MS, 10 * S);
		if (windows[i] < m.window_ns)
			m.window_ns = windows[i];
	}
	snprintf(m.text, sizeof(m.text), "seed %" PRIu64 ", traffic %d x %.3g, lateness %d: ", seed,
		 traffic, m.load, lateness);
	m.sim = new_filter(&m, windows[0]);
	m.next_ns = m.sim->now_ns;
	m.sim->next_ns = m.sim->now_ns + m.sim->config.memory.tick_ns;
	for (uint64_t i = 1; i <= changes; i++) {
		run_until(&m, m.sim->now_ns + below(&m, 3 * windows[i - 1]));
		change(&m, windows[i]);
	}
	run_until(&m, m.sim->now_ns + m.window_ns);
	check(&m, m.forgotten == changes);
	*held += m.held;
	drop_filter(m.sim);
	free(m.ids);
}

TEST(any_succession)
{
	uint64_t held = 0, cnt = tries(45, 450);

	for (uint64_t i = 0; i < cnt; i++)
		run(i + 1, i % TRAFFICS, i / TRAFFICS % LATENESSES, &held);
	print_message("# %" PRIu64 " ids known for a window\n", held);
	assert_true(held > cnt * 200);
}

int main(void)
{
	add_own_tests(NULL, NULL);
	return run_added_any_tests("succession");
}
