// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "serve.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>

#include <microhttpd.h>
#include <systemd/sd-daemon.h>

#include "clock.h"
#include "connections.h"
#include "diag.h"
#include "fd.h"
#include "files.h"
#include "version.h"

#define IDLE_S (SERVE_CONNECTION_MS / 1000)
#define REQUEST_BYTES_MAX (16 << 10) /* memory of a connection, for request and answer */
#define SWEEP_MS 200
#define PLAIN "text/plain; charset=utf-8"
#define METRICS "text/plain; version=0.0.4; charset=utf-8"

struct server {
	const char *directory;
	struct MHD_Daemon *http;
	struct connections connections;
};

static uint64_t now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

static void add_headers(struct MHD_Response *r, const char *type)
{
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
}

/* Answers with a static text. */
static enum MHD_Result reply(struct MHD_Connection *c, unsigned int status, const char *type,
			     const char *text)
{
	struct MHD_Response *r =
		MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result;

	if (!r)
		return MHD_NO;
	add_headers(r, type);
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return result;
}

static enum MHD_Result reply_file(const struct server *s, struct MHD_Connection *c, const char *name)
{
	enum MHD_Result result;
	struct MHD_Response *r;
	uint64_t bytes;
	int fd = files_open(s->directory, name, &bytes);

	if (fd == -ESTALE)
		return reply(c, MHD_HTTP_SERVICE_UNAVAILABLE, METRICS,
			     "# TYPE xdp_dedup_up gauge\n"
			     "# HELP xdp_dedup_up 0: the program that writes these metrics does not.\n"
			     "xdp_dedup_up 0\n");
	if (fd < 0)
		return reply(c, MHD_HTTP_NOT_FOUND, PLAIN,
			     "no program writes metrics of this name, or they may not be read\n");
	r = MHD_create_response_from_fd64(bytes, fd);
	if (!r) {
		fd_close(fd);
		return MHD_NO;
	}
	add_headers(r, METRICS);
	result = MHD_queue_response(c, MHD_HTTP_OK, r);
	MHD_destroy_response(r);
	return result;
}

/* Notes that the connection has made a request: connections_make_room() ends others first. */
static void note_request(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct connection *connection = info ? info->socket_context : NULL;

	if (connection)
		connection->has_request = true;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **state)
{
	(void)version, (void)upload;
	if (!*state) { /* the first call, after the headers */
		*state = arg;
		note_request(c);
		if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
			return reply(c, MHD_HTTP_METHOD_NOT_ALLOWED, PLAIN, "GET and HEAD only\n");
		return MHD_YES;
	}
	if (*upload_size) { /* discards a body */
		*upload_size = 0;
		return MHD_YES;
	}
	if (!strcmp(url, "/metrics"))
		return reply_file(arg, c, "xdp-dedup");
	if (!strncmp(url, "/metrics/", strlen("/metrics/")))
		return reply_file(arg, c, url + strlen("/metrics/"));
	if (!strcmp(url, "/"))
		return reply(c, MHD_HTTP_OK, "text/html; charset=utf-8",
			     "<!doctype html><title>xdp-dedup</title><p>xdp-dedup " XDP_DEDUP_VERSION
			     ": <a href=\"/metrics\">metrics</a>\n");
	return reply(c, MHD_HTTP_NOT_FOUND, PLAIN, "only /metrics and /metrics/NAME are here\n");
}

static void on_connection(void *arg, struct MHD_Connection *c, void **state,
			  enum MHD_ConnectionNotificationCode what)
{
	const union MHD_ConnectionInfo *info;
	struct server *s = arg;

	if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
		connections_remove(&s->connections, *state);
		return;
	}
	info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	*state = info ? connections_add(&s->connections, info->connect_fd, now_ms()) : NULL;
	connections_make_room(&s->connections, SERVE_OPEN_MAX);
}

static int wait_ms(const struct server *s)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(s->http, &ms) == MHD_YES && ms < SWEEP_MS)
		return (int)ms;
	return s->connections.cnt ? SWEEP_MS : -1;
}

static int serve_until_stopped(struct server *s, int signals)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->http, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd fds[] = { { .fd = info->epoll_fd, .events = POLLIN },
				{ .fd = signals, .events = POLLIN } };
	int connections;

	while (!fds[1].revents) {
		if (poll(fds, 2, wait_ms(s)) < 0 && errno != EINTR)
			return diag_err(-errno, "cannot wait for requests: %s", strerror(errno));
		connections_end_older(&s->connections, now_ms(), SERVE_CONNECTION_MS);
		/* After connections have closed, MHD accepts new ones only in its next run. */
		do {
			connections = s->connections.cnt;
			MHD_run(s->http);
		} while (s->connections.cnt < connections);
	}
	return 0;
}

/* Returns a descriptor that SIGTERM and SIGINT make readable; or -errno. */
static int open_signals(void)
{
	sigset_t set;
	int fd;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int serve(int listen_fd, const char *directory)
{
	struct server s = { .directory = directory };
	int signals = open_signals(), err;

	if (signals >= 0)
		s.http = MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, &s,
					  MHD_OPTION_LISTEN_SOCKET, listen_fd,
					  MHD_OPTION_NOTIFY_CONNECTION, on_connection, &s,
					  MHD_OPTION_CONNECTION_LIMIT,
					  (unsigned int)SERVE_CONNECTIONS_MAX,
					  MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)IDLE_S,
					  MHD_OPTION_CONNECTION_MEMORY_LIMIT,
					  (size_t)REQUEST_BYTES_MAX, MHD_OPTION_END);
	if (s.http) {
		sd_notify(false, "READY=1");
		err = serve_until_stopped(&s, signals);
		MHD_stop_daemon(s.http);
	} else {
		err = diag_err(-EIO, "cannot start the HTTP server");
	}
	fd_close(signals);
	return err;
}
