// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "serve.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <microhttpd.h>

#include "accept.h"
#include "calls.h"
#include "channel.h"
#include "clock.h"
#include "connections.h"
#include "diag.h"
#include "fd.h"
#include "version.h"

#define IDLE_S (SERVE_CONNECTION_MS / 1000)
#define REQUEST_BYTES_MAX (16 << 10) /* of a connection: its headers, and what it is sent */
#define SWEEP_MS 200

/* A scrape. */
struct scrape {
	struct MHD_Connection *connection;
	enum metrics_format format;
	bool is_answered, has_text; /* by the service */
	struct scrape *next;	    /* of those that wait */
};

struct server {
	struct MHD_Daemon *http;
	int channel;
	uint64_t asked_ms[METRICS_FORMATS]; /* when a text was requested; 0: no question is open */
	struct connections connections;
	struct scrape *waiting;
	struct {
		int fd; /* the newest one; -1: none */
		uint64_t at_ms;
	} texts[METRICS_FORMATS];
};

static uint64_t now_ms(void)
{
	return clock_ns(CLOCK_MONOTONIC) / 1000000;
}

/* Answers with a text that lives as long as the program. */
static enum MHD_Result reply(struct MHD_Connection *c, unsigned int status, const char *type,
			     const char *text)
{
	struct MHD_Response *r =
		MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_PERSISTENT);
	enum MHD_Result result;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	result = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return result;
}

/* Answers with the newest text. */
static enum MHD_Result reply_text(const struct server *s, const struct scrape *scrape)
{
	static const char *const TYPES[] = {
		[METRICS_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
		[METRICS_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	};
	struct MHD_Response *r = NULL;
	enum MHD_Result result;
	struct stat st;
	int fd = fcntl(s->texts[scrape->format].fd, F_DUPFD_CLOEXEC, 0);

	if (fd >= 0 && !fstat(fd, &st))
		r = MHD_create_response_from_fd64(st.st_size, fd);
	if (!r) {
		fd_close(fd);
		return MHD_NO;
	}
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, TYPES[scrape->format]);
	MHD_add_response_header(r, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT);
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close");
	result = MHD_queue_response(scrape->connection, MHD_HTTP_OK, r);
	MHD_destroy_response(r);
	return result;
}

static enum MHD_Result reply_none(struct MHD_Connection *c)
{
	return reply(c, MHD_HTTP_SERVICE_UNAVAILABLE, "text/plain; charset=utf-8",
		     "the program that has the metrics does not answer\n");
}

/* All scrapes of this format that wait go on, with the newest text or without. */
static void release(struct server *s, enum metrics_format format, bool has_text)
{
	struct scrape **at = &s->waiting, *scrape;

	while ((scrape = *at)) {
		if (scrape->format != format) {
			at = &scrape->next;
			continue;
		}
		*at = scrape->next;
		scrape->is_answered = true;
		scrape->has_text = has_text;
		MHD_resume_connection(scrape->connection);
	}
}

/* Requests a text over the channel, unless that is so already. 0; -errno: the service takes none. */
static int ask(struct server *s, enum metrics_format format, uint64_t now)
{
	const unsigned char byte = format;

	if (s->asked_ms[format])
		return 0;
	if (send(s->channel, &byte, sizeof(byte), MSG_DONTWAIT | MSG_NOSIGNAL) != sizeof(byte))
		return -errno;
	s->asked_ms[format] = now;
	return 0;
}

/* Of a request for /metrics: the text if it is new enough; else has it wait for the next one. */
static enum MHD_Result scrape_now(struct server *s, struct scrape *scrape)
{
	const char *accept = MHD_lookup_connection_value(scrape->connection, MHD_HEADER_KIND,
							 MHD_HTTP_HEADER_ACCEPT);
	uint64_t now = now_ms();

