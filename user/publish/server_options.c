// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "server_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"
#include "stream_check.h"

#define CONNECT_MS 3000
#define PING_MS 5000
#define PINGS_MAX 2
#define BUFFER_BYTES 65536
#define LINE_MAX_BYTES 1023
#define LINE_ROOM (LINE_MAX_BYTES + 3) /* also for \r, \n and the 0 */

const char *server_error_text(natsStatus err)
{
	const char *text = nats_GetLastError(NULL), *behind = text ? strstr(text, "): ") : NULL;

	if (text && *text == '(' && behind)
		text = behind + strlen("): ");
	return text && *text ? text : natsStatus_GetText(err);
}

void server_describe_failure(const struct publish_options *o, natsStatus err, char *text)
{
	snprintf(text, SERVER_TEXT_MAX, "%s: %s%s", o->servers,
		 err == NATS_CONNECTION_AUTH_FAILED ? "the login is refused: " : "",
		 server_error_text(err));
}

/* Reads a file's first line. Returns 0; or -errno, with text[SERVER_TEXT_MAX]. */
static int read_line(const char *path, char line[LINE_ROOM], char *text)
{
	FILE *from = fopen(path, "re");
	int err = from ? 0 : -errno;

	*line = '\0';
	if (from && !fgets(line, LINE_ROOM, from) && ferror(from))
		err = -errno;
	if (from)
		fclose(from);
	line[strcspn(line, "\r\n")] = '\0';
	if (err)
		snprintf(text, SERVER_TEXT_MAX, "%s: %s", path, strerror(-err));
	else if (!*line)
		snprintf(text, SERVER_TEXT_MAX, "%s: its first line is empty", path);
	else if (strlen(line) > LINE_MAX_BYTES)
		snprintf(text, SERVER_TEXT_MAX, "%s: its first line has more than %d bytes", path,
			 LINE_MAX_BYTES);
	else
		return 0;
	return err ?: -EINVAL;
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

	if (!o->tls_ca && !o->tls_cert && !strstr(o->servers, "tls://"))
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
	err = err ?: set_servers(to, o->servers) ?: set_behaviour(to, o) ?: set_tls(to, o)
		       ?: set_login(to, o, text);
	if (!err)
		return to;
	if (!*text)
		server_describe_failure(o, err, text);
	natsOptions_Destroy(to);
	return NULL;
}
