// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/bpf.h>

#include "destination.h"
#include "diag.h"
#include "hand.h"
#include "integers.h"
#include "plan.h"
#include "program.h"

/* After this many windows without a packet all ids are forgotten, so earlier steps of the hand need
 * not be made.
 */
#define QUIET_WINDOWS 4

struct engine {
	struct dedup_config cfg;
	const struct filter *filter;
	struct filter user;	 /* the filter of ENGINE_USER */
	struct test_run *kernel; /* NULL: ENGINE_USER */
	uint64_t start_ns;	 /* the hand's time at time 0 */
	uint64_t now_ns;	 /* time of the last frame */
	uint64_t next_ns;	 /* when the hand's timer would fire */
};

static int step(struct engine *e, uint64_t now_ns, uint64_t *sleep_ns)
{
	if (e->kernel)
		return test_run_step(e->kernel, now_ns, sleep_ns);
	*sleep_ns = program_step(now_ns);
	return 0;
}

/* Steps the hand as often as its timer would have until now_ns. Omits steps at which no position is
 * due: until the next one is due the timer fires each tick, and without packets it has no effect.
 */
static int step_hand_until(struct engine *e, uint64_t now_ns)
{
	uint64_t quiet_ns = QUIET_WINDOWS * e->cfg.memory.window_ns,
		 tick_ns = e->cfg.memory.tick_ns, sleep_ns;
	int err = 0;

	if (now_ns > quiet_ns && e->next_ns < now_ns - quiet_ns)
		e->next_ns = now_ns - quiet_ns;
	while (!err && e->next_ns <= now_ns) {
		uint64_t at_ns = e->next_ns, due_ns;

		err = step(e, at_ns, &sleep_ns);
		e->next_ns = at_ns + sleep_ns;
		due_ns = lesser(dedup_hand_due_ns(e->filter->state, &e->cfg), now_ns);
		if (sleep_ns == tick_ns && due_ns > e->next_ns)
			e->next_ns += (due_ns - e->next_ns) / tick_ns * tick_ns;
	}
	return err;
}

/* Reads what the program of the user engine has counted: one reason of one stream. */
static void read_outcome(const struct engine *e, struct answer *out)
{
	uint32_t streams = e->cfg.policy.streams_cnt;

	for (uint32_t n = 0; n < streams; n++) {
		uint64_t *counts = (uint64_t *)program_counters(n);

		for (uint32_t r = 0; r < DEDUP_REASONS_CNT; r++) {
			if (counts[r]) {
				counts[r] = 0;
				out->reason = r;
				out->stream = n;
				return;
			}
		}
	}
}

int engine_run(struct engine *e, const void *frame, uint32_t len, uint64_t ns, struct answer *out)
{
	int err;

	if (e->start_ns + ns > e->now_ns)
		e->now_ns = e->start_ns + ns;
	err = step_hand_until(e, e->now_ns);
	if (err)
		return err;
	*(volatile __u64 *)&e->filter->state->replay_ns = e->now_ns; /* the time for numbers */
	if (e->kernel)
		return test_run_frame(e->kernel, frame, len, out);
	out->drops = program_run(frame, len) == XDP_DROP;
	read_outcome(e, out);
	return 0;
}

void engine_set_mac(const struct dedup_config *cfg, const uint8_t mac[6], struct dedup_record *r)
{
	uint64_t first8 = 0;

	if (!mac)
		return;
	memcpy(&first8, mac, 6);
	if (cfg->policy.receiver == DEDUP_ONE_INTERFACE)
		r->own_mac = dedup_mac_word(first8);
	else
		r->macs[r->macs_cnt++] = dedup_mac_word(first8);
}

static int open_user(struct engine *e)
{
	int err = program_open(&e->cfg, true, e->start_ns);

	if (err)
		return diag_err(err, "no memory for the filter" ADVICE
				     "lower --capacity or raise --fpr");
	e->user = (struct filter){
		.config = &e->cfg,
		.state = program_state(),
		.record = program_record(),
		.blocks = program_blocks(),
	};
	e->filter = &e->user;
	return 0;
}

int engine_open(enum engine_kind kind, const struct dedup_config *cfg, const uint8_t mac[6],
		struct engine **out)
{
	struct engine *e = calloc(1, sizeof(*e));
	int err;

	if (!e)
		return diag_err(-ENOMEM, "no memory");
	e->cfg = *cfg;
	e->cfg.memory.replay = 1;
	plan_set_jiffies(&e->cfg, 1000000000 / DEDUP_REPLAY_JIFFY_NS);
	/* Half of the range of jiffies: the clock never counts as stopped. */
	e->cfg.memory.stale_jiffies = 1ULL << 62;
	e->start_ns = e->now_ns = QUIET_WINDOWS * cfg->memory.window_ns;
	e->next_ns = e->start_ns + cfg->memory.tick_ns;
	err = kind == ENGINE_USER ? open_user(e)
				  : test_run_open(&e->cfg, e->start_ns, &e->kernel, &e->filter);
	if (err) {
		free(e);
		return err;
	}
	engine_set_mac(cfg, mac, e->filter->record);
	*out = e;
	return 0;
}

void engine_close(struct engine *e)
{
	if (e && e->kernel)
		test_run_close(e->kernel);
	else if (e)
		program_close();
	free(e);
}

void engine_set_interface(struct engine *e, uint32_t ifindex)
{
	*(volatile __u64 *)&e->filter->state->replay_ifindex = ifindex;
}

const struct filter *engine_filter(const struct engine *e)
{
	return e->filter;
}
