// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Every layout with every scheme: the packet program, the library and the plain model are given
 * equal ids, and must agree in every answer, every bit and every cell.
 */
#include "layout_runner.h"

#include "hand.h"
#include "ids.h"
#include "stats.h"

#define POOL 48
#define IDS_MIN tries(2000, 50000) /* for each layout and scheme; and lookups besides */

struct run {
	char row[32]; /* for messages */
	struct model_memory model;
	struct id pool[POOL];
	uint64_t seed;
	uint64_t by_kernel, by_library, lookups; /* ids, with all parameters of a combination */
	uint64_t counted[DEDUP_REASONS_CNT];	 /* what the kernel should have counted */
};

/* A fresh one; in one of four a word of 8 bytes is zero, one in four has 16 bytes, and one
 * in four differs in one bit only from another of the pool.
 */
static void renew(struct run *r, uint32_t at)
{
	struct id *id = &r->pool[at];

	*id = id_fresh();
	if (at % 4 == 1)
		memset(id->bytes + 16, 0, 16);
	if (at % 4 == 2) {
		*id = r->pool[at - 1 - random_below(&r->seed, 2)];
		id->bytes[random_below(&r->seed, GSP_ID_BYTES)] ^= 1 << random_below(&r->seed, 8);
	}
	if (at % 4 == 3)
		memset(id->bytes + 8 * random_below(&r->seed, 4), 0, 8);
}

static struct id any_id(struct run *r)
{
	struct id id = id_fresh();

	switch (random_below(&r->seed, 16)) {
	case 0:
		return NO_ID;
	case 1:
		memset(id.bytes + 16, 0, 16);
		return id;
	case 2:
		memset(id.bytes + 8 * random_below(&r->seed, 4), 0, 8);
		return id;
	case 3 ... 6:
		return id;
	default:
		return r->pool[random_below(&r->seed, POOL)];
	}
}

static void send_event(struct run *r)
{
	struct id id = any_id(r);
	int known = model_see(&r->model, &id);

	r->counted[known == 1	? DEDUP_REASON_duplicate
		   : known == 0 ? DEDUP_REASON_new
				: DEDUP_REASON_no_id]++;
	assert_int_equal(layout_run_packet(&id), known == 1);
	r->by_kernel++;
}

/* Mostly of few ids: of many, one is unknown nearly always. */
static void send_ihave(struct run *r)
{
	int count = 1 + (random_below(&r->seed, GSP_IDS_MAX) >> random_below(&r->seed, 6));
	enum dedup_reason reason = DEDUP_REASON_ihave_duplicate;
	struct id ids[GSP_IDS_MAX];
	struct frame f;

	for (int i = 0; i < count; i++)
		ids[i] = any_id(r);
	for (int i = 0; i < count && reason == DEDUP_REASON_ihave_duplicate; i++) {
		if (!memcmp(&ids[i], &NO_ID, sizeof(NO_ID)))
			reason = DEDUP_REASON_no_id;
		else if (!model_test(&r->model, &ids[i]))
			reason = DEDUP_REASON_ihave_new;
	}
	r->counted[reason]++;
	frame_build(&f, &(struct frame_plan){ .type = GSP_IHAVE, .count = count }, ids);
	assert_int_equal(fixture_run(&f), fixture_verdict(reason));
	r->by_kernel++;
}

static void see_here(struct run *r)
{
	struct id id = any_id(r);

	assert_int_equal(ids_see(&fixture.filter, id.bytes), model_see(&r->model, &id));
	r->by_library++;
}

static void add_here(struct run *r)
{
	struct id id = any_id(r);

	assert_int_equal(ids_add(&fixture.filter, id.bytes), model_add(&r->model, &id));
	r->by_library++;
}

static void see_many_here(struct run *r)
{
	uint8_t ids[IDS_AT_ONCE][DEDUP_ID_BYTES_MAX];
	unsigned int cnt = random_below(&r->seed, IDS_AT_ONCE + 1);
	int results[IDS_AT_ONCE];

	for (unsigned int i = 0; i < cnt; i++) {
		struct id id = any_id(r);

		memcpy(ids[i], &id, sizeof(id));
	}
	ids_see_many(&fixture.filter, ids, cnt, results);
	for (unsigned int i = 0; i < cnt; i++)
		assert_int_equal(results[i], model_see(&r->model, (struct id *)ids[i]));
	r->by_library += cnt;
}

