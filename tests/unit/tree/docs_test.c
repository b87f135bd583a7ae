// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The documents: the files, functions, options and tests that they name exist, their links lead
 * somewhere, lines are narrow; and they have the rights of each verb, and fixtures. Each test
 * program says what it shows.
 */
#include "support.h"

#include <ctype.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define README_LINES_MAX 200
#define ROOM_LINES_MAX 60 /* of the page of a room */
#define COLUMNS_MAX 100
#define DOCS "*.md", "*/README.md", "*/*/README.md", "user/*/*.md", "tests/*/*/README.md"
#define SOURCES                                                                               \
	"include/*.h", "bpf/*.[ch]", "user/*/*.[chm]*", "tests/*/*.[ch]", "tests/*/*/*.[ch]", \
		"tests/run*"
#define SELF "tests/unit/tree/docs_test.c"

/* Files one behind the other, each with its name. */
struct text {
	char *bytes;
	size_t len, room;
};

static struct text sources;
static glob_t doc_files;

static char *read_file(const char *path)
{
	FILE *f = fopen(path, "re");
	char *bytes = NULL;
	size_t size = 0;

	if (!f)
		fail_msg("cannot read %s", path);
	if (getdelim(&bytes, &size, '\0', f) < 0)
		fail_msg("%s is empty", path);
	fclose(f);
	return bytes;
}

static void find_files(glob_t *files, const char *const *patterns, size_t cnt)
{
	for (size_t i = 0; i < cnt; i++)
		glob(patterns[i], i ? GLOB_APPEND : 0, NULL, files);
	assert_true(files->gl_pathc >= cnt);
}

static void append_files(struct text *t, const glob_t *files)
{
	for (size_t i = 0; i < files->gl_pathc; i++) {
		char *bytes;
		size_t len;

		if (!strcmp(files->gl_pathv[i], SELF))
			continue;
		bytes = read_file(files->gl_pathv[i]);
		len = strlen(bytes);
		if (t->len + len >= t->room) {
			t->room = 2 * (t->len + len + 1);
			t->bytes = realloc(t->bytes, t->room);
			assert_non_null(t->bytes);
		}
		memcpy(t->bytes + t->len, bytes, len + 1);
		t->len += len;
		free(bytes);
	}
}

static int read_all(void **state)
{
	static const char *const doc_patterns[] = { DOCS }, *const source_patterns[] = { SOURCES };
	glob_t files = { 0 };

	(void)state;
	find_files(&doc_files, doc_patterns, ARRAY_SIZE(doc_patterns));
	find_files(&files, source_patterns, ARRAY_SIZE(source_patterns));
	append_files(&sources, &files);
	globfree(&files);
	return 0;
}

static int free_all(void **state)
{
	(void)state;
	free(sources.bytes);
	sources = (struct text){ 0 };
	globfree(&doc_files);
	return 0;
}

/* Patterns are literals; each is compiled once, and stays. */
static bool is_like(const char *word, const char *pattern)
{
	static struct {
		const char *pattern;
		regex_t re;
	} known[16];
	size_t i = 0;

	while (known[i].pattern && known[i].pattern != pattern && i < ARRAY_SIZE(known) - 1)
		i++;
	assert_true(!known[i].pattern || known[i].pattern == pattern); /* else there are more */
	if (!known[i].pattern) {
		assert_int_equal(regcomp(&known[i].re, pattern, REG_EXTENDED | REG_NOSUB), 0);
		known[i].pattern = pattern;
	}
	return !regexec(&known[i].re, word, 0, NULL, 0);
}

typedef void (*word_fn)(const char *doc, const char *word);

/* Calls f for each word between backticks or fences. Backticks do not match across blank lines. */
static void each_code_word(const char *doc, word_fn f)
{
	char *text = read_file(doc), *line, *rest = text;
	bool fenced = false, code = false;

	while ((line = strsep(&rest, "\n"))) {
		char *part;

		if (!strncmp(line, "```", 3)) {
			fenced = !fenced;
			continue;
		}
		code = code && *line;
		for (bool first = true; (part = strsep(&line, fenced ? "\n" : "`")); first = false) {
			char *word;

			code = first ? code : !code;
			while ((code || fenced) && (word = strsep(&part, " \t|")))
				f(doc, word);
		}
	}
	free(text);
}

static void in_all_docs(word_fn f)
{
	for (size_t i = 0; i < doc_files.gl_pathc; i++)
		each_code_word(doc_files.gl_pathv[i], f);
}

static void assert_short(const char *doc, int most)
{
	char *text = read_file(doc);
	int lines = 0;

	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	free(text);
	if (lines > most)
		fail_msg("%s has %d lines, at most %d", doc, lines, most);
}

