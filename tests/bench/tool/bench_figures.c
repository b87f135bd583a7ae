// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Medians and quartiles of the rounds' results. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Returns the quantile `part` (0 to 1) of sorted values, interpolated between two. */
static double quantile(const double *sorted, int cnt, double part)
{
	double at = part * (cnt - 1);
	int i = at;

	/* At an integer, the next value is not read: it may be infinite, or past the end. */
	return at > i ? sorted[i] + (at - i) * (sorted[i + 1] - sorted[i]) : sorted[i];
}

struct bench_figure bench_quartiles(double *values, int cnt)
{
	int numbers = 0;

	for (int i = 0; i < cnt; i++)
		if (!isnan(values[i]))
			values[numbers++] = values[i];
	if (!numbers)
		return (struct bench_figure){ NAN, NAN, NAN };
	qsort(values, numbers, sizeof(*values), compare);
	return (struct bench_figure){
		.median = quantile(values, numbers, 0.5),
		.low = quantile(values, numbers, 0.25),
		.high = quantile(values, numbers, 0.75),
	};
}

static double value_of(const struct bench_result *r, enum bench_measure what, enum bench_row row,
		       enum bench_traffic traffic, int round)
{
	double ns = r->ns[0][row][traffic][round], two_ns = r->ns[1][row][traffic][round];
	double floor_ns = r->ns[0][BENCH_FLOOR][traffic][round];

	switch (what) {
	case BENCH_NS:
		return ns;
	case BENCH_NS_TWO_CPUS:
		return two_ns;
	case BENCH_ADDED:
		return ns - floor_ns;
	case BENCH_OF_FLOOR:
		return ns / floor_ns;
	case BENCH_OF_LINE:
		return ns / r->ns[0][BENCH_LINE][traffic][round];
	case BENCH_SCALING:
		return 2 * ns / two_ns;
	case BENCH_SHIPPED_PART:
		return (r->ns[0][BENCH_SHIPPED][traffic][round] - floor_ns) / (ns - floor_ns);
	}
	return NAN;
}

struct bench_figure bench_figure(const struct bench_result *r, enum bench_measure what,
				 enum bench_row row, enum bench_traffic traffic)
{
	double values[BENCH_ROUNDS_MAX] = { 0 };

	for (uint32_t i = 0; i < r->setting.rounds; i++)
		values[i] = value_of(r, what, row, traffic, i);
	return bench_quartiles(values, r->setting.rounds);
}

int bench_apart(const struct bench_result *r)
{
	int cnt = 0;

	for (int row = 0; row < BENCH_ROWS_CNT; row++)
		for (int traffic = 0; traffic < BENCH_TRAFFICS_CNT; traffic++)
			for (uint32_t i = 0; i < r->setting.rounds; i++)
				cnt += isnan(r->ns[1][row][traffic][i]);
	return cnt;
}
