// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Tezos' generational filter: its limits, its cells, and three recorded scripts that are
 * replayed step by step on a filter in this process and on one in the kernel.
 */
#include "layout_runner.h"

#include "countdown.h"
#include "ids.h"
#include "model_hash.h"
#include "open_filter.h"
#include "sim.h"
#include "layout.h"
#include "stats.h"
#include "fips_fixture.h"
#include "xdp-dedup.h"

#define FILTER_NAME "t"	  /* the fixture's */
#define NO_SUCH "nosuch0" /* interface */
#define HOUR_NS 3600000000000ULL
#define NEVER (1ULL << 60)

/* What the tool says to a filter of such cells. */
static int try_load(char *out, size_t size, uint32_t index_bits, uint32_t countdown_bits)
{
	return sh_out(out, size,
		      "%s load " NO_SUCH " --port 8001 --layout countdown --hash tezos --hashes 5 "
		      "--capacity 50 "
		      "--index-bits %u --countdown-bits %u",
		      tool(), index_bits, countdown_bits);
}

TEST(create_limits)
{
	json_object *rows = vectors_of("generational", "refused"), *row;
	char out[4096];

	for (size_t nth = 0; (row = vector_row(rows, nth)); nth++) {
		uint32_t index_bits = vector_number(row, "index_bits");
		bool index = index_bits == 0 || index_bits > 24;

		assert_int_not_equal(try_load(out, sizeof(out), index_bits,
					      vector_number(row, "countdown_bits")),
				     0);
		assert_non_null(strstr(out, index ? "--index-bits" : "--countdown-bits"));
		assert_null(strstr(out, NO_SUCH));
	}
	/* What is allowed gets as far as the interface, which is not there. */
	assert_int_not_equal(try_load(out, sizeof(out), 24, 24), 0);
	assert_non_null(strstr(out, NO_SUCH));
}

TEST(cells_are_the_vectors)
{
	json_object *rows = vectors_of("generational", "cells"), *row;

	for (size_t nth = 0; (row = vector_row(rows, nth)); nth++) {
		json_object *at = member(row, "at");
		struct dedup_config cfg = { .memory.layout = DEDUP_COUNTDOWN,
					    .memory.hash = DEDUP_TEZOS,
					    .policy.id_bytes = GSP_ID_BYTES };
		struct id id = vector_id(vector_number(row, "i"));
		uint32_t plain[MODEL_PROBES_MAX];
		struct dedup_positions p;
		struct dedup_id key = id_key(&id);

		cfg.memory.m = 1U << vector_number(row, "index_bits");
		cfg.memory.k = json_object_array_length(at);
		dedup_positions(&p, &key, cfg.policy.id_bytes, &cfg, 0);
		model_positions(&cfg, &id, plain);
		for (uint32_t i = 0; i < cfg.memory.k; i++) {
			assert_int_equal(p.index[i], vector_nth(at, i));
			assert_int_equal(plain[i], vector_nth(at, i));
		}
	}
}

/* A filter that a script is played on. */
struct player {
	const struct filter *filter;
	void (*add)(struct player *p, const struct id *id);
	bool (*mem)(struct player *p, const struct id *id);
	void (*pass)(struct player *p, uint32_t countdowns);
	struct sim sim;
};

static void check_state(struct player *p, json_object *step)
{
	const struct filter *f = p->filter;
	uint64_t *cells = calloc(f->config->memory.places + 1, sizeof(*cells));
	json_object *expected = member(step, "histogram");

	assert_true(stats_fill(f->config, f->blocks, f->state->hand, FILL_ALL).current ==
		    number(step, "fill"));
	assert_int_equal(json_object_array_length(expected), f->config->memory.places + 1);
	LAYOUT_COUNTDOWN.histogram(f->config, f->blocks, f->state->hand, FILL_ALL, cells);
	for (uint32_t left = 0; left <= f->config->memory.places; left++)
		assert_int_equal(cells[left], vector_nth(expected, left));
	free(cells);
}

static uint32_t step_number(json_object *step, const char *key, uint32_t otherwise)
{
	return json_object_object_get(step, key) ? vector_number(step, key) : otherwise;
}

