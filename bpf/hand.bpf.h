/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hand in the kernel: a BPF timer whose callback is a step of the hand (include/hand.h). The
 * tool starts it once. No process is needed then: the pinned map `timer` keeps it alive.
 */
#pragma once

#include <linux/errno.h>
#include <linux/time.h>

#include "accounts.bpf.h"
#include "age.h"
#include "slow_path.bpf.h"
#include "hand.h"
#include "maps.bpf.h"
#include "numbers.bpf.h"
#include "source_hand.h"

struct hand_timer {
	struct bpf_timer timer;
};

/* Not in the state: that map is mapped into user space, where the kernel allows no timer. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct hand_timer);
} timer SEC(".maps");

/* The time that the hand goes by. */
static __always_inline __u64 hand_clock(void)
{
	return config.memory.replay ? state.replay_ns : bpf_ktime_get_ns();
}

/* One step: one call of the timer. */
struct step {
	__u64 now_ns;
	__u32 passed; /* places passed in this step so far */
};

/* What age_place() is told by bpf_loop()'s caller. */
struct aging {
	__u64 hand; /* as in struct dedup_state, before it is moved over the places */
};

/* For bpf_loop(): ages the i-th place. Returns not 0, which ends the loop, if its block does not
 * exist.
 */
static long age_place(__u32 i, struct aging *aging)
{
	return dedup_age(NULL, &config, aging->hand, i) != 0;
}

/* Ages so many places from the hand on. User space passes over those that have nothing to forget. */
#ifndef AGE_PLACES
#define AGE_PLACES(cnt, aging) bpf_loop(cnt, age_place, aging, 0)
#endif

/* Passes the places of one segment that are due. 1 if none is, or if this step has passed as many
 * as it may; else 0. A global function: verified once, not again for each round of the loop.
 */
__noinline int pass_segment(struct step *step)
{
	struct aging aging = { .hand = state.hand };
	struct dedup_mark *mark;
	struct dedup_pass due;
	__u32 n;

	if (!step)
		return 1;
	dedup_hand_due(&state, &config, step->now_ns, &due);
	n = due.places;
	if (n > DEDUP_STEP_PLACES - step->passed)
		n = DEDUP_STEP_PLACES - step->passed;
	if (!n)
		return 1;
	AGE_PLACES(n, &aging);
	mark = dedup_hand_pass(&state, &config, &due, n);
	step->now_ns = mark->at_ns = hand_clock();
	step->passed += n;
	return 0;
}

/* For bpf_loop(): 1 ends the loop. */
static long pass_places(__u32 i, struct step *step)
{
	int ended = pass_segment(step);

	barrier_var(ended); /* the verifier must see a test: newer compilers know the range */
	return ended != 0;
}

/* Sets stale_at to config.stale_jiffies from now. It adds the difference, atomically, instead of
 * storing the sum: user space may be setting the top bit, DEDUP_SLOW_PATH, and a store could undo
 * that.
 */
static __always_inline void put_off_stale(void)
{
	__u64 was = READ_ONCE(state.stale_at) & ~DEDUP_SLOW_PATH;

	__sync_fetch_and_add(&state.stale_at, bpf_jiffies64() + config.memory.stale_jiffies - was);
}

/* The new value of state.limit; tells a predecessor what has been learned. One that has stopped
 * makes no room any more, and needs none, for it is not asked.
 */
static __always_inline __u64 new_limit(void)
{
	__u64 limit = dedup_hand_limit(&state, &config), less;
	struct dedup_state *predecessor = living_predecessor();

	if (!predecessor)
		return limit;
	less = dedup_tell_predecessor(&state, predecessor, &config, limit);
	return clock_of_stopped(predecessor) ? limit : less;
}

