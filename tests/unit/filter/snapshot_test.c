// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Snapshots of filters: what is in one comes back, with its age, whatever the hand and the packets
 * do while it is read; and what is not a snapshot, or not all of one, is refused.
 */
#include "unit.h"

#include "open_filter.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "diags.h"
#include "snapshot_file.h"
#include "layout.h"
#include "plan.h"
#include "predecessor.h"
#include "sim.h"

#define MS 1000000ULL
#define S (1000 * MS)
#define WINDOW S
#define IDS 4000

static char dir[] = "/tmp/snapshot_test.XXXXXX", path[64];

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir + strlen(dir) - 6, "XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/snapshot", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	diags_end();
	unlink(path);
	return rmdir(dir); /* fails if something was left beside it */
}

static struct filter_spec spec_for(enum dedup_layout layout, uint64_t capacity)
{
	struct filter_spec spec = sim_spec(capacity, 1e-6, WINDOW);

	spec.layout = layout;
	return spec;
}

/* The file's bytes, of a small filter; the caller frees them. */
static uint8_t *small_file(size_t *size)
{
	static struct snapshot_head h;
	struct filter_spec spec = spec_for(DEDUP_BLOCKED, 100);
	struct sim s;
	uint8_t *bytes;
	int fd;

	sim_start(&s, &spec, 1);
	for (uint64_t i = 0; i < 50; i++)
		sim_learn(&s, (uint64_t[]){ i, 2, 3, 4 });
	assert_int_equal(snapshot_save(&s.filter, path, NULL, &h), 0);
	sim_stop(&s);
	*size = h.file_bytes;
	bytes = malloc(*size);
	fd = open(path, O_RDONLY);
	assert_int_equal(read(fd, bytes, *size), *size);
	close(fd);
	return bytes;
}

static void write_file(const uint8_t *bytes, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
}

/* Opens and reads the file, which must be refused. */
static void assert_refused(const char *words)
{
	static struct snapshot snapshot;
	struct dedup_block *blocks;
	int err = snapshot_open(path, &snapshot);

	if (!err) {
		blocks = aligned_alloc(64, snapshot.head.config.memory.blocks * sizeof(*blocks));
		err = snapshot_read(&snapshot, blocks);
		free(blocks);
		snapshot_close(&snapshot);
	}
	assert_int_equal(err, -EBADMSG);
	if (!strstr(diags_last(), words))
		fail_msg("'%s' is not in: %s", words, diags_last());
}

/* A bit of each byte: in the memory through the file; in the head, of which there is much, also
 * where each check looks, and of its longest part only some.
 */
TEST_WITH(each_changed_byte_is_found, make_dir, remove_dir)
{
	size_t size;
	uint8_t *bytes = small_file(&size);
	struct snapshot_head *h = aligned_alloc(64, sizeof(*h));
	size_t streams = offsetof(struct snapshot_head, config.asked.streams);
	char says[SNAPSHOT_REFUSAL_MAX];

	diags_collect();
	for (size_t i = 0; i < sizeof(*h);
	     i += i - streams < sizeof(h->config.asked.streams) ? 97 : 1) {
		memcpy(h, bytes, sizeof(*h));
		((uint8_t *)h)[i] ^= 1 << i % 8;
		if (!snapshot_refusal(h, sizeof(*h), size, says))
			fail_msg("byte %zu of the head", i);
	}
	for (size_t i = sizeof(*h); i < size; i++) {
		bytes[i] ^= 1 << i % 8;
		write_file(bytes, size);
		assert_refused("it is damaged: its checksum is another one");
		bytes[i] ^= 1 << i % 8;
	}
	free(h);
	free(bytes);
}

TEST_WITH(is_private_and_each_cut_is_found, make_dir, remove_dir)
{
	size_t size;
	uint8_t *bytes = small_file(&size);
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_size, size);
	diags_collect();
	for (size_t cut = size - 1; cut < size; cut--) {
		assert_int_equal(truncate(path, cut), 0);
		assert_refused(cut < 8 ? "it is no snapshot" : "it is truncated");
	}
	write_file(bytes, size);
	assert_int_equal(truncate(path, size + 1), 0);
	assert_refused("something is behind its end");
	free(bytes);
}

