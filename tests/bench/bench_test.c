// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp-dedup-bench: that it measures what it says, not how much that is. The bench itself compares
 * the verdicts with the traffic and fails if they differ. Commands have it as $BENCH.
 *
 * Runs alone: the bench has priority over everything else, on all CPUs.
 */
#include "output.h"

#include <math.h>
#include <sched.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "bench.h"
#include "bench_setup.h"
#include "version.h"

#define OUT_MAX 262144

static char out[OUT_MAX];

static void run_bench(const char *options)
{
	int status = sh_out(out, sizeof(out), "$BENCH --rounds 1 %s", options);

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
		if (row == BENCH_NUMBERED || row == BENCH_PATHS) {
			assert_null(json_object_object_get(o, "fpr_expected"));
		} else if (row >= BENCH_SHIPPED && row != BENCH_LRU) {
			assert_true(json_object_get_int(member(o, "hashes")) > 1);
			assert_true(number(o, "fpr_expected") > 0);
			assert_true(number(o, "fpr_expected") <= 1e-4);
		}
	}
}

TEST(json_has_every_row_and_traffic)
{
	json_object *o = bench("--json --ids 1k,20k --copies 20k"), *sizes = member(o, "sizes");
	json_object *race;

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

/* The environment has a default. */
TEST(a_filter_may_be_less_than_full)
{
	json_object *o;

	setenv("XDP_DEDUP_FPR", "1e-5", 1);
	o = bench("--json --ids 1k --fill 0.1 --copies 1k --warm 0");
	unsetenv("XDP_DEDUP_FPR");
	assert_true(number(o, "fpr") == 1e-5);
	assert_true(number(o, "warm") == 0);
	assert_true(number(o, "fill") == 0.1);
	assert_size(json_object_array_get_idx(member(o, "sizes"), 0), 1000, 10000);
	json_object_put(o);
}

TEST(text_names_every_row)
{
	run_bench("--ids 1k --copies 1k");
	for (int row = 0; row < BENCH_ROWS_CNT; row++)
		assert_non_null(strstr(out, bench_row_name(row)));
	for (int traffic = 0; traffic < BENCH_TRAFFICS_CNT; traffic++)
		assert_non_null(strstr(out, bench_traffic_name(traffic)));
	if (cpus() > 1)
		assert_non_null(strstr(out, ": 0 passed twice"));
}

TEST(what_makes_no_sense_is_misuse)
{
	static const char *const OPTIONS[] = {
		"--ids 0",    "--ids 999",   "--ids 1k,",  "--ids 2G",	   "--ids ,1k",
		"--rounds 0", "--fill 0",    "--fill 1.1", "--rounds 102", "--copies 0",
		"--fpr 1",    "--port 8001", "eth0",	   "--warm -1",	   "--warm 101M",
		"--id 1k",    "--ids",	     "--json=1",   "-j",	   "-- --json",
	};

	for (size_t i = 0; i < ARRAY_SIZE(OPTIONS); i++) {
		int status = sh_out(out, sizeof(out), "$BENCH %s", OPTIONS[i]);
		const char *end = strchr(out, '\n');

		if (status != 2 || strncmp(out, "xdp-dedup-bench: ", 17) || !end || end[1])
			fail_msg("%s: exit %d: %s", OPTIONS[i], status, out);
	}
}

/* Each line must succeed; `not COMMAND` if that fails. $d is a directory for files. */
static const struct script {
	const char *name, *script;
} SCRIPTS[] = {
	{ "help-and-version",
	  "$BENCH --help >$d/help 2>$d/errors; [ ! -s $d/errors ]\n"
	  "grep -q '^usage: xdp-dedup-bench \\[options\\]$' $d/help\n"
	  "for o in ids fill fpr rounds copies warm json verbose version help; do\n"
	  "	grep -q \"^  --$o \" $d/help; done\n"
	  "$BENCH --ids x --frob -h | cmp - $d/help\n"
	  "[ \"$($BENCH --version)\" = \"xdp-dedup-bench " XDP_DEDUP_VERSION "\" ]\n" },
	{ "wrong-environment", "not env XDP_DEDUP_FPR=x $BENCH 2>$d/errors\n"
			       "grep -q 'XDP_DEDUP_FPR x: give a rate' $d/errors\n" },
	{ "rights", "not setpriv --bounding-set -net_admin --inh-caps -net_admin $BENCH >$d/a 2>$d/b\n"
		    "grep -q '^xdp-dedup-bench: not permitted: bench needs CAP_NET_ADMIN;' $d/b\n"
		    "[ ! -s $d/a ]\n" },
	/* Not after an hour: nobody gets to see what it measures. */
	{ "full-disk",
	  "for o in --help --version '--ids 1M --rounds 101'; do\n"
	  "	status=0; timeout 60 $BENCH $o >/dev/full 2>$d/b || status=$?; [ $status = 1 ]\n"
	  "	grep -qx 'xdp-dedup-bench: cannot write all of the output; is the disk full?' "
	  "$d/b\n"
	  "done\n" },
	{ "progress-on-a-terminal",
	  "for o in '' --json; do script -qec \"$BENCH $o --ids 1k --rounds 2 --copies 1k >$d/a\" "
	  "/dev/null >$d/b\n"
	  "	tr '\\r' '\\n' <$d/b >$d/lines; grep -q '^.\\[K1000 ids, round 2 of 2: measuring$' "
	  "$d/lines\n"
	  "	grep -q '^.\\[K1000 ids on two CPUs' $d/lines || [ $(nproc) = 1 ]\n"
	  "	not grep measuring $d/a\n"
	  "	[ \"$(tail -n 1 $d/lines | od -An -tx1)\" = ' 1b 5b 4b' ]\n"
	  "done\n" },
	{ "progress-on-a-terminal-only",
	  "script -qec \"$BENCH --ids 1k --rounds 1 --copies 1k 2>$d/b\" /dev/null >$d/a\n"
	  "[ ! -s $d/b ]; grep -q 'two CPUs' $d/a; not grep -q measuring $d/a\n" },
	/* The tool has no bench and no peers' maps. All these words are in the bench. */
	{ "the-tool-has-no-bench",
	  "words='bench_bpf|bench_run|bench_row|bloom_filter|lru_hash|parse_and_drop'\n"
	  "for file in $XD $BENCH; do { nm $file; strings -a $file; } >$d/${file##*/}; done\n"
	  "grep -qE \"$words\" $d/xdp-dedup-bench; not grep -E \"$words\" $d/xdp-dedup\n"
	  "grep -q control_load $d/xdp-dedup\n" },
};

static void run_script(void **state)
{
	const struct script *row = *state;
	int status = sh_out(out, sizeof(out),
			    "set -ex; not() { ! \"$@\"; }\n"
			    "d=$(mktemp -d); trap 'rm -rf $d' EXIT\n%s",
			    row->script);

	if (status)
		fail_msg("exit %d: %s", status, out);
}

/* Counts our instructions among all that the verifier left: hardly more than when this was written,
 * with clang 14. What is constant must be folded, options must not cost. Where lookups are calls,
 * path.py reports that.
 */
TEST(a_packets_way_is_counted)
{
	static const struct {
		const char *name;
		long most;
	} WAYS[] = { { "another port: ", 90 }, { "fresh: ", 274 }, { "duplicate: ", 245 } };
	const char *at;
	long cnt;
	int status = sh_out(out, sizeof(out), "scripts/path.py %s --list", tool());

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

/* Runs the generator once on this CPU, which meets another one. Returns its verdict. */
static uint32_t generate(struct bench *b)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = b->frame, .data_size_in = b->frame_bytes,
		    .repeat = 1);

	assert_return_code(bpf_prog_test_run_opts(bench_generator_fd(b), &opts), errno);
	return opts.retval;
}

