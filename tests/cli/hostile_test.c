// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A process that has a filter's memory mapped, as a process with a queue grant may, fills it with
 * random bytes all the time. Every verb ends, in time and by itself, and shows nothing that
 * controls the terminal; the library's calls end, too; the metrics are still written; and once
 * that process has gone the filter can be unloaded.
 */
#include "cli_runner.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "delivery.h"
#include "here.h"
#include "hostile.h"
#include "kernel.h"
#include "metrics.h"
#include "open.h"
#include "predecessor.h"
#include "xdp-dedup-receive.h"
#include "xdp-dedup.h"

#define ROUNDS 2
#define READINGS 30
#define CALLS 100
#define SECONDS "90" /* that a verb may take, on a busy machine: rotate gives up after 5 */
#define PAUSE_US 300
#define UNKNOWN 3 /* exit status of `test` */

static const struct parameters {
	const char *name, *options;
} PARAMETERS[] = {
	{ "blocked", "" },
	{ "delivers", "--deliver xsk" },
	{ "flat", "--layout flat" },
	{ "flat-fips", "--layout flat --hash fips --capacity 50 --fpr 1e-3" },
	{ "countdown", "--layout countdown" },
	{ "countdown-often", "--layout countdown --countdown-bits 20 --window 1h" },
	{ "drops-for-a-time", "--for 1h" },
};

/* Of filter v0; each may fail. */
static const char *const VERBS[] = {
	"status",
	"status v0 --json --exact",
	"watch v0 --count 2 --every 100ms",
	"watch v0 --count 2 --every 100ms --json",
	"test v0 $A",
	"add v0 $A $B",
	"want v0 $A",
	"remove v0 $A",
	"rotate v0",
	"reset v0",
	"save v0 /mnt/snapshot",
	"refresh v0",
	"sample v0 --for 1s",
	"set v0 --ihave pass",
	"resize v0 --window 5m",
	"status",
	"resize v0 --window 6m --forget",
	"load v0 --replace --port 8001",
	"check v0",
	"unload v0",
};

/* One word, of the first ones or of all: the filter goes on, and verbs get further. */
static void poke(struct dedup_state *st, uint64_t *seed)
{
	const size_t FIRST = offsetof(struct dedup_state, marks), ALL = DEDUP_STATE_BYTES_OLDEST;
	size_t bytes = random_next(seed) % 2 ? FIRST : ALL;
	size_t at = random_next(seed) % bytes & ~7ULL;

	*(volatile uint64_t *)((char *)st + at) = hostile_word(seed);
}

static void garble(const struct filter *f, const struct delivery *d, bool gently, uint64_t *seed)
{
	if (gently) {
		poke(f->state, seed);
	} else {
		hostile_fill(f->state, sizeof(*f->state), seed);
		hostile_record(f->record, here_netns(), seed);
	}
	if (random_next(seed) % 4 == 0)
		hostile_fill(f->blocks, f->config->memory.blocks * sizeof(*f->blocks), seed);
	if (!d->sockets)
		return;
	hostile_fill(d->sockets, DEDUP_SOCKETS_MAX * sizeof(*d->sockets), seed);
	hostile_fill(d->in_flight, DEDUP_IN_FLIGHT_MAX * sizeof(*d->in_flight), seed);
}

static pid_t garbler; /* 0: there is none */

static void begin_garbling(bool gently)
{
	struct delivery d = { .xsks_fd = -1, .queues_fd = -1 };
	uint64_t seed = 1;
	struct filter f;

	assert_int_equal(filter_open("v0", &f), 0);
	if (f.config->policy.deliver)
		assert_int_equal(delivery_open(&f, &d), 0);
	garbler = fork();
	assert_return_code(garbler, errno);
	if (!garbler) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;) {
			garble(&f, &d, gently, &seed);
			usleep(PAUSE_US);
		}
	}
	delivery_close(&d);
	filter_close(&f);
}

static void end_garbling(void)
{
	if (!garbler)
		return;
	kill(garbler, SIGKILL);
	waitpid(garbler, NULL, 0);
	garbler = 0;
}

