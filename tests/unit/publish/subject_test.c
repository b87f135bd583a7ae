// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Subjects of messages, from templates. */
#include "unit.h"

#include "subject.h"

#define LONG_WORD "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww"

static const struct {
	const char *name, *text, *subject; /* NULL: the template is refused */
} ROWS[] = {
	{ "plain", "gossip", "gossip" },
	{ "words", "a.b.c", "a.b.c" },
	{ "stream", "gossip.{stream}", "gossip.discv4" },
	{ "machine", "{machine}.x", "eu-1.x" },
	{ "both", "{stream}.{machine}.{stream}", "discv4.eu-1.discv4" },
	{ "empty", "", NULL },
	{ "empty-word", "a..b", NULL },
	{ "begins-with-dot", ".a", NULL },
	{ "ends-with-dot", "a.", NULL },
	{ "blank", "a b", NULL },
	{ "wildcard", "a.*", NULL },
	{ "all", "a.>", NULL },
	{ "unknown-place", "a.{host}", NULL },
	{ "part-of-a-word", "a.x{stream}", NULL },
	{ "open-brace", "a.{stream", NULL },
	{ "control-character", "a\n", NULL },
	{ "longest", LONG_WORD LONG_WORD LONG_WORD "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww", "" },
	{ "too-long", LONG_WORD LONG_WORD LONG_WORD LONG_WORD, NULL },
	{ "too-long-with-names", LONG_WORD LONG_WORD LONG_WORD ".{stream}", NULL },
};

static void subject(void **state)
{
	size_t row = (const char *)*state - (const char *)ROWS;
	const char *want = ROWS[row / sizeof(*ROWS)].subject;
	const char *text = ROWS[row / sizeof(*ROWS)].text;
	char out[SUBJECT_MAX];

	assert_int_equal(subject_template_ok(text), want != NULL);
	if (!want)
		return;
	subject_write(text, "discv4", "eu-1", out);
	assert_string_equal(out, *want ? want : text);
}

TEST(names)
{
	char out[SUBJECT_MAX], longest[101];

	subject_write("a.{stream}.{machine}", "x y.z*", "{>}\x80", out);
	assert_string_equal(out, "a.x_y_z_.____");
	subject_write("a.{stream}.{machine}", "x", NULL, out);
	assert_string_equal(out, "a.x.*");
	memset(longest, 'n', 100);
	longest[100] = '\0';
	subject_write("{stream}.{machine}", longest, longest, out);
	assert_int_equal(strlen(out), 64 + 1 + 64);
}

int main(void)
{
	add_rows(ROWS, subject, NULL, NULL);
	add_own_tests(NULL, NULL);
	return run_added_any_tests("subject");
}
