// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options of a connection: what is refused, and is not cut in silence; files that others can read. */
#include "unit.h"

#include <sys/stat.h>

#include "diags.h"
#include "server_options.h"

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
	assert_return_code(chmod(PATH, 0600), errno);
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
	natsOptions *made;

	diags_collect();
	made = server_options_make(o);
	assert_int_equal(made == NULL, wrong != NULL);
	assert_string_equal(diags_last(), wrong ?: "");
	diags_end();
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

/* Files with secrets, which others than root and this user can read. */
static const struct file {
	const char *name;
	struct publish_options o;
	bool is_secret;
} FILES[] = {
	{ "password-file", { .user = "u", .password_path = PATH }, true },
	{ "token-file", { .token_path = PATH }, true },
	{ "credentials-file", { .credentials = PATH }, true },
	{ "key-file", { .tls_cert = PATH, .tls_key = PATH }, true },
	{ "certificate-file", { .tls_ca = PATH }, false },
};

TEST_ROWS(files_of_others, FILES)
{
	static const char WRONG[] = PATH " can be read or changed by others: chmod 600 it";
	struct publish_options o = row->o;

	diags_collect();
	o.servers = "nats://a";
	o.machine = "m";
	write_file(8, "\n");
	assert_return_code(chmod(PATH, 0640), errno);
	natsOptions_Destroy(server_options_make(&o));
	if (row->is_secret)
		assert_non_null(strstr(diags_last(), WRONG));
	else
		assert_null(strstr(diags_all(), "others"));
	unlink(PATH);
	assert_null(server_options_make(&o));
	assert_string_equal(diags_last(), PATH ": No such file or directory");
	diags_end();
}

/* A login without TLS, beyond this machine. */
static const struct login {
	const char *name;
	struct publish_options o;
	const char *host; /* NULL: no note */
} LOGINS[] = {
	{ "clear", { .servers = "nats://192.0.2.1:4222", .user = "u" }, "192.0.2.1" },
	{ "clear-token", { .servers = "192.0.2.1", .token_path = "t" }, "192.0.2.1" },
	{ "clear-credentials", { .servers = "nats://h.example", .credentials = "c" }, "h.example" },
	{ "clear-ipv6", { .servers = "nats://[2001:db8::1]:4222", .user = "u" }, "2001:db8::1" },
	{ "clear-second", { .servers = "nats://127.0.0.1, nats://b:1", .user = "u" }, "b" },
	{ "no-login", { .servers = "nats://192.0.2.1" }, NULL },
	{ "encrypted", { .servers = "tls://192.0.2.1", .user = "u" }, NULL },
	{ "encrypted-by-option", { .servers = "192.0.2.1", .user = "u", .tls_ca = "x" }, NULL },
	{ "loopback",
	  { .servers = "nats://127.0.0.1:4222,localhost,nats://[::1]:4222", .user = "u" },
	  NULL },
};

TEST_ROWS(notes_login, LOGINS)
{
	char words[128];

	diags_collect();
	server_note_login(&row->o);
	snprintf(words, sizeof(words), "the login to %s is not encrypted", row->host ?: "");
	if (row->host)
		assert_non_null(strstr(diags_all(), words));
	else
		assert_string_equal(diags_all(), "");
	diags_end();
}

UNIT_MAIN()
