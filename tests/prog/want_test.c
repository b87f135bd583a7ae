// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Ids that are wanted though they are known: what the packet program and its hand make of them. */
#include "layout_runner.h"

#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include <bpf/bpf.h>

#include "slow_path.h"
#include "hash.h"
#include "ids.h"
#include "kernel.h"
#include "pair.h"
#include "want.h"
#include "layout.h"
#include "lost_packets.h"
#include "wanted.h"

#define MS 1000000ULL

typedef void (*try_fn)(void);

/* On a filter of each layout that stands still, its options changed by `change` if there is one. */
static void for_each_layout(void (*change)(struct dedup_config *cfg), try_fn try)
{
	for (int layout = DEDUP_BLOCKED; layout <= DEDUP_COUNTDOWN; layout++) {
		struct dedup_config cfg = layout_run_still_config(&LAYOUT_RUN_LARGE[layout]);

		if (change)
			change(&cfg);
		fixture_load(&cfg);
		fixture.row = layout_of(layout)->name;
		try();
		fixture_unload(NULL);
	}
}

static int want(const struct id *id)
{
	return want_id(&fixture.filter, id->bytes);
}

static void try_once(void)
{
	struct id ids[3], fresh = id_fresh(), ihave[2];

	fixture_learn(ids, 3);
	expect_event(&ids[0], XDP_DROP, DEDUP_REASON_duplicate);
	for (int i = 0; i < 2; i++) { /* wanted twice they pass once */
		assert_int_equal(want(&ids[0]), 1);
		assert_int_equal(want(&ids[1]), 1);
	}
	/* An IHAVE passes, and takes nothing out, wherever the id is in it. */
	ihave[0] = ids[2], ihave[1] = ids[0];
	for (int i = 0; i < 3; i++) {
		expect_ihave(&ids[0], 1, XDP_PASS, DEDUP_REASON_ihave_new);
		expect_ihave(ihave, 2, XDP_PASS, DEDUP_REASON_ihave_new);
		expect_ihave(&ids[2], 1, XDP_DROP, DEDUP_REASON_ihave_duplicate);
		expect_event(&ids[2], XDP_DROP, DEDUP_REASON_duplicate);
	}
	expect_event(&ids[0], XDP_PASS, DEDUP_REASON_wanted);
	expect_event(&ids[0], XDP_DROP, DEDUP_REASON_duplicate);
	expect_ihave(ihave, 2, XDP_DROP, DEDUP_REASON_ihave_duplicate);
	/* Others are what they were. */
	expect_event(&NO_ID, XDP_PASS, DEDUP_REASON_no_id);
	expect_event(&fresh, XDP_PASS, DEDUP_REASON_new);
	expect_event(&fresh, XDP_DROP, DEDUP_REASON_duplicate);
	expect_event(&ids[1], XDP_PASS, DEDUP_REASON_wanted);
	expect_event(&ids[1], XDP_DROP, DEDUP_REASON_duplicate);
}

TEST(a_wanted_event_passes_once)
{
	for_each_layout(NULL, try_once);
}

static void try_unknown(void)
{
	struct id id = id_fresh();

	assert_int_equal(want(&id), 0);
	assert_int_equal(want_id(&fixture.filter, NO_ID.bytes), -EINVAL);
	assert_false(layout_run_is_slow());
	expect_event(&id, XDP_PASS, DEDUP_REASON_new);
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
}

TEST(an_unknown_id_does_not_enter)
{
	for_each_layout(NULL, try_unknown);
}

