// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"

#define NS_PER_S 1000000000
#define LASTING_NS 5000000000 /* after a connection that lasted longer, pauses are short again */
#define PAUSE_MIN_MS 100
#define PAUSE_MAX_MS 10000
#define CHECK_NS 3000000000	  /* until streams that do not all suit are checked again */
#define CHECK_EACH_NS 60000000000 /* until others are */

/* Adds a message of this attempt, as far as there is room. A message has no line end. */
static void keep_message(void *to, const struct diag *d)
{
	struct server *s = to;
	size_t len = strlen(s->found);

	snprintf(s->found + len, sizeof(s->found) - len, "%s%d%s%s%s", len ? "\n" : "", d->kind,
		 d->finding, d->advice ? ADVICE : "", d->advice ?: "");
}

/* Ends an attempt: passes its messages to the other thread, unless they are those of the last
 * attempt. The caller holds the lock.
 */
static void report(struct server *s)
{
	s->has_messages |= strcmp(s->found, s->messages) != 0;
	memcpy(s->messages, s->found, sizeof(s->messages));
	s->found[0] = '\0';
	server_wake(s);
}

/* Reads slot and generation, which is not 0, from an answer's subject, INBOX.SLOT-GENERATION. */
static bool read_subject(const struct server *s, const char *subject, struct server_answer *out)
{
	size_t prefix = strlen(s->inbox);
	char *end;

	if (strncmp(subject, s->inbox, prefix) || subject[prefix] != '.')
		return false;
	out->slot = strtoul(subject + prefix + 1, &end, 10);
	out->generation = *end == '-' ? strtoul(end + 1, &end, 10) : 0;
	return !*end;
}

/* A natsMsgHandler, in a thread of libnats. */
static void on_answer(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *arg)
{
	struct server *s = arg;
	struct server_answer a = { 0 };
	bool is_ours = read_subject(s, natsMsg_GetSubject(msg), &a), is_many = false;

	(void)nc, (void)sub;
	if (natsMsg_IsNoResponders(msg))
		a.answer = (struct publish_answer){ .is_unavailable = true,
						    .code = 503,
						    .text = "no server has the stream now" };
	else if (is_ours)
		publish_answer_read(natsMsg_GetData(msg), natsMsg_GetDataLength(msg), s->stream,
				    &a.answer);
	a.time_ns = clock_ns(CLOCK_MONOTONIC);
	pthread_mutex_lock(&s->lock);
	/* Without room the answer is dropped, and the message sent again later. */
	if (is_ours && s->cnt < s->answers_max) {
		s->answers[(s->first + s->cnt) % s->answers_max] = a;
		is_many = ++s->cnt == s->answers_wake;
	}
	server_bin_add(&s->answered, msg, s->is_stopping ? 1 : SERVER_BIN_MAX);
	pthread_mutex_unlock(&s->lock);
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
	snprintf(s->notes.text, sizeof(s->notes.text), "the server says: %s",
		 last == err ? server_error_text(err) : natsStatus_GetText(err));
	s->notes.cnt++;
	pthread_mutex_unlock(&s->lock);
}

/* A connection, with subscriptions to answers and to rules of ids. */
struct link {
	natsConnection *nc;
	natsSubscription *answers, *rules;
};

/* Fills *l, of zeros; the caller destroys what is in it. Returns 0; or -EAGAIN (logged). */
static int connect_once(struct server *s, struct link *l)
{
	natsOptions *options = server_options_make(s->options);
	char subject[96], rules[ID_RULE_SUBJECT_MAX];
	natsStatus err;

	if (!options)
		return -EAGAIN;
	s->connecting_ns = clock_ns(CLOCK_MONOTONIC);
	err = natsOptions_SetClosedCB(options, on_closed, s)
		      ?: natsOptions_SetErrorHandler(options, on_error, s)
		      ?: natsConnection_Connect(&l->nc, options);
	s->connecting_ns = 0;
	natsOptions_Destroy(options);
	snprintf(subject, sizeof(subject), "%s.*", s->inbox);
	id_rule_subject(s->stream, "*", rules);
	err = err ?: natsConnection_HasHeaderSupport(l->nc)
		       ?: natsConnection_Subscribe(&l->answers, l->nc, subject, on_answer, s)
		       ?: natsSubscription_SetPendingLimits(l->answers, -1, -1)
		       ?: natsConnection_Subscribe(&l->rules, l->nc, rules, on_rule, s);
	if (err)
		server_log_failure(s->options, err);
	return err ? -EAGAIN : 0;
}

/* Checks the streams. The caller holds the lock, which is released meanwhile. Returns 0; -EAGAIN if
 * nothing is known now; or -EINVAL (logged) if the streams do not suit.
 */
