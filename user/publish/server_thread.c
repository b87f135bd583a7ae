// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "server_thread.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "server_options.h"

#define NS_PER_S 1000000000
#define LASTING_NS 5000000000 /* after a connection that lasted longer, pauses are short again */
#define PAUSE_MIN_MS 100
#define PAUSE_MAX_MS 10000
#define CHECK_NS 3000000000	  /* until a stream that does not suit is checked again */
#define CHECK_EACH_NS 60000000000 /* until one that suits is */

/* Passes an error to the other thread, which logs it, unless it equals the last error. */
static void report(struct server *s, const char *text)
{
	if (!strcmp(text, s->last))
		return;
	snprintf(s->last, sizeof(s->last), "%s", text);
	pthread_mutex_lock(&s->lock);
	snprintf(s->error, sizeof(s->error), "%s", text);
	pthread_mutex_unlock(&s->lock);
	server_wake(s);
}

/* Reads slot and generation from an answer's subject, INBOX.SLOT-GENERATION. */
static bool read_subject(const struct server *s, const char *subject, struct server_answer *out)
{
	size_t prefix = strlen(s->inbox);
	char *end;

	if (strncmp(subject, s->inbox, prefix) || subject[prefix] != '.')
		return false;
	out->slot = strtoul(subject + prefix + 1, &end, 10);
	if (*end != '-')
		return false;
	out->generation = strtoul(end + 1, &end, 10);
	return !*end;
}

/* A natsMsgHandler, in a thread of libnats. */
static void on_answer(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *arg)
{
	struct server *s = arg;
	struct server_answer a;
	bool is_many = false;

	(void)nc, (void)sub;
	if (read_subject(s, natsMsg_GetSubject(msg), &a)) {
		if (natsMsg_IsNoResponders(msg))
			a.answer = (struct publish_answer){ .is_unavailable = true,
							    .code = 503,
							    .text = "no server has the stream now" };
		else
			publish_answer_read(natsMsg_GetData(msg), natsMsg_GetDataLength(msg),
					    s->stream, &a.answer);
		a.time_ns = clock_ns(CLOCK_MONOTONIC);
		pthread_mutex_lock(&s->lock);
		/* Without room the answer is dropped, and the message sent again later. */
		if (s->cnt < s->answers_max) {
			s->answers[(s->first + s->cnt) % s->answers_max] = a;
			is_many = ++s->cnt == s->answers_wake;
		}
		pthread_mutex_unlock(&s->lock);
	}
	natsMsg_Destroy(msg);
	if (is_many)
		server_wake(s);
}

/* A natsMsgHandler, in a thread of libnats: somebody has changed a rule of ids (id_rule.h). */
static void on_rule(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *arg)
{
	struct server *s = arg;

	(void)nc, (void)sub;
	natsMsg_Destroy(msg);
	pthread_mutex_lock(&s->lock);
	s->check_ns = 0;
	s->has_new_rule = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
}

/* A natsConnectionHandler, in a thread of libnats. */
static void on_closed(natsConnection *nc, void *arg)
{
	struct server *s = arg;

	pthread_mutex_lock(&s->lock);
	s->is_lost |= nc == s->shared;
	pthread_mutex_unlock(&s->lock);
	server_wake(s);
}

/* A natsErrHandler, in a thread of libnats: for example, a message was refused. Takes the text from
 * this thread's last error if that is `err`; the text of `nc` may change while it is read.
 */
static void on_error(natsConnection *nc, natsSubscription *sub, natsStatus err, void *arg)
{
	struct server *s = arg;
	natsStatus last = NATS_OK;

	(void)nc, (void)sub;
	nats_GetLastError(&last);
	pthread_mutex_lock(&s->lock);
	snprintf(s->note, sizeof(s->note), "%s",
		 last == err ? server_error_text(err) : natsStatus_GetText(err));
	s->notes_cnt++;
	pthread_mutex_unlock(&s->lock);
	server_wake(s);
}

static void end_subscriptions(natsSubscription *subscriptions[2])
{
	for (int i = 0; i < 2; i++)
		natsSubscription_Destroy(subscriptions[i]);
	subscriptions[0] = subscriptions[1] = NULL;
}

/* Makes a connection, and subscriptions to answers and to rules of ids. Returns NULL, with *text,
 * if that fails.
 */
static natsConnection *connect_once(struct server *s, natsSubscription *subscriptions[2], char *text)
{
	natsOptions *options = server_options_make(s->options, text);
	natsConnection *nc = NULL;
	char subject[96], rules[ID_RULE_SUBJECT_MAX];
	natsStatus err;

	if (!options)
		return NULL;
	s->connecting_ns = clock_ns(CLOCK_MONOTONIC);
	err = natsOptions_SetClosedCB(options, on_closed, s)
		      ?: natsOptions_SetErrorHandler(options, on_error, s)
		      ?: natsConnection_Connect(&nc, options);
	s->connecting_ns = 0;
	natsOptions_Destroy(options);
	snprintf(subject, sizeof(subject), "%s.*", s->inbox);
	id_rule_subject(s->stream, "*", rules);
	err = err ?: natsConnection_HasHeaderSupport(nc)
		       ?: natsConnection_Subscribe(&subscriptions[0], nc, subject, on_answer, s)
		       ?: natsSubscription_SetPendingLimits(subscriptions[0], -1, -1)
		       ?: natsConnection_Subscribe(&subscriptions[1], nc, rules, on_rule, s);
	if (!err)
		return nc;
	if (err == NATS_NO_SERVER_SUPPORT)
		snprintf(text, SERVER_TEXT_MAX, "%s: the server takes no headers: it is too old",
			 s->options->servers);
	else
		server_describe_failure(s->options, err, text);
	end_subscriptions(subscriptions);
	natsConnection_Destroy(nc);
	return NULL;
}

