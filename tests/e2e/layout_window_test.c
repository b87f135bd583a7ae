// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Of the layouts: an id that a packet brought lives for the window, and not much longer.
 * Four filters at once, each with packets of its own.
 */
#include "e2e_runner.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "hand.h"
#include "layout.h"
#include "kernel.h"
#include "open.h"
#include "packet.h"
#include "stats.h"

#define MS 1000000ULL
#define S (1000 * MS)
#define WINDOW_NS (1 * S)
#define SLACK_NS (500 * MS) /* a busy machine has the hand come late */
#define IDS 10
#define PERIOD_NS (20 * MS)
#define RUN_NS (4500 * MS)
#define ROUNDS 3
#define TRIES 5 /* on one that stands still, the filter lets everything pass */

static const struct {
	const char *name, *load;
	double most;  /* windows that an id may live */
	bool rotates; /* all ids age at once */
} WINDOWS[] = {
	{ "blocked", "du1 --layout blocked", 2, false },
	{ "fast", "ve0 --layout flat", 2, true },
	{ "colibri", "ve1 --layout flat --hash colibri --forwarded", 2, true },
	{ "tezos", "du0 --layout countdown --hash tezos", 15.0 / 14, true },
};
#define FILTERS ARRAY_SIZE(WINDOWS)

static struct window {
	struct filter filter;
	int prog;
	struct {
		struct id id;
		uint64_t before_ns, after_ns; /* its latest pass */
		uint32_t passes;
	} ids[IDS];
	uint64_t shortest_ns, longest_ns;
	uint32_t early, late, rounds;
	bool aimed; /* an id was learned, and is waited for */
} windows[FILTERS];

static void open_windows(void)
{
	char path[PATH_MAX];

	sh("ip link add du0 address " FRAME_MAC_TEXT " type bridge && "
	   "ip link add du1 address " FRAME_MAC_TEXT " type bridge");
	for (size_t i = 0; i < FILTERS; i++) {
		struct window *w = &windows[i];

		*w = (struct window){ .shortest_ns = UINT64_MAX };
		e2e_tool("load %s --name %s --port %d --capacity 1000 --window 1s --mode skb",
			 WINDOWS[i].load, WINDOWS[i].name, GOSSIP_PORT);
		assert_int_equal(filter_open(WINDOWS[i].name, &w->filter), 0);
		pin_path(path, WINDOWS[i].name, PIN_PROG);
		w->prog = bpf_obj_get(path);
		assert_return_code(w->prog, errno);
		for (int j = 0; j < IDS; j++)
			w->ids[j].id = id_fresh();
	}
}

/* Had the filters' clocks been going all the time? */
static bool close_windows(void)
{
	uint64_t stale = 0, late = 0, early = 0;

	for (size_t i = 0; i < FILTERS; i++) {
		stale += e2e_counters(WINDOWS[i].name).stale;
		early += windows[i].early;
		late += windows[i].late;
		filter_close(&windows[i].filter);
		close(windows[i].prog);
	}
	e2e_tool("unload --all");
	sh("ip link del du0; ip link del du1");
	assert_true(!early || stale);
	for (size_t i = 0; i < FILTERS; i++)
		print_message("# %s: passed again after %.0f to %.0f ms\n", WINDOWS[i].name,
			      windows[i].shortest_ns / 1e6, windows[i].longest_ns / 1e6);
	return !stale && !late;
}

static bool passes(int prog, const struct id *id)
{
	static struct frame frame;
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame.data, .repeat = 1);

	frame_build(&frame, &(struct frame_plan){ .body = 18 }, id);
	opts.data_size_in = frame.len;
	assert_int_equal(bpf_prog_test_run_opts(prog, &opts), 0);
	return opts.retval == 2; /* XDP_PASS */
}

