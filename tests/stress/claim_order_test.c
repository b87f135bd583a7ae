// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ids that are learned at one time in the layouts `flat` and `countdown`, by packets and by user
 * space, in every order in which CPUs can read and write what they share: of copies one is new,
 * also if another id has a place of theirs. Each row is a race of two or three CPUs, with an id
 * each, or of two beside a hand that counts down. interleave.h tries the orders; where user space
 * takes no part, but not in any_race_of_packets, reads may also be early.
 *
 * Environment: SEED, CASES of any_race_of_packets, any_race_of_threads.
 */
#include "interleave.h"

#include "countdown.h"
#include "flat.h"

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
#define MAX 3	    /* of countdown */
#define ELAPSED 100 /* countdowns before the race */

/* Who learns an id: a packet; a thread; one that has the message. */
enum learner { PACKET = 'p', THREAD = 't', ADD_THREAD = 'a' };

/* A row as people write it: a digit for each place, or countdown; a letter for each CPU. */
struct text_row {
	const char *name, *ids;		   /* as many as CPUs, with blanks between */
	const char *before, *later, *left; /* NULL: none, 0, MAX */
	bool countdown;
	const char *who; /* NULL: packets */
	int countdowns;
};

struct row {
	const char *name;
	uint32_t k, before; /* before: a mask of places that are set */
	uint32_t ids[CPUS_MAX][K_MAX];
	int cpus_cnt;		  /* that learn */
	bool countdown;		  /* the layout; else it is flat */
	uint32_t later[CPUS_MAX]; /* countdowns between ELAPSED and the CPU's look at the hand */
	uint8_t left[PLACES]; /* countdowns that a place which is set has left at ELAPSED; 0: MAX */
	enum learner who[CPUS_MAX];
	bool has_threads;
	int countdowns; /* beside a race with threads */
};

static const struct row *race;
static int results[CPUS_MAX]; /* 1: new, 0: known */
static struct dedup_config config = { .memory = { .layout = DEDUP_COUNTDOWN, .places = MAX } };
static struct filter filter;

static struct dedup_state *shared_state(void)
{
	return (struct dedup_state *)&shared[1];
}

/* Cells have 32 bits, and interleave.h knows words of 64: each word has one cell in use. */
static struct id_lookup lookup(int cpu)
{
	struct id_lookup p = { .hand = ELAPSED + race->later[cpu] };

	if (race->has_threads)
		p.hand = READ_ONCE(shared_state()->hand);
	for (uint32_t i = 0; i < race->k; i++)
		p.positions.index[i] = race->countdown ? 2 * race->ids[cpu][i] : race->ids[cpu][i];
	return p;
}

static uint32_t life(const struct id_lookup *p)
{
	return dedup_countdown_left(shared, dedup_countdowns(p->hand, MAX), MAX, &p->positions,
				    race->k);
}

/* As bpf/array.bpf.h does: a filter looks an id up before it learns it. */
static int learn_packet(struct id_lookup *p)
{
	const struct dedup_claims claims = { shared_state()->ties, p->hand };

	if (!race->countdown)
		return dedup_flat_learn(shared, 1, &claims, &p->positions, race->k);
	return life(p) ? 0
		       : dedup_countdown_learn(shared, MAX, &claims, &p->positions, race->k, false);
}

static void make_call(int cpu)
{
	struct id_lookup p;

	if (cpu == race->cpus_cnt) {
		for (int i = 1; i <= race->countdowns; i++)
			WRITE_ONCE(shared_state()->hand, ELAPSED + i);
		return;
	}
	p = lookup(cpu);
	results[cpu] = race->who[cpu] == PACKET ? learn_packet(&p)
						: !see(&filter, &p, race->who[cpu] == ADD_THREAD);
}

/* Countdowns that this place has left at ELAPSED. */
static uint32_t left(uint32_t place)
{
	return race->before >> place & 1 ? race->left[place] ?: MAX : 0;
}

static void start(void)
{
	_Static_assert(sizeof(struct dedup_state) <= (BLOCKS - 1) * sizeof(struct dedup_block),
		       "it fits in");
	_Static_assert(PLACES <= DEDUP_BLOCK_WORDS, "a place is a word");
	if (!race->countdown)
		shared[0].word[0] = race->before;
	for (uint32_t i = 0; race->countdown && i < PLACES; i++)
		shared[0].word[i] = ELAPSED + left(i);
	shared_state()->hand = ELAPSED;
	shared_state()->limit = UINT64_MAX;
	config.memory.k = race->k;
	filter = (struct filter){ .config = &config, .state = shared_state(), .blocks = shared };
}

static uint32_t places(int cpu)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < race->k; i++)
		mask |= 1U << race->ids[cpu][i];
	return mask;
}

