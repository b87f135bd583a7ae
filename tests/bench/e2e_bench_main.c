// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `make bench-e2e`: what a flood of gossip, 90 % duplicates or another share, costs with the filter
 * in XDP, and with the same filter behind a socket. flood_runner.h has the ways to deal with a
 * flood. Rounds are interleaved; medians.
 *
 * The CPU time a packet is all that the CPU does for it but the sender's part: NAPI, XDP, the
 * stack, the reader with its system calls and, where it has one, its filter. A kernel with
 * CONFIG_IRQ_TIME_ACCOUNTING hides softirqs from it.
 */
#include "flood_runner.h"

#include <getopt.h>

#include "bench.h"
#include "flood.h"

#define BURST 64      /* NAPI's own measure; half a ring's is 128 */
#define BURST_MAX 192 /* a veth's ring has 256 */
/* More new events a window than any flood here has, so that memory is not shortened, in as
 * much memory as the tool takes by default.
 */
#define FILTER_SIZE "--capacity 1M --window 1s"
#define ROUNDS 7
#define ROUNDS_MAX 31
#define TRIES 3	    /* another process that held a CPU up must not decide */
#define PACKETS 1e6 /* of a flood as fast as can be */
#define ROUND_S 0.8 /* after 0.95 s in one the kernel would stop real-time threads */
#define UNLIMITED_PPS 1e8
#define LOSS_MAX 0.001
#define EQUAL_RATE 0.9 /* of the highest one of the socket with the filter */

/* A filter should add to a filter at no cost what one line of memory adds there, and a tenth. */
#define ADDED_MAX 1.1
static const struct added_row {
	enum flood_way way, line, told;
} ADDED[] = {
	{ FLOOD_XDP_DEDUP, FLOOD_XDP_LINE, FLOOD_XDP_TOLD },
	{ FLOOD_XDP_DEDUP_XSK, FLOOD_XDP_LINE_XSK, FLOOD_XDP_TOLD_XSK },
	{ FLOOD_XDP_NUMBERED_XSK, FLOOD_XDP_LINE_XSK, FLOOD_XDP_TOLD_XSK },
};

static const struct {
	const char *key, *text;
} WAYS[FLOOD_WAYS] = {
	[FLOOD_XDP_DEDUP] = { "xdp_dedup", "filter in XDP, UDP" },
	[FLOOD_XDP_DEDUP_XSK] = { "xdp_dedup_xsk", "filter in XDP, AF_XDP" },
	[FLOOD_XDP_NUMBERED_XSK] = { "xdp_numbered_xsk", "numbered stream, AF_XDP" },
	[FLOOD_XDP_LINE] = { "xdp_line", "one random line, UDP" },
	[FLOOD_XDP_LINE_XSK] = { "xdp_line_xsk", "one random line, AF_XDP" },
	[FLOOD_XDP_TOLD] = { "xdp_told", "filter at no cost, UDP" },
	[FLOOD_XDP_TOLD_XSK] = { "xdp_told_xsk", "filter at no cost, AF_XDP" },
	[FLOOD_XSK_DEDUP] = { "xsk_dedup", "filter behind AF_XDP" },
	[FLOOD_SOCKET_DEDUP] = { "socket_dedup", "filter behind UDP" },
	[FLOOD_NOWHERE] = { "sender", "the sender alone" },
};

static struct {
	double one_pps[ROUNDS_MAX]; /* the highest rate on one CPU, the sender's part included */
	/* On one CPU, at equal rate. */
	double cpu_ns[ROUNDS_MAX], loss[ROUNDS_MAX];
} found[FLOOD_WAYS];

static const char USAGE[] =
	"usage: e2e_bench [--burst N] [--duplicates PERCENT] [--rounds N] [--json]\n"
	"  --burst N             packets sent at once (64), up to 192\n"
	"  --duplicates PERCENT  of all packets: 90, 80, 50 or 0 (90)\n"
	"  --rounds N            on one CPU (7), up to 31\n";

