// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Options of a connection: what is refused, and is not cut in silence; files that others can read. */
#include "unit.h"

#include <sys/stat.h>

#include "diags.h"
#include "server.h"

#define PATH "/tmp/server_options_test"
#define TOO_LONG PATH ": its first line has more than 1023 bytes"

/* Completes options, whose servers are nats://a by default. */
static struct publish_options complete(struct publish_options o)
{
	static const char *urls[4];
	static char copy[128];
	char *rest = copy;

	o.machine = "m";
	o.servers = o.servers ?: "nats://a";
	o.urls = urls;
	snprintf(copy, sizeof(copy), "%s", o.servers);
	for (char *url; (url = strtok_r(rest, ", ", &rest));)
		urls[o.urls_cnt++] = url;
	return o;
}

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
	{ "two-lines", 8, "\nsecond\n", NULL },
	{ "no-end", 8, "", NULL },
	{ "longest", 1023, "\r\n", NULL },
	{ "longest-without-an-end", 1023, "", NULL },
	{ "too-long", 1024, "\n", TOO_LONG },
	{ "too-long-without-an-end", 1024, "", TOO_LONG },
	{ "far-too-long", 5000, "\n", TOO_LONG },
	{ "empty", 0, "", PATH ": its first line is empty" },
	{ "empty-line", 0, "\nsecond\n", PATH ": its first line is empty" },
};

TEST_ROWS(first_line, ROWS)
{
	struct publish_options options[] = {
		complete((struct publish_options){ .token_path = PATH }),
		complete((struct publish_options){ .user = "u", .password_path = PATH })
	};

	write_file(row->letters, row->behind);
	for (int i = 0; i < 2; i++) {
		natsOptions *made;

		diags_collect();
		made = server_options_make(&options[i]);
		assert_int_equal(made == NULL, row->wrong != NULL);
		assert_string_equal(diags_last(), row->wrong ?: "");
		diags_end();
		natsOptions_Destroy(made);
	}
	unlink(PATH);
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
	struct publish_options o = complete(row->o);

	diags_collect();
	write_file(8, "\n");
	assert_return_code(chmod(PATH, 0640), errno);
	natsOptions_Destroy(server_options_make(&o));
	assert_int_equal(strstr(diags_all(), WRONG) != NULL, row->is_secret);
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
	struct publish_options o = complete(row->o);
	char words[128];

	diags_collect();
	server_note_login(&o);
	snprintf(words, sizeof(words), "the login to %s is not encrypted", row->host ?: "");
	if (row->host)
		assert_non_null(strstr(diags_all(), words));
	else
		assert_string_equal(diags_all(), "");
	diags_end();
}

UNIT_MAIN()