/* Returns when the stream must be checked again. */
static uint64_t check_after(bool suits)
{
	return clock_ns(CLOCK_MONOTONIC) + (suits ? CHECK_EACH_NS : CHECK_NS);
}

/* Checks the stream again. The caller holds the lock, which is released during the check. Returns
 * 0; or -EAGAIN, with *text, if the stream does not suit, and the connection must be closed.
 */
static int check_again(struct server *s, natsConnection *nc, char *text)
{
	struct stream_requirements required = s->required;
	bool has_new_rule = s->has_new_rule;
	struct stream_fit fit;
	int err;

	s->check_ns = UINT64_MAX;
	s->has_new_rule = false;
	pthread_mutex_unlock(&s->lock);
	err = stream_check(nc, s->options, &required, &fit, text);
	if (err == -EAGAIN)
		report(s, text);
	else if (!err)
		s->last[0] = '\0';
	pthread_mutex_lock(&s->lock);
	s->is_refused = err == -EPROTO;
	if (s->check_ns) /* no requirements came meanwhile */
		s->check_ns = check_after(!err && !fit.untaken);
	if (!err)
		s->fit = fit;
	if (err == -EAGAIN && has_new_rule) {
		s->has_new_rule = true;
		s->fit.serial = 0; /* so nothing is sent until the rule is known */
	}
	s->is_lost |= err && err != -EAGAIN;
	server_wake(s);
	return err && err != -EAGAIN ? -EAGAIN : 0;
}

/* Shares the connection with the other thread until that drops it. Returns 0; or -EAGAIN, with
 * *text, if the stream no longer suits.
 */
static int share(struct server *s, natsConnection *nc, const struct stream_fit *fit, char *text)
{
	int err = 0;

	pthread_mutex_lock(&s->lock);
	s->shared = nc;
	s->fit = *fit;
	if (s->check_ns) /* else a rule of ids has changed since the check */
		s->check_ns = fit->serial == s->required.serial ? check_after(!fit->untaken) : 0;
	s->is_lost = natsConnection_IsClosed(nc);
	server_wake(s);
	while (s->shared && !s->is_stopping) {
		struct timespec until = { s->check_ns / NS_PER_S, s->check_ns % NS_PER_S };

		if (!err && s->check_ns <= clock_ns(CLOCK_MONOTONIC))
			err = check_again(s, nc, text);
		else if (!err)
			pthread_cond_timedwait(&s->changed, &s->lock, &until);
		else
			pthread_cond_wait(&s->changed, &s->lock);
	}
	s->shared = NULL;
	pthread_mutex_unlock(&s->lock);
	return err;
}

/* Waits for ms milliseconds. Returns false if the server is closed. */
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

/* Connects, checks the stream, and shares the connection until it is lost. Returns 0; or, with
 * *text, -EAGAIN if a retry may help, or -EINVAL if it cannot.
 */
static int use_once(struct server *s, char *text)
{
	natsSubscription *subscriptions[2] = { 0 };
	natsConnection *nc = connect_once(s, subscriptions, text);
	struct stream_requirements required;
	struct stream_fit fit;
	int err;

	if (!nc)
		return -EAGAIN;
	pthread_mutex_lock(&s->lock);
	required = s->required;
	s->check_ns = UINT64_MAX;
	s->has_new_rule = false;
	pthread_mutex_unlock(&s->lock);
	err = stream_check(nc, s->options, &required, &fit, text);
	pthread_mutex_lock(&s->lock);
	s->is_refused = err == -EPROTO;
	pthread_mutex_unlock(&s->lock);
	/* At the start all subjects must be taken. Later, an untaken one does not stop the others. */
	if (!err && fit.untaken && !s->was_up)
		err = -EINVAL;
	else if (err == -EINVAL && s->was_up)
		err = -EAGAIN;
	if (!err) {
		s->was_up = true;
		s->last[0] = '\0';
		err = share(s, nc, &fit, text);
	}
	end_subscriptions(subscriptions);
	natsConnection_Destroy(nc);
	return err;
}

void *server_run(void *arg)
{
	unsigned int ms = PAUSE_MIN_MS, seed = (unsigned int)time(NULL) ^ getpid();
	char text[SERVER_TEXT_MAX];
	struct server *s = arg;
	int err;

	do {
		uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);

		text[0] = '\0';
		err = use_once(s, text);
		if (err)
			report(s, text);
		if (err == -EINVAL || (err && s->options->check)) {
			pthread_mutex_lock(&s->lock);
			s->has_failed = true;
			pthread_mutex_unlock(&s->lock);
			server_wake(s);
			break;
		}
		ms = ms >= PAUSE_MAX_MS / 2 ? PAUSE_MAX_MS : 2 * ms;
		if (!err && clock_ns(CLOCK_MONOTONIC) - began_ns > LASTING_NS)
			ms = PAUSE_MIN_MS;
	} while (pause_ms(s, ms / 2 + rand_r(&seed) % (ms / 2 + 1)));
	nats_ReleaseThreadMemory();
	pthread_mutex_lock(&s->lock);
	s->has_ended = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}
