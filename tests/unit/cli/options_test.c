// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of options: each row's parser writes the row's field and its mark, and nothing else; a
 * value beyond either end of a range is refused; and rows are whole.
 */
#include "unit.h"

#include "diags.h"
#include "options.h"

#define FILL 0x5a
#define TEXT_MAX 2048

/* A value that a row with its own parser takes; `list`: of which it takes `max`, as "%d" in it goes
 * up from 1, joined by commas, or one a call.
 */
static const struct value {
	const char *option, *text;
	enum { NO_LIST, COMMAS, CALLS } list;
} VALUES[] = {
	{ "--port", "%d", COMMAS },
	{ "--profile", "rtp:%d", CALLS },
	{ "--profiles", "/%d", CALLS },
	{ "--to", "10.0.0.%d", COMMAS },
	{ "--vlan", "%d", COMMAS },
	{ "--deliver", "xsk", NO_LIST },
	{ "--outer-to", "10.0.0.%d", COMMAS },
	{ "--tunnels", "vxlan:%d", COMMAS },
	{ "--add", "a%d", CALLS },
	{ "--remove", "a%d", CALLS },
	{ "--queues", "%d", COMMAS },
	{ "--mac", "02:00:00:00:00:01", NO_LIST },
	{ "--rate", "7/s", NO_LIST },
	{ "--comment", "x", NO_LIST },
};

static const struct value *value_of(const struct args_option *row)
{
	for (size_t i = 0; i < ARRAY_SIZE(VALUES); i++)
		if (!strcmp(VALUES[i].option, row->option))
			return &VALUES[i];
	fail_msg("%s: give this test a value that it takes", row->option);
	return NULL;
}

/* A number as an option's text; times to the ns. */
static const char *text_of(const struct args_option *row, uint64_t number, char text[TEXT_MAX])
{
	if (row->type == ARGS_TIME)
		snprintf(text, TEXT_MAX, "%" PRIu64 ".%06" PRIu64 "ms", number / 1000000,
			 number % 1000000);
	else
		snprintf(text, TEXT_MAX, "%" PRIu64, number);
	return text;
}

/* The Nth text of a list, and all before it if these are joined. */
static const char *nth(const struct value *s, int n, char text[TEXT_MAX])
{
	int len = 0;

	for (int i = s->list == COMMAS ? 1 : n; i <= n; i++) {
		len += snprintf(text + len, TEXT_MAX - len, "%s", len ? "," : "");
		/* Every second number: adjacent ones would be joined. */
		len += snprintf(text + len, TEXT_MAX - len, s->text, 2 * i);
	}
	return text;
}

static const char *good_text(const struct args_option *row, char text[TEXT_MAX])
{
	switch (row->type) {
	case ARGS_FLAG:
		return "yes";
	case ARGS_STRING:
		return "x";
	case ARGS_RATE:
		return "0.25";
	case ARGS_ENUM:
		return row->names[1];
	case ARGS_OWN:
		return nth(value_of(row), 1, text);
	default:
		return text_of(row, row->min ?: 1, text);
	}
}

/* Lists begin empty; all other bytes are these. */
static void fill(struct options *o, int byte)
{
	memset(o, byte, sizeof(*o));
	o->wish.profiles_cnt = o->wish.files_cnt = o->wish.add_cnt = o->wish.remove_cnt = 0;
	memset(&o->wish.spec.given, 0, sizeof(o->wish.spec.given));
	o->mac_given = o->sample.snap_given = false;
}

static bool may_write(const struct args_option *row, size_t at)
{
	if (at >= row->field && at < row->field + row->size)
		return true;
	if (row->given && at == row->given)
		return true;
	/* The one option of two fields that are apart. */
	return !strcmp(row->option, "--deliver") && at >= offsetof(struct wish, deliver) &&
	       at < offsetof(struct wish, deliver) + sizeof(((struct wish *)0)->deliver);
}

static void row_writes_its_field_alone(const struct args_option *row, int byte)
{
	struct options before, after;
	char text[TEXT_MAX];

	fill(&before, byte);
	after = before;
	assert_int_equal(args_set(row, &after, row->option, good_text(row, text)), 0);
	for (size_t i = 0; i < sizeof(after); i++)
		if (((char *)&before)[i] != ((char *)&after)[i] && !may_write(row, i))
			fail_msg("%s writes byte %zu: its field is %zu to %zu", row->option, i,
				 row->field, row->field + row->size - 1);
	if (!memcmp((char *)&before + row->field, (char *)&after + row->field, row->size))
		fail_msg("%s writes nothing", row->option);
	assert_true(!row->given || ((uint8_t *)&after)[row->given]);
}

TEST(rows_write_their_fields_alone)
{
	for (const struct args_option *row = options_table(); row->option; row++) {
		row_writes_its_field_alone(row, FILL);
		row_writes_its_field_alone(row, 0);
	}
	assert_int_equal(diags_cnt(), 0);
}

static void is_refused(const struct args_option *row, struct options *o, const char *text)
{
	char begins[TEXT_MAX + 64];

	diags_clear();
	if (args_set(row, o, row->option, text) != -EINVAL)
		fail_msg("%s takes %s", row->option, text);
	assert_int_equal(diags_cnt(), 1);
	snprintf(begins, sizeof(begins), "%s%s%s: ", row->option, *text ? " " : "", text);
	if (strncmp(diags_last(), begins, strlen(begins)) || strchr(diags_last(), '{'))
		fail_msg("%s %s: is told as %s", row->option, text, diags_last());
	diags_clear();
}

