// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The report for people: a table for each number of ids. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "bench_report.h"
#include "version.h"

static void print_text_begin(const struct bench_options *o)
{
	struct utsname un;
	char cpu[256];

	(void)o;
	uname(&un);
	printf("xdp-dedup %s on %s, Linux %s\n"
	       "ns a packet, medians. added: over parse and drop; / floor, / line: as multiples of\n"
	       "the first two rows; our part: what xdp-dedup adds, as a part of what this row adds;\n"
	       "two CPUs: packets of both at once on different ids, as a multiple of one's.\n"
	       "90 %% duplicates: of any ids in the window, the rest is new; gossip: of the last 1,000\nnew ones; cold: all of any ids; hot: all of the same 64.\n",
	       XDP_DEDUP_VERSION, bench_cpu_model(cpu, sizeof(cpu)), un.release);
}

static void print_ratio(double value, const char *format)
{
	char text[32] = "";

	if (isfinite(value))
		snprintf(text, sizeof(text), format, value);
	printf(" %9s", text);
}

static void print_bench_row(const struct bench_result *r, enum bench_row row,
			    enum bench_traffic traffic)
{
	struct bench_figure ns = bench_figure(r, BENCH_NS, row, traffic);
	double none = NAN;
	bool peer = bench_is_peer(row);

	printf("  %-18s %7.1f  %6.1f - %-6.1f", bench_row_name(row), ns.median, ns.low, ns.high);
	print_ratio(row ? bench_figure(r, BENCH_ADDED, row, traffic).median : none, "%.1f");
	print_ratio(row ? bench_figure(r, BENCH_OF_FLOOR, row, traffic).median : none, "%.2f");
	print_ratio(row ? bench_figure(r, BENCH_OF_LINE, row, traffic).median : none, "%.2f");
	print_ratio(peer ? bench_figure(r, BENCH_SHIPPED_PART, row, traffic).median : none, "%.2f");
	print_ratio(r->cpus == 2 ? bench_figure(r, BENCH_SCALING, row, traffic).median : none,
		    "%.2f");
	print_ratio(r->bytes_an_id[row] > 0 ? r->bytes_an_id[row] : none, "%.2f");
	putchar('\n');
}

static void print_text_size(const struct bench_result *r)
{
	int apart = bench_apart(r);

	printf("\n%" PRIu64 " ids in the window; p %g; %u rounds", r->setting.ids, r->setting.fpr,
	       r->setting.rounds);
	if (r->capacity != r->setting.ids)
		printf("; capacity %" PRIu64, r->capacity);
	printf(". xdp-dedup: k %u", r->hashes[BENCH_SHIPPED]);
	if (r->measured[BENCH_FLAT])
		printf("; flat: k %u", r->hashes[BENCH_FLAT]);
	if (r->measured[BENCH_BLOOM])
		printf("; bloom map: k %u, p %.2g", r->hashes[BENCH_BLOOM], r->fpr[BENCH_BLOOM]);
	putchar('\n');
	for (int traffic = 0; traffic < BENCH_TRAFFICS_CNT; traffic++) {
		printf("%-20s      ns     quartiles       added   / floor    / line  our part  two CPUs  bytes/id\n",
		       bench_traffic_name(traffic));
		for (int row = 0; row < BENCH_ROWS_CNT; row++)
			if (r->measured[row])
				print_bench_row(r, row, traffic);
	}
	if (apart)
		printf("Two CPUs: %d measurements are left out, as the two did not run at once; is this\nmachine busy?\n",
		       apart);
}

static void print_text_end(const struct bench_race *race)
{
	if (!race)
		return;
	printf("\n%" PRIu64 " fresh ids, each on two CPUs at the same instant: %" PRIu64
	       " passed twice, %" PRIu64 " not at all (false positives)",
	       race->ids, race->twice, race->never);
	if (race->apart)
		printf("; %" PRIu64 " came apart", race->apart);
	putchar('\n');
}

const struct bench_report BENCH_TEXT = { print_text_begin, print_text_size, print_text_end };
