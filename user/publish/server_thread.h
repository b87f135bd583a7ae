/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The implementation of server.h: the state of its two threads. One thread opened the server. The
 * other one connects, checks the stream, and shares the connection with the first.
 */
#ifndef XDP_DEDUP_PUBLISH_SERVER_THREAD_H
#define XDP_DEDUP_PUBLISH_SERVER_THREAD_H

#include <nats/nats.h>
#include <pthread.h>

#include "diag.h"
#include "log_rate.h"
#include "server.h"

#define SERVER_TEXT_MAX 512    /* of a note of a server */
#define SERVER_ERRORS_MAX 4096 /* of the messages of an attempt, a line each */

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
	int fd;
	pthread_t thread;
	char inbox[64];	       /* answers have the subject INBOX.SLOT-GENERATION */
	uint32_t answers_max;  /* unread ones */
	uint32_t answers_wake; /* so many unread answers wake the thread that opened the server */

	/* Used by the thread that opened the server. */
	natsConnection *connection; /* for server_publish(); NULL: SERVER_DOWN */
	struct log_rate notes_log;  /* notes of servers */
	struct server_bin sent;

	/* Used by the other thread. */
	struct diag_receiver receiver;	  /* of its messages */
	char found[SERVER_ERRORS_MAX];	  /* the messages of this attempt; "": none */
	char reported[SERVER_ERRORS_MAX]; /* those of the last attempt */
	bool was_up;

	_Atomic uint64_t connecting_ns; /* when the attempt to connect began; 0: there is none */

	pthread_mutex_t lock;	/* guards all below */
	pthread_cond_t changed; /* waits by CLOCK_MONOTONIC */
	struct stream_requirements required;
	uint64_t check_ns;	/* when the stream is checked again; UINT64_MAX: never */
	natsConnection *shared; /* the connection that the two threads share */
	struct stream_fit fit;	/* of the last check */
	bool is_lost;		/* the shared connection was closed */
	bool has_new_rule;	/* a rule of ids has changed, and was not read since */
	bool is_stopping, has_failed, has_ended;
	char errors[SERVER_ERRORS_MAX]; /* to be logged, a line each; "": nothing */
	char note[SERVER_TEXT_MAX];	/* the last note of a server */
	uint32_t notes_cnt;		/* notes since the last server_update() */
	struct server_answer *answers;	/* a ring */
	uint32_t first, cnt;
	struct server_bin answered;
};

/* Adds a message, and destroys all once there are `most` of them. */
void server_bin_add(struct server_bin *b, natsMsg *m, int most);
void server_bin_empty(struct server_bin *b);

/* Runs the other thread; its argument is the server. */
void *server_run(void *arg);

#endif