static FILE *out; /* for the result alone; everything else goes to stderr */
static bool json;
static uint32_t burst = BURST, copies = FLOOD_COPIES_MAX;
static int rounds = ROUNDS;

/* Of all rounds. */
static double median(double *values)
{
	return bench_quartiles(values, rounds).median;
}

/* The try that lost least, and the first one that lost little enough. */
static struct flood_result flood(enum flood_way way, double rate_pps, double seconds)
{
	struct flood_result best = { 0 }, r;

	for (int i = 0; i < TRIES; i++) {
		r = flood_run_run(way, rate_pps, seconds);
		flood_run_check(way, &r);
		if (!best.sent || flood_loss(&r) < flood_loss(&best))
			best = r;
		if (way == FLOOD_NOWHERE || flood_loss(&best) < LOSS_MAX)
			break;
	}
	return best;
}

/* If nothing else runs, packets a second are those of the CPU's time. */
static double highest_of(const struct flood_result *r)
{
	return flood_is_fair() ? r->sent * 1e9 / (r->sender_ns + r->reader_ns) : r->rate_pps;
}

/* On one CPU, where the sender can only go as fast as packets are dealt with. */
static void measure_highest(void)
{
	for (int i = 0; i < rounds; i++)
		for (int way = 0; way < FLOOD_WAYS; way++) {
			struct flood_result r = flood(way, UNLIMITED_PPS, PACKETS / UNLIMITED_PPS);

			if (way == FLOOD_NOWHERE || flood_loss(&r) < LOSS_MAX)
				found[way].one_pps[i] = highest_of(&r);
		}
}

static void measure_cpu(double rate_pps)
{
	for (int i = 0; i < rounds; i++) {
		double sender_ns = 0;

		for (int way = FLOOD_WAYS - 1; way >= 0; way--) {
			struct flood_result r = flood(way, rate_pps, ROUND_S);
			double all_ns = (double)(r.sender_ns + r.reader_ns) / r.sent;

			if (way == FLOOD_NOWHERE)
				sender_ns = all_ns;
			found[way].cpu_ns[i] = way == FLOOD_NOWHERE ? all_ns : all_ns - sender_ns;
			found[way].loss[i] = way == FLOOD_NOWHERE ? 0 : flood_loss(&r);
		}
	}
}

/* A median of this way, as a part of the one of the filter behind a UDP socket. */
#define PART(way, member) (median(found[way].member) / median(found[FLOOD_SOCKET_DEDUP].member))

static void print_row(enum flood_way way)
{
	fprintf(out, "%-26s %7.2f", WAYS[way].text, median(found[way].one_pps) / 1e6);
	if (way == FLOOD_NOWHERE)
		fprintf(out, " %8s %12.0f\n", "", median(found[way].cpu_ns));
	else
		fprintf(out, " %8.2f %12.0f %8.2f %7.2f%%\n", PART(way, one_pps),
			median(found[way].cpu_ns), PART(way, cpu_ns), 100 * median(found[way].loss));
}

/* What the first adds to the second, in ns of a packet's CPU time. */
static double added_ns(enum flood_way way, enum flood_way to)
{
	double ns[ROUNDS_MAX];

	for (int i = 0; i < rounds; i++)
		ns[i] = found[way].cpu_ns[i] - found[to].cpu_ns[i];
	return median(ns);
}

static void print_added(const struct added_row *row)
{
	double ns = added_ns(row->way, row->told), line_ns = added_ns(row->line, row->told);

	fprintf(out,
		"%-26s adds %4.0f ns to a filter at no cost, one line %4.0f: ", WAYS[row->way].text,
		ns, line_ns);
	fprintf(out, "%.2f times (target: %.1f)\n", ns / line_ns, ADDED_MAX);
}