TEST_WITH(it_is_wanted_for_a_window, fixture_load_still, fixture_unload)
{
	__u64 *last_ns = &fixture.filter.state->last_ns;
	struct id ids[3];

	fixture_learn(ids, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(want(&ids[i]), 1);
	*last_ns += fixture.filter.config->memory.window_ns - 1;
	expect_event(&ids[0], XDP_PASS, DEDUP_REASON_wanted);
	assert_int_equal(want(&ids[2]), 1); /* again: from now on */
	*last_ns += 1;
	expect_ihave(&ids[1], 1, XDP_DROP, DEDUP_REASON_ihave_duplicate);
	expect_event(&ids[1], XDP_DROP, DEDUP_REASON_duplicate);
	*last_ns += fixture.filter.config->memory.window_ns - 2;
	expect_event(&ids[2], XDP_PASS, DEDUP_REASON_wanted);
	expect_event(&ids[2], XDP_DROP, DEDUP_REASON_duplicate);
}

static struct id many[DEDUP_WANTED_MAX + 1];

TEST_WITH(a_full_table_takes_no_more, fixture_load_still, fixture_unload)
{
	const int last = DEDUP_WANTED_MAX;

	fixture_learn(many, last + 1);
	for (int i = 0; i < last; i++)
		assert_int_equal(want(&many[i]), 1);
	assert_int_equal(want(&many[last]), -ENOSPC);
	assert_int_equal(want(&many[7]), 1); /* it is there already */
	expect_event(&many[last], XDP_DROP, DEDUP_REASON_duplicate);
	expect_event(&many[3], XDP_PASS, DEDUP_REASON_wanted);
	assert_int_equal(want(&many[last]), 1);
	for (int i = 0; i <= last; i++)
		expect_event(&many[i], i == 3 ? XDP_DROP : XDP_PASS,
			     i == 3 ? DEDUP_REASON_duplicate : DEDUP_REASON_wanted);
	for (int i = 0; i <= last; i++)
		expect_event(&many[i], XDP_DROP, DEDUP_REASON_duplicate);
}

static void want_in_ring(struct want_ring *r, const struct id *id)
{
	struct dedup_id key = { 0 };

	memcpy(&key, id->bytes, sizeof(id->bytes));
	assert_int_equal(want_ring_add(r, &fixture.filter, &key, 0), 1);
}

/* The oldest entry goes, but not its id if a newer entry has it, too. */
TEST_WITH(a_ring_keeps_what_is_wanted_again, fixture_load_still, fixture_unload)
{
	static struct want_ring ring;

	ring.cnt = 0;
	fixture_learn(many, WANT_RING_MAX + 1);
	want_in_ring(&ring, &many[0]);
	want_in_ring(&ring, &many[1]);
	want_in_ring(&ring, &many[0]);
	for (int i = 2; i <= WANT_RING_MAX; i++)
		want_in_ring(&ring, &many[i]);
	expect_event(&many[0], XDP_PASS, DEDUP_REASON_wanted);
	expect_event(&many[1], XDP_DROP, DEDUP_REASON_duplicate);
	expect_event(&many[2], XDP_PASS, DEDUP_REASON_wanted);
}

static void lose(struct lost_packets *l, enum lost_want kind, const struct id *id)
{
	const struct lost_reason reason = { .want = kind };
	struct lost_packet p = { .reason = &reason, .id.reason = -1 };

	memcpy(&p.id.id, id->bytes, sizeof(id->bytes));
	lost_packets_want(l, &fixture.filter, &p);
}

TEST_WITH(a_flood_to_no_socket_displaces_no_other, fixture_load_still, fixture_unload)
{
	static struct lost_packets l;

	fixture_learn(many, WANT_RING_MAX + 2);
	lose(&l, LOST_WANT_NO_ROOM, &many[0]);
	for (int i = 1; i <= WANT_RING_MAX + 1; i++)
		lose(&l, LOST_WANT_NO_SOCKET, &many[i]);
	assert_int_equal(l.wanted, WANT_RING_MAX + 2);
	expect_event(&many[0], XDP_PASS, DEDUP_REASON_wanted);
	expect_event(&many[1], XDP_DROP, DEDUP_REASON_duplicate);
	expect_event(&many[2], XDP_PASS, DEDUP_REASON_wanted);
}

/* As after `reset`: nothing is known, and what is wanted still is. */
TEST_WITH(forgotten_it_passes_as_new_and_once_more, fixture_load_still, fixture_unload)
{
	struct id id;

	fixture_learn(&id, 1);
	assert_int_equal(want(&id), 1);
	memset(fixture.filter.blocks, 0,
	       dedup_blocks(fixture.filter.config) * sizeof(struct dedup_block));
	expect_event(&id, XDP_PASS, DEDUP_REASON_new);
	expect_event(&id, XDP_PASS, DEDUP_REASON_wanted);
	expect_event(&id, XDP_DROP, DEDUP_REASON_duplicate);
}

static void no_credit(struct dedup_config *cfg)
{
	cfg->memory.claim = 1;
}

/* Packets on the slow path are judged as others. */
static void try_close_look(void)
{
	struct dedup_state *st = fixture.filter.state;
	struct id known[2], fresh = id_fresh();
	struct frame f;
	uint64_t word;

	fixture_learn(known, 2);
	assert_int_equal(want(&known[1]), 1);
	frame_build(&f, &(struct frame_plan){ .body = 0 }, &fresh);
	fixture.linear = f.len - 1;
	expect(&f, XDP_PASS, DEDUP_REASON_truncated);
	fixture.linear = 0;

	st->limit = st->learned;
	expect_event(&fresh, XDP_PASS, DEDUP_REASON_unlearned);
	expect_event(&known[0], XDP_DROP, DEDUP_REASON_duplicate);

	word = st->stale_at;
	st->stale_at = DEDUP_SLOW_PATH; /* long ago */
	expect_event(&known[0], XDP_PASS, DEDUP_REASON_stale);
	expect_event(&known[1], XDP_PASS, DEDUP_REASON_stale);
	expect_ihave(&known[0], 1, XDP_PASS, DEDUP_REASON_stale);
	st->stale_at = word;
	expect_event(&known[0], XDP_DROP, DEDUP_REASON_duplicate);
	expect_event(&known[1], XDP_PASS, DEDUP_REASON_wanted);
}

TEST(a_close_look_sees_what_is_always_seen)
{
	for_each_layout(no_credit, try_close_look);
}

static atomic_int answer;

static void *want_during_a_walk(void *id)
{
	answer = want(id);
	return NULL;
}

TEST_WITH(a_walk_under_way_is_waited_for, fixture_load_still, fixture_unload)
{
	struct dedup_state *st = fixture.filter.state;
	pthread_t thread;
	struct id id;

	fixture_learn(&id, 1);
	/* Again if this process has no CPU for half a second. */
	for (int i = 0; i == 0 || (i < 5 && answer == -ESTALE); i++) {
		answer = INT_MAX;
		st->walks = 1;
		assert_int_equal(pthread_create(&thread, NULL, want_during_a_walk, &id), 0);
		usleep(100000);
		assert_true(answer == INT_MAX || answer == -ESTALE);
		st->walks = 2;
		pthread_join(thread, NULL);
	}
	assert_int_equal(answer, 1);
	expect_event(&id, XDP_PASS, DEDUP_REASON_wanted);
	st->walks = 3;
	assert_int_equal(want(&id), -ESTALE); /* it does not end */
}

static void count_only(struct dedup_config *cfg)
{
	cfg->policy.action = DEDUP_COUNT;
}

static void try_count(void)
{
	struct id id;

	fixture_learn(&id, 1);
	assert_int_equal(want(&id), 1);
	expect_ihave(&id, 1, XDP_PASS, DEDUP_REASON_ihave_new);
	expect_event(&id, XDP_PASS, DEDUP_REASON_wanted);
	expect_event(&id, XDP_PASS, DEDUP_REASON_duplicate);
}

TEST(counted_only_it_counts_as_wanted_once)
{
	for_each_layout(count_only, try_count);
}

/* The hand. */

static uint32_t entries(void)
{
	struct dedup_want_key key, next;
	uint32_t cnt = 0;

	for (void *at = NULL; !bpf_map_get_next_key(fixture.filter.wanted_fd, at, &next); at = &key) {
		key = next;
		cnt++;
	}
	return cnt;
}

TEST(the_hand_clears_what_has_expired)
{
	struct dedup_config cfg = fixture_live_config(FIXTURE_PORTS);
	struct id ids[100];

	cfg.memory.window_ns = 2000 * MS;
	fixture_load(&cfg);
	fixture_learn(ids, ARRAY_SIZE(ids));
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
		assert_int_equal(want(&ids[i]), 1);
	layout_run_await_fast();
	assert_int_equal(entries(), 0);
	fixture_learn(ids, 1);
	expect_event(&ids[0], XDP_DROP, DEDUP_REASON_duplicate);
	assert_int_equal(want(&ids[0]), 1);
	expect_event(&ids[0], XDP_PASS, DEDUP_REASON_wanted);
}

TEST(the_hand_keeps_what_is_wanted)
{
	struct dedup_config cfg = fixture_live_config(FIXTURE_PORTS);
	struct dedup_state *st;
	struct id ids[2];

	fixture_load(&cfg);
	st = fixture.filter.state;
	fixture_learn(ids, 2);
	assert_int_equal(want(&ids[0]), 1);
	assert_int_equal(want(&ids[1]), 1);
	expect_event(&ids[0], XDP_PASS, DEDUP_REASON_wanted);
	for (int i = 0; i < 5; i++) {
		uint64_t stale_at = READ_ONCE(st->stale_at);

		/* Its clock goes on meanwhile. */
		fixture_await(&st->stale_at, stale_at + 1);
		fixture_await(&st->last_ns, READ_ONCE(st->last_ns) + 100 * MS);
		assert_true(layout_run_is_slow());
	}
	expect_event(&ids[1], XDP_PASS, DEDUP_REASON_wanted);
	layout_run_await_fast();
}

/* Two processors. */

#define RACE_IDS 20000
#define RACE_NS (3000 * MS)
#define HAND_NS (tries(1000, 3000) * MS)
#define RACE_TRIES 10

/* As fixture_run(), for several threads at once. */
static bool passes(struct frame *f, const struct id *id)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = f->data, .data_size_in = f->len);

	memcpy(f->data + f->gsp + sizeof(struct gsp_header), id, sizeof(*id));
	if (bpf_prog_test_run_opts(fixture.fd, &opts))
		abort();
	return opts.retval == XDP_PASS;
}

