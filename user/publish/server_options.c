// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "server_options.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "diag.h"
#include "integers.h"
#include "private_file.h"
#include "server.h"
#include "stream_check.h"

#define CONNECT_MS 3000
#define PING_MS 5000
#define PINGS_MAX 2
#define BUFFER_BYTES 65536
#define HOST_MAX 256
#define LINE_MAX_BYTES 1023
#define LINE_ROOM (LINE_MAX_BYTES + 3) /* also for \r, \n and the 0 */

const char *server_error_text(natsStatus err)
{
	const char *text = nats_GetLastError(NULL), *behind = text ? strstr(text, "): ") : NULL;

	if (text && *text == '(' && behind)
		text = behind + strlen("): ");
	return text && *text ? text : natsStatus_GetText(err);
}

/* Copies the host of the first URL in a list. Returns where the next one begins. */
static const char *copy_host(const char *urls, char host[HOST_MAX])
{
	const char *url = urls + strspn(urls, ", "), *end = url + strcspn(url, ", ");
	const char *scheme = memmem(url, end - url, "://", 3), *from = scheme ? scheme + 3 : url;
	bool has_brackets = *from == '[';
	size_t len = strcspn(from += has_brackets, has_brackets ? "], " : ":/, ");

	snprintf(host, HOST_MAX, "%.*s", (int)lesser(len, HOST_MAX - 1), from);
	return end;
}

/* Writes why no server could be reached: libnats says only that. */
static void describe_unreached(const struct publish_options *o, char *text)
{
	struct addrinfo *found = NULL;
	char host[HOST_MAX];
	int err = 0;

	for (const char *urls = o->servers; *urls && !err; found = NULL) {
		urls = copy_host(urls, host);
		err = *host ? getaddrinfo(host, NULL, NULL, &found) : 0;
		if (found)
			freeaddrinfo(found);
	}
	if (err)
		snprintf(text, SERVER_TEXT_MAX,
			 "--server: the host %s is unknown (%.64s): correct its name, or give an address",
			 host, gai_strerror(err));
	else
		snprintf(text, SERVER_TEXT_MAX,
			 "%s: no connection: is nats-server running, and does it, or a firewall, refuse this port?",
			 o->servers);
}

static bool has_tls(const struct publish_options *o)
{
	return o->tls_ca || o->tls_cert || strstr(o->servers, "tls://");
}

void server_describe_failure(const struct publish_options *o, natsStatus err, char *text)
{
	const char *hint = "", *error = server_error_text(err);

	if (err == NATS_NO_SERVER) {
		describe_unreached(o, text);
		return;
	}
	if (err == NATS_SSL_ERROR)
		hint = "; --tls-ca names the authorities that are trusted";
	else if (err == NATS_SECURE_CONNECTION_WANTED)
		hint = ": the server has no TLS: configure it there, or give a nats:// URL";
	else if (err == NATS_TIMEOUT)
		hint = ": this is no port of NATS clients, or the server hangs";
	else if (has_tls(o) && !o->tls_cert)
		hint = "; if the server wants a certificate of this machine, give --tls-cert and --tls-key";
	snprintf(text, SERVER_TEXT_MAX, "%s: %s%s%s", o->servers,
		 err == NATS_CONNECTION_AUTH_FAILED ? "the login is refused: " : "", error, hint);
}

void server_note_login(const struct publish_options *o)
{
	char host[HOST_MAX];

	if ((!o->user && !o->token_path && !o->credentials) || has_tls(o))
		return;
	for (const char *urls = o->servers; *urls;) {
		urls = copy_host(urls, host);
		if (!*host || !strcmp(host, "localhost") || !strcmp(host, "::1") ||
		    !strncmp(host, "127.", 4))
			continue;
		diag_note("the login to %s is not encrypted: others on the way can read it, or take over the connection" ADVICE
			  "give a tls:// URL, or --tls-ca",
			  host);
		return;
	}
}

/* Returns whether the file can be read, and others cannot read a secret in it; if not, with
 * text[SERVER_TEXT_MAX]: libnats gives no reason. Accepts NULL.
 */
static bool check_file(const char *path, bool is_secret, char *text)
{
	const char *wrong = NULL;
	struct stat st;

	if (!path)
		return true;
	if (stat(path, &st) || access(path, R_OK))
		snprintf(text, SERVER_TEXT_MAX, "%s: %s", path, strerror(errno));
	else if (is_secret && (wrong = private_file_wrong(&st)))
		snprintf(text, SERVER_TEXT_MAX, "%s %s", path, wrong);
	else
		return true;
	return false;
}