static void is_taken(const struct args_option *row, uint64_t number)
{
	struct options o;
	char text[TEXT_MAX];
	uint64_t wide;
	uint32_t narrow;

	options_begin(&o);
	if (args_set(row, &o, row->option, text_of(row, number, text)))
		fail_msg("%s does not take %s", row->option, text);
	memcpy(&wide, (char *)&o + row->field, sizeof(wide));
	memcpy(&narrow, (char *)&o + row->field, sizeof(narrow));
	assert_true((row->size == sizeof(narrow) ? narrow : wide) == number);
}

TEST(ranges_end_on_both_sides)
{
	struct options o;
	char text[TEXT_MAX];
	int ends = 0;

	for (const struct args_option *row = options_table(); row->option; row++) {
		if (row->type != ARGS_COUNT && row->type != ARGS_TIME)
			continue;
		is_taken(row, row->min);
		is_taken(row, row->max ?: 1000000000000000000);
		is_refused(row, &o, "x");
		is_refused(row, &o, "");
		is_refused(row, &o, "99999999999999999999");
		if (row->min)
			is_refused(row, &o, text_of(row, row->min - 1, text));
		if (row->max)
			is_refused(row, &o, text_of(row, row->max + 1, text));
		ends += !!row->min + !!row->max;
	}
	assert_true(ends >= 20);
}

/* The range of those whose texts are a list, or are given several times. */
TEST(lists_take_so_many)
{
	static char texts[102][TEXT_MAX]; /* they stay, as those of argv do */
	struct options o;

	for (const struct args_option *row = options_table(); row->option; row++) {
		const struct value *s = row->type == ARGS_OWN ? value_of(row) : NULL;
		int max = (int)row->max;

		if (!s || !s->list)
			continue;
		assert_in_range(max, 2, 100);
		options_begin(&o);
		for (int i = s->list == COMMAS ? max : 1; i <= max; i++)
			if (args_set(row, &o, row->option, nth(s, i, texts[i])))
				fail_msg("%s does not take %s", row->option, texts[i]);
		is_refused(row, &o, nth(s, max + 1, texts[max + 1]));
	}
}

TEST(names_are_taken_and_nothing_else)
{
	struct options o;

	for (const struct args_option *row = options_table(); row->option; row++) {
		if (row->type != ARGS_ENUM)
			continue;
		for (uint32_t i = 0; row->names[i]; i++) {
			uint32_t number = 0;

			options_begin(&o);
			assert_int_equal(args_set(row, &o, row->option, row->names[i]), 0);
			memcpy(&number, (char *)&o + row->field, row->size);
			assert_int_equal(number, row->min + i);
		}
		is_refused(row, &o, "");
		is_refused(row, &o, "x");
	}
}

/* The environment sets defaults: nothing is given by it. */
TEST(environment_gives_nothing)
{
	static const struct spec_given NONE;
	struct options o;

	setenv("XDP_DEDUP_CAPACITY", "7k", 1);
	setenv("XDP_DEDUP_WINDOW", "3s", 1);
	options_begin(&o);
	assert_int_equal(args_from_environment(options_table(), OPT_CAPACITY, &o), 0);
	assert_int_equal(o.wish.spec.capacity, 7000);
	assert_int_equal(o.wish.spec.window_ns, 0); /* it is not taken */
	assert_memory_equal(&o.wish.spec.given, &NONE, sizeof(NONE));
	unsetenv("XDP_DEDUP_CAPACITY");
	unsetenv("XDP_DEDUP_WINDOW");
}

static void texts_are_whole(const struct args_option *row)
{
	const char *const TEXTS[] = { row->expects, row->range, row->help };

	for (size_t i = 0; i < ARRAY_SIZE(TEXTS); i++)
		for (const char *at = TEXTS[i]; at && (at = strchr(at, '{')); at++)
			if (strncmp(at, "{min}", 5) && strncmp(at, "{max}", 5) &&
			    (strncmp(at, "{names}", 7) || !row->names))
				fail_msg("%s: %s", row->option, at);
}

TEST(rows_are_whole)
{
	for (const struct args_option *row = options_table(); row->option; row++) {
		assert_int_equal(strncmp(row->option, "--", 2), 0);
		assert_non_null(row->help);
		assert_int_equal(!row->value, row->type == ARGS_FLAG);
		assert_int_equal(!row->names, row->type != ARGS_ENUM);
		assert_int_equal(!row->parse, row->type != ARGS_OWN);
		assert_true(row->field + row->size <= sizeof(struct options));
		texts_are_whole(row);
		/* No verb has two of a name, nor a field two rows. */
		for (const struct args_option *other = options_table(); other < row; other++) {
			assert_true(strcmp(other->option, row->option) ||
				    (other->group && row->group && other->group != row->group));
			assert_true(other->field + other->size <= row->field ||
				    row->field + row->size <= other->field);
			assert_true(!row->given || row->given != other->given);
		}
	}
}

int main(void)
{
	diags_collect();
	add_own_tests(NULL, NULL);
	return run_added_any_tests("options");
}
