// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options of a connection: what is refused, and is not cut in silence. */
#include "unit.h"

#include "server_options.h"
#include "stream_check.h"

#define PATH "/tmp/server_options_test"

/* Writes so many letters, and what comes behind them. */
static void write_file(size_t letters, const char *behind)
{
	FILE *to = fopen(PATH, "we");

	assert_non_null(to);
	for (size_t i = 0; i < letters; i++)
		assert_int_equal(putc('a', to), 'a');
	assert_true(fputs(behind, to) >= 0);
	assert_int_equal(fclose(to), 0);
}

/* The first line of a file with a password or a token. */
static const struct row {
	const char *name;
	size_t letters;
	const char *behind;
	const char *wrong; /* NULL: nothing is */
} ROWS[] = {
	{ "short", 8, "\n", NULL },
	{ "two-lines", 8, "\nsecond\n", NULL },
	{ "no-end", 8, "", NULL },
	{ "longest", 1023, "\r\n", NULL },
	{ "longest-without-an-end", 1023, "", NULL },
	{ "too-long", 1024, "\n", PATH ": its first line has more than 1023 bytes" },
	{ "too-long-without-an-end", 1024, "", PATH ": its first line has more than 1023 bytes" },
	{ "far-too-long", 5000, "\n", PATH ": its first line has more than 1023 bytes" },
	{ "empty", 0, "", PATH ": its first line is empty" },
	{ "empty-line", 0, "\nsecond\n", PATH ": its first line is empty" },
};

static void expect(const struct publish_options *o, const char *wrong)
{
	char text[SERVER_TEXT_MAX] = "";
	natsOptions *made = server_options_make(o, text);

	assert_int_equal(made == NULL, wrong != NULL);
	assert_string_equal(text, wrong ?: "");
	natsOptions_Destroy(made);
}

TEST_ROWS(first_line, ROWS)
{
	write_file(row->letters, row->behind);
	expect(&(struct publish_options){ .servers = "nats://a", .machine = "m", .token_path = PATH },
	       row->wrong);
	expect(
		&(struct publish_options){
			.servers = "nats://a", .machine = "m", .user = "u", .password_path = PATH },
		row->wrong);
	unlink(PATH);
}

TEST(no_file)
{
	expect(&(struct publish_options){ .servers = "nats://a",
					  .machine = "m",
					  .token_path = "/nowhere/x" },
	       "/nowhere/x: No such file or directory");
}

UNIT_MAIN()