static bool check_files(const struct publish_options *o, char *text)
{
	return check_file(o->credentials, true, text) && check_file(o->password_path, true, text) &&
	       check_file(o->token_path, true, text) && check_file(o->tls_key, true, text) &&
	       check_file(o->tls_cert, false, text) && check_file(o->tls_ca, false, text);
}

/* Reads the first line of a file that was checked. Returns 0; or -EINVAL, with
 * text[SERVER_TEXT_MAX].
 */
static int read_line(const char *path, char line[LINE_ROOM], char *text)
{
	FILE *from = fopen(path, "re");

	if (!from || !fgets(line, LINE_ROOM, from))
		*line = '\0';
	if (from)
		fclose(from);
	line[strcspn(line, "\r\n")] = '\0';
	if (*line && strlen(line) <= LINE_MAX_BYTES)
		return 0;
	if (*line)
		snprintf(text, SERVER_TEXT_MAX, "%s: its first line has more than %d bytes", path,
			 LINE_MAX_BYTES);
	else
		snprintf(text, SERVER_TEXT_MAX, "%s: its first line is empty", path);
	return -EINVAL;
}

static natsStatus set_servers(natsOptions *to, const char *servers)
{
	const char *urls[PUBLISH_SERVERS_MAX];
	char *copy = strdup(servers), *rest = NULL;
	natsStatus err = NATS_NO_MEMORY;
	int cnt = 0;

	for (char *url = copy ? strtok_r(copy, ", ", &rest) : NULL;
	     url && cnt < PUBLISH_SERVERS_MAX; url = strtok_r(NULL, ", ", &rest))
		urls[cnt++] = url;
	if (copy)
		err = natsOptions_SetServers(to, urls, cnt);
	free(copy);
	return err;
}

/* Sets the login. Writes to *text only if a file cannot be used. */
static natsStatus set_login(natsOptions *to, const struct publish_options *o, char *text)
{
	char line[LINE_ROOM];
	const char *path = o->password_path ?: o->token_path;
	natsStatus err = NATS_OK;

	if (o->credentials)
		return natsOptions_SetUserCredentialsFromFiles(to, o->credentials, NULL);
	if (!path)
		return NATS_OK;
	if (read_line(path, line, text))
		return NATS_INVALID_ARG;
	err = o->user ? natsOptions_SetUserInfo(to, o->user, line) : natsOptions_SetToken(to, line);
	explicit_bzero(line, sizeof(line));
	return err;
}

static natsStatus set_tls(natsOptions *to, const struct publish_options *o)
{
	natsStatus err = NATS_OK;

	if (!has_tls(o))
		return NATS_OK;
	err = natsOptions_SetSecure(to, true);
	if (!err && o->tls_ca)
		err = natsOptions_LoadCATrustedCertificates(to, o->tls_ca);
	if (!err && o->tls_cert)
		err = natsOptions_LoadCertificatesChain(to, o->tls_cert, o->tls_key);
	return err;
}

/* Sets name and timeouts. Turns off reconnects by libnats: server_thread.c connects again. */
static natsStatus set_behaviour(natsOptions *to, const struct publish_options *o)
{
	char name[128];

	snprintf(name, sizeof(name), PUBLISH_PROGRAM " %s", o->machine);
	return natsOptions_SetName(to, name)
		       ?: natsOptions_SetAllowReconnect(to, false)
		       ?: natsOptions_SetTimeout(to, CONNECT_MS)
		       ?: natsOptions_SetPingInterval(to, PING_MS)
		       ?: natsOptions_SetMaxPingsOut(to, PINGS_MAX)
		       ?: natsOptions_SetIOBufSize(to, BUFFER_BYTES)
		       ?: natsOptions_SetWriteDeadline(to, SERVER_WRITE_MS);
}

natsOptions *server_options_make(const struct publish_options *o, char *text)
{
	natsOptions *to = NULL;
	natsStatus err = natsOptions_Create(&to);

	text[0] = '\0';
	if (!err && !check_files(o, text))
		err = NATS_INVALID_ARG;
	err = err ?: set_servers(to, o->servers) ?: set_behaviour(to, o) ?: set_tls(to, o)
		       ?: set_login(to, o, text);
	if (!err)
		return to;
	if (!*text)
		server_describe_failure(o, err, text);
	natsOptions_Destroy(to);
	return NULL;
}
