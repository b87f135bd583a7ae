// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Copies of one id in layout `countdown`, of which one or both are learned by user space, beside a
 * hand that moves: in every order of their reads and writes, one is new. interleave.h tries the
 * orders.
 *
 * Environment: SEED, CASES of any-race.
 */
#include "interleave.h"

/* The code of user space once more, with its accesses through interleave.h. */
#define LAYOUT_COUNTDOWN raced_countdown
#define ids_test raced_test
#define ids_see raced_see
#define ids_see_many raced_see_many
#define ids_add raced_add
#define ids_remove raced_remove
#define ids_can_remove raced_can_remove
#define ids_learn_again raced_learn_again
#include "layout.h"
#define layout_of(of) ((void)(of), &raced_countdown)
#include "../../user/filter/ids.c"	 /* NOLINT(bugprone-suspicious-include) */
#include "../../user/layout/countdown.c" /* NOLINT(bugprone-suspicious-include) */

#define K_MAX 4
#define PLACES 8    /* few, so that ids share some */
#define MAX 3	    /* countdowns of a window, and one */
#define ELAPSED 100 /* countdowns before the race */

enum learner { THREAD, PACKET, ADD_THREAD };

struct row {
	const char *name;
	enum learner who[2];
	uint32_t k;
	uint32_t id[K_MAX];
	uint8_t left[PLACES]; /* countdowns that a place has left at ELAPSED */
	int countdowns;	      /* in the race */
};

static const struct row *row;
static int answers[2]; /* 1: known, 0: new */
static struct dedup_config config = { .memory = { .layout = DEDUP_COUNTDOWN, .places = MAX } };
static struct filter filter;

static struct dedup_state *shared_state(void)
{
	return (struct dedup_state *)&shared[1];
}

/* Cells have 32 bits, and interleave.h knows words of 64: each word has one cell in use. */
static struct id_lookup lookup(void)
{
	struct id_lookup p = { .hand = READ_ONCE(shared_state()->hand) };

	for (uint32_t i = 0; i < row->k; i++)
		p.positions.index[i] = 2 * row->id[i];
	return p;
}

/* As bpf/array.bpf.h does. */
static int see_packet(const struct id_lookup *p)
{
	const struct dedup_claims claims = { shared_state()->ties, p->hand };

	if (dedup_countdown_left(shared, dedup_countdowns(p->hand, MAX), MAX, &p->positions, row->k))
		return 1;
	return !dedup_countdown_learn(shared, MAX, &claims, &p->positions, row->k, false);
}

static void make_call(int cpu)
{
	struct id_lookup p;

	if (cpu == 2) {
		for (int i = 1; i <= row->countdowns; i++)
			WRITE_ONCE(shared_state()->hand, ELAPSED + i);
		return;
	}
	p = lookup();
	answers[cpu] = row->who[cpu] == PACKET ? see_packet(&p)
					       : see(&filter, &p, row->who[cpu] == ADD_THREAD);
}

static void start(void)
{
	_Static_assert(sizeof(struct dedup_state) <= (BLOCKS - 1) * sizeof(struct dedup_block),
		       "it fits in");
	for (uint32_t i = 0; i < PLACES; i++)
		shared[0].word[i] = ELAPSED + row->left[i];
	shared_state()->hand = ELAPSED;
	shared_state()->limit = UINT64_MAX;
	config.memory.k = row->k;
	filter = (struct filter){ .config = &config, .state = shared_state(), .blocks = shared };
}

/* For how many countdowns will the id be known? */
static uint32_t life(void)
{
	struct id_lookup p = lookup();

	return dedup_countdown_left(shared, dedup_countdowns(p.hand, MAX), MAX, &p.positions, row->k);
}

static bool is_lacked(void)
{
	for (uint32_t i = 0; i < row->k; i++)
		if (!row->left[row->id[i]])
			return true;
	return false;
}

static void fail_order(const char *what)
{
	fail_msg("%s: %s, in the order %s; answers %d %d; k %u, id %u,%u,%u,%u, left "
		 "%u%u%u%u%u%u%u%u, countdowns %d",
		 row->name, what, order, answers[0], answers[1], row->k, row->id[0], row->id[1],
		 row->id[2], row->id[3], row->left[0], row->left[1], row->left[2], row->left[3],
		 row->left[4], row->left[5], row->left[6], row->left[7], row->countdowns);
}

/* Who adds an id has the message. Two copies may be new if the hand moves meanwhile. */
static void check_end(void)
{
	bool adds = row->who[0] == ADD_THREAD || row->who[1] == ADD_THREAD;
	int new = !answers[0] + !answers[1];

	if (is_lacked() && !adds && !new)
		fail_order("no copy is new");
	if (!row->countdowns && new > is_lacked())
		fail_order("too many copies are new");
	if ((new || adds) && life() + row->countdowns < MAX)
		fail_order("it is not known for long enough");
}

static unsigned long try_orders(const struct row *r)
{
	row = r;
	cpus_cnt = r->countdowns ? 3 : 2;
	return try_race(start);
}

static void test_orders(void **state)
{
	const struct row *r = *state;

	stops_max = 4;
	print_message("%s: %lu states\n", r->name, try_orders(r));
}

static void test_any_race(void **state)
{
	uint64_t seed = environment_number("SEED", 1);
	uint64_t cases = environment_number("CASES", tries(300, 2500));

	(void)state;
	stops_max = 3;
	for (uint64_t n = 0; n < cases; n++) {
		struct row r = { .name = "any", .k = 1 + random_next(&seed) % K_MAX };

		r.countdowns = (int)(random_next(&seed) % 3);
		r.who[0] = random_next(&seed) % 4 ? THREAD : ADD_THREAD;
		r.who[1] = random_next(&seed) % 2 ? THREAD : PACKET;
		for (int i = 0; i < PLACES; i++)
			r.left[i] = random_next(&seed) % (MAX + 1);
		for (uint32_t i = 0; i < r.k; i++)
			r.id[i] = random_next(&seed) % PLACES;
		try_orders(&r);
	}
}

static const struct row ROWS[] = {
	{ "threads", { THREAD, THREAD }, 3, { 0, 1, 2 }, { 0 }, 0 },
	{ "threads-at-a-countdown", { THREAD, THREAD }, 3, { 0, 1, 2 }, { 0 }, 1 },
	{ "thread-and-packet-at-a-countdown", { THREAD, PACKET }, 3, { 0, 1, 2 }, { 0 }, 1 },
	/* The packet claims what the thread finds set. */
	{ "packet-claims-what-goes", { THREAD, PACKET }, 4, { 0, 1, 2, 3 }, { 1, 1 }, 1 },
	{ "thread-claims-what-goes", { THREAD, THREAD }, 4, { 0, 1, 2, 3 }, { 1, 1 }, 1 },
	{ "packet-lacks-two-and-the-thread-one", { THREAD, PACKET }, 2, { 0, 1 }, { 1 }, 1 },
	{ "add-of-what-goes", { ADD_THREAD, PACKET }, 3, { 0, 1, 2 }, { 1, 2, 3 }, 1 },
};

int main(void)
{
	add_rows(ROWS, test_orders, NULL, NULL);
	add_test("any-race", test_any_race, NULL, NULL, NULL);
	return run_added_any_tests("ids_order");
}
