/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Rates that were seen with several secrets: their mean and its standard error. And random ids. */
#pragma once

#include "unit.h"

struct rates {
	double sum, squares;
	int cnt;
};

static inline void rates_add(struct rates *s, double rate)
{
	s->sum += rate;
	s->squares += rate * rate;
	s->cnt++;
}

static inline double mean_of(const struct rates *s)
{
	return s->sum / s->cnt;
}

static inline double error_of(const struct rates *s)
{
	double mean = mean_of(s);
	double variance = (s->squares / s->cnt - mean * mean) * s->cnt / (s->cnt - 1);

	return sqrt(fmax(variance, 0) / s->cnt);
}

/* The i-th of them. */
static inline void random_id(uint64_t id[4], uint64_t i)
{
	uint64_t seed = i * 0xda942042e4dd58b5;

	for (int w = 0; w < 4; w++)
		id[w] = random_next(&seed);
}