/* With a checksum that is right. */
static void assert_head_refused(const struct snapshot_head *good, size_t offset, const void *value,
				size_t bytes, const char *words)
{
	static struct snapshot_head h;
	char says[SNAPSHOT_REFUSAL_MAX];
	const char *refusal;

	h = *good;
	memcpy((uint8_t *)&h + offset, value, bytes);
	h.sum = snapshot_head_sum(&h);
	refusal = snapshot_refusal(&h, sizeof(h), h.file_bytes, says);
	if (!refusal || !strstr(refusal, words))
		fail_msg("offset %zu: '%s' is not in: %s", offset, words, refusal ?: "(taken)");
}

#define FIELD(type, name, value)                                                            \
	do {                                                                                \
		type senseless = value;                                                     \
		assert_head_refused(good, offsetof(struct snapshot_head, name), &senseless, \
				    sizeof(senseless), "of no filter that there could be"); \
	} while (0)

TEST_WITH(senseless_values_are_refused, make_dir, remove_dir)
{
	size_t size;
	uint8_t *bytes = small_file(&size);
	struct snapshot_head *good = aligned_alloc(64, sizeof(*good));

	memcpy(good, bytes, sizeof(*good));
	assert_head_refused(good, 0, "xdpdedip", 8, "it is no snapshot");
	assert_head_refused(good, offsetof(struct snapshot_head, version), &(__u32){ 2 }, 4,
			    "version 2 with filters of format");
	assert_head_refused(good, offsetof(struct snapshot_head, format), &(__u32){ 99 }, 4,
			    "filters of format 99");
	FIELD(__u32, config.format, 99);
	FIELD(__u32, config.memory.layout, 3);
	FIELD(__u32, config.memory.hash, 6);
	FIELD(__u32, config.memory.hash, DEDUP_COLIBRI);
	FIELD(__u32, config.memory.blocks, 0);
	FIELD(__u32, config.memory.blocks, 0xffffffff);
	FIELD(__u32, config.memory.places, 0);
	FIELD(__u32, config.memory.places, good->config.memory.blocks + 1);
	FIELD(__u32, config.memory.words, 3);
	FIELD(__u32, config.memory.words, 8);
	FIELD(__u32, config.memory.bits, 0);
	FIELD(__u32, config.memory.bits, 6);
	FIELD(__u32, config.memory.k, good->config.memory.k + 1);
	FIELD(__u32, config.memory.segment_places, 0);
	FIELD(__u32, config.policy.id_bytes, 0);
	FIELD(__u32, config.policy.id_bytes, 65);
	FIELD(__u32, config.memory.replay, 1);
	FIELD(__u32, config.memory.known_cnt, 64);
	FIELD(__u32, config.has_predecessor, 1);
	FIELD(__u32, config.policy.streams_cnt, 17);
	FIELD(__u32, config.policy.ports_cnt, 33);
	FIELD(__u32, config.policy.to_cnt, 33);
	FIELD(__u32, config.policy.outer_to_first, 1);
	FIELD(__u32, config.policy.outer_to_cnt, 33);
	FIELD(__u32, config.policy.outer_to4_cnt, 1);
	FIELD(__u32, config.policy.action, 3);
	FIELD(__u64, config.memory.window_ns, 0);
	FIELD(__u64, config.memory.window_ns, UINT64_MAX);
	FIELD(__u64, config.memory.countdown_ns, 0);
	FIELD(__u64, config.memory.tick_ns, 0);
	FIELD(__u64, config.memory.full_ids, 0);
	FIELD(__u64, config.memory.turn_ids, UINT64_MAX);
	FIELD(__u32, config.asked.streams_cnt, 2);
	FIELD(__u32, config.asked.streams[0].ports_cnt, 33);
	FIELD(__u32, config.asked.streams[0].to_cnt, 33);
	FIELD(__u32, config.asked.streams[0].to4_cnt, 1);
	FIELD(__u32, config.asked.streams[0].stream.bytes, 0);
	FIELD(__u32, config.asked.streams[0].stream.layer, 3);
	FIELD(__u32, config.asked.layout, DEDUP_FLAT);
	FIELD(__u32, config.asked.hash, DEDUP_SIPHASH);
	FIELD(__u64, config.asked.window_ns, 0);
	FIELD(__u64, config.asked.drop_ns, UINT64_MAX);
	FIELD(__u32, config.asked.paths, 9);
	FIELD(__u8, config.asked.comment[0], 27);
	FIELD(__u32, config.asked.vlans_cnt, 33);
	FIELD(__u32, config.asked.outer_to_cnt, 33);
	FIELD(__u32, config.asked.outer_to4_cnt, 1);
	FIELD(__u32, config.asked.tunnels.kinds, UINT32_MAX);
	FIELD(__u64, config.asked.capacity, 0);
	FIELD(__u64, config.asked.fpr_e18, 0);
	FIELD(__u64, config.asked.fpr_e18, 1000000000000000001);
	FIELD(__u32, config.asked.hashes, DEDUP_HASHES_MAX + 1);
	FIELD(__u32, config.asked.bits, 8192); /* of flat */
	FIELD(__u32, config.asked.index_bits, 32);
	FIELD(__u32, config.asked.countdown_bits, 32);
	FIELD(__u64, file_bytes, size + 64);
	FIELD(__u64, hand, good->config.memory.places);
	assert_head_refused(good, offsetof(struct snapshot_head, ifnames), "0123456789abcdef", 16,
			    "of no filter");
	free(good);
	free(bytes);
}

