// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The hand against a plain model of what it promises, at random: any layout, window and size, steps
 * that come late, any load, rotate and reset at any moment. There is no memory, only arithmetic:
 * the model follows some ids, and when the hand would make each of them forgotten.
 *
 * - An id is never forgotten before W while the load is within capacity.
 * - It is never known for longer than 2 W, and what steps are late.
 * - Between two passes of a place no more is learned than a generation is sized for.
 * - The hand never stands still, and does what was asked of it.
 * - It counts what it has passed late, and early.
 */
#include "support.h"

#include <math.h>

#include "hand.h"
#include "plan.h"
#include "sim.h"

#define MS 1000000ULL
#define S (1000 * MS)
#define HOUR (3600 * S)
#define WATCHED_IDS 32
#define WATCHED_PLACES 8
#define TURNS 6
#define STEPS_MIN 4000
#define COUNTDOWNS_MAX 65535 /* for an id, where each is followed */
#define EVENTS_A_WINDOW 400  /* at which ids come, in traffic that never rests */

enum traffic { EVEN, BURSTS, ALL_AT_ONCE, OVERLOAD, TRAFFICS };
enum lateness { ON_TIME, JITTER, SELDOM_STALLED, BY_JIFFIES, LATENESSES };

struct watched_id {
	bool is_used;
	uint32_t place;
	uint64_t learned_ns, late_before_ns;
	uint64_t epoch;	 /* flat: of the array that it is in */
	uint64_t passes; /* of its place since then; countdown: countdowns */
	bool was_asked;	 /* rotate or reset was served while it was known */
};

struct watched_place {
	uint32_t place;
	uint64_t passes, passed_ns, learned, late_before_ns;
};

/* Blocked, flat: the last pass of a segment. */
struct segment {
	uint64_t passed_ns, learned;
	uint64_t begun_learned; /* by the present one's first place */
};

/* One of the last countdowns, as many as an id lasts. */
struct countdown {
	uint64_t at_ns, late_before_ns;
};

struct model {
	struct sim sim;
	uint64_t seed;
	enum traffic traffic;
	enum lateness lateness;
	double load;	      /* in capacities a window */
	double part;	      /* of an id that has not come yet */
	uint64_t next_ns;     /* when ids come again */
	uint64_t late_ns;     /* the most that a step was late */
	uint64_t late_sum_ns; /* all steps together */
	uint64_t round_ns;    /* what passing the whole circle takes at least */
	uint64_t goal;	      /* of a request that is being served, or 0 */
	uint64_t asked_turns; /* by it */
	bool is_reset;
	uint64_t asked_ns, asked_late_ns;
	uint64_t unlearned, forgotten, requests;
	struct segment segments[DEDUP_MARKS];
	uint64_t late, late_max_ns, early; /* as `segments` say */
	struct countdown *countdowns;	   /* the n-th is at n % places */
	uint64_t countdowns_cnt;
	struct watched_id ids[WATCHED_IDS];
	struct watched_place places[WATCHED_PLACES];
	uint64_t passes_before[WATCHED_PLACES]; /* when the request came */
	char text[256];
};

static uint64_t below(struct model *m, uint64_t n)
{
	return n ? random_next(&m->seed) % n : 0;
}

/* Evenly on a logarithmic scale. */
static uint64_t log_uniform(struct model *m, double from, double to)
{
	double part = (double)(random_next(&m->seed) >> 11) / (1ULL << 53);

	return from * pow(to / from, part);
}

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