#define LONG (1 << 20)	/* some times as long as the walk of the hand takes */
#define SHORT (1 << 12) /* about as long as a system call does */
#define MIDDLE (1 << 15)

/* For up to so many turns of the loop. */
static void linger(uint64_t *seed, uint64_t max)
{
	for (volatile uint64_t n = random_next(seed) % max; n; n--)
		;
}

/* The hand finds nothing wanted and is about to say so, when something is: it is not lost. */
TEST(the_hand_loses_no_want)
{
	struct dedup_config cfg = fixture_live_config(FIXTURE_PORTS);
	uint32_t wants = 0, lost = 0, cleared = 0;
	static struct frame f;
	uint64_t start_ns, seed = 1;
	struct id id;

	fixture_load(&cfg); /* its timer is on this processor */
	fixture_learn(&id, 1);
	frame_build(&f, &(struct frame_plan){ .body = 0 }, &id);
	pin_to_cpu(1);
	start_ns = kernel_now_ns();
	for (uint64_t ns = 0; ns < HAND_NS || (!cleared && ns < PATIENCE_MS * MS); wants++) {
		linger(&seed, LONG);
		cleared += wants && !layout_run_is_slow();
		assert_int_equal(want(&id), 1);
		lost += !passes(&f, &id);
		ns = kernel_now_ns() - start_ns;
	}
	print_message("# %u wanted, %u times nothing was any more\n", wants, cleared);
	assert_int_equal(lost, 0);
	assert_true(cleared > 0);
}