/* The head that a snapshot of the planned filter has. Returns what plan_config() does. */
static int head_of_plan(const struct filter_spec *spec, unsigned int cpus, struct snapshot_head *h)
{
	*h = (struct snapshot_head){ .version = SNAPSHOT_VERSION,
				     .format = DEDUP_FORMAT,
				     .head_bytes = sizeof(*h) };
	memcpy(h->magic, SNAPSHOT_MAGIC, sizeof(h->magic));
	return plan_config(spec, cpus, 250, &h->config);
}

/* Completes the head of an undamaged file. */
static const char *refusal_of(struct snapshot_head *h, char says[SNAPSHOT_REFUSAL_MAX])
{
	h->config.memory.known_cnt = 0;
	h->file_bytes = sizeof(*h) + h->config.memory.blocks * (uint64_t)sizeof(struct dedup_block);
	h->sum = snapshot_head_sum(h);
	return snapshot_refusal(h, sizeof(*h), h->file_bytes, says);
}

/* Numbers that go together, but no plan of what was asked for has them. */
static const struct size_row {
	const char *name;
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	uint32_t asked_bits, asked_index_bits;
	uint32_t blocks, places, m, k; /* 0: as planned */
} SIZES[] = {
	{ "size-blocked", DEDUP_BLOCKED, .blocks = 1 << 23, .places = 1 << 23 },
	{ "size-flat", DEDUP_FLAT, .blocks = 1 << 23, .places = 1 << 22, .m = 1U << 31 },
	{ "size-flat-fips", DEDUP_FLAT, DEDUP_FIPS, .blocks = 160, .places = 80, .m = 40960 },
	{ "size-flat-asked", DEDUP_FLAT, .asked_bits = 8192, .blocks = 160, .places = 80, .m = 40960 },
	{ "size-flat-tezos", DEDUP_FLAT, DEDUP_TEZOS, .k = DEDUP_HASHES_MAX },
	{ "size-countdown", DEDUP_COUNTDOWN, .blocks = 1 << 20, .m = 1 << 24 },
	{ "size-countdown-asked", DEDUP_COUNTDOWN, .asked_index_bits = 17, .blocks = 1 << 16,
	  .m = 1 << 20 },
	{ "size-countdown-2^25", DEDUP_COUNTDOWN, .asked_index_bits = 24, .blocks = 1 << 21,
	  .m = 1 << 25 },
	{ "size-countdowns", DEDUP_COUNTDOWN, .places = (1 << 24) - 1 },
};

