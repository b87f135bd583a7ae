// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "windowed_max.h"

#define MS UINT64_C(1000000)
#define SECOND (1000 * MS)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

#define SHORTEST_NS (5 * MS)

const uint64_t WINDOWED_MAX_WINDOW_NS[WINDOWED_MAX_WINDOWS] = {
	10 * MS,     50 * MS, 100 * MS,	  500 * MS,    SECOND,	    5 * SECOND, 10 * SECOND,
	30 * SECOND, MINUTE,  2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR,	6 * HOUR,
	12 * HOUR,   DAY,     5 * DAY,	  10 * DAY,    30 * DAY,
};

/* Adds a bucket with its ids. The caller adds each bucket once, in ascending order. */
static void add_bucket(struct windowed_max *p, uint32_t level, uint64_t at, uint32_t cnt)
{
	struct windowed_max_level *l = &p->levels[level];
	uint64_t bucket_ns = level ? WINDOWED_MAX_WINDOW_NS[level - 1] : SHORTEST_NS;
	uint64_t n = WINDOWED_MAX_WINDOW_NS[level] / bucket_ns, sum = 0;

	for (uint64_t i = 0; i < WINDOWED_MAX_RING && i < at - l->at; i++)
		l->in[(at - i) % WINDOWED_MAX_RING] = 0;
	l->at = at;
	l->in[at % WINDOWED_MAX_RING] = cnt;
	for (uint64_t i = 0; i <= n; i++)
		sum += l->in[(at - i) % WINDOWED_MAX_RING];
	if (sum > l->most)
		l->most = sum < UINT32_MAX ? sum : UINT32_MAX;
	if (level + 1 == WINDOWED_MAX_WINDOWS)
		return;
	if (at / n != l->above_at && l->above) {
		add_bucket(p, level + 1, l->above_at, l->above);
		l->above = 0;
	}
	l->above_at = at / n;
	l->above += cnt;
}

void windowed_max_add(struct windowed_max *p, uint64_t now_ns)
{
	if (now_ns >= p->end_ns) {
		if (p->in)
			add_bucket(p, 0, p->end_ns / SHORTEST_NS - 1, p->in);
		p->end_ns = (now_ns / SHORTEST_NS + 1) * SHORTEST_NS;
		p->in = 0;
	}
	p->in += p->in < UINT32_MAX;
}

void windowed_max_end(struct windowed_max *p)
{
	if (p->in)
		add_bucket(p, 0, p->end_ns / SHORTEST_NS - 1, p->in);
	p->in = 0;
	for (uint32_t i = 0; i + 1 < WINDOWED_MAX_WINDOWS; i++) {
		if (p->levels[i].above)
			add_bucket(p, i + 1, p->levels[i].above_at, p->levels[i].above);
		p->levels[i].above = 0;
	}
}

uint64_t windowed_max_most(const struct windowed_max *p, uint32_t i)
{
	return p->levels[i].most;
}

uint32_t windowed_max_window_from(uint64_t ns)
{
	uint32_t i = 0;

	while (i + 1 < WINDOWED_MAX_WINDOWS && WINDOWED_MAX_WINDOW_NS[i] < ns)
		i++;
	return i;
}

uint32_t windowed_max_window_to(uint64_t ns)
{
	uint32_t i = WINDOWED_MAX_WINDOWS - 1;

	while (i && WINDOWED_MAX_WINDOW_NS[i] > ns)
		i--;
	return i;
}
