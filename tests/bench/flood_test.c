// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Floods, as `make bench-e2e` measures them, but slow ones: are the accounts right? */
#include "flood_runner.h"

#include <unistd.h>

#define RATE_PPS 50000
#define SECONDS 0.2
#define BURST 64
#define SENT_MAX ((int)(RATE_PPS * SECONDS))

/* On a busy machine a ring may overflow at any rate; that too must be accounted for. */
static void flood(enum flood_way way)
{
	struct flood_result r = flood_run_run(way, RATE_PPS, SECONDS);

	assert_in_range(r.sent, SENT_MAX * 9 / 10, SENT_MAX);
	flood_run_check(way, &r);
	if (way == FLOOD_NOWHERE)
		assert_int_equal(r.received, 0);
	else
		assert_int_not_equal(r.received, 0);
	if (way == FLOOD_XDP_DROP)
		assert_int_equal(r.dropped, r.received);
	else
		assert_int_equal(r.dropped, way <= FLOOD_XDP_TOLD ? r.duplicates : 0);
}

static void floods_on_one_cpu(void **state)
{
	(void)state;
	flood_run_make(FLOOD_ONE_CPU, BURST, "--window 10m");
	for (int way = 0; way < FLOOD_WAYS; way++)
		flood(way);
	flood_run_remove();
}

static void floods_on_two_cpus(void **state)
{
	(void)state;
	if (sysconf(_SC_NPROCESSORS_ONLN) < 2)
		skip();
	flood_run_make(FLOOD_TWO_CPUS, BURST, "--window 10m");
	for (int way = 0; way < FLOOD_WAYS; way++)
		flood(way);
	flood_run_remove();
}

int main(void)
{
	struct CMUnitTest tests[] = {
		cmocka_unit_test(floods_on_one_cpu),
		cmocka_unit_test(floods_on_two_cpus),
	};

	return run_root_tests("flood", tests, ARRAY_SIZE(tests));
}