/* The places that the CPU's id lacks when the race begins. */
static uint32_t lacked(int cpu)
{
	uint32_t mask = 0;

	for (uint32_t i = 0; i < PLACES; i++)
		mask |= (uint32_t)(left(i) <= race->later[cpu]) << i;
	return mask & places(cpu);
}

static bool are_copies(int a, int b)
{
	return !memcmp(race->ids[a], race->ids[b], race->k * sizeof(race->ids[a][0]));
}

static void fail_order(int cpu, const char *what)
{
	for (int i = 0; i < race->cpus_cnt; i++)
		print_message("CPU %c, %c: %u,%u,%u,%u, %u countdowns later; new: %d\n", 'a' + i,
			      race->who[i], race->ids[i][0], race->ids[i][1], race->ids[i][2],
			      race->ids[i][3], race->later[i], results[i]);
	fail_msg("%s: %s of CPU %c's id, in the order %s; k %u, before %#x, countdowns %d",
		 race->name, what, 'a' + cpu, order, race->k, race->before, race->countdowns);
}

static __u64 *tie(int cpu)
{
	struct id_lookup p = lookup(cpu);

	return dedup_tie(shared_state()->ties, dedup_tie_name(&p.positions, race->k, 0));
}

/* If other ids take two of an id's places, or all that it lacks, it may seem to be known. Ids that
 * have a tie in one slot may push each other out. And two copies may be new if there is a countdown
 * meanwhile. (A copy that looks before it may lack fewer places. It sets the others.)
 */
static void check_copies_of(int i)
{
	uint32_t all_lack = 0, one_lacks = 0, others = 0;
	bool has_slot = true, has_countdown = false;
	int new = 0;

	for (int j = 0; j < race->cpus_cnt; j++) {
		has_countdown |= race->later[i] != race->later[j];
		if (are_copies(i, j)) {
			new += results[j];
			all_lack = all_lack & lacked(j) ?: all_lack | lacked(j);
			one_lacks |= lacked(j);
		} else {
			others |= places(j);
			has_slot &= tie(j) != tie(i);
		}
	}
	others &= one_lacks;
	if (!has_slot || others & (others - 1) || (others && others == all_lack))
		return;
	if (new > 1 && !has_countdown)
		fail_order(i, "two copies are new");
	if (!new != !one_lacks)
		fail_order(i, new ? "a known copy is new" : "no copy is new");
}

/* Who adds an id has the message. Two copies may be new if the hand moves meanwhile. */
static void check_threads(void)
{
	bool adds = race->who[0] == ADD_THREAD || race->who[1] == ADD_THREAD, lacks = lacked(0);
	struct id_lookup p = lookup(0);
	int new = results[0] + results[1];

	if (lacks && !adds && !new)
		fail_order(0, "no copy is new");
	if (!race->countdowns && new > lacks)
		fail_order(0, "too many copies are new");
	if ((new || adds) && (int)life(&p) + race->countdowns < MAX)
		fail_order(0, "it is not known for long enough");
}

static void check_end(void)
{
	if (race->has_threads)
		return check_threads();
	for (int i = 0; i < race->cpus_cnt; i++)
		check_copies_of(i);
}

static unsigned long try_orders(const struct row *r)
{
	race = r;
	cpus_cnt = r->cpus_cnt + (r->countdowns > 0);
	return try_race(start);
}

static struct row row_of(const struct text_row *t)
{
	struct row r = { .name = t->name, .cpus_cnt = 1, .countdown = t->countdown };

	for (const char *c = t->ids; *c; c++) {
		if (*c == ' ') {
			r.cpus_cnt++;
			r.k = 0;
		} else {
			r.ids[r.cpus_cnt - 1][r.k++] = *c - '0';
		}
	}
	for (const char *c = t->before ?: ""; *c; c++)
		r.before |= 1 << (*c - '0');
	r.has_threads = t->who;
	r.countdowns = t->countdowns;
	for (int i = 0; i < r.cpus_cnt; i++)
		r.who[i] = t->who ? (enum learner)t->who[i] : PACKET;
	for (int i = 0; t->later && t->later[i]; i++)
		r.later[i] = t->later[i] - '0';
	for (int i = 0; t->left && t->left[i]; i++)
		r.left[i] = t->left[i] - '0';
	return r;
}

static void any_race(struct row *r, uint64_t *seed)
{
	r->cpus_cnt = 2 + (int)(random_next(seed) % 2);
	r->before = random_next(seed) & ((1U << PLACES) - 1);
	r->before &= random_next(seed);
	r->countdown = random_next(seed) % 2;
	for (int i = 0; r->countdown && i < PLACES; i++)
		r->left[i] = 1 + random_next(seed) % MAX;
	for (int i = 0; i < r->cpus_cnt; i++) {
		r->who[i] = PACKET;
		r->later[i] = r->countdown ? random_next(seed) % 3 : 0;
		for (uint32_t j = 0; j < r->k; j++)
			r->ids[i][j] = i && random_next(seed) % 4 ? r->ids[0][j]
								  : random_next(seed) % PLACES;
	}
}

