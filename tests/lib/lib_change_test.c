// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* libxdp-dedup on a filter that is changed while it is open: the answers are the packet program's,
 * each key is let through once, and what was there before is let go.
 */
#include "lib_runner.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include <bpf/bpf.h>

#include "clock.h"
#include "output.h"

/* The packet program as it is pinned now, and the maps of now to look into. */
static void look_again(void)
{
	struct xdp_dedup_filter *f = lib.f;

	lib.f = NULL;
	lib_let_go();
	lib_take(LIB_NAME);
	xdp_dedup_close(lib.f); /* another one; the one that is tested stays */
	lib.f = f;
}

static bool batch_knows(const struct id *id)
{
	const struct xdp_dedup_id one = { id->bytes, sizeof(id->bytes) };
	int result;
	size_t duplicates = xdp_dedup_check_and_add_many(lib.f, &one, 1, &result);

	assert_true(result >= 0);
	assert_int_equal(duplicates, result);
	return result;
}

/* Both answer alike of what was known before, and of what either learns now. */
static void check_answers(const struct id *old, int cnt)
{
	struct id id = id_fresh();

	for (int i = 0; i < cnt; i++) {
		assert_int_equal(lib_asked(&old[i]), 1);
		assert_int_equal(lib_seen(&old[i]), 1);
		assert_true(batch_knows(&old[i]));
		assert_true(lib_packet_dropped(&old[i]));
	}
	assert_int_equal(lib_asked(&id), 0);
	assert_int_equal(lib_seen(&id), 0);
	assert_true(lib_packet_dropped(&id));
	id = id_fresh();
	assert_int_equal(lib_added(&id), 0);
	assert_true(lib_packet_dropped(&id));
	id = id_fresh();
	assert_false(batch_knows(&id));
	assert_true(lib_packet_dropped(&id));
	id = id_fresh();
	assert_false(lib_packet_dropped(&id));
	assert_int_equal(lib_asked(&id), 1);
	assert_true(batch_knows(&id));
	assert_int_equal(lib_wanted(&id), 1);
	assert_false(lib_packet_dropped(&id)); /* once */
	assert_true(lib_packet_dropped(&id));
}

#define OLD 20

static void learn_some(struct id *old)
{
	for (int i = 0; i < OLD; i++) {
		old[i] = id_fresh();
		if (i % 2)
			assert_int_equal(lib_added(&old[i]), 0);
		else
			assert_false(lib_packet_dropped(&old[i]));
	}
}

/* Its statistics are those of status. */
static void check_stats(void)
{
	struct xdp_dedup_stats s;
	json_object *o, *before;

	assert_int_equal(xdp_dedup_stats_exact(lib.f, &s, sizeof(s)), 0);
	o = json_of("$XD status " LIB_NAME " --json --exact");
	before = member(o, "predecessor");
	assert_true(s.rx == number(member(o, "counters"), "rx"));
	assert_true(s.capacity == number(o, "capacity"));
	assert_true(s.predecessor_bytes == (before ? number(before, "filter_bytes") : 0));
	assert_true(s.fpr_estimate >= 0 && s.fpr_estimate < 1e-6);
	json_object_put(o);
}

TEST(kind_follows_set)
{
	struct xdp_dedup_counters c;
	struct id old[OLD];

	learn_some(old);
	e2e_tool("set " LIB_NAME " --action count");
	for (int i = 0; i < OLD; i++)
		assert_int_equal(lib_asked(&old[i]), 1);
	look_again();
	assert_int_equal(xdp_dedup_counters(lib.f, &c, sizeof(c)), 0);
	assert_false(lib_packet_dropped(&old[0])); /* counted only */
	check_stats();
	assert_int_equal(xdp_dedup_counters(lib.f, &c, sizeof(c)), 0);
	assert_true(c.duplicate == 1 && c.fresh == OLD / 2 && !c.dropped);
	e2e_tool("set " LIB_NAME " --action drop");
	look_again();
	check_answers(old, OLD);
	check_stats();
}

static const char *const LAYOUTS[] = { "blocked", "flat", "countdown" };

static const struct pair {
	const char *name;
	int from, to;
} PAIRS[] = {
	{ "resize-blocked-blocked", 0, 0 },	{ "resize-blocked-flat", 0, 1 },
	{ "resize-blocked-countdown", 0, 2 },	{ "resize-flat-blocked", 1, 0 },
	{ "resize-flat-flat", 1, 1 },		{ "resize-flat-countdown", 1, 2 },
	{ "resize-countdown-blocked", 2, 0 },	{ "resize-countdown-flat", 2, 1 },
	{ "resize-countdown-countdown", 2, 2 },
};

