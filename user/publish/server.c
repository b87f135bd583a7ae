// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "server.h"

#include <errno.h>
#include <nats/nats.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "cut.h"
#include "diag.h"
#include "fd.h"
#include "server_options.h"

#define NS_PER_S 1000000000
#define CONNECT_NS 10000000000 /* libnats has a bound of its own, but not for all */
#define LASTING_NS 5000000000  /* a connection was good for so long: pauses are short again */
#define PAUSE_MIN_MS 100
#define PAUSE_MAX_MS 10000
#define ANSWERS_EACH 4 /* answers at a time for each message that may be in flight */

struct server {
	const struct publish_options *options;
	const struct stream_wish *want;
	int fd;
	pthread_t thread;
	char inbox[64];		    /* answers come to INBOX.SLOT-GENERATION */
	natsConnection *connection; /* of server_publish(); NULL unless it is up */
	uint32_t answers_max;

	_Atomic uint64_t connecting_ns; /* since when the thread connects; 0: it does not */

	pthread_mutex_t lock; /* guards all below */
	pthread_cond_t changed;
	natsConnection *made; /* the thread's, lent to the other thread */
	uint64_t window_ns;   /* the stream's duplicate window */
	bool is_lost;	      /* that connection was closed */
	bool is_stopping, has_failed;
	char news[SERVER_TEXT_MAX]; /* to be logged; "": nothing */
	enum diag_kind news_kind;
	struct server_answer *answers; /* a ring */
	uint32_t first, cnt;
};

static void tell(struct server *s)
{
	const uint64_t one = 1;

	if (write(s->fd, &one, sizeof(one)) < 0)
		return; /* it is readable already */
}

/* Has the other thread log this, instead of what it has not logged yet. */
static void report(struct server *s, enum diag_kind kind, const char *text)
{
	pthread_mutex_lock(&s->lock);
	snprintf(s->news, sizeof(s->news), "%s", text);
	s->news_kind = kind;
	pthread_mutex_unlock(&s->lock);
	tell(s);
}

/* What follows SLOT and GENERATION are in a subject. */
static bool read_subject(const struct server *s, const char *subject, struct server_answer *out)
{
	size_t prefix = strlen(s->inbox);
	int end = 0;

	return !strncmp(subject, s->inbox, prefix) &&
	       sscanf(subject + prefix, ".%u-%u%n", &out->slot, &out->generation, &end) == 2 &&
	       !subject[prefix + end];
}

/* A natsMsgHandler, in a thread of libnats. */
static void on_answer(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *arg)
{
	struct server *s = arg;
	struct server_answer a;
	bool is_first = false;

	(void)nc, (void)sub;
	if (read_subject(s, natsMsg_GetSubject(msg), &a)) {
		if (natsMsg_IsNoResponders(msg))
			a.answer = (struct publish_answer){ .is_away = true,
							    .code = 503,
							    .text = "no server has the stream now" };
		else
			publish_answer_read(natsMsg_GetData(msg), natsMsg_GetDataLength(msg),
					    s->options->stream, &a.answer);
		pthread_mutex_lock(&s->lock);
		/* If there is no room, the message is sent again, and answered again. */
		if (s->cnt < s->answers_max) {
			s->answers[(s->first + s->cnt) % s->answers_max] = a;
			is_first = !s->cnt++;
		}
		pthread_mutex_unlock(&s->lock);
	}
	natsMsg_Destroy(msg);
	if (is_first)
		tell(s);
}

/* A natsConnectionHandler, in a thread of libnats. */
static void on_closed(natsConnection *nc, void *arg)
{
	struct server *s = arg;

	pthread_mutex_lock(&s->lock);
	s->is_lost |= nc == s->made;
	pthread_mutex_unlock(&s->lock);
	tell(s);
}

/* A natsErrHandler, in a thread of libnats: a message was refused, for example. */
static void on_error(natsConnection *nc, natsSubscription *sub, natsStatus err, void *arg)
{
	const char *text = NULL;
	char line[SERVER_TEXT_MAX];

	(void)sub;
	if (natsConnection_GetLastError(nc, &text) == NATS_OK || !text || !*text)
		text = natsStatus_GetText(err);
	snprintf(line, sizeof(line), "the server says: %s", text);
	report(arg, DIAG_NOTE, line);
}