static void play_step(struct player *p, json_object *step)
{
	const char *op = text(step, "op");
	uint32_t i = step_number(step, "i", 0), to = step_number(step, "to", i);
	struct id id = vector_id(i);

	if (!strcmp(op, "add"))
		for (; i <= to; id = vector_id(++i))
			p->add(p, &id);
	else if (!strcmp(op, "mem"))
		assert_int_equal(p->mem(p, &id), json_object_get_boolean(member(step, "want")));
	else if (!strcmp(op, "rem"))
		ids_remove((struct filter *)p->filter, id.bytes);
	else if (!strcmp(op, "countdown"))
		for (uint32_t n = step_number(step, "times", 1); n; n--)
			p->pass(p, 1);
	else if (!strcmp(op, "clear"))
		p->pass(p, p->filter->config->memory.places);
	else if (!strcmp(op, "state"))
		check_state(p, step);
	else
		fail_msg("there is no operation %s", op);
}

static void play(struct player *p, json_object *script)
{
	json_object *steps = member(script, "steps"), *step;

	for (size_t nth = 0; (step = vector_row(steps, nth)); nth++)
		play_step(p, step);
}

static void add_by_call(struct player *p, const struct id *id)
{
	assert_true(ids_add((struct filter *)p->filter, id->bytes) >= 0);
}

static bool mem_by_call(struct player *p, const struct id *id)
{
	return ids_test(p->filter, id->bytes);
}

static void pass_by_sim(struct player *p, uint32_t countdowns)
{
	sim_pass(&p->sim, countdowns);
}

static struct filter_spec script_spec(json_object *script)
{
	struct filter_spec spec = sim_spec(1000, 0.1, 1000000 * HOUR_NS);

	spec.layout = DEDUP_COUNTDOWN;
	spec.hash = DEDUP_TEZOS;
	spec.hashes = vector_number(script, "hashes");
	spec.index_bits = vector_number(script, "index_bits");
	spec.countdown_bits = vector_number(script, "countdown_bits");
	return spec;
}

/* Room for any number of ids, and no load drives the hand. */
static void start_sim(struct sim *s, const struct filter_spec *spec)
{
	sim_start(s, spec, 1);
	s->config.memory.turn_ids = s->config.memory.full_ids = NEVER;
	s->state.limit = NEVER;
}

TEST(scripts_in_this_process)
{
	json_object *scripts = vectors_of("generational", "scripts"), *script;

	for (size_t nth = 0; (script = vector_row(scripts, nth)); nth++) {
		struct filter_spec spec = script_spec(script);
		struct player p = { .add = add_by_call, .mem = mem_by_call, .pass = pass_by_sim };

		start_sim(&p.sim, &spec);
		p.filter = &p.sim.filter;
		play(&p, script);
		sim_stop(&p.sim);
	}
}

/* A packet of a known id is a duplicate and sets nothing: such an id the library adds. */
static void add_by_packet(struct player *p, const struct id *id)
{
	if (layout_run_ask(id))
		assert_int_equal(ids_add((struct filter *)p->filter, id->bytes), 1);
	else
		assert_false(layout_run_packet(id));
}

static bool mem_by_packet(struct player *p, const struct id *id)
{
	bool known = layout_run_ask(id);

	assert_int_equal(ids_test(p->filter, id->bytes), known);
	assert_int_equal(layout_run_ask(id), known);
	return known;
}

static void pass_by_kernel(struct player *p, uint32_t countdowns)
{
	(void)p;
	layout_run_pass(countdowns);
}

TEST(scripts_in_the_kernel)
{
	json_object *scripts = vectors_of("generational", "scripts"), *script;

	for (size_t nth = 0; (script = vector_row(scripts, nth)); nth++) {
		struct dedup_config cfg = layout_run_config(&(struct layout_parameters){
			.layout = DEDUP_COUNTDOWN,
			.hash = DEDUP_TEZOS,
			.k = vector_number(script, "hashes"),
			.index_bits = vector_number(script, "index_bits"),
			.countdown_bits = vector_number(script, "countdown_bits") });
		struct player p = { .filter = &fixture.filter,
				    .add = add_by_packet,
				    .mem = mem_by_packet,
				    .pass = pass_by_kernel };

		fixture_load(&cfg);
		play(&p, script);
		fixture_unload(state);
	}
}

