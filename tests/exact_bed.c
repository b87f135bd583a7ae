// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "exact_bed.h"

#include <errno.h>
#include <string.h>

#include "age.h"
#include "plan.h"
#include "units.h"

#define HOUR_NS 3600000000000ULL
#define CPUS 2
#define HZ 250
#define NEVER (1ULL << 60)
#define HALF_BITS 256

static void shape_blocked(struct dedup_config *cfg, const struct exact_shape *s)
{
	cfg->blocks = cfg->places = s->blocks;
	cfg->words = s->words;
	cfg->bits = s->bits;
	cfg->k = s->words * s->bits;
	cfg->segment_places = (s->blocks - 1) / DEDUP_MARKS + 1;
}

struct dedup_config exact_config(const struct exact_shape *s)
{
	struct filter_spec spec = { .capacity = s->capacity ?: 1000,
				    .fpr = s->fpr ? s->fpr : 1e-3,
				    .window_ns = 1000000 * HOUR_NS,
				    .layout = s->layout,
				    .hash = s->hash,
				    .bits = s->m,
				    .hashes = s->k,
				    .index_bits = s->index_bits,
				    .countdown_bits = s->countdown_bits };
	struct dedup_config cfg;

	assert_int_equal(parse_ports(RIG_PORTS, spec.ports, &spec.ports_cnt), 0);
	assert_int_equal(plan_config(&spec, CPUS, HZ, &cfg), 0);
	if (s->blocks)
		shape_blocked(&cfg, s);
	cfg.tick_ns = cfg.busy_tick_ns = 250000;
	cfg.stale_jiffies = UINT32_MAX;
	cfg.turn_ids = cfg.full_ids = NEVER;
	return cfg;
}

struct dedup_config exact_still_config(const struct exact_shape *s)
{
	struct dedup_config cfg = exact_config(s);

	cfg.tick_ns = cfg.busy_tick_ns = HOUR_NS;
	return cfg;
}

/* Where a hand stands that has passed so many places more. */
static uint64_t hand_after(uint64_t hand, uint64_t places)
{
	uint32_t circle = rig.filter.config->places;
	uint64_t passed = dedup_hand_pos(hand) + places;

	return (uint64_t)(uint32_t)(dedup_hand_epoch(hand) + passed / circle) << 32 | passed % circle;
}

void exact_pass(uint64_t places)
{
	struct dedup_state *st = rig.filter.state;
	uint64_t goal = hand_after(dedup_read(&st->hand), places);

	rig_await(&st->passed, dedup_hand_request(st, rig.filter.config, places, false));
	assert_int_equal(dedup_read(&st->hand), goal);
}

void exact_pass_rotation(void)
{
	const struct dedup_config *c = rig.filter.config;

	exact_pass(c->layout == DEDUP_COUNTDOWN ? 1 : c->places);
}

void exact_pass_reset(void)
{
	const struct dedup_config *c = rig.filter.config;

	exact_pass(c->layout == DEDUP_COUNTDOWN ? c->places : 2ULL * c->places);
}

void exact_pass_here(void)
{
	const struct dedup_config *c = rig.filter.config;
	struct dedup_state *st = rig.filter.state;
	uint64_t goal = hand_after(st->hand, c->layout == DEDUP_COUNTDOWN ? 1 : c->places);

	while (st->hand != goal) {
		uint32_t n = c->layout == DEDUP_COUNTDOWN ? 1 : c->segment_places, i = 0;

		if (n > c->places - dedup_hand_pos(st->hand))
			n = c->places - dedup_hand_pos(st->hand);
		do
			assert_int_equal(dedup_age(rig.filter.blocks, c, st->hand, i), 0);
		while (++i < n);
		dedup_hand_pass(st, c, &(struct dedup_pass){ .reason = DEDUP_BY_REQUEST }, n);
	}
}

static bool is_dropped(enum gsp_type type, const struct id *id)
{
	static struct frame frames[GSP_IHAVE + 1];
	struct frame *f = &frames[type];

	if (!f->len)
		frame_build(f, &(struct frame_plan){ .type = type, .count = 1 }, id);
	memcpy(f->data + f->gsp + sizeof(struct gsp_header), id, sizeof(*id));
	return rig_run(f) == XDP_DROP;
}

bool exact_packet(const struct id *id)
{
	return is_dropped(GSP_EVENT, id);
}

bool exact_ask(const struct id *id)
{
	return is_dropped(GSP_IHAVE, id);
}

/* Is this bit of a generation set? By address: bit x is bit x & 7 of byte x >> 3. */
static bool bit_is_set(bool current, uint32_t bit)
{
	const struct dedup_config *c = rig.filter.config;
	const uint8_t *bytes = (const uint8_t *)rig.filter.blocks;
	uint64_t array = (dedup_hand_epoch(rig.filter.state->hand) & 1) ^ !current, at = bit;

	if (c->layout == DEDUP_BLOCKED)
		at = (bit / HALF_BITS * 2 + array) * HALF_BITS + bit % HALF_BITS;
	else
		at += array * c->places * DEDUP_BLOCK_BITS;
	return bytes[at >> 3] >> (at & 7) & 1;
}

static void compare_bits(const struct exact *m)
{
	uint64_t bits = m->size, unused = 0;

	if (m->cfg->layout == DEDUP_FLAT)
		bits = m->cfg->places * (uint64_t)DEDUP_BLOCK_BITS;
	for (uint32_t i = 0; i < m->size; i++) {
		if (bit_is_set(true, i) != m->current[i] || bit_is_set(false, i) != m->previous[i])
			fail_msg("%s: bit %u is not the model's", rig.row, i);
	}
	for (uint32_t i = m->size; i < bits; i++)
		unused += bit_is_set(true, i) + bit_is_set(false, i);
	assert_int_equal(unused, 0);
}

static void compare_cells(const struct exact *m)
{
	const __u32 *cells = (const __u32 *)rig.filter.blocks;
	uint32_t max = m->cfg->places, now = dedup_countdowns(rig.filter.state->hand, max);

	for (uint32_t i = 0; i < m->size; i++)
		if (dedup_cell_left(cells[i], now, max) != m->left[i])
			fail_msg("%s: %u are left of cell %u, not %u", rig.row,
				 dedup_cell_left(cells[i], now, max), i, m->left[i]);
}

void exact_compare(const struct exact *m)
{
	if (m->cfg->layout == DEDUP_COUNTDOWN)
		compare_cells(m);
	else
		compare_bits(m);
}
