// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Sharing a filter by libxdp-dedup: an application's threads and real packets bring the same ids at
 * once. Each id is new to one of them only, or, by a false positive, to none.
 */
#include "lib_runner.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define RACERS 2
#define RACE_AHEAD 48
#define RACE_MAX 100000

static const struct race {
	const char *name, *options;
	uint32_t ids, rate_pps;
	double fpr;
} RACES[] = {
	{ "race-blocked", "", 100000, 50000, 1e-6 },
	{ "race-colibri", "--layout flat --hash colibri", 30000, 15000, 1e-4 },
	{ "race-tezos", "--layout countdown --hash tezos", 50000, 25000, 1e-4 },
};

static struct {
	const struct race *row;
	struct gossip_sender *s;
	atomic_uchar told_new[RACE_MAX];
	atomic_int failed;
} race;

/* About as fast as the packets: none waits for long. */
static void *race_along(void *arg)
{
	struct xdp_dedup_id one[8];
	uint8_t id[8][GSP_ID_BYTES];
	int results[8];
	bool batch = arg;
	uint64_t seed = batch, ahead;

	for (uint32_t i = 0; i < race.row->ids; i += 8) {
		for (uint32_t j = 0; j < 8; j++) {
			gossip_id(race.s->seed, i + j, id[j]);
			one[j] = (struct xdp_dedup_id){ id[j], GSP_ID_BYTES };
		}
		/* From a few packets behind to a few ahead. */
		ahead = random_next(&seed) % RACE_AHEAD;
		while (race.s->sent < race.row->ids && race.s->sent + ahead < i + RACE_AHEAD / 2)
			sched_yield();
		if (batch)
			xdp_dedup_check_and_add_many(lib.f, one, 8, results);
		for (uint32_t j = 0; j < 8; j++) {
			if (!batch)
				results[j] = xdp_dedup_check_and_add(lib.f, id[j], GSP_ID_BYTES);
			race.failed += results[j] < 0;
			race.told_new[i + j] += results[j] == 0;
		}
	}
	return NULL;
}

static void check_race(const struct gossip_receiver *r)
{
	uint32_t by_packets = 0, by_threads = 0, by_none = 0;

	for (uint32_t i = 0; i < race.row->ids; i++) {
		assert_in_range(race.told_new[i] + r->copies[i], 0, 1);
		by_packets += r->copies[i];
		by_threads += race.told_new[i];
		by_none += !r->copies[i] && !race.told_new[i];
	}
	print_message("# %s: packets were first with %u ids, the application with %u\n",
		      race.row->name, by_packets, by_threads);
	assert_true(by_none <= poisson_bound(2 * race.row->fpr * race.row->ids));
	assert_true(by_packets > 100 && by_threads > 100);
	assert_int_equal(race.failed, 0);
}

TEST_ROWS_WITH(run_race, RACES, lib_setup_links, NULL)
{
	uint64_t seed = gossip_now_ns();
	pthread_t threads[RACERS];
	struct gossip_receiver *r;

	memset(&race, 0, sizeof(race));
	race.row = row;
	e2e_load("load ve0 --name " LIB_NAME " --capacity 150k --fpr %g %s", race.row->fpr,
		 race.row->options);
	lib_take(LIB_NAME);
	r = e2e_receiver(0, AF_INET, seed, race.row->ids);
	race.s = e2e_sender(0, AF_INET, seed);
	race.s->rate_pps = race.row->rate_pps;
	assert_return_code(gossip_receiver_start(r), EAGAIN);
	assert_return_code(gossip_sender_start(race.s, NULL, race.row->ids), EAGAIN);
	for (int i = 0; i < RACERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, race_along, i ? &race : NULL), 0);
	for (int i = 0; i < RACERS; i++)
		pthread_join(threads[i], NULL);
	assert_return_code(gossip_sender_wait(race.s), EIO);
	e2e_counters_after(LIB_NAME, race.row->ids);
	assert_return_code(gossip_receiver_stop(r, 50), EIO);
	assert_int_equal(gossip_receiver_lost(r), 0);
	check_race(r);
	e2e_close(race.s, r);
}

LIB_MAIN()
