// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The packet program, or a thread that learns an id in user space, stopped before each of its
 * instructions while the hand passes and copies come from elsewhere: how many of them pass as new.
 * Never none. Exactly one, unless it stands still for two passes, which is a window or more; but a
 * packet in layout blocked: two if the hand passes after the program has tested the id's block, and
 * before it has claimed the id. How long that is include/README.md says, too. An id of a thread is
 * known for a window then.
 *
 * Not quick: each stop runs the rest anew, for four minutes of CPU time.
 */
#include "unit.h"

#include <limits.h>
#include <linux/bpf.h>

#include "age.h"
#include "hand.h"
#include "ids.h"
#include "packet.h"
#include "plan.h"
#include "program.h"
#include "sim.h"
#include "stepping.h"

#define S 1000000000ULL
#define BLOCKS_MAX 1024
#define ELAPSED 5 /* passes in which an id becomes old that is added again */

/* p: the hand passes (countdown: counts down); c: a copy comes. */
static const char *const SCRIPTS[] = { "p", "c", "cp", "pc", "pp", "", "ppc", "pcp" };

enum caller { PACKET, THREAD, ADD_THREAD, CALLERS };
static const size_t SCRIPTS_OF[CALLERS] = { 5, ARRAY_SIZE(SCRIPTS), 1 }; /* the first ones */

static const struct row {
	const char *name;
	enum caller caller;
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	double fpr;
	int twice_most; /* so many instructions at which two pass, in scripts with a pass and a copy */
} ROWS[] = {
	{ "packet-blocked-w1", PACKET, DEDUP_BLOCKED, DEDUP_FAST, 0.05, 120 },
	{ "packet-blocked-w2", PACKET, DEDUP_BLOCKED, DEDUP_FAST, 1e-4, 120 },
	{ "packet-blocked-w4", PACKET, DEDUP_BLOCKED, DEDUP_FAST, 1e-7, 120 },
	{ "packet-flat", PACKET, DEDUP_FLAT, DEDUP_FAST, 1e-3, 0 },
	{ "packet-flat-siphash", PACKET, DEDUP_FLAT, DEDUP_SIPHASH, 1e-3, 0 },
	{ "packet-countdown", PACKET, DEDUP_COUNTDOWN, DEDUP_FAST, 1e-3, 0 },
	{ "thread-blocked-w1", THREAD, DEDUP_BLOCKED, DEDUP_FAST, 0.05, 0 },
	{ "thread-blocked-w2", THREAD, DEDUP_BLOCKED, DEDUP_FAST, 1e-4, 0 },
	{ "thread-blocked-w4", THREAD, DEDUP_BLOCKED, DEDUP_FAST, 1e-7, 0 },
	{ "thread-flat", THREAD, DEDUP_FLAT, DEDUP_FAST, 1e-3, 0 },
	{ "thread-countdown", THREAD, DEDUP_COUNTDOWN, DEDUP_FAST, 1e-3, 0 },
	{ "thread-adds-again", ADD_THREAD, DEDUP_COUNTDOWN, DEDUP_FAST, 1e-3, 0 },
};

/* How a process ended that was stopped. */
enum end { ONE_IS_NEW, TWO_ARE_NEW, STRAY, WRONG };

/* One call that is stopped. */
struct attempt {
	const struct row *row;
	struct dedup_config config;
	struct filter filter; /* the program's */
	struct frame frame;
	struct id id;
	int winners; /* how many of the call and its copies were told that they are new */
	int ends[ARRAY_SIZE(SCRIPTS)][WRONG + 1];
	/* In a process that was stopped: */
	const char *script;
	int before; /* life() then */
};

static void pass(struct filter *f)
{
	const struct dedup_memory *m = &f->config->memory;
	uint32_t n = m->layout == DEDUP_COUNTDOWN ? 1 : m->places;
	uint32_t pos = dedup_hand_pos(f->state->hand) + n, epoch = dedup_hand_epoch(f->state->hand);

	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(dedup_age(f->blocks, f->config, f->state->hand, i), 0);
	f->state->hand = (uint64_t)(epoch + pos / m->places) << 32 | pos % m->places;
}

/* How many more passes the id will live for; -1 if it is not known. */
static int life(const struct attempt *attempt)
{
	static struct dedup_block blocks[BLOCKS_MAX];
	static struct dedup_state state;
	struct filter then = attempt->filter;
	int passes = -1;

	state = *then.state;
	then.state = &state;
	then.blocks = memcpy(blocks, then.blocks, then.config->memory.blocks * sizeof(*blocks));
	while (ids_test(&then, attempt->id.bytes)) {
		pass(&then);
		passes++;
	}
	return passes;
}

/* How many more passes an id lives for that is learned now. */
static int full_life(const struct attempt *attempt)
{
	const struct dedup_memory *m = &attempt->config.memory;

	return m->layout == DEDUP_COUNTDOWN ? (int)m->places - 1 : 1;
}

static void come(void *arg)
{
	struct attempt *attempt = arg;
	const struct row *row = attempt->row;
	int known = row->caller == PACKET
			    ? program_run(attempt->frame.data, attempt->frame.len) != XDP_PASS
		    : row->caller == ADD_THREAD ? ids_add(&attempt->filter, attempt->id.bytes)
						: ids_see(&attempt->filter, attempt->id.bytes);

	attempt->winners += !known;
}