/* A file that is short on disk, as it is sparse, may not take more memory than was asked for. */
TEST_ROWS_WITH(memory_beyond_what_was_asked_is_refused, SIZES, make_dir, remove_dir)
{
	struct filter_spec spec = sim_spec(100, row->hash == DEDUP_FIPS ? 0.01 : 1e-6, WINDOW);
	static struct snapshot_head h;
	struct dedup_memory *m = &h.config.memory;
	char says[SNAPSHOT_REFUSAL_MAX];

	diags_collect();
	spec.layout = row->layout;
	spec.hash = row->hash;
	spec.bits = row->asked_bits;
	spec.index_bits = row->asked_index_bits;
	assert_int_equal(head_of_plan(&spec, 1, &h), 0);
	assert_null(refusal_of(&h, says));
	m->blocks = row->blocks ?: m->blocks;
	m->places = row->places ?: m->places;
	m->segment_places = m->layout == DEDUP_FLAT ? m->places : (m->places - 1) / DEDUP_MARKS + 1;
	m->m = row->m ?: m->m;
	m->k = row->k ?: m->k;
	assert_non_null(refusal_of(&h, says));
	write_file((uint8_t *)&h, sizeof(h));
	assert_int_equal(truncate(path, (off_t)h.file_bytes), 0);
	assert_refused("it is of no filter that there could be");
}

/* What was asked for is planned, and so it counts, not what was planned for it: no table is for
 * more sources than the most, and ids need a capacity.
 */
TEST(senseless_requests_are_refused)
{
	struct filter_spec spec = { .fpr_e18 = SPEC_FPR(1e-6), .window_ns = WINDOW, .streams_cnt = 1 };
	static struct snapshot_head h;
	char says[SNAPSHOT_REFUSAL_MAX];

	profile_stream(&spec.streams[0], "a",
		       "layer = udp\nsource = payload+8:4\nsequence = payload+2:2");
	assert_int_equal(head_of_plan(&spec, 1, &h), 0);
	assert_null(refusal_of(&h, says));
	h.config.asked.sources = SPEC_SOURCES_MAX + 1;
	assert_non_null(refusal_of(&h, says));
	h.config.asked.sources = spec.sources;
	assert_null(refusal_of(&h, says));
	h.config.asked.streams[0].numbered = (struct dedup_numbered){ 0 };
	assert_non_null(refusal_of(&h, says));
}

/* What any machine plans can be restored on any other. */
TEST(planned_sizes_are_taken)
{
	static const uint64_t CAPACITIES[] = { 1, 1000, 100000, 10000000, 3000000000 };
	static const double RATES[] = { 1e-15, 1e-6, 0.01, 0.2, 0.7 };
	static const unsigned int CPUS[] = { 1, 8192 };
	static const uint64_t WINDOWS[] = { SPEC_WINDOW_MIN_NS, 60 * S, SPEC_WINDOW_MAX_NS };
	static struct snapshot_head h;
	char says[SNAPSHOT_REFUSAL_MAX];
	int planned = 0;

	for (size_t i = 0; i < ARRAY_SIZE(CAPACITIES) * ARRAY_SIZE(RATES) * 6 * 18; i++) {
		struct filter_spec spec =
			sim_spec(CAPACITIES[i % 5], RATES[i / 5 % 5], WINDOWS[i / 50 % 3]);
		const char *refusal;

		spec.layout = i / 150 % 3;
		spec.hash = i / 450;
		if ((spec.layout == DEDUP_BLOCKED && spec.hash >= DEDUP_COLIBRI) ||
		    head_of_plan(&spec, CPUS[i / 25 % 2], &h))
			continue;
		planned++;
		refusal = refusal_of(&h, says);
		if (refusal)
			fail_msg("%s, %s, %llu ids, rate %g, window %g s, %u CPUs: %s",
				 layout_of(spec.layout)->name, hash_name(spec.hash), spec.capacity,
				 spec_fpr(&spec), spec.window_ns / 1e9, CPUS[i / 25 % 2], refusal);
	}
	assert_true(planned > 200);
	print_message("# %d filters\n", planned);
}