static void print_text(double rate_pps)
{
	fprintf(out,
		"\nGossip, each event in %u copies, frames of %zu bytes, in bursts of %u.\n"
		"Mpps: the highest rate with under %.1f %% loss. CPU: of one CPU at %.2f Mpps, the "
		"reader\nincluded, the sender not. Times, part: of the filter behind UDP.\n\n",
		copies, FLOOD_HEADERS + sizeof(struct flood_payload), burst, LOSS_MAX * 100,
		rate_pps / 1e6);
	fprintf(out, "%-26s %7s %8s %12s %8s %8s\n", "", "Mpps", "times", "ns a packet", "part",
		"loss");
	for (int way = 0; way < FLOOD_WAYS; way++)
		print_row(way);
	fprintf(out, "\n");
	for (size_t i = 0; i < ARRAY_SIZE(ADDED); i++)
		print_added(&ADDED[i]);
}

#define ADD(o, key, value) json_object_object_add(o, key, json_object_new_double(value))

static json_object *json_of(enum flood_way way)
{
	json_object *w = json_object_new_object();

	ADD(w, "one_cpu_pps", median(found[way].one_pps));
	ADD(w, "cpu_ns", median(found[way].cpu_ns));
	ADD(w, "loss", median(found[way].loss));
	return w;
}

static void print_json(double rate_pps)
{
	json_object *o = json_object_new_object(), *ways = json_object_new_object();

	ADD(o, "duplicates", 1 - 1.0 / copies);
	ADD(o, "frame_bytes", FLOOD_HEADERS + sizeof(struct flood_payload));
	ADD(o, "burst", burst);
	ADD(o, "equal_pps", rate_pps);
	for (int way = 0; way < FLOOD_WAYS; way++)
		json_object_object_add(ways, WAYS[way].key, json_of(way));
	for (size_t i = 0; i < ARRAY_SIZE(ADDED); i++) {
		json_object *way = json_object_object_get(ways, WAYS[ADDED[i].way].key);

		ADD(way, "added_ns", added_ns(ADDED[i].way, ADDED[i].told));
		ADD(way, "line_added_ns", added_ns(ADDED[i].line, ADDED[i].told));
	}
	json_object_object_add(o, "ways", ways);
	fprintf(out, "%s\n", json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY));
	json_object_put(o);
}

static void bench(void **state)
{
	double rate_pps;

	(void)state;
	flood_run_make(burst, copies, FILTER_SIZE);
	measure_highest();
	rate_pps = EQUAL_RATE * median(found[FLOOD_SOCKET_DEDUP].one_pps);
	assert_true(rate_pps > 0); /* else this machine is too busy */
	measure_cpu(rate_pps);
	flood_run_remove();
	if (json)
		print_json(rate_pps);
	else
		print_text(rate_pps);
	fflush(out);
}

/* 0 if it is of no whole number of copies that flood.bpf.c has. */
static uint32_t copies_of(const char *duplicates)
{
	for (uint32_t i = 1; i <= FLOOD_COPIES_MAX; i++)
		if (FLOOD_COPIES_MAX % i == 0 && strtoul(duplicates, NULL, 10) == 100 - 100 / i)
			return i;
	return 0;
}

static bool parse_options(int argc, char **argv)
{
	static const struct option LONG[] = {
		{ "burst", required_argument, NULL, 'b' },
		{ "duplicates", required_argument, NULL, 'd' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'j' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", LONG, NULL)) != -1)
		if (c == 'b')
			burst = strtoul(optarg, NULL, 10);
		else if (c == 'd')
			copies = copies_of(optarg);
		else if (c == 'r')
			rounds = (int)strtoul(optarg, NULL, 10);
		else if (c == 'j')
			json = true;
		else
			return false;
	return optind == argc && burst && burst <= BURST_MAX && copies && rounds > 0 &&
	       rounds <= ROUNDS_MAX;
}

int main(int argc, char **argv)
{
	if (!parse_options(argc, argv)) {
		fputs(USAGE, stderr);
		return 2;
	}
	if (geteuid() != 0) {
		fprintf(stderr, "e2e_bench: needs root\n");
		return 1;
	}
	out = fdopen(dup(STDOUT_FILENO), "w");
	if (!out || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
		return 1;
	add_test("bench", bench, NULL, NULL, NULL);
	return run_added_tests("e2e_bench");
}