static void run_verbs(void)
{
	int status;

	for (size_t i = 0; i < ARRAY_SIZE(VERBS); i++) {
		status = sh_out(output, sizeof(output), "timeout -s KILL " SECONDS " %s %s", tool(),
				VERBS[i]);
		if ((status > 1 && status != UNKNOWN) || strstr(output, "Sanitizer"))
			fail_msg("exit %d of %s:\n%s", status, VERBS[i], output);
		hostile_assert_shown(output);
	}
}

static void run_parameters(void **state)
{
	const struct parameters *parameters = *state;

	for (int i = 0; i < ROUNDS; i++) {
		sh("$XD load v0 --port 8001 %s", parameters->options);
		begin_garbling(i % 2);
		run_verbs();
		end_garbling();
		sh("$XD unload --all --force");
	}
}

static void run_metrics(void **state)
{
	const struct parameters *parameters = *state;
	struct readings r = { 0 };

	sh("$XD load v0 --port 8001 %s", parameters->options);
	begin_garbling(false);
	for (int i = 0; i < READINGS; i++) {
		char *text = NULL;
		size_t size = 0;
		FILE *out = open_memstream(&text, &size);

		assert_int_equal(i % 3 ? readings_take(&r, NULL) : readings_refresh(&r, NULL), 0);
		assert_int_equal(metrics_write(out, &r, METRICS_TEXT), 0);
		fclose(out);
		hostile_assert_shown(text);
		free(text);
	}
	readings_free(&r);
	end_garbling();
}

/* An application of the library: any answer will do, but it must come. */
static void use_library(void)
{
	const struct xdp_dedup_receive_options options = { .size = sizeof(options), .ifname = "v0" };
	struct xdp_dedup_packet packets[8];
	struct xdp_dedup_counters counters;
	struct xdp_dedup_receiver *r;
	struct xdp_dedup_filter *f;
	struct xdp_dedup_stats stats;
	uint8_t id[32] = { 1 };

	assert_int_equal(xdp_dedup_open("v0", &f), 0);
	for (int i = 0; i < CALLS; i++) {
		id[1] = i;
		xdp_dedup_test(f, id, sizeof(id));
		xdp_dedup_check_and_add(f, id, sizeof(id));
		xdp_dedup_remove(f, id, sizeof(id));
		xdp_dedup_counters(f, &counters, sizeof(counters));
		xdp_dedup_stats(f, &stats, sizeof(stats));
	}
	xdp_dedup_want(f, id, sizeof(id));
	xdp_dedup_close(f);
	if (xdp_dedup_receive_open("v0", &options, &r))
		return;
	for (int i = 0; i < CALLS && xdp_dedup_receive(r, packets, ARRAY_SIZE(packets)) >= 0; i++)
		xdp_dedup_give_back(r, packets, 0);
	xdp_dedup_receive_close(r);
}

static void run_library(void **state)
{
	const struct parameters *parameters = *state;

	sh("ip link set v0 up && ip link set p0 up && $XD load v0 --port 8001 %s",
	   parameters->options);
	for (int i = 0; i < ROUNDS; i++) {
		begin_garbling(i % 2);
		alarm(10 * PATIENCE_MS / 1000);
		use_library();
		alarm(0);
		end_garbling();
	}
}

/* Its state says that another filter is in charge. */
static void no_successor_is_looked_for(void **state)
{
	struct xdp_dedup_filter *lib;
	uint8_t id[32] = { 1 };
	struct filter f;

	(void)state;
	sh(LOAD);
	assert_int_equal(filter_open("v0", &f), 0);
	assert_int_equal(xdp_dedup_open("v0", &lib), 0);
	WRITE_ONCE(f.state->successor, DEDUP_SUCCESSOR_IN_CHARGE);
	alarm(PATIENCE_MS / 1000);
	assert_int_equal(xdp_dedup_check_and_add(lib, id, sizeof(id)), 0);
	assert_int_equal(xdp_dedup_test(lib, id, sizeof(id)), 1);
	alarm(0);
	xdp_dedup_close(lib);
	filter_close(&f);
}