static const struct clock_row {
	const char *name;
	int64_t wall_ns, boot_ns, hand_ns; /* how much later they are */
	const char *boot, *machine;	   /* saved: "a", "m" */
	uint64_t elapsed_ns;
} CLOCKS[] = {
	{ "same-boot", 5, 5, 5, "a", "m", 5 },
	{ "wall-set-back", -100, 5, 4, "a", "m", 5 },
	{ "wall-set-forward", 100, 5, 5, "a", "m", 100 },
	{ "suspended", 5, 5, 1, "a", "m", 5 },
	{ "other-time-namespace", -100, -50, 7, "a", "m", 7 },
	{ "nothing-went-on", -1, -1, -1, "a", "m", 0 },
	{ "rebooted", 5000, -900, -900, "b", "m", 5000 },
	{ "rebooted-and-set-back", -5000, -900, -900, "b", "m", 100 },
	{ "rebooted-up-for-longer", 1, 2000, 2000, "b", "m", 3000 },
	{ "machine-unknown", 1, 2000, 2000, "b", "", 3000 },
	{ "other-machine", 7, 2000, 2000, "b", "n", 7 },
	{ "other-machine-behind", -7, 2000, 2000, "b", "n", 0 },
};

TEST_ROWS(clocks, CLOCKS)
{
	struct snapshot_moment saved = { 100000, 1000, 1000, "a", "m" }, now = saved;

	now.wall_ns += row->wall_ns;
	now.boot_ns += row->boot_ns;
	now.hand_ns += row->hand_ns;
	strcpy(now.boot, row->boot);
	strcpy(now.machine, row->machine);
	assert_int_equal(snapshot_elapsed(&saved, &now), row->elapsed_ns);
}

/* A filter under traffic, and its snapshot. */
struct run {
	struct sim s, restored;
	uint64_t seed, learned_ns[IDS]; /* 0: not learned */
	int cnt;
};

static const uint64_t *id_of(int n, uint64_t id[4])
{
	id[0] = n + 1;
	id[1] = id[2] = id[3] = ~(uint64_t)n;
	return id;
}

static void learn(struct run *r)
{
	uint64_t id[4];

	if (r->cnt < IDS && sim_learn(&r->s, id_of(r->cnt, id)) == 0)
		r->learned_ns[r->cnt] = r->s.now_ns;
	r->cnt += r->cnt < IDS;
}

/* Ids come, and the hand goes, for so long. */
static void go_on(struct run *r, uint64_t ns, int ids_a_step)
{
	uint64_t end = r->s.now_ns + ns;

	while (r->s.now_ns < end) {
		for (int i = 0; i < ids_a_step; i++)
			learn(r);
		r->s.now_ns += sim_step(&r->s);
	}
}

static const struct meanwhile {
	const char *name;
	uint64_t ns;	/* between two chunks */
	int ids_a_step; /* which come */
	int rotations;	/* the hand goes round so often, by requests */
	bool in_time;	/* ids get older by the clock alone */
} MEANWHILES[] = {
	{ "at-rest", 0, 0, 0, true },
	{ "packets-come", WINDOW / 50, 1, 0, true },
	{ "disk-is-slow", WINDOW / 2, 1, 0, true },
	{ "hand-is-fast", WINDOW / 100, 4, 2, false },
	{ "overload", WINDOW / 100, 40, 0, false },
};

static void happen(struct run *r, const struct meanwhile *m)
{
	for (int i = 0; i < (m->rotations ?: 1); i++) {
		if (m->rotations)
			dedup_hand_rotate(&r->s.state, &r->s.config);
		go_on(r, m->ns, m->ids_a_step);
	}
}

/* Makes the snapshot as snapshot_save() does, while between any two chunks this happens. */
static void take(struct run *r, const struct meanwhile *meanwhile, struct snapshot_head *h,
		 struct dedup_block *blocks)
{
	const struct snapshot_moment now = { .wall_ns = 1, .boot_ns = 1, .hand_ns = r->s.now_ns };
	uint32_t all = r->s.config.memory.blocks, chunk = all / 7 + 1;

	assert_int_equal(snapshot_take(&r->s.filter, &now, h), 0);
	for (uint32_t i = 0; i < all; i += chunk) {
		uint32_t cnt = all - i < chunk ? all - i : chunk;

		happen(r, meanwhile);
		memcpy(&blocks[i], &r->s.filter.blocks[i], cnt * sizeof(*blocks));
		snapshot_rewind(h, r->s.state.hand, &blocks[i], cnt);
	}
	snapshot_finish(&r->s.filter, h);
}

/* Each id lives for at least a window, if it came before the moment and nothing made the hand
 * hurry, and at most two and the hand's ticks. Returns how many are known.
 */