/* For bpf_loop(): looks at the next source. */
static long pass_source(__u32 i, struct step *step)
{
	const struct dedup_sources *t = &configuration()->sources;
	__u64 slot = state.source;

	if (slot >= t->sources)
		slot = 0;
	state.source = slot + 1;
	dedup_sources_pass(t, NULL, slot, state.sources_era, numbers_now());
	if (config.sources.paths)
		copy_account(slot);
	return 0;
}

/* Steps once. Returns how many ns later the next step is to come. */
static __always_inline __u64 step_hand(void)
{
	struct step step = { .now_ns = hand_clock() };
	__u64 early = state.early, late = state.late, last_ns = state.last_ns,
	      reported = state.reported, limit = state.limit;
	__u32 zero = 0;
	struct dedup_counters *cpu = bpf_map_lookup_elem(&stats, &zero);
	bool busy;

	dedup_hand_end_drops(&state, &config, step.now_ns);
	bpf_loop(DEDUP_STEP_PLACES, pass_places, &step, 0);
	if (config.sources.sources)
		bpf_loop(config.sources.sources / DEDUP_HAND_ROUND_STEPS + 1, pass_source, &step, 0);
	state.last_ns = step.now_ns;
	state.limit = new_limit();
	put_off_stale();
	walk_reasons(last_ns, step.now_ns);

	if (cpu) {
		cpu->early += state.early - early;
		cpu->late += state.late - late;
	}
	busy = state.early != early || step.passed >= DEDUP_STEP_PLACES ||
	       dedup_is_pressed(&state, &config, reported, limit, step.now_ns - last_ns);
	return dedup_hand_sleep(&state, &config, step.now_ns, busy);
}

/* The first step of a hand that took over: until then the other one may have told another
 * predecessor, and steps of one timer do not overlap.
 */
static __always_inline void take_told(void)
{
	if (!record.sets_reported)
		return;
	state.reported = record.reported;
	record.sets_reported = 0;
}

/* The timer's callback: one step, after which it starts the timer again. */
static int hand_step(void *map, __u32 *key, struct hand_timer *t)
{
	take_told();
	bpf_timer_start(&t->timer, step_hand(), 0);
	return 0;
}

/* One step, for replay: in ns, how much later the next one is to come; less than 2 s. */
SEC("syscall")
int hand_replay(void *ctx)
{
	return step_hand();
}

/* Has the hand step from now on; in a replay, user space does. 0 or a negative errno. */
static __always_inline int start_timer(void)
{
	__u32 zero = 0;
	struct hand_timer *t = bpf_map_lookup_elem(&timer, &zero);
	int err;

	if (!t)
		return -ENOENT;
	err = bpf_timer_init(&t->timer, &timer, CLOCK_MONOTONIC);
	if (err)
		return err;
	err = bpf_timer_set_callback(&t->timer, hand_step);
	if (err)
		return err;
	state.stale_at = bpf_jiffies64() + config.memory.stale_jiffies;
	if (config.has_predecessor)
		state.stale_at |= DEDUP_SLOW_PATH;
	if (config.memory.replay)
		return 0;
	/* The first step comes early: user space waits for it before it attaches the program. */
	return bpf_timer_start(&t->timer, config.memory.tick_ns / 4, 0);
}

/* Starts the hand. The tool runs this once, when it loads the filter. 0 or a negative errno. */
SEC("syscall")
int hand_start(void *ctx)
{
	dedup_hand_start(&state, &config, hand_clock());
	return start_timer();
}

/* Starts the hand of a filter whose state user space has filled in. Returns 0, or -errno. */
SEC("syscall")
int hand_resume(void *ctx)
{
	return start_timer();
}

/* Makes the timer, which another program of this filter has started, run this object's hand from
 * the next step on, by its own configuration. Returns 0, or -errno.
 */
SEC("syscall")
int hand_adopt(void *ctx)
{
	__u32 zero = 0;
	struct hand_timer *t = bpf_map_lookup_elem(&timer, &zero);

	return t ? bpf_timer_set_callback(&t->timer, hand_step) : -ENOENT;
}