	scrape->format = accept_format(accept);
	if (s->texts[scrape->format].fd >= 0 && now - s->texts[scrape->format].at_ms < SERVE_SAME_MS)
		return reply_text(s, scrape);
	if (ask(s, scrape->format, now))
		return reply_none(scrape->connection);
	scrape->next = s->waiting;
	s->waiting = scrape;
	MHD_suspend_connection(scrape->connection);
	return MHD_YES;
}

/* A connection that has made a request is not closed for a new one while others have made none. */
static void note_request(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct connection *connection = info ? info->socket_context : NULL;

	if (connection)
		connection->has_asked = true;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **state)
{
	struct scrape *scrape = *state;

	(void)version, (void)upload;
	if (!scrape) {
		note_request(c);
		if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
			return reply(c, MHD_HTTP_METHOD_NOT_ALLOWED, "text/plain; charset=utf-8",
				     "GET and HEAD only\n");
		scrape = calloc(1, sizeof(*scrape));
		if (!scrape)
			return MHD_NO;
		scrape->connection = c;
		*state = scrape;
		return MHD_YES;
	}
	if (*upload_size) { /* a body, which nobody wants */
		*upload_size = 0;
		return MHD_YES;
	}
	if (scrape->is_answered)
		return scrape->has_text ? reply_text(arg, scrape) : reply_none(c);
	if (!strcmp(url, "/metrics"))
		return scrape_now(arg, scrape);
	if (!strcmp(url, "/"))
		return reply(c, MHD_HTTP_OK, "text/html; charset=utf-8",
			     "<!doctype html><title>xdp-dedup</title><p>xdp-dedup " XDP_DEDUP_VERSION
			     ": <a href=\"/metrics\">metrics</a>\n");
	return reply(c, MHD_HTTP_NOT_FOUND, "text/plain; charset=utf-8", "only /metrics is here\n");
}

static void on_completed(void *arg, struct MHD_Connection *c, void **state,
			 enum MHD_RequestTerminationCode why)
{
	(void)arg, (void)c, (void)why;
	free(*state);
	*state = NULL;
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
	connections_make_room(&s->connections, SERVE_GUESTS_MAX);
}

/* Takes an answer, if there is one. 1: *answer, and *fd, which is the caller's, or -1. 0: there is
 * none. -EPIPE: the service has gone; another -errno.
 */
static int take_answer(struct server *s, struct channel_answer *answer, int *fd)
{
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec part = { .iov_base = answer, .iov_len = sizeof(*answer) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control.room) };
	ssize_t n = recvmsg(s->channel, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *c;

	*fd = -1;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (!n)
		return -EPIPE;
	c = CMSG_FIRSTHDR(&message);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(*fd)))
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	if (n != sizeof(*answer) || answer->format >= METRICS_FORMATS)
		return -EPROTO;
	s->asked_ms[answer->format] = 0;
	return 1;
}

/* Takes what the service has answered. 0; -errno: it has gone. */
static int take_answers(struct server *s)
{
	struct channel_answer a;
	int fd, err;

	while ((err = take_answer(s, &a, &fd)) > 0) {
		if (fd >= 0) {
			fd_close(s->texts[a.format].fd);
			s->texts[a.format].fd = fd;
			s->texts[a.format].at_ms = now_ms();
		}
		release(s, a.format, fd >= 0);
	}
	return err;
}

/* Ends what has taken too long. */
static void end_overdue(struct server *s)
{
	uint64_t now = now_ms();

	for (int f = 0; f < METRICS_FORMATS; f++) {
		if (!s->asked_ms[f] || now - s->asked_ms[f] < SERVE_ANSWER_MS)
			continue;
		s->asked_ms[f] = 0;
		release(s, f, false);
	}
	connections_end_older(&s->connections, now, SERVE_CONNECTION_MS);
}

static int wait_ms(const struct server *s)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(s->http, &ms) == MHD_YES && ms < SWEEP_MS)
		return (int)ms;
	return s->connections.cnt ? SWEEP_MS : -1;
}

static int serve_until_closed(struct server *s)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->http, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd fds[] = { { .fd = info->epoll_fd, .events = POLLIN },
				{ .fd = s->channel, .events = POLLIN } };
	int err = 0, connections;

	while (!err) {
		if (poll(fds, 2, wait_ms(s)) < 0 && errno != EINTR)
			return diag_err(-errno, "cannot wait for requests: %s", strerror(errno));
		if (fds[1].revents)
			err = take_answers(s);
		end_overdue(s);
		/* Where there is room again, it listens for connections only in the next run. */
		do {
			connections = s->connections.cnt;
			MHD_run(s->http);
		} while (s->connections.cnt < connections);
	}
	return err == -EPIPE || err == -ECONNRESET ? 0 : err;
}

int serve(int listen_fd, int channel)
{
	/* Not stopped at the end: that would shut down the socket that listens for the next one. */
	static struct server s;

	s.channel = channel;
	for (int f = 0; f < METRICS_FORMATS; f++)
		s.texts[f].fd = -1;
	s.http = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
				  on_request, &s, MHD_OPTION_LISTEN_SOCKET, listen_fd,
				  MHD_OPTION_NOTIFY_COMPLETED, on_completed, &s,
				  MHD_OPTION_NOTIFY_CONNECTION, on_connection, &s,
				  MHD_OPTION_CONNECTION_LIMIT, (unsigned int)SERVE_CONNECTIONS_MAX,
				  MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)IDLE_S,
				  MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES_MAX,
				  MHD_OPTION_END);
	if (!s.http)
		return diag_err(-EIO, "cannot start the HTTP server");
	return calls_limit() ?: serve_until_closed(&s);
}