TEST(readme_is_short)
{
	glob_t rooms;

	assert_short("README.md", README_LINES_MAX);
	assert_int_equal(glob("user/*/README.md", 0, NULL, &rooms), 0);
	for (size_t i = 0; i < rooms.gl_pathc; i++)
		assert_short(rooms.gl_pathv[i], ROOM_LINES_MAX);
	globfree(&rooms);
}

/* Returns the number of characters in a line of UTF-8. */
static int count_columns(const char *line)
{
	int cnt = 0;

	for (; *line; line++)
		cnt += (*line & 0xc0) != 0x80;
	return cnt;
}

static void check_columns(const char *doc)
{
	char *text = read_file(doc), *line, *rest = text;

	for (int number = 1; (line = strsep(&rest, "\n")); number++) {
		if (count_columns(line) > COLUMNS_MAX)
			fail_msg("%s:%d has %d columns, at most %d", doc, number,
				 count_columns(line), COLUMNS_MAX);
	}
	free(text);
}

TEST_WITH(lines_are_narrow, read_all, free_all)
{
	for (size_t i = 0; i < doc_files.gl_pathc; i++)
		check_columns(doc_files.gl_pathv[i]);
}

static int paths_cnt;

static void check_path(const char *doc, const char *word)
{
	if (!is_like(word, "^(include|bpf|user|tests|scripts|\\.ci)/[A-Za-z0-9_./-]*$") ||
	    strstr(word, "NAME") || strstr(word, "ROOM"))
		return;
	paths_cnt++;
	if (access(word, F_OK))
		fail_msg("%s: there is no %s", doc, word);
}

TEST_WITH(paths_exist, read_all, free_all)
{
	in_all_docs(check_path);
	assert_true(paths_cnt > 50);
}

static int names_cnt;

/* Functions, macros, and tests as in T='a_*'. */
static void check_name(const char *doc, const char *word)
{
	char name[128];

	if (!is_like(word, "^[a-z0-9_]+\\(\\)$") && !is_like(word, "^xdp_dedup_[a-z_]+\\(") &&
	    !is_like(word, "^(DEDUP|XDP|GSP)_[A-Z0-9_]+(\\(\\))?$") &&
	    !is_like(word, "^T='?\\*?[a-z_]+\\*?'?$"))
		return;
	if (!strncmp(word, "T=", 2))
		word += 2 + strspn(word + 2, "'*");
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(word, "('*"), word);
	names_cnt++;
	if (!strstr(sources.bytes, name))
		fail_msg("%s: there is no %s", doc, name);
}

TEST_WITH(names_exist, read_all, free_all)
{
	in_all_docs(check_name);
	assert_true(names_cnt > 50);
}

static int options_cnt;

/* Options of the tools: in their sources they are strings. Those of others are only in fences. */
static void check_option(const char *doc, const char *word)
{
	char quoted[64];

	if (!is_like(word, "^--[a-z-]+$") || is_like(word, "^--(cflags|libs|now|since)$"))
		return;
	snprintf(quoted, sizeof(quoted), "\"%s\"", word);
	options_cnt++;
	if (!strstr(sources.bytes, quoted))
		fail_msg("%s: there is no option %s", doc, word);
}

TEST_WITH(options_exist, read_all, free_all)
{
	in_all_docs(check_option);
	assert_true(options_cnt > 50);
}

/* A heading's anchor, as GitHub makes it. */
static void slug(char *out, size_t size, const char *heading)
{
	size_t n = 0;

	for (; *heading && *heading != '\n' && n + 1 < size; heading++) {
		if (isalnum(*heading) || *heading == '-' || *heading == '_')
			out[n++] = tolower(*heading);
		else if (*heading == ' ')
			out[n++] = '-';
	}
	out[n] = '\0';
}

static bool has_anchor(const char *path, const char *anchor)
{
	char *text = read_file(path), *line, *rest = text, have[256];
	bool found = false;

	while (!found && (line = strsep(&rest, "\n"))) {
		if (*line != '#')
			continue;
		line += strspn(line, "#");
		slug(have, sizeof(have), line + strspn(line, " "));
		found = !strcmp(have, anchor);
	}
	free(text);
	return found;
}

static void check_link(const char *doc, const char *target)
{
	char copy[PATH_MAX], path[2 * PATH_MAX];
	size_t file_len = strcspn(target, "#");

	snprintf(copy, sizeof(copy), "%s", doc);
	if (file_len)
		snprintf(path, sizeof(path), "%s/%.*s", dirname(copy), (int)file_len, target);
	else
		snprintf(path, sizeof(path), "%s", doc);
	if (access(path, F_OK))
		fail_msg("%s: a link to %s, which is not there", doc, path);
	if (target[file_len] && !has_anchor(path, target + file_len + 1))
		fail_msg("%s: a link to %s, but no such heading is there", doc, target);
}