TEST_ROWS(run_pair, PAIRS)
{
	struct id old[OLD], id;
	char options[64];
	int removed;

	snprintf(options, sizeof(options), "--layout %s", LAYOUTS[row->from]);
	lib_load(options);
	learn_some(old);
	e2e_tool("resize " LIB_NAME " --capacity 30k --layout %s", LAYOUTS[row->to]);
	look_again();
	check_answers(old, OLD);
	check_stats();
	/* Of both, where both layouts can. */
	removed = xdp_dedup_remove(lib.f, old[0].bytes, 32);
	assert_int_equal(removed, row->to != 2 ? -EOPNOTSUPP : row->from != 2 ? -EBUSY : 1);
	assert_int_equal(lib_asked(&old[0]), removed != 1);
	assert_int_equal(lib_packet_dropped(&old[0]), removed != 1);
	/* What is added again is known as long as a new id, in layout countdown. */
	id = old[1];
	assert_int_equal(lib_added(&id), 1);
	e2e_tool("resize " LIB_NAME " --capacity 20k --forget");
	assert_int_equal(lib_asked(&old[2]), 0); /* was only the first one's */
	assert_int_equal(lib_asked(&id), row->to == 2);
}

/* The maps of filters that this process has mapped. */
static int mapped(void)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");
	int cnt = 0;

	assert_non_null(maps);
	while (fgets(line, sizeof(line), maps))
		cnt += strstr(line, "bpf-map") != NULL;
	fclose(maps);
	return cnt;
}

TEST(lets_go_of_what_was_there)
{
	struct id old[OLD];
	int before;

	lib_load("--window 300ms");
	before = mapped();
	learn_some(old);
	for (int i = 0; i < 8; i++) {
		e2e_tool("set " LIB_NAME " --action %s", i % 2 ? "drop" : "count");
		lib_asked(&old[0]);
		assert_int_equal(mapped(), before);
	}
	e2e_tool("resize " LIB_NAME " --capacity 30k");
	lib_asked(&old[0]);
	/* lib.raw has the old ones; of a predecessor there is no record. */
	assert_int_equal(mapped(), before + before / 2 - 1);
	usleep(1000000);
	e2e_tool("refresh " LIB_NAME); /* the predecessor goes */
	lib_asked(&old[0]);
	assert_int_equal(mapped(), before);
}

/* Another filter of that name is not taken for what became of this one. */
TEST(keeps_to_its_filter)
{
	struct id id = id_fresh();
	int result;

	lib_load("");
	e2e_tool("set " LIB_NAME " --action count");
	e2e_tool("unload --all");
	e2e_tool("load ve0 --name " LIB_NAME " --port %d", GOSSIP_PORT);
	result = lib_seen(&id);
	assert_true(!result || result == -ESTALE);
	look_again();
	assert_false(lib_packet_dropped(&id));
}

/* A filter that a newer version took over cannot be read: no id is reported as known. The filter
 * of this version goes on as across any change.
 */
TEST(upgrades)
{
	struct xdp_dedup_filter *again;
	struct id old = id_fresh(), id = id_fresh();

	lib_load("");
	assert_int_equal(lib_added(&old), 0);
	e2e_tool("load --replace --name " LIB_NAME);
	assert_int_equal(lib_asked(&old), 1);
	sh("%s load --replace --name " LIB_NAME, next_tool());
	assert_int_equal(lib_asked(&old), -ESTALE);
	assert_int_equal(lib_seen(&id), -ESTALE);
	assert_int_equal(lib_added(&id), -ESTALE);
	assert_int_equal(xdp_dedup_open(LIB_NAME, &again), -EPROTO);
}

#define EVENT "0123456789abcdef0123456789abcdef" /* an id of discv4 */
#define SHORT_IDS \
	" --profiles /dev/stdin <<END\n[profile short]\nlayer = udp\nid = payload+2:10\nEND\n"

TEST(keeps_to_its_stream)
{
	struct xdp_dedup_filter *named;
	struct xdp_dedup_stats s;

	lib_let_go();
	e2e_tool("unload --all");
	e2e_tool("load ve0 --name " LIB_NAME " --profile discv4:30303");
	lib_take(LIB_NAME);
	assert_int_equal(xdp_dedup_open(LIB_NAME "/discv4", &named), 0);
	assert_int_equal(xdp_dedup_add(lib.f, EVENT, 32), 0);
	e2e_tool("set " LIB_NAME " --profile short:5004 --profile discv4:30303" SHORT_IDS);
	assert_int_equal(xdp_dedup_test(lib.f, EVENT, 32), 1);
	assert_int_equal(xdp_dedup_test(named, EVENT, 32), 1);
	e2e_tool("set " LIB_NAME " --profile short:5004" SHORT_IDS);
	assert_int_equal(xdp_dedup_test(named, EVENT, 32), 1);
	assert_int_equal(xdp_dedup_stats(named, &s, sizeof(s)), -ENOENT);
	assert_int_equal(xdp_dedup_test(lib.f, EVENT, 32), -EINVAL); /* too long */
	xdp_dedup_close(named);
}

