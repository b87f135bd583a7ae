/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Races of numbered packets: sources in some state, and a call of each CPU at about one time. */
#pragma once

#include "number_calls.h"

#include "source_table.h"

#define RESET 5
#define IDLE 10 /* jiffies until a source may be recycled */
#define SOURCES 2
#define BEFORE_MAX 12
#define CALLS_MAX 4

struct row {
	const char *name;
	uint32_t width, ring_shift;
	struct call before[BEFORE_MAX]; /* one after the other, up to the first {0, 0} */
	struct call calls[CALLS_MAX];	/* one of each CPU; those after these are the first CPU's */
	int cpus_cnt;
	bool is_near_only; /* numbers that are far pass as often as they come */
};

static struct row row_of(const struct race_text *t, int cpus_max)
{
	struct row r = { t->name, t->width, t->ring_shift, .cpus_cnt = 0 };
	int cnt = parse_calls(t->calls, r.calls, CALLS_MAX);

	parse_calls(t->before, r.before, BEFORE_MAX - 1);
	r.cpus_cnt = cnt < cpus_max ? cnt : cpus_max;
	return r;
}

static void tell_call(const char *when, const struct call *c)
{
	print_message("%s: %" PRIu64 "+%u at %" PRIu64 ", path %u of source %u\n", when, c->number,
		      c->more, c->now, c->path, c->source);
}

/* Says what the race is. */
static void tell_race(const struct row *r)
{
	print_message("%s, width %u, ring 2^%u\n", r->name, r->width, r->ring_shift);
	for (const struct call *c = r->before; c->now; c++)
		tell_call("before", c);
	for (int i = 0; i < CALLS_MAX && r->calls[i].now; i++)
		tell_call("call", &r->calls[i]);
}

static struct dedup_recovery recovery_of(const struct row *r)
{
	return (struct dedup_recovery){ .width = r->width,
					.ring_shift = r->ring_shift,
					.number_bits = r->width > 32 ? DEDUP_WIDTH_MAX : 32,
					.reset_jiffies = RESET };
}

/* A table with one bucket, and so many blocks for each source. */
static struct dedup_sources sources_of(const struct row *r, uint32_t slot_blocks)
{
	return (struct dedup_sources){ .slots = DEDUP_BUCKET_BLOCKS + 1,
				       .slot_blocks = slot_blocks,
				       .number_bits = recovery_of(r).number_bits,
				       .idle_jiffies = IDLE,
				       .buckets = DEDUP_BUCKET_BLOCKS,
				       .sources = SOURCES };
}

/* A number near one of these, or not: few different ones, at the edges of words, runs and laps. */
static uint64_t any_number(uint64_t *seed, uint32_t width)
{
	static const uint64_t AROUND[] = { 100, 112, 160, 256, 480, 5000, 65536, 1 << 20 };

	return (AROUND[random_below(seed, ARRAY_SIZE(AROUND))] - 3 + random_below(seed, 6)) &
	       ((1ULL << width) - 1);
}

/* A race of two in any state, at about one time. `packed`: packets have several messages, and come
 * by several paths.
 */
static void make_race(struct row *r, uint64_t *seed, uint32_t width, uint32_t ring_shift, bool packed)
{
	uint64_t mask = (1ULL << width) - 1, now = 10, number = any_number(seed, width);
	uint32_t cnt = 1 + random_below(seed, BEFORE_MAX - 1), source;

	*r = (struct row){ "any", width, ring_shift, .cpus_cnt = 2, .is_near_only = true };
	for (uint32_t i = 0; i < cnt; i++) {
		r->before[i] = (struct call){ number & mask, now, .source = !random_below(seed, 4) };
		if (packed) {
			r->before[i].more = random_below(seed, 4) ? 0 : random_below(seed, 40);
			r->before[i].path = random_below(seed, 3);
		}
		number = random_below(seed, 4) ? number + 1 : any_number(seed, width);
		now += random_below(seed, 3) ? 0 : random_below(seed, RESET + 3);
	}
	source = random_below(seed, 4) ? 0 : random_below(seed, 3);
	now += random_below(seed, 3) ? 0 : IDLE + 1;
	number = random_below(seed, 2) ? number + 1 : any_number(seed, width);
	for (int i = 0; i < r->cpus_cnt; i++) {
		r->calls[i] = (struct call){ number & mask, now + random_below(seed, 2),
					     .source = source };
		if (packed) {
			r->calls[i].more = random_below(seed, 4) ? 0 : random_below(seed, 40);
			r->calls[i].path = random_below(seed, 3);
		}
		if (!random_below(seed, 3))
			number++;
	}
	if (!random_below(seed, 4))
		r->calls[1] = (struct call){ .now = now, .source = HAND };
}