/* Ids, and after how many countdowns each is gone: 0 if it was taken out. */
struct plain_count {
	struct id ids[512];
	uint32_t expires[512];
	uint32_t cnt, now;
};

static uint32_t alive(const struct plain_count *c)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < c->cnt; i++)
		cnt += c->expires[i] > c->now;
	return cnt;
}

/* Random adds and countdowns; with `takes`, ids are removed and added again too. Large: no
 * two ids share all cells of one.
 */
static void count_ids(uint32_t countdown_bits, bool takes)
{
	struct filter_spec spec = sim_spec(1000, 0.1, 1000000 * HOUR_NS);
	uint64_t seed = countdown_bits, count;
	struct plain_count c = { 0 };
	struct sim s;

	spec.layout = DEDUP_COUNTDOWN;
	spec.hashes = 9;
	spec.index_bits = 20;
	spec.countdown_bits = countdown_bits;
	start_sim(&s, &spec);
	while (c.cnt < ARRAY_SIZE(c.ids)) {
		uint32_t any = random_next(&seed) % (c.cnt + 1), op = random_next(&seed) % 8;

		if (op < 2 || !takes) {
			c.ids[c.cnt] = id_fresh();
			assert_int_equal(ids_add(&s.filter, c.ids[c.cnt].bytes), 0);
			c.expires[c.cnt++] = c.now + s.config.memory.places;
		} else if (any < c.cnt && op == 2) {
			ids_remove(&s.filter, c.ids[any].bytes);
			c.expires[any] = 0;
		} else if (any < c.cnt && op == 3) {
			ids_add(&s.filter, c.ids[any].bytes);
			c.expires[any] = c.now + s.config.memory.places;
		}
		for (uint32_t n = random_next(&seed) % (1 + s.config.memory.places / 64 % 8 + 1); n;
		     n--) {
			c.now++;
			sim_pass(&s, 1);
		}
		count = LAYOUT_COUNTDOWN.approx_count(&s.config, &s.state, 0);
		assert_true(takes ? count >= alive(&c) : count == alive(&c));
	}
	sim_stop(&s);
}

TEST(approx_count_is_exact_or_above)
{
	for (uint32_t bits = 1; bits <= 14; bits++) {
		if (bits <= 10)
			count_ids(bits, false);
		count_ids(bits, true);
	}
}

static struct xdp_dedup_stats stats_now(void)
{
	struct xdp_dedup_filter *f;
	struct xdp_dedup_stats s;

	assert_int_equal(xdp_dedup_open(FILTER_NAME, &f), 0);
	assert_int_equal(xdp_dedup_stats(f, &s, sizeof(s)), 0);
	xdp_dedup_close(f);
	return s;
}

/* What packets taught counts, also in a filter so large that CPUs take credit for many ids at once:
 * credit that they hold does not count.
 */
TEST(approx_count_of_packets)
{
	static const uint64_t CAPACITIES[] = { 1000, 100000, 1000000 };

	for (size_t c = 0; c < ARRAY_SIZE(CAPACITIES); c++) {
		struct dedup_config cfg =
			layout_run_config(&(struct layout_parameters){ .layout = DEDUP_COUNTDOWN,
								       .hash = DEDUP_TEZOS,
								       .k = 9,
								       .index_bits = 24,
								       .countdown_bits = 3,
								       .capacity = CAPACITIES[c],
								       .fpr = 0.1 });

		fixture_load(&cfg);
		for (uint32_t n = 1; n < 20; n++) {
			struct xdp_dedup_stats s;

			for (int i = 0; i < 10; i++) {
				struct id id = id_fresh();

				assert_false(layout_run_packet(&id));
			}
			s = stats_now();
			assert_int_equal(s.approx_count, 10 * (n < 7 ? n : 7));
			assert_int_equal(s.m, 1 << 24);
			assert_true(s.occupancy == (double)s.set_bits / s.m);
			layout_run_pass(1);
		}
		fixture_unload(state);
	}
}

ROOT_MAIN(NULL, fixture_unload)