static int assert_ages(const struct run *r, uint64_t moment_ns, uint64_t now_ns, bool in_time)
{
	uint64_t slack = 2 * r->s.config.memory.tick_ns + WINDOW / 64;
	int known = 0;

	for (int i = 0; i < r->cnt; i++) {
		uint64_t id[4], age = now_ns - r->learned_ns[i];
		bool knows = sim_knows(&r->restored, id_of(i, id));

		known += knows && r->learned_ns[i];
		if (knows && r->learned_ns[i] && age > 2 * WINDOW + slack)
			fail_msg("id %d is known after %g s", i, age / 1e9);
		if (!knows && in_time && r->learned_ns[i] && r->learned_ns[i] < moment_ns &&
		    age < WINDOW)
			fail_msg("id %d is unknown after %g s", i, age / 1e9);
	}
	return known;
}

/* Restores the snapshot after this time, and goes on until every id is forgotten. */
static void restore(struct run *r, const struct snapshot_head *h, const struct dedup_block *blocks,
		    uint64_t elapsed_ns, bool in_time)
{
	uint64_t moment_ns = h->moment.hand_ns, now_ns = moment_ns + elapsed_ns;
	size_t bytes = h->config.memory.blocks * sizeof(*blocks);

	memset(&r->restored, 0, sizeof(r->restored));
	r->restored.config = h->config;
	r->restored.filter = (struct filter){ .config = &r->restored.config,
					      .state = &r->restored.state,
					      .blocks = aligned_alloc(64, bytes),
					      .stats_fd = -1 };
	memcpy(r->restored.filter.blocks, blocks, bytes);
	snapshot_state(h, now_ns, elapsed_ns, &r->restored.state);
	snapshot_age(h, now_ns, elapsed_ns, &r->restored.state, r->restored.filter.blocks);
	/* the time away is no lateness of the hand */
	assert_int_equal(r->restored.state.early, 0);
	assert_int_equal(r->restored.state.late, 0);
	r->restored.now_ns = now_ns;
	assert_ages(r, moment_ns, now_ns, in_time);
	if (dedup_is_forgotten(&r->restored.state))
		assert_true(elapsed_ns > WINDOW);
	while (!dedup_is_forgotten(&r->restored.state)) {
		sim_run_until(&r->restored, r->restored.now_ns + WINDOW / 16);
		assert_ages(r, moment_ns, r->restored.now_ns, in_time);
		assert_true(r->restored.now_ns < h->moment.hand_ns + 3 * WINDOW + elapsed_ns);
	}
	assert_int_equal(assert_ages(r, moment_ns, r->restored.now_ns, false), 0);
	sim_stop(&r->restored);
}

TEST_ROWS(ages_go_on, MEANWHILES)
{
	static struct snapshot_head h;
	static struct run r;

	for (int round = 0; round < 60; round++) {
		enum dedup_layout layout = round % 3;
		struct filter_spec spec = spec_for(layout, row->in_time ? 2 * IDS : IDS / 8);
		struct dedup_block *blocks;
		uint64_t elapsed_ns;

		memset(&r, 0, sizeof(r));
		r.seed = round;
		sim_start(&r.s, &spec, round);
		go_on(&r, random_next(&r.seed) % (3 * WINDOW), 1);
		blocks = aligned_alloc(64, r.s.config.memory.blocks * sizeof(*blocks));
		take(&r, row, &h, blocks);
		/* It cannot be restored before it was read. */
		elapsed_ns = r.s.now_ns - h.moment.hand_ns + random_next(&r.seed) % (WINDOW * 3 / 2);
		restore(&r, &h, blocks, elapsed_ns, row->in_time);
		free(blocks);
		sim_stop(&r.s);
	}
}

/* Of an old snapshot nothing is left; of a new one all. */
TEST(old_ones_are_forgotten)
{
	static const uint64_t ELAPSED[] = { 3 * WINDOW, UINT64_MAX, 0 };
	static struct snapshot_head h;
	static struct run r;

	for (int layout = 0; layout < 3; layout++) {
		struct filter_spec spec = spec_for(layout, 3000);
		struct dedup_block *blocks;
		struct dedup_state st;

		memset(&r, 0, sizeof(r));
		sim_start(&r.s, &spec, 7);
		go_on(&r, 2 * WINDOW, 1);
		blocks = aligned_alloc(64, r.s.config.memory.blocks * sizeof(*blocks));
		take(&r, &MEANWHILES[0], &h, blocks);
		for (size_t i = 0; i < ARRAY_SIZE(ELAPSED); i++) {
			snapshot_state(&h, 5 * S, ELAPSED[i], &st);
			snapshot_age(&h, 5 * S, ELAPSED[i], &st, blocks);
			assert_int_equal(dedup_is_forgotten(&st), ELAPSED[i] > 0);
		}
		free(blocks);
		sim_stop(&r.s);
	}
}