/* A CPU that waits for the other one comes back from the program, so that timers fire. */
TEST(who_waits_comes_back)
{
	const struct bench_setting setting = { .ids = 1000, .fill = 1, .fpr = 1e-4 };
	struct bench_stream *own, *other;
	struct bench b;

	assert_int_equal(bench_prepare(&b, &setting), 0);
	assert_int_equal(bench_open_filter(&b, BENCH_SHIPPED), 0);
	assert_int_equal(bench_open_peers(&b, false, false, setting.ids), 0);
	assert_int_equal(bench_aim(&b, b.subject[BENCH_SHIPPED].fd, BENCH_LONG), 0);
	own = &b.streams[b.cpus[0]];
	other = &b.streams[!b.cpus[0]];
	*own = (struct bench_stream){ .packets = 1, .other = !b.cpus[0] };
	for (uint32_t i = 1; i <= 3; i++) {
		assert_int_equal(generate(&b), XDP_PASS);
		assert_int_equal(own->waits, i);
		assert_int_equal(own->sent, 0);
	}
	assert_int_equal(own->come, 1);
	other->come = 1;
	generate(&b);
	assert_int_equal(own->sent, 1);
	assert_int_equal(own->apart, 0);
	bench_close(&b);
}

/* Nothing is pinned, and what is loaded goes with the process. */
TEST(interrupted_it_leaves_nothing)
{
	assert_int_equal(sh_out(out, sizeof(out), "timeout -s INT 2 $BENCH --ids 1M; echo $?"), 0);
	assert_non_null(strstr(out, "124\n"));
	assert_int_equal(sh_out(out, sizeof(out), "ls /sys/fs/bpf | grep -v debug$"), 1);
	assert_string_equal(out, "");
}

int main(void)
{
	name_tool();
	setenv("BENCH", BUILT "/xdp-dedup-bench", 1);
	add_own_tests(NULL, NULL);
	add_rows(SCRIPTS, run_script, NULL, NULL);
	return run_added_tests("bench");
}
