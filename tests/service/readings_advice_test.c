// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the service's log says of filters that could do better: when it begins, and when it is over. */
#include "cli_runner.h"

#include <stdio.h>
#include <string.h>

#include "diags.h"
#include "kernel.h"
#include "readings.h"

static struct readings readings;

static void look(void)
{
	assert_int_equal(readings_refresh(&readings, NULL), 0);
	diags_collect();
	readings_log_advice(&readings);
	diags_end();
}

static int setup(void **state)
{
	return cli_setup(state) || kernel_ready(false, false);
}

static int teardown(void **state)
{
	readings_free(&readings);
	return cli_teardown(state);
}

static void once_when_it_begins_and_once_when_it_ends(void **state)
{
	(void)state;
	assert_run(0, "$XD load v0 --port 8001 --mode skb --name a; $XD load b0 --port 8001 --mode "
		      "skb --name b");
	look();
	assert_string_equal(diags_all(), "");
	look();
	assert_non_null(strstr(diags_all(), "note: a: v0 runs it in skb mode"));
	assert_non_null(strstr(diags_all(), "note: b: b0 runs it in skb mode"));
	look();
	assert_string_equal(diags_all(), "");
	assert_run(0, "$XD set a --add p0 --mode native; $XD set a --remove v0");
	look(); /* it is another program, of which nothing was read before */
	look();
	assert_string_equal(diags_all(), "note: a: is over: skb_mode\n");
	look();
	assert_string_equal(diags_all(), "");
}

/* Another filter of the same name is read anew. */
static void filters_that_go(void **state)
{
	(void)state;
	assert_run(0, "$XD load v0 --port 8001 --mode skb");
	look();
	look();
	assert_non_null(strstr(diags_all(), "note: v0: v0 runs it in skb mode"));
	assert_run(0, "$XD unload v0");
	look();
	assert_string_equal(diags_all(), "");
	assert_int_equal(readings.filters.cnt, 0);
	assert_run(0, "$XD load v0 --port 8001 --mode skb");
	look();
	look();
	assert_non_null(strstr(diags_all(), "note: v0: v0 runs it in skb mode"));
}

static void one_that_cannot_be_read_hides_no_other(void **state)
{
	(void)state;
	assert_run(0, "$XD load v0 --port 8001 --mode skb --name b; mkdir $PINS/a");
	look();
	look();
	assert_non_null(strstr(diags_all(), "note: b: v0 runs it in skb mode"));
	assert_run(0, "rmdir $PINS/a");
}

int main(void)
{
	static const struct CMUnitTest TESTS[] = {
		cmocka_unit_test_setup_teardown(once_when_it_begins_and_once_when_it_ends, setup,
						teardown),
		cmocka_unit_test_setup_teardown(filters_that_go, setup, teardown),
		cmocka_unit_test_setup_teardown(one_that_cannot_be_read_hides_no_other, setup,
						teardown),
	};

	cli_environment();
	add_tests(TESTS, ARRAY_SIZE(TESTS));
	return run_added_tests("readings_advice");
}