static int check(struct server *s, natsConnection *nc)
{
	struct stream_requirements required = s->required;
	bool has_new_rule = s->has_new_rule;
	struct stream_fit fit;
	int err;

	s->check_ns = UINT64_MAX;
	s->has_new_rule = false;
	pthread_mutex_unlock(&s->lock);
	err = stream_check(nc, s->options, &required, &fit);
	pthread_mutex_lock(&s->lock);
	if (s->check_ns) /* neither requirements nor a rule came meanwhile */
		s->check_ns =
			clock_ns(CLOCK_MONOTONIC) + (err || fit.untaken ? CHECK_NS : CHECK_EACH_NS);
	if (!err)
		s->fit = fit;
	if (err == -EAGAIN && has_new_rule) {
		s->has_new_rule = true;
		s->fit.serial = 0; /* so nothing is sent until the rule is known */
	}
	report(s); /* together with the result: it wakes the other thread */
	return err;
}

/* Waits for a change. Returns false after until_ns. The caller holds the lock. */
static bool wait_until(struct server *s, uint64_t until_ns)
{
	const struct timespec until = { until_ns / NS_PER_S, until_ns % NS_PER_S };

	if (clock_ns(CLOCK_MONOTONIC) >= until_ns)
		return false;
	pthread_cond_timedwait(&s->changed, &s->lock, &until);
	return true;
}

/* Shares the connection with the other thread until that drops it. The caller holds the lock, which
 * is released meanwhile. Returns 0; or -EAGAIN (logged) if the streams no longer suit.
 */
static int share(struct server *s, natsConnection *nc)
{
	int err = 0;

	s->was_up = true;
	s->shared = nc;
	s->is_lost = natsConnection_IsClosed(nc);
	server_wake(s);
	while (s->shared && !s->is_stopping) {
		if (wait_until(s, s->is_lost ? UINT64_MAX : s->check_ns))
			continue;
		err = check(s, nc);
		s->is_lost |= err == -EINVAL;
	}
	s->shared = NULL;
	return err == -EINVAL ? -EAGAIN : 0;
}

/* Connects, checks the streams, and shares the connection until it is lost. Returns 0; or (logged)
 * -EAGAIN if a retry may help, or -EINVAL if it cannot.
 */
static int use_once(struct server *s)
{
	struct link l = { 0 };
	int err = connect_once(s, &l);

	pthread_mutex_lock(&s->lock);
	if (!err)
		err = check(s, l.nc);
	else
		report(s);
	/* At the start all subjects must be taken. Later, an untaken one does not stop the others. */
	if (!err && !s->was_up && s->fit.untaken & ~s->fit.refused)
		err = -EINVAL;
	else if ((!err && s->options->check && s->fit.refused) || (err == -EINVAL && s->was_up))
		err = -EAGAIN;
	else if (!err)
		err = share(s, l.nc);
	pthread_mutex_unlock(&s->lock);
	natsSubscription_Destroy(l.answers);
	natsSubscription_Destroy(l.rules);
	natsConnection_Destroy(l.nc);
	return err;
}

/* Waits for ms milliseconds. Returns false if the server is closed. */
static bool pause_ms(struct server *s, unsigned int ms)
{
	uint64_t until_ns = clock_ns(CLOCK_MONOTONIC) + ms * 1000000ULL;
	bool goes_on;

	pthread_mutex_lock(&s->lock);
	while (!s->is_stopping && wait_until(s, until_ns))
		;
	goes_on = !s->is_stopping;
	pthread_mutex_unlock(&s->lock);
	return goes_on;
}

void *server_run(void *arg)
{
	unsigned int ms = PAUSE_MIN_MS, seed = (unsigned int)time(NULL) ^ getpid();
	struct server *s = arg;
	bool failed;

	s->receiver = (struct diag_receiver){ .take = keep_message, .to = s };
	diag_receive(&s->receiver);
	do {
		uint64_t began_ns = clock_ns(CLOCK_MONOTONIC);
		int err = use_once(s);

		failed = err == -EINVAL || (err && s->options->check);
		ms = ms >= PAUSE_MAX_MS / 2 ? PAUSE_MAX_MS : 2 * ms;
		if (!err && clock_ns(CLOCK_MONOTONIC) - began_ns > LASTING_NS)
			ms = PAUSE_MIN_MS;
	} while (!failed && pause_ms(s, ms / 2 + rand_r(&seed) % (ms / 2 + 1)));
	nats_ReleaseThreadMemory();
	pthread_mutex_lock(&s->lock);
	s->has_failed = failed;
	pthread_mutex_unlock(&s->lock);
	server_wake(s);
	return NULL;
}