static void any_threads(struct row *r, uint64_t *seed)
{
	r->cpus_cnt = 2;
	r->countdown = r->has_threads = true;
	r->countdowns = (int)(random_next(seed) % 3);
	r->who[0] = random_next(seed) % 4 ? THREAD : ADD_THREAD;
	r->who[1] = random_next(seed) % 2 ? THREAD : PACKET;
	for (int i = 0; i < PLACES; i++) {
		r->left[i] = random_next(seed) % (MAX + 1);
		r->before |= (uint32_t)(r->left[i] > 0) << i;
	}
	for (uint32_t j = 0; j < r->k; j++)
		r->ids[0][j] = r->ids[1][j] = random_next(seed) % PLACES;
}

/* All orders have millions of states, and more with early reads. */
static void try_any(void (*any)(struct row *r, uint64_t *seed))
{
	uint64_t seed = environment_number("SEED", 1);
	uint64_t cases = environment_number("CASES", tries(100, 2500));

	stops_max = 3;
	reads_early = false;
	for (uint64_t n = 0; n < cases; n++) {
		struct row r = { .name = "any", .k = 1 + random_next(&seed) % K_MAX };

		any(&r, &seed);
		try_orders(&r);
	}
}

TEST(any_race_of_threads)
{
	try_any(any_threads);
}

static const struct text_row ROWS[] = {
	{ "copies", .ids = "0123 0123" },
	{ "three-copies", .ids = "012 012 012" },
	{ "copies-that-lack-one", .ids = "0123 0123", .before = "013" },
	{ "copies-that-lack-two", .ids = "0123 0123", .before = "13" },
	{ "copies-of-one-place", .ids = "0 0 0" },
	{ "copies-of-two-places", .ids = "01 01 01" },
	{ "copies-of-equal-places", .ids = "000 000 000" },
	{ "copies-of-some-equal-places", .ids = "0101 0101" },
	{ "known", .ids = "012 012", .before = "012" },
	{ "others-first", .ids = "012 034" },
	{ "others-second", .ids = "012 314" },
	{ "others-last", .ids = "012 352" },
	{ "copies-and-others-first", .ids = "012 012 304" },
	{ "copies-and-others-second", .ids = "012 012 134" },
	{ "copies-and-others-last", .ids = "012 012 352" },
	{ "countdown-copies", .ids = "0123 0123", .countdown = true },
	{ "countdown-between", .ids = "012 012", .countdown = true, .later = "01" },
	{ "countdown-lets-one-go", .ids = "012 012", .before = "02", .countdown = true,
	  .later = "01", .left = "102" },
	{ "countdown-lets-two-go", .ids = "012 012", .before = "01", .countdown = true,
	  .later = "01", .left = "11" },
	{ "countdown-lets-all-go", .ids = "01 01", .before = "01", .countdown = true, .later = "01",
	  .left = "11" },
	{ "countdown-others", .ids = "012 012 314", .before = "0", .countdown = true,
	  .later = "011", .left = "1" },
	{ "threads", .ids = "012 012", .countdown = true, .who = "tt" },
	{ "threads-at-a-countdown", .ids = "012 012", .countdown = true, .who = "tt",
	  .countdowns = 1 },
	{ "thread-and-packet-at-a-countdown", .ids = "012 012", .countdown = true, .who = "tp",
	  .countdowns = 1 },
	/* The packet claims what the thread finds set. */
	{ "packet-claims-what-goes", .ids = "0123 0123", .before = "01", .countdown = true,
	  .left = "11", .who = "tp", .countdowns = 1 },
	{ "thread-claims-what-goes", .ids = "0123 0123", .before = "01", .countdown = true,
	  .left = "11", .who = "tt", .countdowns = 1 },
	{ "packet-lacks-two-and-the-thread-one", .ids = "01 01", .before = "0", .countdown = true,
	  .left = "1", .who = "tp", .countdowns = 1 },
	{ "add-of-what-goes", .ids = "012 012", .before = "012", .countdown = true, .left = "123",
	  .who = "ap", .countdowns = 1 },
};

TEST_ROWS(orders, ROWS)
{
	struct row r = row_of(row);

	reads_early = !r.has_threads;
	stops_max = r.has_threads ? 4 : 0;
	print_message("%s: %lu states\n", r.name, try_orders(&r));
}

TEST(any_race_of_packets)
{
	try_any(any_race);
}

UNIT_MAIN()