/* Makes a connection, and a subscription to answers. NULL, and *text, if that fails. */
static natsConnection *connect_once(struct server *s, natsSubscription **answers, char *text)
{
	const struct server_handlers handlers = { on_closed, on_error, s };
	natsOptions *options = server_options_make(s->options, &handlers, text);
	natsConnection *nc = NULL;
	char subject[96];
	natsStatus err;

	if (!options)
		return NULL;
	s->connecting_ns = clock_ns(CLOCK_MONOTONIC);
	err = natsConnection_Connect(&nc, options);
	s->connecting_ns = 0;
	natsOptions_Destroy(options);
	snprintf(subject, sizeof(subject), "%s.*", s->inbox);
	if (!err)
		err = natsConnection_Subscribe(answers, nc, subject, on_answer, s);
	if (!err)
		err = natsSubscription_SetPendingLimits(*answers, -1, -1);
	if (!err)
		return nc;
	snprintf(text, SERVER_TEXT_MAX, "%s: %s", s->options->servers, server_error_text(err));
	natsConnection_Destroy(nc);
	return NULL;
}

/* Gives the connection to the other thread, and waits until that has no more use for it. */
static void lend(struct server *s, natsConnection *nc, uint64_t window_ns)
{
	pthread_mutex_lock(&s->lock);
	s->made = nc;
	s->window_ns = window_ns;
	s->is_lost = natsConnection_IsClosed(nc);
	tell(s);
	while (s->made && !s->is_stopping)
		pthread_cond_wait(&s->changed, &s->lock);
	s->made = NULL;
	pthread_mutex_unlock(&s->lock);
}

/* Waits for so long, unless it is closed. */
static bool pause_ms(struct server *s, unsigned int ms)
{
	uint64_t ns = clock_ns(CLOCK_MONOTONIC) + ms * 1000000ULL;
	struct timespec until = { ns / NS_PER_S, ns % NS_PER_S };
	bool goes_on;

	pthread_mutex_lock(&s->lock);
	while (!s->is_stopping && !pthread_cond_timedwait(&s->changed, &s->lock, &until))
		;
	goes_on = !s->is_stopping;
	pthread_mutex_unlock(&s->lock);
	return goes_on;
}

/* Connects, checks, and lends the connection until it is lost. Returns 0; -EAGAIN, with *text, if
 * that is to be tried again; or -EINVAL, with *text, if that makes no sense.
 */
static int use_once(struct server *s, bool is_first, char *text)
{
	natsSubscription *answers = NULL;
	natsConnection *nc;
	int64_t window;

	nc = connect_once(s, &answers, text);
	if (!nc)
		return -EAGAIN;
	window = stream_check(nc, s->options, s->want, text);
	if (window > 0)
		lend(s, nc, window);
	natsSubscription_Destroy(answers);
	natsConnection_Destroy(nc);
	return window > 0 ? 0 : window == -EINVAL && is_first ? -EINVAL : -EAGAIN;
}

static void *run_server(void *arg)
{
	char text[SERVER_TEXT_MAX], last[SERVER_TEXT_MAX] = "";
	unsigned int ms = PAUSE_MIN_MS, seed = (unsigned int)time(NULL) ^ getpid();
	struct server *s = arg;
	bool is_first = true;
	int err;

	do {
		uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);

		text[0] = '\0';
		err = use_once(s, is_first, text);
		is_first &= err != 0;
		if (err == -EINVAL || (err && s->options->check)) {
			report(s, DIAG_ERR, text);
			pthread_mutex_lock(&s->lock);
			s->has_failed = true;
			pthread_mutex_unlock(&s->lock);
			tell(s);
			break;
		}
		if (err && strcmp(text, last))
			report(s, DIAG_ERR, text);
		snprintf(last, sizeof(last), "%s", text);
		ms = ms >= PAUSE_MAX_MS / 2 ? PAUSE_MAX_MS : 2 * ms;
		if (!err && clock_ns(CLOCK_MONOTONIC) - began_ns > LASTING_NS)
			ms = PAUSE_MIN_MS;
	} while (pause_ms(s, ms / 2 + rand_r(&seed) % (ms / 2 + 1)));
	nats_ReleaseThreadMemory();
	return NULL;
}

static int make_inbox(struct server *s)
{
	natsInbox *inbox = NULL;

	if (natsInbox_Create(&inbox))
		return diag_err(-ENOMEM, "libnats makes no inbox");
	snprintf(s->inbox, sizeof(s->inbox), "%s", inbox);
	natsInbox_Destroy(inbox);
	return 0;
}