/* Stops the hand for good, in a state that says that it goes on. */
static void hide_that_hand_stops(struct filter *f)
{
	const uint64_t FAR = 1ULL << 62;

	sh("rm $PINS/v0/timer");
	do { /* its last step may have begun before */
		WRITE_ONCE(f->state->last_ns, FAR);
		usleep(100000);
	} while (READ_ONCE(f->state->last_ns) != FAR);
}

/* What never comes: a turn far ahead, or one by a hand that only seems to go on. */
static void rotate_gives_up(void **state)
{
	struct filter f;

	(void)state;
	sh(LOAD);
	assert_int_equal(filter_open("v0", &f), 0);
	WRITE_ONCE(f.state->requested, 1ULL << 60);
	assert_run(1, "timeout " SECONDS " $XD rotate v0");
	assert_one_line("the hand of v0 does not do what it is asked for, as if somebody had");
	WRITE_ONCE(f.state->requested, 0);
	hide_that_hand_stops(&f);
	assert_run(1, "timeout " SECONDS " $XD rotate v0");
	assert_one_line("the hand of v0 does not do what it is asked for, as if somebody had");
	filter_close(&f);
}

/* Of a predecessor that would forget only after many turns. */
static void wait_gives_up(void **state)
{
	struct filter f;

	(void)state;
	sh(LOAD " && $XD resize v0 --window 20m");
	assert_int_equal(filter_open("v0", &f), 0);
	assert_int_equal(filter_open_predecessor(&f), 0);
	f.predecessor->state->forgotten_at += 1ULL << 60;
	assert_run(1, "timeout " SECONDS " $XD resize v0 --window 5m --wait");
	assert_one_line("the predecessor of v0 does not forget its ids");
	filter_close(&f);
	sh("$XD resize v0 --window 5m --forget");
}

/* The hand of a filter whose state is garbled seems to walk for ever. */
static void reader_waits_once_for_the_hand(void **state)
{
	unsigned int wanted, lost;
	struct delivery d;
	struct filter f;

	(void)state;
	sh(LOAD " --deliver xsk");
	assert_int_equal(filter_open("v0", &f), 0);
	assert_int_equal(delivery_open(&f, &d), 0);
	for (uint32_t i = 0; i < DEDUP_IN_FLIGHT_MAX; i++)
		*delivery_in_flight(&d, 0, i) = (struct dedup_in_flight){ .number = i + 1 };
	__sync_fetch_and_add(&f.state->walks, 1);
	alarm(PATIENCE_MS / 1000);
	delivery_want_left(&d, &f, 0, &wanted, &lost);
	alarm(0);
	assert_int_equal(wanted, 0);
	assert_int_equal(lost, DEDUP_IN_FLIGHT_MAX);
	delivery_close(&d);
	filter_close(&f);
}

static int setup(void **state)
{
	assert_int_equal(kernel_ready(false, false), 0);
	return cli_setup(state);
}

static int teardown(void **state)
{
	alarm(0);
	end_garbling();
	return cli_teardown(state);
}

int main(void)
{
	cli_environment();
	setenv("A", ID_A, 1);
	setenv("B", ID_B, 1);
	leave_to_rest(
		"@(flat|flat-fips|countdown|countdown-often|drops-for-a-time|delivers|rotate-gives-up)");
	add_rows(PARAMETERS, run_parameters, setup, teardown);
	add_rows(PARAMETERS, run_metrics, setup, teardown);
	add_rows(PARAMETERS, run_library, setup, teardown);
	add_test("no-successor-is-looked-for", no_successor_is_looked_for, setup, teardown, NULL);
	add_test("rotate-gives-up", rotate_gives_up, setup, teardown, NULL);
	add_test("wait-gives-up", wait_gives_up, setup, teardown, NULL);
	add_test("reader-waits-once-for-the-hand", reader_waits_once_for_the_hand, setup, teardown,
		 NULL);
	return run_added_tests("hostile");
}
