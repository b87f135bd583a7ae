// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The list of watched filters: found by name, added, dropped; and the log of their advice. */
#include "unit.h"

#include "diags.h"
#include "monitor.h"

static struct monitor m;

static int setup(void **state)
{
	(void)state;
	m = (struct monitor){ 0 };
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	monitor_free(&m);
	return 0;
}

static void assert_names(const char *wanted)
{
	char names[64] = "";

	for (int i = 0; i < m.cnt; i++)
		strcat(names, m.list[i]->name);
	assert_string_equal(names, wanted);
}

TEST(sorted_by_name_each_once)
{
	struct watched *b;

	b = monitor_get(&m, "b");
	assert_non_null(monitor_get(&m, "d"));
	assert_non_null(monitor_get(&m, "a"));
	assert_non_null(monitor_get(&m, "c"));
	assert_ptr_equal(monitor_get(&m, "b"), b);
	assert_names("abcd");
	assert_int_equal(b->status.filter.stats_fd, -1);
	monitor_remove(&m, 0);
	assert_names("bcd");
	monitor_remove(&m, 2);
	assert_names("bc");
	assert_ptr_equal(m.list[0], b);
	monitor_free(&m);
	assert_int_equal(m.cnt, 0);
	assert_non_null(monitor_get(&m, "e")); /* it may be used again */
	assert_names("e");
}

TEST(a_reading_begins_unseen)
{
	monitor_get(&m, "a")->seen = true;
	monitor_get(&m, "b")->seen = true;
	m.list[0]->rx_before = 0;
	monitor_begin(&m, true);
	assert_true(m.list[0]->rx_before == WATCH_UNKNOWN); /* no filter is open */
	assert_false(m.list[0]->seen);
	assert_false(m.list[1]->seen);
	assert_names("ab");
}

TEST(forgotten_is_as_new)
{
	struct watch_reading r = { .now_ns = 1, .cpus = calloc(1, sizeof(*r.cpus)), .cpus_cnt = 1 };
	struct watched *f = monitor_get(&m, "a");

	watch_take(&f->watch, &r);
	r = (struct watch_reading){ .now_ns = 3, .cpus = calloc(1, sizeof(*r.cpus)), .cpus_cnt = 1 };
	watch_take(&f->watch, &r);
	assert_true(f->watch.seconds > 0);
	f->status.histogram = calloc(1, sizeof(*f->status.histogram));
	f->advice_cnt = 1;
	monitor_forget(f);
	assert_true(f->watch.seconds == 0);
	assert_int_equal(f->watch.last.now_ns, 0);
	assert_null(f->status.histogram);
	assert_int_equal(f->status.filter.stats_fd, -1);
	assert_int_equal(f->advice_cnt, 0);
	assert_string_equal(f->name, "a");
}

/* The filter has this advice, by keys. */
static void advise(struct watched *f, const char *first, const char *second)
{
	f->advice_cnt = !!first + !!second;
	f->advice[0] = (struct advice){ .key = first, .text = "text" };
	f->advice[1] = (struct advice){ .key = second, .text = "another" };
}

static const char *logged(struct watched *f, bool ends)
{
	diags_collect();
	monitor_log_advice(f, ends);
	return diags_end();
}

TEST(advice_is_logged_once)
{
	struct watched *f = monitor_get(&m, "a");

	assert_string_equal(logged(f, true), "");
	advise(f, "x", NULL);
	assert_string_equal(logged(f, true), "note: a: text\n");
	assert_string_equal(logged(f, true), "");
	advise(f, "y", "x");
	assert_string_equal(logged(f, true), "note: a: text\n");
	advise(f, "x", NULL);
	assert_string_equal(logged(f, true), "note: a: is over: y\n");
	advise(f, NULL, NULL);
	assert_string_equal(logged(f, false), "");
	advise(f, "x", NULL);
	assert_string_equal(logged(f, false), "note: a: text\n");
}

UNIT_MAIN_WITH(setup, teardown)