/* A hand that walks all the time, and takes its time between seeing that an entry has expired and
 * deleting it.
 */
static atomic_bool stop;

static void *walk_slowly(void *key)
{
	struct dedup_state *st = fixture.filter.state;
	uint64_t seed = 2;

	pin_to_cpu(0);
	while (!atomic_load(&stop)) {
		struct dedup_wanted entry;
		bool found, expired;

		__sync_fetch_and_add(&st->walks, 1);
		found = !bpf_map_lookup_elem(fixture.filter.wanted_fd, key, &entry);
		expired = found && dedup_want_expired(&entry, st);
		if (expired) {
			linger(&seed, SHORT);
			bpf_map_delete_elem(fixture.filter.wanted_fd, key);
		}
		__sync_fetch_and_add(&st->walks, 1);
		linger(&seed, random_next(&seed) % 4 ? SHORT : MIDDLE);
	}
	return NULL;
}

TEST(a_walk_deletes_nothing_that_is_wanted_again)
{
	struct dedup_config cfg = fixture_still_config();
	uint32_t wants = 0, lost = 0;
	struct dedup_state *st;
	struct dedup_wanted entry;
	struct dedup_want_key key = { 0 };
	pthread_t thread;
	uint64_t end_ns;
	struct id id;

	cfg.memory.window_ns = MS;
	fixture_load(&cfg);
	st = fixture.filter.state;
	fixture_learn(&id, 1);
	key.id = id_key(&id);
	atomic_store(&stop, false);
	assert_int_equal(pthread_create(&thread, NULL, walk_slowly, &key), 0);
	pin_to_cpu(1);
	for (end_ns = kernel_now_ns() + HAND_NS; kernel_now_ns() < end_ns; wants++) {
		uint64_t walks;
		int is;

		do
			is = want(&id);
		while (is == -ESTALE); /* the other CPU stopped during a walk */
		lost += is != 1;
		walks = READ_ONCE(st->walks);
		while (READ_ONCE(st->walks) < walks + 2) /* a walk under way has ended */
			sched_yield();
		lost += bpf_map_lookup_elem(fixture.filter.wanted_fd, &key, &entry) != 0;
		st->last_ns += MS;
	}
	atomic_store(&stop, true);
	pthread_join(thread, NULL);
	print_message("# wanted again %u times\n", wants);
	assert_int_equal(lost, 0);
}

