// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Random filters, given random frames at random times: the packet program in the kernel and in user
 * space gives every frame the same reason, stream and verdict, a plain model finds the same ids, and
 * the filter keeps what it promises of them. SEED, CASES and FRAMES (in each case) in the
 * environment try others, or more; without root, or with USER_ONLY=1, the kernel is left out.
 * Replay knows no wanted ids and no second interface: want_test, sampling_test and destination_test
 * have those, in the kernel.
 */
#include "engine_run.h"

#include <linux/bpf.h>

#include "engine.h"
#include "kernel.h"
#include "program.h"

#define KERNEL_CASES 64
#define USER_CASES 400
#define EDGE_CASES tries(6, 40)

/* Naive steps that are worth their time, in a case. */
#define STEPS_MAX 300000

#define NOTHING_COUNTED DEDUP_REASONS_CNT

/* Fields of struct dedup_state that the hand writes, up to this one. */
#define HAND_BYTES (offsetof(struct dedup_state, started_ns) - offsetof(struct dedup_state, passed))

static void compare_hands(const struct run *r, const struct dedup_state *other, const char *name)
{
	const struct dedup_state *own = &r->user_state;

	if (own->hand != other->hand || own->learned != other->learned ||
	    own->limit != other->limit || memcmp(&own->passed, &other->passed, HAND_BYTES) != 0 ||
	    memcmp(own->marks, other->marks, sizeof(own->marks)) != 0)
		run_complain(r, r->cnt - 1,
			     "in the end the hand of user space is not where it is %s", name);
}

static void run_engine(struct run *r, enum engine_kind kind, struct answer *out)
{
	struct program_id id;
	struct engine *e;

	assert_int_equal(engine_open(kind, &r->cfg, r->mac, &e), 0);
	for (uint32_t i = 0; i < r->cnt; i++) {
		const struct input *in = &r->inputs[i];

		out[i] = (struct answer){ .reason = NOTHING_COUNTED };
		if (kind == ENGINE_USER)
			program_identify(in->bytes, in->len, &id);
		if (engine_run(e, in->bytes, in->len, in->given_ns, &out[i]))
			run_complain(r, i, "the %s's engine failed", kind ? "kernel" : "user");
	}
	if (kind == ENGINE_USER)
		r->user_state = *engine_filter(e)->state;
	else
		compare_hands(r, engine_filter(e)->state, "in the kernel");
	engine_close(e);
}

static void compare(const struct run *r, const struct answer *other, const char *name)
{
	for (uint32_t i = 0; i < r->cnt; i++) {
		const struct answer *a = &r->user[i], *b = &other[i];

		if (a->reason != b->reason || a->stream != b->stream || a->drops != b->drops)
			run_complain(r, i, "user space: stream %u %s%s; %s: stream %u %s%s",
				     a->stream, RUN_REASONS[a->reason], a->drops ? ", dropped" : "",
				     name, b->stream, RUN_REASONS[b->reason],
				     b->drops ? ", dropped" : "");
	}
}

/* What the engine does, without leaving out steps: as the timer would. */
static void run_naive(struct run *r)
{
	struct dedup_config cfg = r->cfg;
	uint64_t start_ns = 4 * cfg.memory.window_ns, next_ns = start_ns + cfg.memory.tick_ns;

	cfg.memory.stale_jiffies = 1ULL << 62;
	assert_int_equal(program_open(&cfg, true, start_ns), 0);
	engine_set_mac(&r->cfg, r->mac, program_record());
	for (uint32_t i = 0; i < r->cnt; i++) {
		const struct input *in = &r->inputs[i];

		while (next_ns <= start_ns + in->ns)
			next_ns += program_step(next_ns);
		program_parse(in->bytes, in->len);
		r->naive[i].drops = program_run(in->bytes, in->len) == XDP_DROP;
		r->naive[i].reason = r->user[i].reason;
		r->naive[i].stream = r->user[i].stream;
		if (!((uint64_t *)program_counters(r->user[i].stream))[r->user[i].reason])
			r->naive[i].reason = NOTHING_COUNTED - 1;
		memset(program_counters(r->user[i].stream), 0,
		       offsetof(struct dedup_counters, credit));
	}
	compare_hands(r, program_state(), "with all steps");
	program_close();
}