static void remove_here(struct run *r)
{
	struct id id = any_id(r);
	bool can = ids_can_remove(&fixture.filter), none = !memcmp(&id, &NO_ID, sizeof(id));

	assert_int_equal(ids_remove(&fixture.filter, id.bytes),
			 can || none ? model_remove(&r->model, &id) : -EOPNOTSUPP);
	r->by_library++;
}

static void look_up_here(struct run *r, uint32_t cnt)
{
	for (uint32_t i = 0; i < cnt; i++) {
		struct id id = any_id(r);

		assert_int_equal(ids_test(&fixture.filter, id.bytes), model_test(&r->model, &id));
	}
	r->lookups += cnt;
}

static void any_operation(struct run *r)
{
	switch (random_below(&r->seed, 32)) {
	case 0 ... 21:
		return send_event(r);
	case 22 ... 25:
		return send_ihave(r);
	case 26 ... 27:
		return see_here(r);
	case 28 ... 29:
		return add_here(r);
	case 30:
		return remove_here(r);
	default:
		return see_many_here(r);
	}
}

/* Some segments, at most up to the circle's end. */
static void turn_in_part(struct run *r)
{
	const struct dedup_config *c = fixture.filter.config;
	uint32_t at = dedup_hand_pos(fixture.filter.state->hand), left = c->memory.places - at;
	uint32_t cnt = (1 + random_below(&r->seed, DEDUP_MARKS)) * c->memory.segment_places;

	cnt = cnt < left ? cnt : left;
	layout_run_pass(cnt);
	model_pass(&r->model, at, cnt);
}

/* The kernel's hand, now and then, or this process in its place. */
static void turn(struct run *r)
{
	switch (random_below(&r->seed, 32)) {
	case 0:
		if (fixture.filter.config->memory.places <= 2 * DEDUP_STEP_PLACES) {
			layout_run_pass_reset();
			model_reset(&r->model);
		}
		break;
	case 1 ... 3:
		layout_run_pass_rotation();
		model_rotate(&r->model);
		break;
	case 4 ... 11:
		if (fixture.filter.config->memory.layout == DEDUP_BLOCKED) {
			turn_in_part(r);
			break;
		}
		/* fall through */
	default:
		layout_run_pass_here();
		model_rotate(&r->model);
	}
}

static void check_counters(const struct run *r)
{
	const __u64 *counters = (const __u64 *)&fixture.seen;

	fixture_count();
	for (int i = 0; i < DEDUP_REASONS_CNT; i++)
		assert_int_equal(counters[i], r->counted[i]);
}

/* So many ids through one filter. How often it is turned follows its size: most of the
 * time some ids are known, some not, and some only seem to be.
 */
static void run_parameters(struct run *r, const struct layout_parameters *s, uint32_t known_cnt,
			   uint32_t ids)
{
	struct dedup_config cfg = layout_run_config(s);
	uint64_t end = r->by_kernel + r->by_library + ids, turn_every;
	uint32_t compare = 0;

	cfg.memory.known_cnt = known_cnt;
	fixture_load(&cfg);
	fixture.row = r->row;
	model_memory_start(&r->model, fixture.filter.config);
	memset(r->counted, 0, sizeof(r->counted));
	turn_every = 2 + r->model.size / (cfg.memory.k < 8 ? 8 : cfg.memory.k);
	if (cfg.memory.layout == DEDUP_COUNTDOWN)
		turn_every = 1 + turn_every / (1 + cfg.memory.places / 4);
	if (turn_every > ids / 16)
		turn_every = ids / 16;
	if (turn_every < r->model.size / 100)
		turn_every = ids / 8;
	for (uint64_t i = 0; r->by_kernel + r->by_library < end; i++) {
		for (int at = 0; at < POOL && i % 512 == 0; at++)
			renew(r, at);
		any_operation(r);
		if (random_below(&r->seed, turn_every) == 0)
			turn(r);
		if (++compare * 8 > ids && (compare = 0, true))
			layout_run_compare(&r->model);
	}
	layout_run_compare(&r->model);
	assert_int_equal(stats_fill(fixture.filter.config, fixture.filter.blocks,
				    fixture.filter.state->hand, FILL_ALL)
				 .set_current,
			 model_set(&r->model));
	check_counters(r);
	look_up_here(r, ids);
	model_memory_stop(&r->model);
	fixture_unload(NULL);
}

