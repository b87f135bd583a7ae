/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The connection to the NATS servers. A separate thread connects, checks the stream (stream_check.h),
 * and does both again after the connection was lost, with growing pauses. So these functions do not
 * wait for a server, except server_publish(): at most SERVER_WRITE_MS for a full send buffer. Only
 * the thread that opened the server may call them; any thread may call server_wake().
 */
#pragma once

#include <nats/nats.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "diag.h"
#include "log_rate.h"
#include "publish_answer.h"
#include "publish_options.h"
#include "stream_check.h"

#define SERVER_WRITE_MS 2000

enum server_state {
	SERVER_DOWN, /* there is no connection: nothing can be published */
	SERVER_UP,
	SERVER_FAILED, /* the stream does not suit the options: the thread has ended */
};

/* An answer to the message with this slot and generation (pending.h). */
struct server_answer {
	uint32_t slot, generation;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	struct publish_answer answer;
};

#define SERVER_MESSAGES_MAX 4096 /* of an attempt, a line each: kind, finding, and ADVICE with it */
#define SERVER_BIN_MAX 64

/* Messages that are done. libnats frees them in a thread of its own, and natsMsg_Destroy() wakes
 * it: so they are destroyed together.
 */
struct server_bin {
	natsMsg *list[SERVER_BIN_MAX];
	int cnt;
};

struct server {
	const struct publish_options *options;
	char stream[SUBJECT_MAX]; /* a copy: libnats's threads may outlive the options */
	int fd;			  /* becomes readable when server_update() has something new */
	pthread_t thread;
	natsInbox *inbox;      /* messages have the reply subject INBOX.SLOT-GENERATION */
	uint32_t answers_max;  /* unread ones */
	uint32_t answers_wake; /* so many unread answers wake the thread that opened the server */

	/* Used by the thread that opened the server. */
	natsConnection *connection; /* for server_publish(); NULL: SERVER_DOWN */
	struct server_bin sent;

	/* Used by the other thread. */
	struct diag_receiver receiver;	 /* of its messages */
	char found[SERVER_MESSAGES_MAX]; /* the messages of this attempt; "": none */
	bool was_up;

	_Atomic uint64_t connecting_ns; /* when the attempt to connect began; 0: there is none */

	pthread_mutex_t lock;		     /* guards all below */
	pthread_cond_t changed;		     /* waits by CLOCK_MONOTONIC */
	struct stream_requirements required; /* only the thread that opened the server writes it */
	uint64_t check_ns;	/* when the stream is checked again; UINT64_MAX: never */
	natsConnection *shared; /* the connection that the two threads share */
	struct stream_fit fit;	/* of the last check */
	bool is_lost;		/* the shared connection was closed */
	bool has_new_rule;	/* a rule of ids has changed, and was not read since */
	bool is_stopping, has_failed;
	bool has_messages;		    /* `messages` are to be logged */
	char messages[SERVER_MESSAGES_MAX]; /* of the last attempt */
	struct log_rate notes;		    /* notes of servers */
	struct server_answer *answers;	    /* a ring */
	uint32_t first, cnt;
	struct server_bin answered;
};

/* Begins to connect. *o outlives *out. Returns 0, and the caller closes *out; or -errno (logged). */
int server_open(const struct publish_options *o, const struct stream_requirements *required,
		struct server **out);
void server_close(struct server *s); /* accepts NULL */

/* Returns the state now; SERVER_UP after SERVER_DOWN means a new connection, and sets *ret_fit to
 * the result of the last check: a new one makes s->fd readable. Logs the thread's messages.
 */
enum server_state server_update(struct server *s, struct stream_fit *ret_fit);

/* Ends an attempt to connect after 10 s, and logs notes of servers. The caller calls it regularly. */
void server_check_timeouts(struct server *s);

/* Sets new requirements, and has the streams checked, at once if there is a connection. While one
 * is untaken (stream_check.h), they are checked every 3 s. If no JetStream stream suits, the
 * connection is closed, and made again once one does.
 */
void server_require(struct server *s, const struct stream_requirements *required);

/* Takes up to `most` answers. Returns how many. Few answers do not make s->fd readable, as each
 * wake-up costs more than a message: the caller also takes them by a timer.
 */
uint32_t server_take(struct server *s, struct server_answer *out, uint32_t most);

/* Makes s->fd readable: needed if the caller leaves answers for the next turn of its loop. */
void server_wake(struct server *s);

/* Publishes a message, and destroys it. Returns 0; -EMSGSIZE if the server takes no message of this
 * size; -EAGAIN if there was no connection at the last server_update(), or it was lost since; or
 * -EIO, with *ret_why, if the message cannot be sent.
 */
int server_publish(struct server *s, natsMsg *m, const char **ret_why);

/* Adds a message, and destroys all once there are `most` of them. */
void server_bin_add(struct server_bin *b, natsMsg *m, int most);
void server_bin_empty(struct server_bin *b);

/* Runs the other thread (server_thread.c); its argument is the server. */
void *server_run(void *arg);

/* server_options.c: libnats's options of a connection: servers, credentials, TLS. */

/* Returns options that the caller destroys; or NULL (logged). Reads files in each call, so that a
 * changed password is used.
 */
natsOptions *server_options_make(const struct publish_options *o);

/* Returns the error of this thread's last libnats call, without its position in libnats's source. */
const char *server_error_text(natsStatus err);

/* Notes a login that goes to another machine without TLS. */
void server_note_login(const struct publish_options *o);

/* Logs why connecting failed, and what to do. */
void server_log_failure(const struct publish_options *o, natsStatus err);