static void try_case(struct run *r, bool kernel)
{
	run_engine(r, ENGINE_USER, r->user);
	if (kernel) {
		run_engine(r, ENGINE_KERNEL, r->kernel);
		compare(r, r->kernel, "kernel");
	}
	if (!r->gap && r->inputs[r->cnt - 1].ns / r->cfg.memory.tick_ns < STEPS_MAX) {
		run_naive(r);
		compare(r, r->naive, "with all steps");
		r->naive_cases++;
	}
	run_check_answers(r);
	r->frames += r->cnt;
	run_free_inputs(r);
}

/* All that can come in a filter without numbers or delivery, whose clock runs and in which nothing
 * is wanted.
 */
static void check_reasons(const struct run *r)
{
	for (int i = 0; i < DEDUP_REASONS_CNT; i++)
		if (!r->reasons[i] && i != DEDUP_REASON_stale && i != DEDUP_REASON_wanted &&
		    i != DEDUP_REASON_too_long && i != DEDUP_REASON_late_number &&
		    i != DEDUP_REASON_far_number && i != DEDUP_REASON_untaken)
			fail_msg("no frame has come to %s", RUN_REASONS[i]);
	assert_true(r->naive_cases > 0);
	assert_true(r->promises.certain > r->promises.uncertain / 2);
}

static struct run *new_run(uint32_t frames)
{
	struct run *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	r->inputs = calloc(frames, sizeof(*r->inputs));
	r->user = calloc(frames, sizeof(*r->user));
	r->kernel = calloc(frames, sizeof(*r->kernel));
	r->naive = calloc(frames, sizeof(*r->naive));
	assert_true(r->inputs && r->user && r->kernel && r->naive);
	return r;
}

static void free_run(struct run *r)
{
	free(r->inputs);
	free(r->user);
	free(r->kernel);
	free(r->naive);
	free(r);
}

static void try_cases(uint64_t seed, uint64_t cases, bool kernel)
{
	uint32_t frames = environment_number("FRAMES", RUN_FRAMES);
	struct run *r = new_run(frames);

	for (uint64_t i = 0; i < cases; i++) {
		r->random.seed = r->seed = seed + i;
		if (!run_make_filter(r))
			continue;
		run_make_inputs(r, frames);
		try_case(r, kernel);
	}
	promises_check_rate(&r->promises);
	print_message("%llu frames, %llu dropped; %llu ids, %llu false positives of %.1f promised\n",
		      (unsigned long long)r->frames, (unsigned long long)r->drops,
		      (unsigned long long)r->promises.fresh,
		      (unsigned long long)r->promises.false_positives, r->promises.expected);
	for (int i = 0; getenv("REASONS") && i < DEDUP_REASONS_CNT; i++)
		print_message("%s %llu\n", RUN_REASONS[i], (unsigned long long)r->reasons[i]);
	if (cases >= KERNEL_CASES / 2)
		check_reasons(r);
	free_run(r);
}

/* The first buffer of user space is as long as the kernel's. */
TEST(first_buffers_end_alike)
{
	struct run *r;

	if (geteuid() != 0 || getenv("USER_ONLY"))
		skip();
	kernel_output(false);
	r = new_run(RUN_EDGE_FRAMES);
	for (uint64_t i = 0; i < EDGE_CASES; i++) {
		r->random.seed = r->seed = i;
		if (!run_make_filter(r))
			continue;
		run_make_edge_inputs(r);
		try_case(r, true);
	}
	assert_true(r->reasons[DEDUP_REASON_new] && r->reasons[DEDUP_REASON_duplicate] &&
		    r->reasons[DEDUP_REASON_truncated]);
	free_run(r);
}

TEST(engines_agree)
{
	if (geteuid() != 0 || getenv("USER_ONLY"))
		skip();
	kernel_output(false);
	try_cases(environment_number("SEED", 1),
		  environment_number("CASES", tries(KERNEL_CASES / 8, KERNEL_CASES)), true);
}

TEST(user_engine_keeps_promises)
{
	try_cases(environment_number("SEED", 1000000),
		  environment_number("CASES", tries(USER_CASES / 4, USER_CASES)), false);
}

int main(void)
{
	add_own_tests(NULL, NULL);
	return run_added_any_tests("engines");
}