/* Threads ask for the same keys at once, while the filter is changed again and again. */

#define THREADS 3
#define KEYS_MAX 2000000
#define AHEAD 32
#define CHANGES 5
#define RACE_WINDOW_NS 1000000000ULL

static struct {
	_Atomic uint64_t new_ns[KEYS_MAX]; /* just before a key was last told new; 0: never */
	atomic_int at[THREADS];
	atomic_int failed, forgot, twice, late;
	atomic_bool stop;
	pthread_t threads[THREADS];
	int threads_cnt;
} race;

static int slowest(void)
{
	int least = KEYS_MAX;

	for (int i = 0; i < THREADS; i++)
		least = race.at[i] < least ? race.at[i] : least;
	return least;
}

/* On a machine that stands still a key may be asked for when its window is over: it is new again. */
static void note_new(int key, uint64_t before_ns)
{
	uint64_t last_ns = atomic_exchange(&race.new_ns[key], before_ns);

	if (last_ns && clock_ns(CLOCK_MONOTONIC) - last_ns < RACE_WINDOW_NS)
		race.twice++;
	else
		race.late += !!last_ns;
}

/* One of the threads asks in batches. */
static void ask_some(int first, bool batch)
{
	uint64_t before_ns = clock_ns(CLOCK_MONOTONIC);
	struct xdp_dedup_id ids[8];
	char key[8][XDP_DEDUP_ID_MAX];
	int results[8];

	for (int j = 0; j < 8; j++) {
		snprintf(key[j], sizeof(key[j]), "key %d", first + j);
		ids[j] = (struct xdp_dedup_id){ key[j], strlen(key[j]) };
	}
	if (batch)
		xdp_dedup_check_and_add_many(lib.f, ids, 8, results);
	for (int j = 0; j < 8; j++) {
		if (!batch)
			results[j] = xdp_dedup_check_and_add(lib.f, ids[j].bytes, ids[j].len);
		if (results[j] == 0)
			note_new(first + j, before_ns);
		race.failed += results[j] < 0;
		race.forgot += xdp_dedup_test(lib.f, ids[j].bytes, ids[j].len) != 1 &&
			       clock_ns(CLOCK_MONOTONIC) - before_ns < RACE_WINDOW_NS;
	}
}

static void *ask_along(void *arg)
{
	int n = (int)(long)arg;

	for (int i = 0; i < KEYS_MAX && !race.stop; i += 8) {
		while (i > slowest() + AHEAD && !race.stop)
			sched_yield();
		if (!n && i % 64 == 0)
			usleep(500); /* below the capacity */
		ask_some(i, n == 1);
		race.at[n] = i + 8;
	}
	return NULL;
}

static const struct changes {
	const char *name, *first, *second;
} CHANGES_ROWS[] = {
	{ "race-set", "set " LIB_NAME " --action count", "set " LIB_NAME " --action drop" },
	{ "race-resize", "resize " LIB_NAME " --wait --capacity 300k",
	  "resize " LIB_NAME " --wait --capacity 200k" },
	{ "race-layouts", "resize " LIB_NAME " --wait --capacity 200k --fpr 1e-6 --layout countdown",
	  "resize " LIB_NAME " --wait --capacity 200k --fpr 1e-6 --layout flat" },
};

/* Also of a test that failed meanwhile. */
static int end_race(void **state)
{
	(void)state;
	race.stop = true;
	while (race.threads_cnt)
		pthread_join(race.threads[--race.threads_cnt], NULL);
	return 0;
}

TEST_ROWS_WITH(run_race, CHANGES_ROWS, lib_setup_none, end_race)
{
	int asked, before;

	lib_load("--capacity 200k --window 1s");
	before = mapped();
	memset(&race, 0, sizeof(race));
	for (; race.threads_cnt < THREADS; race.threads_cnt++)
		assert_int_equal(pthread_create(&race.threads[race.threads_cnt], NULL, ask_along,
						(void *)(long)race.threads_cnt),
				 0);
	for (int i = 0; i < 2 * CHANGES; i++) {
		usleep(20000);
		e2e_tool("%s", i % 2 ? row->second : row->first);
	}
	usleep(20000);
	end_race(NULL);
	asked = slowest();
	for (int i = 0; i < asked; i++)
		if (!race.new_ns[i])
			fail_msg("key %d of %d was never new", i, asked);
	print_message("# %s: %d keys, %d came too late\n", row->name, asked, race.late);
	assert_true(asked > 1000);
	assert_int_equal(race.twice, 0);
	assert_int_equal(race.failed, 0);
	assert_int_equal(race.forgot, 0);
	usleep(20000);
	xdp_dedup_test(lib.f, "x", 1);
	assert_in_range(mapped(), before, 2 * before - before / 2); /* with one predecessor */
}

LIB_MAIN()