/* Both processors have a copy of one wanted id. */
static struct {
	struct id id[RACE_IDS];
	struct frame frame[2];
} race;

static void want_fresh(void *arg, uint32_t item)
{
	struct id *id = &race.id[item];

	(void)arg;
	*id = id_fresh();
	if (ids_add(&fixture.filter, id->bytes) != 0 || want(id) != 1)
		abort();
}

static bool send_copy(void *arg, int side, uint32_t item)
{
	(void)arg;
	return passes(&race.frame[side], &race.id[item]);
}

TEST(of_simultaneous_copies_one_passes)
{
	struct dedup_config cfg = fixture_still_config();
	const struct pair pair = {
		.before = want_fresh, .try = send_copy, .items = RACE_IDS, .ns = RACE_NS
	};
	uint32_t won[2] = { 0 };

	fixture_load(&cfg);
	fixture.filter.state->limit = INT64_MAX;
	for (int n = 0; n < 2; n++)
		frame_build(&race.frame[n], &(struct frame_plan){ .body = 0 }, &NO_ID);
	for (int try = 0; try < RACE_TRIES && !(won[0] && won[1]); try++)
		pair_one_wins(&pair, won);
	assert_true(won[0] > 0);
	assert_true(won[1] > 0);
}

ROOT_MAIN(NULL, fixture_unload)