TEST_WITH(links_resolve, read_all, free_all)
{
	int cnt = 0;

	for (size_t i = 0; i < doc_files.gl_pathc; i++) {
		char *text = read_file(doc_files.gl_pathv[i]);

		for (char *p = text; (p = strstr(p, "](")); cnt++) {
			char target[256];

			p += 2;
			snprintf(target, sizeof(target), "%.*s", (int)strcspn(p, ")"), p);
			if (strncmp(target, "http", 4))
				check_link(doc_files.gl_pathv[i], target);
		}
		free(text);
	}
	assert_true(cnt > 20);
}

/* The tool's table of what each verb needs; the caller frees it. */
static char *read_rights(void)
{
	char *text = read_file("user/cli/USAGE.md"), *table = strstr(text, "## Rights\n"), *end;

	assert_non_null(table);
	end = strstr(table + 2, "\n## ");
	if (end)
		*end = '\0';
	table = strdup(table);
	free(text);
	return table;
}

/* Options and counters are in the man page, which is made of the tool's help (manual_test). */
TEST(verbs_have_their_rights)
{
	char help[8192], verb[32], quoted[64], *rights = read_rights();
	int cnt = 0;

	assert_int_equal(sh_out(help, sizeof(help), "%s help", tool()), 0);
	for (char *line, *rest = help; (line = strsep(&rest, "\n"));) {
		if (strncmp(line, "  ", 2) || sscanf(line + 2, "%31[a-z]", verb) != 1)
			continue;
		snprintf(quoted, sizeof(quoted), "`%s`", verb);
		if (!strstr(rights, quoted))
			fail_msg("the table of rights lacks %s", verb);
		cnt++;
	}
	assert_true(cnt > 15);
	free(rights);
}

/* `NAME` in this document for each file of a pattern, whose suffix is left out. */
static void expect_lines(const char *doc, const char *pattern)
{
	char *text = read_file(doc);
	glob_t files = { 0 };

	assert_int_equal(glob(pattern, 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		char copy[PATH_MAX], quoted[PATH_MAX];
		const char *name;

		snprintf(copy, sizeof(copy), "%s", files.gl_pathv[i]);
		name = basename(copy);
		snprintf(quoted, sizeof(quoted), "`%.*s`", (int)strcspn(name, "."), name);
		if (!strstr(text, quoted))
			fail_msg("%s lacks %s (%s)", doc, quoted, files.gl_pathv[i]);
	}
	globfree(&files);
	free(text);
}

/* A comment in the second line of each file of a pattern, below the licence. */
static void expect_comments(const char *pattern)
{
	glob_t files = { 0 };

	assert_int_equal(glob(pattern, 0, NULL, &files), 0);
	for (size_t i = 0; i < files.gl_pathc; i++) {
		char *text = read_file(files.gl_pathv[i]);

		if (strncmp(text + strcspn(text, "\n"), "\n/* ", 4))
			fail_msg("%s: its second line does not say what it shows", files.gl_pathv[i]);
		free(text);
	}
	globfree(&files);
}

TEST(programs_say_what_they_show)
{
	expect_comments("tests/*/*_test.c");
	expect_comments("tests/unit/*/*_test.c");
	expect_comments("tests/*/*_main.c");
}

/* Each room of fixtures has a README, which names its files. */
TEST(fixtures_have_a_line_each)
{
	glob_t rooms = { 0 };

	assert_int_equal(glob("tests/fixture/*/", GLOB_ONLYDIR, NULL, &rooms), 0);
	for (size_t i = 0; i < rooms.gl_pathc; i++) {
		char doc[PATH_MAX], pattern[PATH_MAX];

		snprintf(doc, sizeof(doc), "%sREADME.md", rooms.gl_pathv[i]);
		snprintf(pattern, sizeof(pattern), "%s*.c", rooms.gl_pathv[i]);
		expect_lines(doc, pattern);
	}
	globfree(&rooms);
}

static void check_program(const char *doc, const char *word)
{
	char pattern[256];
	glob_t files;

	if (strcmp(doc, "tests/README.md") || !is_like(word, "^[a-z0-9_]+_test$"))
		return;
	snprintf(pattern, sizeof(pattern), "tests/{*,unit/*}/%s.c", word);
	if (glob(pattern, GLOB_BRACE, NULL, &files))
		fail_msg("%s: there is no %s", doc, pattern);
	globfree(&files);
}

TEST_WITH(named_programs_exist, read_all, free_all)
{
	in_all_docs(check_program);
}

int main(void)
{
	add_own_tests(NULL, NULL);
	return run_added_any_tests("docs");
}
