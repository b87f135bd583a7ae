// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `xdp-dedup bench`: that it measures what it says, not how much that is. The bench itself
 * compares the verdicts with the traffic and fails if they differ.
 */
#include "output.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "bench.h"

#define OUT_MAX 262144

static char out[OUT_MAX];

static void run_bench(const char *options)
{
	int status = sh_out(out, sizeof(out), "%s bench --rounds 1 %s", tool(), options);

	if (status)
		fail_msg("exit %d: %s", status, out);
}

static json_object *bench(const char *options)
{
	json_object *o;

	run_bench(options);
	o = json_tokener_parse(out);
	assert_non_null(o);
	return o;
}

static int cpus(void)
{
	cpu_set_t set;

	assert_return_code(sched_getaffinity(0, sizeof(set), &set), errno);
	return CPU_COUNT(&set);
}

/* Quartiles in order, and finite numbers. */
static void assert_figure(json_object *o, const char *key, bool positive)
{
	json_object *figure = member(o, key);
	double low = number(figure, "low");
	double median = number(figure, "median");
	double high = number(figure, "high");

	assert_true(isfinite(low) && isfinite(high));
	assert_true(low <= median && median <= high);
	if (positive)
		assert_true(low > 0);
}

/* What the two CPUs did not run at once is. */
static bool is_left_out(json_object *traffic)
{
	return !member(member(traffic, "ns_two_cpus"), "median");
}

static void assert_traffic(json_object *o, enum bench_row row)
{
	assert_figure(o, "ns", true);
	assert_figure(o, "added_ns", false);
	assert_figure(o, "of_floor", true);
	assert_figure(o, "of_one_line", true);
	if (row > BENCH_SHIPPED)
		assert_figure(o, "xdp_dedup_added_of_this", false);
	if (cpus() > 1 && !is_left_out(o)) {
		assert_figure(o, "ns_two_cpus", true);
		assert_figure(o, "scaling", true);
	}
}

/* Of all measurements but those that another process came into. */
static void assert_two_cpus_ran_at_once(json_object *size)
{
	int apart = 0;

	if (cpus() == 1)
		return;
	for (int row = 0; row < BENCH_ROWS_CNT; row++) {
		json_object *o = member(member(size, "rows"), bench_row_key(row));

		for (int traffic = 0; traffic < BENCH_TRAFFICS_CNT; traffic++)
			apart += is_left_out(member(o, bench_traffic_key(traffic)));
	}
	assert_number(size, "two_cpus_apart", apart);
	assert_in_range(apart, 0, BENCH_ROWS_CNT * BENCH_TRAFFICS_CNT / 2);
}

static void assert_size(json_object *size, double ids, double capacity)
{
	assert_true(number(size, "ids") == ids);
	assert_true(number(size, "capacity") == capacity);
	assert_two_cpus_ran_at_once(size);
	for (int row = 0; row < BENCH_ROWS_CNT; row++) {
		json_object *o = member(member(size, "rows"), bench_row_key(row));

		for (int traffic = 0; traffic < BENCH_TRAFFICS_CNT; traffic++)
			assert_traffic(member(o, bench_traffic_key(traffic)), row);
		if (row >= BENCH_SHIPPED)
			assert_true(number(o, "bytes_per_id") > 1);
		if (row >= BENCH_SHIPPED && row != BENCH_LRU) {
			assert_true(json_object_get_int(member(o, "hashes")) > 1);
			assert_true(number(o, "fpr_expected") > 0);
			assert_true(number(o, "fpr_expected") <= 1e-4);
		}
	}
}

static void json_has_every_row_and_traffic(void **state)
{
	json_object *o = bench("--json --ids 1k,20k --copies 20k"), *sizes = member(o, "sizes");
	json_object *race;

	(void)state;
	assert_true(number(o, "fpr") == 1e-4);
	assert_true(number(o, "fill") == 1);
	assert_null(json_object_object_get(o, "warm"));
	assert_int_equal(json_object_get_int(member(o, "rounds")), 1);
	assert_true(strlen(text(o, "cpu")) > 0);
	assert_true(strlen(text(o, "kernel")) > 0);
	assert_true(strlen(text(o, "version")) > 0);
	assert_int_equal(json_object_array_length(sizes), 2);
	assert_size(json_object_array_get_idx(sizes, 0), 1000, 1000);
	assert_size(json_object_array_get_idx(sizes, 1), 20000, 20000);
	if (cpus() > 1) {
		race = member(o, "simultaneous");
		assert_int_equal(json_object_get_int(member(race, "ids")), 20000);
		assert_int_equal(json_object_get_int(member(race, "passed_twice")), 0);
		assert_in_range(json_object_get_int(member(race, "passed_never")), 0, 12);
		assert_in_range(json_object_get_int(member(race, "apart")), 0, 20000);
	}
	json_object_put(o);
}