/* blocked: all words and bits. */
static const struct layout_parameters BLOCKED[] = {
	{ .blocks = 1, .words = 1, .bits = 1 },	   { .blocks = 1, .words = 4, .bits = 5 },
	{ .blocks = 7, .words = 2, .bits = 5 },	   { .blocks = 61, .words = 1, .bits = 4 },
	{ .blocks = 1009, .words = 4, .bits = 2 }, { .blocks = 9999, .words = 2, .bits = 4 },
	{ .blocks = 2, .words = 1, .bits = 2 },	   { .blocks = 61, .words = 4, .bits = 3 },
	{ .blocks = 1009, .words = 1, .bits = 5 }, { .blocks = 2, .words = 2, .bits = 3 },
	{ .blocks = 7, .words = 4, .bits = 1 },	   { .blocks = 100003, .words = 1, .bits = 3 },
};

/* flat: around words and blocks, from one bit on. tezos wants powers of 2. */
static const struct layout_parameters FLAT[] = {
	{ .m = 1, .k = 1 },   { .m = 63, .k = 1 },   { .m = 64, .k = 3 },  { .m = 65, .k = 32 },
	{ .m = 512, .k = 2 }, { .m = 9586, .k = 7 }, { .m = 513, .k = 5 }, { .m = 1000003, .k = 4 },
};
static const struct layout_parameters FLAT_TEZOS[] = {
	{ .m = 2, .k = 32 },
	{ .m = 64, .k = 3 },
	{ .m = 1024, .k = 25 },
	{ .m = 1 << 20, .k = 12 },
};

/* countdown: the extremes of each, tezos' 256 bits kept. */
static const struct layout_parameters COUNTDOWN[] = {
	{ .index_bits = 1, .k = 32, .countdown_bits = 24 },
	{ .index_bits = 2, .k = 2, .countdown_bits = 2 },
	{ .index_bits = 5, .k = 3, .countdown_bits = 13 },
	{ .index_bits = 8, .k = 32, .countdown_bits = 4 },
	{ .index_bits = 13, .k = 7, .countdown_bits = 1 },
	{ .index_bits = 24, .k = 10, .countdown_bits = 24 },
};

/* Entries of the known-id cache: none, and so few that ids evict each other. */
static const uint32_t KNOWN_CNT[] = { 64, 1, 0, 8, 4096 };

static const struct row {
	const char *name;
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	const struct layout_parameters *parameters;
	uint32_t cnt;
} ROWS[] = {
#define ROW(name, layout, hash, parameters)                                            \
	{                                                                              \
		name, DEDUP_##layout, DEDUP_##hash, parameters, ARRAY_SIZE(parameters) \
	}
	ROW("blocked-fast", BLOCKED, FAST, BLOCKED),
	ROW("blocked-siphash", BLOCKED, SIPHASH, BLOCKED),
	ROW("flat-fast", FLAT, FAST, FLAT),
	ROW("flat-siphash", FLAT, SIPHASH, FLAT),
	ROW("flat-colibri", FLAT, COLIBRI, FLAT),
	ROW("flat-fips", FLAT, FIPS, FLAT),
	ROW("flat-fnv1a", FLAT, FNV1A, FLAT),
	ROW("flat-tezos", FLAT, TEZOS, FLAT_TEZOS),
	ROW("countdown-fast", COUNTDOWN, FAST, COUNTDOWN),
	ROW("countdown-siphash", COUNTDOWN, SIPHASH, COUNTDOWN),
	ROW("countdown-colibri", COUNTDOWN, COLIBRI, COUNTDOWN),
	ROW("countdown-fips", COUNTDOWN, FIPS, COUNTDOWN),
	ROW("countdown-fnv1a", COUNTDOWN, FNV1A, COUNTDOWN),
	ROW("countdown-tezos", COUNTDOWN, TEZOS, COUNTDOWN),
};

static void agrees_with_the_model(void **state)
{
	const struct row *row = *state;
	struct run r = { .seed = row->layout * 16 + row->hash };
	uint32_t step = tries(2, 1);

	for (uint32_t i = 0; i < row->cnt; i += step) {
		struct layout_parameters s = row->parameters[i];

		s.layout = row->layout;
		s.hash = row->hash;
		snprintf(r.row, sizeof(r.row), "parameters %u", i);
		run_parameters(&r, &s, KNOWN_CNT[(i + row->hash) % ARRAY_SIZE(KNOWN_CNT)],
			       IDS_MIN * step / row->cnt + 1);
	}
	assert_true(r.by_kernel + r.by_library >= IDS_MIN && r.lookups >= IDS_MIN);
	assert_true(r.by_kernel >= IDS_MIN / 2);
}

int main(void)
{
	add_rows(ROWS, agrees_with_the_model, NULL, fixture_unload);
	return run_added_tests("differential");
}