static void free_server(struct server *s)
{
	fd_close(s->fd);
	free(s->answers);
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

int server_open(const struct publish_options *o, const struct stream_wish *want, struct server **out)
{
	struct server *s = calloc(1, sizeof(*s));
	pthread_condattr_t monotonic;
	int err;

	if (!s)
		return diag_err(-ENOMEM, "out of memory");
	pthread_mutex_init(&s->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&s->changed, &monotonic);
	pthread_condattr_destroy(&monotonic);
	s->options = o;
	s->want = want;
	s->answers_max = ANSWERS_EACH * o->pending;
	s->answers = calloc(s->answers_max, sizeof(*s->answers));
	s->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = !s->answers || s->fd < 0 ? diag_err(-ENOMEM, "out of memory") : make_inbox(s);
	if (!err && pthread_create(&s->thread, NULL, run_server, s))
		err = diag_err(-EAGAIN, "cannot make a thread");
	if (err) {
		free_server(s);
		return err;
	}
	*out = s;
	return 0;
}

void server_hurry(struct server *s)
{
	uint64_t since_ns = s->connecting_ns, now = clock_ns(CLOCK_MONOTONIC);

	if (!since_ns || now - since_ns <= CONNECT_NS)
		return;
	cut_connections();
	/* The next server of the list has as long; unless the attempt has ended. */
	atomic_compare_exchange_strong(&s->connecting_ns, &since_ns, now);
}

/* Waits for the end of the thread, which may be connecting. */
static void join_thread(struct server *s)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	while (until.tv_sec++,
	       pthread_clockjoin_np(s->thread, NULL, CLOCK_MONOTONIC, &until) == ETIMEDOUT)
		cut_connections();
}

void server_close(struct server *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->lock);
	s->is_stopping = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	join_thread(s);
	/* Handlers that still run have this server. */
	nats_CloseAndWait(10000);
	free_server(s);
}

int server_fd(const struct server *s)
{
	return s->fd;
}

enum server_state server_look(struct server *s)
{
	char news[SERVER_TEXT_MAX];
	enum diag_kind kind;
	bool has_failed;
	uint64_t times;

	while (read(s->fd, &times, sizeof(times)) > 0)
		;
	pthread_mutex_lock(&s->lock);
	/* The loss of a connection is seen once, even if the next one is there already. */
	if (s->is_lost)
		s->made = NULL;
	s->connection = s->made;
	pthread_cond_broadcast(&s->changed);
	has_failed = s->has_failed;
	kind = s->news_kind;
	snprintf(news, sizeof(news), "%s", s->news);
	s->news[0] = '\0';
	pthread_mutex_unlock(&s->lock);
	if (*news && kind == DIAG_ERR)
		diag_err(0, "%s", news);
	else if (*news)
		diag_note("%s", news);
	return has_failed ? SERVER_FAILED : s->connection ? SERVER_UP : SERVER_DOWN;
}

uint64_t server_window_ns(struct server *s)
{
	uint64_t ns;

	pthread_mutex_lock(&s->lock);
	ns = s->window_ns;
	pthread_mutex_unlock(&s->lock);
	return ns;
}

bool server_take(struct server *s, struct server_answer *out)
{
	bool is_there;

	pthread_mutex_lock(&s->lock);
	is_there = s->cnt > 0;
	if (is_there) {
		*out = s->answers[s->first];
		s->first = (s->first + 1) % s->answers_max;
		s->cnt--;
	}
	pthread_mutex_unlock(&s->lock);
	return is_there;
}

int server_publish(struct server *s, const struct server_message *m)
{
	char reply[96];
	natsMsg *msg = NULL;
	natsStatus err;

	if (!s->connection)
		return -EAGAIN;
	snprintf(reply, sizeof(reply), "%s.%u-%u", s->inbox, m->slot, m->generation);
	err = natsMsg_Create(&msg, m->subject, reply, m->payload, m->len);
	for (const struct server_header *h = m->headers; h->name && !err; h++)
		err = natsMsgHeader_Set(msg, h->name, h->value);
	if (!err)
		err = natsConnection_PublishMsg(s->connection, msg);
	natsMsg_Destroy(msg);
	return err == NATS_MAX_PAYLOAD ? -EMSGSIZE : err ? -EAGAIN : 0;
}
