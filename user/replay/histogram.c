// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "histogram.h"

#include <math.h>

static uint32_t step_of(uint64_t ns)
{
	int high = ns ? 63 - __builtin_clzll(ns) : 0;

	if (high < HISTOGRAM_BITS)
		return ns;
	return ((uint32_t)(high - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS) +
	       (ns >> (high - HISTOGRAM_BITS) & ((1 << HISTOGRAM_BITS) - 1));
}

/* Returns the highest age of a step. */
static uint64_t end_of(uint32_t step)
{
	uint32_t shift = step >> HISTOGRAM_BITS;

	if (!shift)
		return step;
	shift--;
	return ((((uint64_t)step & ((1 << HISTOGRAM_BITS) - 1)) + (1 << HISTOGRAM_BITS) + 1)
		<< shift) -
	       1;
}

void histogram_add(struct histogram *a, uint64_t ns)
{
	uint32_t *in = &a->in[step_of(ns)];

	a->cnt++;
	*in += *in != UINT32_MAX;
	if (ns > a->greatest)
		a->greatest = ns;
}

uint64_t histogram_part(const struct histogram *a, double part)
{
	uint64_t need = ceil(part * a->cnt), seen = 0;

	if (!need)
		need = 1;
	for (uint32_t i = 0; i < HISTOGRAM_CNT; i++) {
		seen += a->in[i];
		if (seen >= need)
			return end_of(i) < a->greatest ? end_of(i) : a->greatest;
	}
	return a->greatest;
}

uint64_t histogram_within(const struct histogram *a, uint64_t ns)
{
	uint64_t cnt = 0;

	if (ns >= a->greatest)
		return a->cnt;
	for (uint32_t i = 0; i < HISTOGRAM_CNT && end_of(i) <= ns; i++)
		cnt += a->in[i];
	return cnt;
}
