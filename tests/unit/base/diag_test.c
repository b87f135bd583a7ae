// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Messages go to the innermost receiver. */
#include "unit.h"

#include "diag_once.h"

#define NESTED 3

static char got[NESTED][256];

static void take(void *to, const struct diag *d)
{
	diag_text(d, to, sizeof(got[0]));
}

static void take_and_give(void *to, const struct diag *d)
{
	take(to, d);
	diag_give(d);
}

static void take_and_report(void *to, const struct diag *d)
{
	take(to, d);
	diag_note("again: %s", d->finding);
}

static int setup(void **state)
{
	(void)state;
	memset(got, 0, sizeof(got));
	return 0;
}

TEST(innermost_takes)
{
	struct diag_receiver outer = { .take = take, .to = got[0] },
			     inner = { .take = take, .to = got[1] };

	diag_receive(&outer);
	assert_int_equal(diag_err(-5, "%s", "one"), -5);
	diag_receive(&inner);
	diag_note("%s", "two");
	diag_receive_end(&inner);
	assert_string_equal(got[0], "one");
	assert_string_equal(got[1], "two");
	diag_note("three");
	diag_receive_end(&outer);
	assert_string_equal(got[0], "three");
	assert_string_equal(got[1], "two");
}

/* A receiver that gives on, or reports itself, is not asked again. */
TEST(outer_takes_from_inner)
{
	struct diag_receiver r[NESTED] = {
		{ .take = take, .to = got[0] },
		{ .take = take_and_report, .to = got[1] },
		{ .take = take_and_give, .to = got[2] },
	};

	for (int i = 0; i < NESTED; i++)
		diag_receive(&r[i]);
	diag_note("one");
	for (int i = NESTED - 1; i >= 0; i--)
		diag_receive_end(&r[i]);
	assert_string_equal(got[2], "one");
	assert_string_equal(got[1], "one");
	assert_string_equal(got[0], "again: one");
}

static void keep_progress(void *to, const char *line)
{
	snprintf(to, sizeof(got[0]), "%s", line ? line : "over");
}

TEST(progress_goes_where_it_is_shown)
{
	struct diag_receiver outer = { .take = take, .progress = keep_progress, .to = got[0] },
			     inner = { .take = take, .to = got[1] };

	diag_receive(&outer);
	diag_receive(&inner);
	diag_progress("%d %%", 7);
	assert_string_equal(got[0], "7 %");
	diag_progress_end();
	assert_string_equal(got[0], "over");
	diag_receive_end(&inner);
	diag_receive_end(&outer);
	assert_string_equal(got[1], "");
}

static char finding[256], advice[256];

static void take_parts(void *to, const struct diag *d)
{
	(void)to;
	snprintf(finding, sizeof(finding), "%s", d->finding);
	snprintf(advice, sizeof(advice), "%s", d->advice ? d->advice : "none");
	take(got[0], d);
}

/* Only the marker in the format parts finding and advice. */
TEST(advice_is_apart)
{
	struct diag_receiver r = { .take = take_parts };
	char values[9000];

	diag_receive(&r);
	diag_err(0, "no %s here" ADVICE "load %s", "a", "b");
	assert_string_equal(finding, "no a here");
	assert_string_equal(advice, "load b");
	assert_string_equal(got[0], "no a here; load b");
	diag_err(0, "%s; %s", "a", "b");
	assert_string_equal(finding, "a; b");
	assert_string_equal(advice, "none");
	diag_err(0, "%s", "a" ADVICE "b");
	assert_string_equal(finding, "a?b");
	assert_string_equal(advice, "none");
	diag_err(0, "%s" ADVICE "%s", ADVICE "a" ADVICE, ADVICE "b; c");
	assert_string_equal(finding, "?a?");
	assert_string_equal(advice, "?b; c");
	assert_string_equal(got[0], "?a?; ?b; c");
	memset(values, 'a', sizeof(values) - 1);
	values[sizeof(values) - 1] = '\0';
	diag_err(0, "%s" ADVICE "b", values);
	assert_string_equal(advice, "none"); /* cut */
	diag_receive_end(&r);
}

TEST(place_is_of_the_message)
{
	struct diag_receiver r = { .take = take, .to = got[0] };
	struct diag_location before;

	diag_receive(&r);
	before = diag_at((struct diag_location){ "/a", 3 });
	assert_null(before.path);
	diag_note("/a is wrong");
	assert_string_equal(got[0], "/a:3: /a is wrong");
	before = diag_at((struct diag_location){ "/b\n", 1 });
	assert_string_equal(before.path, "/a");
	diag_note("one");
	assert_string_equal(got[0], "/b?:1: one");
	diag_at(before);
	assert_int_equal(diag_location().line, 3);
	diag_at((struct diag_location){ 0 });
	diag_note("two");
	assert_string_equal(got[0], "two");
	diag_receive_end(&r);
}

/* The first message of each time; and again after another one, or none. */
TEST(once)
{
	static const struct {
		const char *first, *second, *logged;
	} TIMES[] = {
		{ "a", "b", "x: a" }, { "a", NULL, "" },     { "b", NULL, "x: b" },
		{ NULL, NULL, "" },   { "b", NULL, "x: b" },
	};
	struct diag_receiver r = { .take = take, .to = got[0] };
	struct diag_once once = { 0 };

	diag_receive(&r);
	for (size_t i = 0; i < ARRAY_SIZE(TIMES); i++) {
		got[0][0] = '\0';
		diag_once_begin(&once);
		if (TIMES[i].first)
			diag_note("%s", TIMES[i].first);
		if (TIMES[i].second)
			diag_err(0, "%s", TIMES[i].second);
		diag_once_end(&once, "x");
		assert_string_equal(got[0], TIMES[i].logged);
	}
	diag_receive_end(&r);
}

UNIT_MAIN_WITH(setup, NULL)
