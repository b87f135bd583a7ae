// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "server.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "integers.h"
#include "private_file.h"

#define CONNECT_MS 3000
#define PING_MS 5000
#define PINGS_MAX 2
#define BUFFER_BYTES 65536
#define HOST_MAX 256
#define LINE_MAX_BYTES 1023
#define LINE_ROOM (LINE_MAX_BYTES + 3) /* also for \r, \n and the 0 */
#define UNREADABLE NATS_ILLEGAL_STATE  /* of a file; the reason is logged */

const char *server_error_text(natsStatus err)
{
	const char *text = nats_GetLastError(NULL), *behind = text ? strstr(text, "): ") : NULL;

	if (text && *text == '(' && behind)
		text = behind + strlen("): ");
	return text && *text ? text : natsStatus_GetText(err);
}

static void copy_host(const char *url, char host[HOST_MAX])
{
	const char *scheme = strstr(url, "://"), *from = scheme ? scheme + 3 : url;
	bool has_brackets = *from == '[';
	size_t len = strcspn(from += has_brackets, has_brackets ? "]" : ":/");

	snprintf(host, HOST_MAX, "%.*s", (int)lesser(len, HOST_MAX - 1), from);
}

/* Logs why no server could be reached: libnats says only that. */
static void log_unreached(const struct publish_options *o)
{
	struct addrinfo *found = NULL;
	char host[HOST_MAX];
	int err = 0;

	for (int i = 0; i < o->urls_cnt && !err; i++, found = NULL) {
		copy_host(o->urls[i], host);
		err = *host ? getaddrinfo(host, NULL, NULL, &found) : 0;
		if (found)
			freeaddrinfo(found);
	}
	if (err)
		diag_err(0,
			 "--server: the host %s is unknown (%.64s): correct its name, or give an address",
			 host, gai_strerror(err));
	else
		diag_err(0,
			 "%s: no connection: is nats-server running, and does it, or a firewall, refuse this port?",
			 o->servers);
}

static bool has_tls(const struct publish_options *o)
{
	return o->tls_ca || o->tls_cert || strstr(o->servers, "tls://");
}

void server_log_failure(const struct publish_options *o, natsStatus err)
{
	const char *hint = "", *error = server_error_text(err);

	if (err == NATS_NO_SERVER) {
		log_unreached(o);
		return;
	}
	if (err == NATS_NO_SERVER_SUPPORT)
		error = "the server takes no headers: it is too old";
	else if (err == NATS_SSL_ERROR)
		hint = "; --tls-ca names the authorities that are trusted";
	else if (err == NATS_SECURE_CONNECTION_WANTED)
		hint = ": the server has no TLS: configure it there, or give a nats:// URL";
	else if (has_tls(o) && !o->tls_cert && err != NATS_TIMEOUT)
		hint = "; if the server wants a certificate of this machine, give --tls-cert and --tls-key";
	else if (err == NATS_TIMEOUT || err == NATS_CONNECTION_CLOSED)
		hint = ": this is no port of NATS clients, or the server hangs";
	diag_err(0, "%s: %s%s%s", o->servers,
		 err == NATS_CONNECTION_AUTH_FAILED ? "the login is refused: " : "", error, hint);
}

void server_note_login(const struct publish_options *o)
{
	char host[HOST_MAX];

	if ((!o->user && !o->token_path && !o->credentials) || has_tls(o))
		return;
	for (int i = 0; i < o->urls_cnt; i++) {
		copy_host(o->urls[i], host);
		if (!*host || !strcmp(host, "localhost") || !strcmp(host, "::1") ||
		    !strncmp(host, "127.", 4))
			continue;
		diag_note("the login to %s is not encrypted: others on the way can read it, or take over the connection" ADVICE
			  "give a tls:// URL, or --tls-ca",
			  host);
		return;
	}
}

/* Returns whether the files can be read, and others cannot read secrets in them (else logged):
 * libnats gives no reason.
 */
static bool check_files(const struct publish_options *o)
{
	const char *const secret[] = { o->credentials, o->tls_key };
	const char *const others[] = { o->tls_cert, o->tls_ca };

	for (int i = 0; i < 2; i++) {
		if (secret[i] && private_file_read(secret[i], NULL, 0) < 0)
			return false;
		if (others[i] && access(others[i], R_OK))
			return diag_err(false, "%s: %s", others[i], strerror(errno));
	}
	return true;
}

/* Reads the first line of a file. Returns 0, or -errno (logged). */
static int read_line(const char *path, char line[LINE_ROOM])
{
	ssize_t len = private_file_read(path, line, LINE_ROOM - 1);

	if (len < 0)
		return len;
	line[len] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	if (strlen(line) > LINE_MAX_BYTES)
		return diag_err(-EINVAL, "%s: its first line has more than %d bytes", path,
				LINE_MAX_BYTES);
	return *line ? 0 : diag_err(-EINVAL, "%s: its first line is empty", path);
}

static natsStatus set_login(natsOptions *to, const struct publish_options *o)
{
	char line[LINE_ROOM];
	const char *path = o->password_path ?: o->token_path;
	natsStatus err = NATS_OK;

	if (o->credentials)
		return natsOptions_SetUserCredentialsFromFiles(to, o->credentials, NULL);
	if (!path)
		return NATS_OK;
	if (read_line(path, line))
		err = UNREADABLE;
	else if (o->user)
		err = natsOptions_SetUserInfo(to, o->user, line);
	else
		err = natsOptions_SetToken(to, line);
	explicit_bzero(line, sizeof(line));
	return err;
}

static natsStatus set_tls(natsOptions *to, const struct publish_options *o)
{
	natsStatus err = has_tls(o) ? natsOptions_SetSecure(to, true) : NATS_OK;

	if (!err && o->tls_ca)
		err = natsOptions_LoadCATrustedCertificates(to, o->tls_ca);
	if (!err && o->tls_cert)
		err = natsOptions_LoadCertificatesChain(to, o->tls_cert, o->tls_key);
	return err;
}

natsOptions *server_options_make(const struct publish_options *o)
{
	natsOptions *to = NULL;
	natsStatus err = natsOptions_Create(&to);
	char name[128];

	if (!err && !check_files(o))
		err = UNREADABLE;
	snprintf(name, sizeof(name), PUBLISH_PROGRAM " %s", o->machine);
	err = err ?: natsOptions_SetServers(to, o->urls, o->urls_cnt)
		       ?: natsOptions_SetName(to, name)
		       ?: natsOptions_SetAllowReconnect(to, false) /* server_thread.c does that */
		       ?: natsOptions_SetTimeout(to, CONNECT_MS)
		       ?: natsOptions_SetPingInterval(to, PING_MS)
		       ?: natsOptions_SetMaxPingsOut(to, PINGS_MAX)
		       ?: natsOptions_SetIOBufSize(to, BUFFER_BYTES)
		       ?: natsOptions_SetWriteDeadline(to, SERVER_WRITE_MS)
		       ?: set_tls(to, o)
		       ?: set_login(to, o);
	if (!err)
		return to;
	if (err != UNREADABLE)
		server_log_failure(o, err);
	natsOptions_Destroy(to);
	return NULL;
}
