// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "server.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "diag.h"
#include "fd.h"
#include "integers.h"

#define CONNECT_NS 10000000000 /* libnats's own timeout does not cover all steps */
#define CLOSE_MS 10000
#define ANSWERS_EACH 4 /* unread answers for each message that may be in flight */
#define ANSWERS_WAKE 32

void server_bin_add(struct server_bin *b, natsMsg *m, int most)
{
	b->list[b->cnt++] = m;
	if (b->cnt >= most)
		server_bin_empty(b);
}

void server_bin_empty(struct server_bin *b)
{
	while (b->cnt)
		natsMsg_Destroy(b->list[--b->cnt]);
}

static void free_server(struct server *s)
{
	fd_close(s->fd);
	natsInbox_Destroy(s->inbox);
	free(s->answers);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

int server_open(const struct publish_options *o, const struct stream_requirements *required,
		struct server **out)
{
	pthread_condattr_t attributes;
	struct server *s = calloc(1, sizeof(*s));
	int err;

	if (!s)
		return diag_err(-ENOMEM, "out of memory");
	server_note_login(o);
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&s->changed, &attributes);
	pthread_condattr_destroy(&attributes);
	s->options = o;
	snprintf(s->stream, sizeof(s->stream), "%s", o->stream);
	s->required = *required;
	s->answers_max = ANSWERS_EACH * o->pending;
	s->answers_wake = lesser(ANSWERS_WAKE, o->pending / 2 + 1);
	s->answers = calloc(s->answers_max, sizeof(*s->answers));
	s->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	nats_Open(0); /* a mutex that is taken is waited for, not spun on */
	err = !s->answers || s->fd < 0 || natsInbox_Create(&s->inbox) ? ENOMEM : 0;
	err = err ?: pthread_create(&s->thread, NULL, server_run, s);
	if (err) {
		free_server(s);
		return diag_err(-err, "no connection to servers: %s", strerror(err));
	}
	*out = s;
	return 0;
}

/* Shuts down all TCP connections of this process; descriptors stay open. libnats waits without
 * limit for a server that stops answering in the TLS handshake, or before its first PONG, and does
 * not expose the descriptor until it is connected.
 */
static void cut_connections(void)
{
	DIR *all = opendir("/proc/self/fd");

	if (!all)
		return;
	for (const struct dirent *e; (e = readdir(all));) {
		struct sockaddr_storage peer = { 0 };
		socklen_t len = sizeof(peer);
		int fd = atoi(e->d_name);

		if (*e->d_name != '.' && !getpeername(fd, (struct sockaddr *)&peer, &len) &&
		    (peer.ss_family == AF_INET || peer.ss_family == AF_INET6))
			shutdown(fd, SHUT_RDWR);
	}
	closedir(all);
}

void server_check_timeouts(struct server *s)
{
	uint64_t since_ns = s->connecting_ns, now = clock_ns(CLOCK_MONOTONIC);

	pthread_mutex_lock(&s->lock);
	log_rate_flush_due(&s->notes, now); /* at a limited rate, as each message may cause one */
	pthread_mutex_unlock(&s->lock);
	if (!since_ns || now - since_ns <= CONNECT_NS)
		return;
	cut_connections();
	/* The time starts again for the next server of the list, unless the attempt has ended. */
	atomic_compare_exchange_strong(&s->connecting_ns, &since_ns, now);
}

/* Ends the thread. Cuts connections each second, as the thread may be connecting. */
static void end_thread(struct server *s)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	pthread_mutex_lock(&s->lock);
	s->is_stopping = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	while (until.tv_sec++, pthread_timedjoin_np(s->thread, NULL, &until))
		cut_connections();
}

void server_close(struct server *s)
{
	if (!s)
		return;
	end_thread(s);
	pthread_mutex_lock(&s->lock);
	log_rate_flush(&s->notes);
	server_bin_empty(&s->sent);
	server_bin_empty(&s->answered);
	pthread_mutex_unlock(&s->lock);
	if (!nats_CloseAndWait(CLOSE_MS))
		free_server(s);
	else /* handlers of libnats may still run, and read *s */
		diag_note("libnats does not end its threads");
}

enum server_state server_update(struct server *s, struct stream_fit *ret_fit)
{
	char messages[SERVER_MESSAGES_MAX] = "", *rest = messages;
	enum server_state state;
	uint64_t times;

	while (read(s->fd, &times, sizeof(times)) > 0)
		;
	pthread_mutex_lock(&s->lock);
	/* Reports the loss of a connection, even if the next one is made already. */
	if (s->is_lost)
		s->shared = NULL;
	s->connection = s->shared;
	pthread_cond_broadcast(&s->changed);
	if (s->has_messages)
		memcpy(messages, s->messages, sizeof(messages));
	s->has_messages = false;
	state = s->has_failed ? SERVER_FAILED : s->connection ? SERVER_UP : SERVER_DOWN;
	if (state == SERVER_UP)
		*ret_fit = s->fit;
	pthread_mutex_unlock(&s->lock);
	/* Logged without the lock: a log may take its time, and threads of libnats wait for the lock. */
	for (char *line; (line = strsep(&rest, "\n")) && *line;) {
		const char *finding = strsep(&line, ADVICE);

		diag_give(&(struct diag){ *finding - '0', .finding = finding + 1, .advice = line });
	}
	return state;
}

void server_require(struct server *s, const struct stream_requirements *required)
{
	pthread_mutex_lock(&s->lock);
	s->required = *required;
	s->check_ns = 0;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

void server_wake(struct server *s)
{
	const uint64_t one = 1;

	if (write(s->fd, &one, sizeof(one)) < 0)
		return; /* it is readable already */
}

uint32_t server_take(struct server *s, struct server_answer *out, uint32_t most)
{
	uint32_t cnt = 0;

	pthread_mutex_lock(&s->lock);
	for (; s->cnt && cnt < most; s->cnt--) {
		out[cnt++] = s->answers[s->first];
		s->first = (s->first + 1) % s->answers_max;
	}
	pthread_mutex_unlock(&s->lock);
	return cnt;
}

/* Drops a connection after a failed write: a message may have been sent in part, so nothing more
 * can be sent by it. The thread makes another connection, and all messages are sent again.
 */
static void drop_connection(struct server *s, natsStatus err)
{
	pthread_mutex_lock(&s->lock);
	s->is_lost |= s->shared == s->connection;
	pthread_mutex_unlock(&s->lock);
	diag_err(0, "the connection takes no message: %s", server_error_text(err));
	s->connection = NULL;
	server_wake(s);
}

int server_publish(struct server *s, natsMsg *m, const char **ret_why)
{
	natsStatus err = NATS_NOT_YET_CONNECTED;

	if (s->connection)
		err = natsConnection_PublishMsg(s->connection, m);
	server_bin_add(&s->sent, m, SERVER_BIN_MAX);
	switch (err) {
	case NATS_OK:
		return 0;
	case NATS_MAX_PAYLOAD:
		return -EMSGSIZE;
	case NATS_NOT_YET_CONNECTED:
		return -EAGAIN;
	case NATS_CONNECTION_CLOSED:
	case NATS_CONNECTION_DISCONNECTED:
	case NATS_STALE_CONNECTION:
	case NATS_DRAINING:
	case NATS_IO_ERROR:
	case NATS_SSL_ERROR:
	case NATS_TIMEOUT:
		drop_connection(s, err);
		return -EAGAIN;
	default:
		*ret_why = server_error_text(err);
		return -EIO;
	}
}