/* Before each instruction: for each script a process is forked that plays it here and goes on to
 * its end, which this returns true for.
 */
static bool fork_for_scripts(void *arg)
{
	struct attempt *attempt = arg;

	for (size_t i = 0; i < SCRIPTS_OF[attempt->row->caller]; i++) {
		pid_t pid = fork();
		int status;

		if (!pid) {
			attempt->script = SCRIPTS[i];
			attempt->before = attempt->row->caller == PACKET ? 0 : life(attempt);
			for (const char *c = SCRIPTS[i]; *c; c++)
				*c == 'p' ? pass(&attempt->filter) : come(attempt);
			return true;
		}
		if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status) ||
		    WEXITSTATUS(status) > WRONG)
			status = WRONG << 8;
		attempt->ends[i][WEXITSTATUS(status)]++;
	}
	return false;
}

static int count(const char *script, char what)
{
	return (script[0] == what) + (script[0] && count(script + 1, what));
}

/* Learned before it was stopped, the id has its age; else it is as new as can be, but where a copy
 * had it learned before a pass.
 */
static bool lives_long_enough(const struct attempt *attempt)
{
	int least = full_life(attempt);

	if (attempt->before == least || strstr(attempt->script, "cp"))
		least -= count(attempt->script, 'p');
	return life(attempt) >= least;
}

/* Is the id also in a generation in which it was not the newest, where others had their room? */
static bool is_stray(const struct attempt *attempt)
{
	const struct dedup_memory *m = &attempt->config.memory;
	uint32_t bits = 0;

	for (uint32_t i = 0; i < m->blocks * DEDUP_BLOCK_WORDS; i++)
		bits += __builtin_popcountll(attempt->filter.blocks->word[i]);
	return attempt->before < 0 && m->layout != DEDUP_COUNTDOWN &&
	       !strcmp(attempt->script, "p") && bits > m->k;
}

/* The end of a process that was stopped. Each call has paid at most once. */
static enum end end_of(const struct attempt *attempt, uint64_t learned)
{
	const struct dedup_state *st = attempt->filter.state;

	if (attempt->row->caller == PACKET)
		return attempt->winners == 1   ? ONE_IS_NEW
		       : attempt->winners == 2 ? TWO_ARE_NEW
					       : WRONG;
	if (!lives_long_enough(attempt) ||
	    st->learned - learned > 1 + (uint64_t)count(attempt->script, 'c'))
		return WRONG;
	if (attempt->row->caller == THREAD && attempt->winners != 1)
		return attempt->winners == 2 ? TWO_ARE_NEW : WRONG;
	return is_stray(attempt) ? STRAY : ONE_IS_NEW;
}

static void check_ends(const struct attempt *attempt, int instructions)
{
	for (size_t i = 0; i < SCRIPTS_OF[attempt->row->caller]; i++) {
		const int *ends = attempt->ends[i];
		int passes = count(SCRIPTS[i], 'p'), copies = count(SCRIPTS[i], 'c');
		int twice_most = !copies ? 0 : passes > 1 ? INT_MAX : attempt->row->twice_most;

		print_message("# %s '%s': of %d instructions two are new at %d, strays at %d\n",
			      attempt->row->name, SCRIPTS[i], instructions, ends[TWO_ARE_NEW],
			      ends[STRAY]);
		assert_int_equal(ends[WRONG], 0);
		assert_in_range(ends[TWO_ARE_NEW], 0, passes ? twice_most : 0);
		/* Only from a last look at the hand until all is written: 18 to 26 %. */
		assert_true(ends[STRAY] < instructions / 2);
	}
}

TEST_ROWS(one_is_new, ROWS)
{
	struct attempt attempt = { .row = row, .id = id_fresh() };
	struct filter_spec spec = sim_spec(40, row->fpr, 600 * S);
	uint64_t learned;
	int instructions;

	spec.layout = row->layout;
	spec.hash = row->hash;
	spec.forwarded = true;
	assert_int_equal(plan_config(&spec, SIM_CPUS, SIM_HZ, &attempt.config), 0);
	assert_in_range(attempt.config.memory.blocks, 1, BLOCKS_MAX);
	assert_int_equal(program_open(&attempt.config, true, 2000 * S), 0);
	attempt.filter = (struct filter){ .config = &attempt.config,
					  .state = program_state(),
					  .record = program_record(),
					  .blocks = program_blocks(),
					  .stats_fd = -1 };
	frame_build(&attempt.frame, &(struct frame_plan){ 0 }, &attempt.id);
	for (int i = 0; row->caller == ADD_THREAD && i <= ELAPSED; i++)
		i ? pass(&attempt.filter) : (void)ids_see(&attempt.filter, attempt.id.bytes);
	learned = attempt.filter.state->learned;
	instructions = stepping_call(come, fork_for_scripts, &attempt);
	if (attempt.script)
		_exit(end_of(&attempt, learned));
	assert_int_equal(attempt.winners, row->caller != ADD_THREAD);
	program_close();
	assert_true(instructions > 50);
	check_ends(&attempt, instructions);
}

UNIT_MAIN()