static void forget(struct model *m, struct watched_id *id)
{
	uint64_t age_ns = m->sim.now_ns - id->learned_ns, window_ns = m->sim.config.memory.window_ns;
	bool is_guarded = !is_countdown(m) || m->sim.config.memory.places > 1;

	id->is_used = false;
	m->forgotten++;
	check(m, age_ns <= 2 * window_ns + slack_ns(m, id->late_before_ns));
	if (within_capacity(m) && !id->was_asked && is_guarded)
		check(m, age_ns >= window_ns);
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

static void pass_place(struct model *m, struct watched_place *p)
{
	const struct dedup_config *c = &m->sim.config;
	uint64_t longest_ns = c->memory.window_ns;

	/* Countdowns that load, a request or a stall brought together go apart again. */
	if (is_countdown(m)) {
		bool are_apart = !m->requests && within_capacity(m) && m->lateness != SELDOM_STALLED;

		longest_ns += c->memory.countdown_ns +
			      (are_apart ? c->memory.window_ns / 4 : c->memory.window_ns);
	}
	check(m, m->sim.state.learned - p->learned <= c->memory.full_ids);
	check(m, m->sim.now_ns - p->passed_ns <= longest_ns + slack_ns(m, p->late_before_ns));
	p->late_before_ns = m->late_sum_ns;
	p->passed_ns = m->sim.now_ns;
	p->learned = m->sim.state.learned;
	p->passes++;
}

/* The segment of these places is passed by the clock, or by request, or else by load, which must be
 * there. By the clock it is late if it begins late.
 */
static void pass_segment(struct model *m, uint32_t place, uint32_t cnt)
{
	const struct dedup_config *c = &m->sim.config;
	const struct dedup_state *st = &m->sim.state;
	struct segment *seg = &m->segments[place / c->memory.segment_places];
	uint32_t first = place / c->memory.segment_places * c->memory.segment_places;
	uint32_t end = c->memory.places - first < c->memory.segment_places
			       ? c->memory.places
			       : first + c->memory.segment_places;
	uint64_t due_ns = seg->passed_ns + c->memory.window_ns, now_ns = m->sim.now_ns;
	bool by_clock = now_ns >= due_ns;

	if (place == first && by_clock && now_ns - due_ns > m->late_max_ns)
		m->late_max_ns = now_ns - due_ns;
	if (place == first && by_clock && now_ns - due_ns > c->memory.late_ns)
		m->late += end - first;
	if (!by_clock && st->requested <= st->passed) {
		check(m, st->learned - seg->learned > c->memory.turn_ids);
		m->early += cnt;
	}
	check(m, place + cnt <= end);
	if (c->memory.layout == DEDUP_FLAT || place == first)
		seg->begun_learned = st->learned;
	if (place + cnt < end)
		return;
	seg->passed_ns = now_ns;
	seg->learned = seg->begun_learned;
}

/* Whatever ids there may be: one that came just before a countdown is forgotten by the last of as
 * many as it lasts, and one that came just after it by the next. Asked for countdowns give no ids
 * their window; but countdowns keep a distance where nothing comes between, of which stalls may
 * take an eighth of a window.
 */
static void pass_countdown(struct model *m)
{
	const struct dedup_config *c = &m->sim.config;
	uint64_t n = ++m->countdowns_cnt, window_ns = c->memory.window_ns, now_ns = m->sim.now_ns;
	struct countdown *last = &m->countdowns[n % c->memory.places];
	const struct countdown *first = &m->countdowns[(n + 1) % c->memory.places];
	double life = c->memory.places > 1 ? 1.0 * c->memory.places / (c->memory.places - 1) : 1;

	if (c->memory.places > 1 && n >= c->memory.places &&
	    n - c->memory.places + 1 > m->sim.state.requested && within_capacity(m))
		check(m, now_ns - first->at_ns >= window_ns);
	if (n > c->memory.places && !m->requests && within_capacity(m))
		check(m,
		      now_ns - last->at_ns <= (1 + 1 / 32.0) * window_ns * life +
						      2 * slack_ns(m, last->late_before_ns) +
						      (m->lateness == ON_TIME ? 0 : window_ns / 8));
	*last = (struct countdown){ now_ns, m->late_sum_ns };
}

static void on_pass(struct sim *s, uint32_t place, uint32_t cnt, void *arg)
{
	struct model *m = arg;

	if (!is_countdown(m))
		pass_segment(m, place, cnt);
	for (uint32_t i = 0; i < cnt && m->countdowns; i++)
		pass_countdown(m);
	for (int i = 0; i < WATCHED_IDS; i++)
		if (m->ids[i].is_used)
			pass_id(m, &m->ids[i], place, cnt);
	for (int i = 0; i < WATCHED_PLACES; i++) {
		struct watched_place *p = &m->places[i];

		/* A flat array is passed when the whole array is. */
		if (s->config.memory.layout == DEDUP_FLAT
			    ? place + cnt == s->config.memory.places
			    : p->place >= place && p->place < place + cnt)
			pass_place(m, p);
	}
}

static void watch(struct model *m)
{
	struct watched_id *id = &m->ids[below(m, WATCHED_IDS)];

	if (id->is_used)
		return;
	*id = (struct watched_id){
		.is_used = true,
		.place = below(m, m->sim.config.memory.places),
		.learned_ns = m->sim.now_ns,
		.late_before_ns = m->late_sum_ns,
		.epoch = dedup_hand_epoch(m->sim.state.hand),
		.was_asked = m->goal,
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
		m->next_ns += c->memory.window_ns + 1 + below(m, c->memory.window_ns / 16);
		break;
	default:
		learn(m, ids * 10);
		m->next_ns += below(m, 3 * c->memory.window_ns);
	}
}

/* A request begins where the previous one ends; or at the hand; or where a segment of the hand
 * begins: with rotate the present one, with reset the next.
 */
static void check_begin(struct model *m, uint64_t begin, uint64_t before, bool reset)
{
	const struct dedup_config *c = &m->sim.config;
	uint64_t passed = m->sim.state.passed;

	check(m, begin >= before);
	if (begin == before)
		return;
	if (is_countdown(m))
		check(m, begin == passed);
	else if (reset)
		check(m, begin >= passed && begin - passed < c->memory.segment_places);
	else
		check(m, begin <= passed && passed - begin < c->memory.segment_places);
	if (!is_countdown(m))
		check(m, begin % c->memory.places % c->memory.segment_places == 0);
}

static void ask(struct model *m)
{
	const struct dedup_config *c = &m->sim.config;
	uint64_t before = m->sim.state.requested;
	bool reset = below(m, 2);

	if (reset)
		m->goal = dedup_hand_reset(&m->sim.state, c);
	else
		m->goal = dedup_hand_rotate(&m->sim.state, c);
	m->asked_turns = is_countdown(m) ? reset : 1 + reset;
	check_begin(m, m->goal - (is_countdown(m) && !reset ? 1 : m->asked_turns * c->memory.places),
		    before, reset);
	m->is_reset = reset;
	m->asked_ns = m->sim.now_ns;
	m->asked_late_ns = m->late_sum_ns;
	m->requests++;
	for (int i = 0; i < WATCHED_IDS; i++)
		m->ids[i].was_asked = true;
	for (int i = 0; i < WATCHED_PLACES; i++)
		m->passes_before[i] = m->places[i].passes;
}

static void served(struct model *m)
{
	const struct dedup_config *c = &m->sim.config;

	for (int i = 0; i < WATCHED_PLACES; i++)
		check(m, m->places[i].passes - m->passes_before[i] >= m->asked_turns);
	for (int i = 0; i < WATCHED_IDS && m->is_reset; i++)
		check(m, !m->ids[i].is_used || m->ids[i].learned_ns >= m->asked_ns);
	check(m, m->sim.now_ns - m->asked_ns - (m->late_sum_ns - m->asked_late_ns) <=
			 (m->asked_turns + 2) * (m->round_ns + c->memory.tick_ns));
	m->goal = 0;
}

/* How much later than it should the next step comes. */
static uint64_t lateness(struct model *m, uint64_t should_ns)
{
	const struct dedup_config *c = &m->sim.config;

	if (m->lateness == JITTER && below(m, 10) == 0)
		return below(m, 10 * c->memory.tick_ns);
	if (m->lateness == SELDOM_STALLED && below(m, 300) == 0)
		return below(m, c->memory.stale_ns);
	if (m->lateness == BY_JIFFIES)
		return S / SIM_HZ - should_ns % (S / SIM_HZ);
	return 0;
}

/* Steps at which nothing could happen are left out: ticks of 10 ms are many in 720 h. */
static uint64_t next_step(struct model *m, uint64_t sleep_ns)
{
	struct dedup_state *st = &m->sim.state;
	const struct dedup_config *c = &m->sim.config;
	uint64_t next_ns = m->sim.now_ns + sleep_ns, until_ns = dedup_hand_due_ns(st, c);

	if (m->next_ns < until_ns)
		until_ns = m->next_ns;
	if (!m->goal && next_ns < until_ns &&
	    st->learned - dedup_hand_guard_ids(st, c) <= c->memory.turn_ids)
		next_ns += (until_ns - next_ns) / c->memory.tick_ns * c->memory.tick_ns;
	return next_ns;
}

static void step(struct model *m)
{
	uint64_t sleep_ns = sim_step(&m->sim), next_ns, late_ns;

	if (m->goal && m->sim.state.passed >= m->goal)
		served(m);
	if (!m->goal && below(m, 4000) == 0)
		ask(m);
	next_ns = next_step(m, sleep_ns);
	late_ns = lateness(m, next_ns);
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
	const double *window = WINDOWS[below(m, 3)];
	struct filter_spec spec =
		sim_spec(log_uniform(m, 1, 1e9), 1e-3, log_uniform(m, window[0], window[1]));

	spec.layout = below(m, 3);
	if (spec.layout == DEDUP_COUNTDOWN) {
		spec.capacity = log_uniform(m, 1, 1e5);
		spec.countdown_bits = 1 + below(m, below(m, 2) ? 24 : 8);
	}
	if (plan_config(&spec, 1 + below(m, 16), SIM_HZ, c))
		return false;
	snprintf(m->text, sizeof(m->text),
		 "layout %d, %u places, capacity %llu, window %llu ns, traffic %d x %.3g, lateness %d",
		 c->memory.layout, c->memory.places, c->memory.capacity, c->memory.window_ns,
		 m->traffic, m->load, m->lateness);
	return true;
}

static void watch_places(struct model *m)
{
	for (int i = 0; i < WATCHED_PLACES; i++) {
		struct watched_place *p = &m->places[i];

		p->place = i == 0   ? 0
			   : i == 1 ? m->sim.config.memory.places - 1
				    : below(m, m->sim.config.memory.places);
		p->passed_ns = m->sim.now_ns;
	}
	m->sim.on_pass = on_pass;
	m->sim.arg = m;
}

/* What the hand has been told that it had passed before. */
static void start_books(struct model *m)
{
	const struct dedup_config *c = &m->sim.config;

	for (uint32_t i = 0; i < dedup_hand_segments(c) && !is_countdown(m); i++)
		m->segments[i].passed_ns = dedup_mark(&m->sim.state, -1, i)->at_ns;
	if (is_countdown(m) && c->memory.places <= COUNTDOWNS_MAX)
		m->countdowns = calloc(c->memory.places, sizeof(*m->countdowns));
}

static void check_books(struct model *m)
{
	const struct dedup_state *st = &m->sim.state;

	if (is_countdown(m))
		return;
	check(m, st->late == m->late);
	check(m, st->late_max_ns == m->late_max_ns);
	check(m, st->early == m->early);
}

static bool run(uint64_t seed, enum traffic traffic, enum lateness lateness)
{
	struct model m = { .seed = seed, .traffic = traffic, .lateness = lateness };
	struct dedup_config c;
	uint64_t end_ns;

	m.load = traffic == OVERLOAD ? 1.05 + below(&m, 900) / 100.0 : (1 + below(&m, 100)) / 100.0;
	if (!plan(&m, &c))
		return false;
	sim_start_hand(&m.sim, &c);
	start_books(&m);
	m.next_ns = m.sim.now_ns + below(&m, c.memory.window_ns);
	m.round_ns = (c.memory.places / DEDUP_STEP_PLACES + 1) * c.memory.busy_tick_ns;
	watch_places(&m);
	end_ns = m.sim.now_ns + TURNS * c.memory.window_ns;
	for (int steps = 0; m.sim.now_ns < end_ns || steps < STEPS_MIN; steps++)
		step(&m);
	check_books(&m);
	free(m.countdowns);
	check(&m, m.forgotten > 0 || c.memory.capacity < 10 || m.late_sum_ns > c.memory.window_ns);
	if (lateness == ON_TIME && !m.requests)
		check(&m, m.sim.state.late == 0);
	if (within_capacity(&m))
		check(&m, m.sim.state.early == 0);
	if (within_capacity(&m) && lateness == ON_TIME)
		check(&m, m.unlearned == 0);
	return true;
}

TEST(any_filter)
{
	uint64_t seed = 1, runs = 0, cnt = tries(30, 300);

	for (uint64_t i = 0; i < cnt; i++, seed++)
		runs += run(seed, i % TRAFFICS, i / TRAFFICS % LATENESSES);
	print_message("# %" PRIu64 " filters\n", runs);
	assert_true(runs >= cnt / 2);
}

int main(void)
{
	add_own_tests(NULL, NULL);
	return run_added_any_tests("hand_model");
}
