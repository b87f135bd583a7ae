// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ages.h"

#include <math.h>

static uint32_t step_of(uint64_t ns)
{
	int high = ns ? 63 - __builtin_clzll(ns) : 0;

	if (high < AGES_BITS)
		return ns;
	return ((uint32_t)(high - AGES_BITS + 1) << AGES_BITS) +
	       (ns >> (high - AGES_BITS) & ((1 << AGES_BITS) - 1));
}

/* The highest age of a step. */
static uint64_t end_of(uint32_t step)
{
	uint32_t shift = step >> AGES_BITS;

	if (!shift)
		return step;
	shift--;
	return ((((uint64_t)step & ((1 << AGES_BITS) - 1)) + (1 << AGES_BITS) + 1) << shift) - 1;
}

void ages_add(struct ages *a, uint64_t ns)
{
	uint32_t *in = &a->in[step_of(ns)];

	a->cnt++;
	*in += *in != UINT32_MAX;
	if (ns > a->greatest)
		a->greatest = ns;
}

uint64_t ages_part(const struct ages *a, double part)
{
	uint64_t need = ceil(part * a->cnt), seen = 0;

	if (!need)
		need = 1;
	for (uint32_t i = 0; i < AGES_CNT; i++) {
		seen += a->in[i];
		if (seen >= need)
			return end_of(i) < a->greatest ? end_of(i) : a->greatest;
	}
	return a->greatest;
}

uint64_t ages_within(const struct ages *a, uint64_t ns)
{
	uint64_t cnt = 0;

	if (ns >= a->greatest)
		return a->cnt;
	for (uint32_t i = 0; i < AGES_CNT && end_of(i) <= ns; i++)
		cnt += a->in[i];
	return cnt;
}
