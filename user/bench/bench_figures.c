// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Medians and quartiles of what the rounds measured. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>

typedef const double *samples; /* ns a packet, one value for each round */

static samples of(const struct bench_result *r, int cpus, enum bench_row row,
		  enum bench_traffic traffic)
{
	return r->ns[cpus - 1][row][traffic];
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The quantile `part` (0 to 1) of sorted values, interpolated between two. */
static double quantile(const double *sorted, int cnt, double part)
{
	double at = part * (cnt - 1);
	int i = at;

	/* Exactly at a value, the next one is not touched: it may be infinite, or past the end. */
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

struct bench_figure bench_ns(const struct bench_result *r, int cpus, enum bench_row row,
			     enum bench_traffic traffic)
{
	samples ns = of(r, cpus, row, traffic);
	double values[BENCH_ROUNDS_MAX] = { 0 };

	for (int i = 0; i < r->setting.rounds; i++)
		values[i] = ns[i];
	return bench_quartiles(values, r->setting.rounds);
}

struct bench_figure bench_added(const struct bench_result *r, enum bench_row row,
				enum bench_traffic traffic)
{
	samples ns = of(r, 1, row, traffic), floor = of(r, 1, BENCH_FLOOR, traffic);
	double values[BENCH_ROUNDS_MAX] = { 0 };

	for (int i = 0; i < r->setting.rounds; i++)
		values[i] = ns[i] - floor[i];
	return bench_quartiles(values, r->setting.rounds);
}

/* factor * a / b of each round. */
static struct bench_figure quotient(samples a, samples b, double factor, int cnt)
{
	double values[BENCH_ROUNDS_MAX] = { 0 };

	for (int i = 0; i < cnt; i++)
		values[i] = factor * a[i] / b[i];
	return bench_quartiles(values, cnt);
}

struct bench_figure bench_ratio(const struct bench_result *r, enum bench_row row, enum bench_row to,
				enum bench_traffic traffic)
{
	return quotient(of(r, 1, row, traffic), of(r, 1, to, traffic), 1, r->setting.rounds);
}

struct bench_figure bench_scaling(const struct bench_result *r, enum bench_row row,
				  enum bench_traffic traffic)
{
	return quotient(of(r, 1, row, traffic), of(r, 2, row, traffic), 2, r->setting.rounds);
}

struct bench_figure bench_shipped_part(const struct bench_result *r, enum bench_row row,
				       enum bench_traffic traffic)
{
	samples floor = of(r, 1, BENCH_FLOOR, traffic), own = of(r, 1, BENCH_SHIPPED, traffic);
	samples ns = of(r, 1, row, traffic);
	double values[BENCH_ROUNDS_MAX] = { 0 };

	for (int i = 0; i < r->setting.rounds; i++)
		values[i] = (own[i] - floor[i]) / (ns[i] - floor[i]);
	return bench_quartiles(values, r->setting.rounds);
}

int bench_apart(const struct bench_result *r)
{
	int cnt = 0;

	for (int row = 0; row < BENCH_ROWS_CNT; row++)
		for (int traffic = 0; traffic < BENCH_TRAFFICS_CNT; traffic++)
			for (int i = 0; i < r->setting.rounds; i++)
				cnt += isnan(of(r, 2, row, traffic)[i]);
	return cnt;
}