static void a_filter_may_be_less_than_full(void **state)
{
	json_object *o = bench("--json --ids 1k --fill 0.1 --copies 1k --warm 0");

	(void)state;
	assert_true(number(o, "warm") == 0);
	assert_true(number(o, "fill") == 0.1);
	assert_size(json_object_array_get_idx(member(o, "sizes"), 0), 1000, 10000);
	json_object_put(o);
}

static void text_names_every_row(void **state)
{
	(void)state;
	run_bench("--ids 1k --copies 1k");
	for (int row = 0; row < BENCH_ROWS_CNT; row++)
		assert_non_null(strstr(out, bench_row_name(row)));
	for (int traffic = 0; traffic < BENCH_TRAFFICS_CNT; traffic++)
		assert_non_null(strstr(out, bench_traffic_name(traffic)));
	if (cpus() > 1)
		assert_non_null(strstr(out, ": 0 passed twice"));
}

static void what_makes_no_sense_is_misuse(void **state)
{
	static const char *const OPTIONS[] = {
		"--ids 0",    "--ids 999",   "--ids 1k,",  "--ids 2G",	   "--ids ,1k",
		"--rounds 0", "--fill 0",    "--fill 1.1", "--rounds 102", "--copies 0",
		"--fpr 1",    "--port 8001", "eth0",	   "--warm -1",	   "--warm 101M",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(OPTIONS); i++) {
		int status = sh_out(out, sizeof(out), "%s bench %s", tool(), OPTIONS[i]);

		if (status != 2 || strncmp(out, "xdp-dedup: ", 11))
			fail_msg("%s: exit %d: %s", OPTIONS[i], status, out);
	}
}

/* Ours among all that the verifier left, and hardly more than when this was written, with clang
 * 14: what is constant must be folded, options must not cost. Where lookups are calls, it says so.
 */
static void a_packets_way_is_counted(void **state)
{
	static const struct {
		const char *name;
		long most;
	} WAYS[] = { { "another port: ", 90 }, { "fresh: ", 274 }, { "duplicate: ", 245 } };
	const char *at;
	long cnt;
	int status = sh_out(out, sizeof(out), "scripts/path.py %s --list", tool());

	(void)state;
	if (status && strstr(out, "cannot follow this kernel's code"))
		skip();
	assert_int_equal(status, 0);
	for (size_t i = 0; i < ARRAY_SIZE(WAYS); i++) {
		at = strstr(out, WAYS[i].name);
		assert_non_null(at);
		cnt = strtol(at + strlen(WAYS[i].name), NULL, 10);
		assert_in_range(cnt, WAYS[i].most / 2, WAYS[i].most);
	}
	assert_non_null(strstr(out, "exit\n"));
}

/* Nothing is pinned, and what is loaded goes with the process. */
static void interrupted_it_leaves_nothing(void **state)
{
	(void)state;
	assert_int_equal(
		sh_out(out, sizeof(out), "timeout -s INT 2 %s bench --ids 1M; echo $?", tool()), 0);
	assert_non_null(strstr(out, "124\n"));
	assert_int_equal(sh_out(out, sizeof(out), "ls /sys/fs/bpf | grep -v debug$"), 1);
	assert_string_equal(out, "");
}

int main(void)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(json_has_every_row_and_traffic),
		cmocka_unit_test(a_filter_may_be_less_than_full),
		cmocka_unit_test(text_names_every_row),
		cmocka_unit_test(what_makes_no_sense_is_misuse),
		cmocka_unit_test(a_packets_way_is_counted),
		cmocka_unit_test(interrupted_it_leaves_nothing),
	};

	return run_root_tests("bench", tests, ARRAY_SIZE(tests));
}