/* A memory that gets a successor with ids has as much less room: here each learned a generation. */
TEST(ids_of_a_successor_count)
{
	struct filter_spec spec = spec_for(DEDUP_BLOCKED, 1000);
	struct snapshot_moment now = { .hand_ns = S };
	static struct snapshot_head h;
	struct dedup_state st;
	struct dedup_config twice;
	struct snapshot_ids ids;
	struct sim s;

	sim_start(&s, &spec, 1);
	s.state.learned = 800;
	sim_pass(&s, s.config.memory.places);
	s.state.learned = 1700;
	assert_int_equal(snapshot_take(&s.filter, &now, &h), 0);
	snapshot_finish(&s.filter, &h);
	ids = snapshot_ids(&h);
	assert_int_equal(ids.younger, 900);
	assert_int_equal(ids.older, 800);
	snapshot_state(&h, S, 0, &st);
	snapshot_add_ids(&h, (struct snapshot_ids){ 90, 10 }, &s.config, &st, s.filter.blocks);
	assert_int_equal(st.passed, s.state.passed);
	snapshot_state(&h, S, 0, &st);
	snapshot_add_ids(&h, (struct snapshot_ids){ 1000, 10 }, &s.config, &st, s.filter.blocks);
	assert_int_equal(st.passed, s.state.passed + s.config.memory.places);
	snapshot_state(&h, S, 0, &st);
	snapshot_add_ids(&h, (struct snapshot_ids){ 1100, 1100 }, &s.config, &st, s.filter.blocks);
	assert_true(dedup_is_forgotten(&st));
	/* One twice as large may have twice as many. */
	twice = s.config;
	twice.memory.turn_ids *= 2;
	twice.memory.full_ids *= 2;
	snapshot_state(&h, S, 0, &st);
	snapshot_add_ids(&h, (struct snapshot_ids){ 150, 30 }, &twice, &st, s.filter.blocks);
	assert_int_equal(st.passed, s.state.passed);
	sim_stop(&s);
}

/* Cells as the hand and packets may have left them since. */
TEST(cells_are_settled)
{
	static const __u32 THEN = 2 * 15 + 3, NOW = THEN + 4;
	static const __u32 CELLS[][2] = {
		{ THEN - 5, THEN },	  /* at 0 for long */
		{ THEN + 4, THEN },	  /* at 0, and swept since */
		{ THEN + 3, THEN },	  /* it was not, but is now */
		{ THEN + 5, THEN + 5 },	  /* it is as it was */
		{ THEN + 15, THEN + 15 }, /* set at the moment */
		{ NOW + 15, THEN + 15 },  /* set since */
	};
	static struct snapshot_head h = { .hand = 2ULL << 32 | 3,
					  .config = { .memory.layout = DEDUP_COUNTDOWN,
						      .memory.places = 15 } };
	struct dedup_block b = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(CELLS); i++)
		b.cell[i] = CELLS[i][0];
	snapshot_rewind(&h, 2ULL << 32 | 7, &b, 1);
	for (size_t i = 0; i < ARRAY_SIZE(CELLS); i++)
		assert_int_equal(b.cell[i], CELLS[i][1]);
}

/* What it has cleared already would be learned into before it is read. */
TEST(array_is_not_taken_while_it_is_cleared)
{
	struct filter_spec spec = spec_for(DEDUP_FLAT, 100);
	static const struct snapshot_moment NOW;
	static struct snapshot_head h;
	struct sim s;

	sim_start(&s, &spec, 1);
	s.state.hand = s.state.passed = 1;
	assert_int_equal(snapshot_take(&s.filter, &NOW, &h), -EAGAIN);
	sim_stop(&s);
}

UNIT_MAIN()