/* One packet: returns whether it passed, and checks when the one before had. */
static bool send_one(struct window *w, int n, double most)
{
	uint64_t before_ns = kernel_now_ns(), after_ns;
	uint64_t least_ns = before_ns - w->ids[n].after_ns, gap_ns;
	bool passed = passes(w->prog, &w->ids[n].id);

	after_ns = kernel_now_ns();
	gap_ns = after_ns - w->ids[n].before_ns;
	if (w->ids[n].passes && passed) {
		w->early += gap_ns < WINDOW_NS;
		w->shortest_ns = gap_ns < w->shortest_ns ? gap_ns : w->shortest_ns;
		w->longest_ns = gap_ns > w->longest_ns ? gap_ns : w->longest_ns;
	}
	w->late += w->ids[n].passes && least_ns > most * WINDOW_NS + SLACK_NS;
	if (passed) {
		w->ids[n].before_ns = before_ns;
		w->ids[n].after_ns = after_ns;
		w->ids[n].passes++;
	}
	return passed;
}

static void send_all_the_time(void)
{
	uint64_t start_ns = kernel_now_ns(), at_ns = start_ns;

	for (; at_ns - start_ns < RUN_NS; at_ns += PERIOD_NS) {
		while (kernel_now_ns() < at_ns)
			usleep(1000);
		/* Each id begins at another part of the window. */
		for (size_t i = 0; i < FILTERS; i++)
			for (int j = 0; j < IDS; j++)
				if (at_ns - start_ns >= j * WINDOW_NS / IDS)
					send_one(&windows[i], j, WINDOWS[i].most);
	}
}

TEST(ids_live_for_the_window)
{
	bool good = false;

	for (int try = 0; try < TRIES && !good; try++) {
		open_windows();
		send_all_the_time();
		good = close_windows();
	}
	assert_true(good);
	for (size_t i = 0; i < FILTERS; i++)
		for (int j = 0; j < IDS; j++)
			assert_in_range(windows[i].ids[j].passes, 2, 5);
}

/* The part of what must go by until the next rotation, or countdown. */
static double time_gone(const struct filter *f)
{
	uint64_t now_ns = kernel_now_ns();

	if (f->config->memory.layout != DEDUP_COUNTDOWN)
		return layout_of(f->config->memory.layout)->hand(f->config, f->state, now_ns);
	return 1 - (double)(int64_t)(READ_ONCE(f->state->next_ns) - now_ns) /
			   f->config->memory.countdown_ns;
}

/* A fresh id just before a rotation; then it is asked for until it is gone. */
static void aim(struct window *w)
{
	double gone = time_gone(&w->filter);

	if (w->aimed) {
		if (send_one(w, 0, 2)) {
			w->rounds++;
			w->aimed = false;
			w->ids[0].id = id_fresh();
			w->ids[0].passes = 0;
		}
		return;
	}
	/* One tick is a thousandth of the window, and a seventieth of a countdown. */
	if (gone < (w->filter.config->memory.layout == DEDUP_COUNTDOWN ? 0.9 : 0.99) || gone > 1)
		return;
	assert_true(send_one(w, 0, 2));
	w->aimed = true;
}

TEST(ids_before_a_rotation_live_for_the_window)
{
	bool good = false;

	for (int try = 0; try < TRIES && !good; try++) {
		uint64_t end_ns = kernel_now_ns() + 60 * S; /* a busy machine aims badly */
		size_t done = 0;

		open_windows();
		while (done < FILTERS) {
			done = 0;
			for (size_t i = 0; i < FILTERS; i++) {
				bool is_done = !WINDOWS[i].rotates || windows[i].rounds >= ROUNDS;

				if (!is_done)
					aim(&windows[i]);
				done += is_done;
			}
			assert_true(kernel_now_ns() < end_ns);
			usleep(300);
		}
		good = close_windows();
		/* It was aimed at well: such ids live shortest. */
		for (size_t i = 0; i < FILTERS; i++)
			good &= !WINDOWS[i].rotates || windows[i].shortest_ns < WINDOW_NS + 150 * MS;
	}
	assert_true(good);
}

static int teardown(void **state)
{
	char ignored[256];

	sh_out(ignored, sizeof(ignored), "ip link del du0; ip link del du1");
	return e2e_teardown(state);
}

int main(void)
{
	add_own_tests(e2e_setup, teardown);
	return run_added_tests("layout_window");
}
