/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The inside of a server (server.h): what its two threads share. One thread opened it. The other
 * one connects, checks the stream, and lends the connection to the first.
 */
#ifndef XDP_DEDUP_PUBLISH_SERVER_THREAD_H
#define XDP_DEDUP_PUBLISH_SERVER_THREAD_H

#include <nats/nats.h>
#include <pthread.h>

#include "log_rate.h"
#include "server.h"

struct server {
	const struct publish_options *options;
	char *stream; /* a copy: libnats's threads may outlive the options */
	int fd;
	pthread_t thread;
	char inbox[64]; /* answers come to INBOX.SLOT-GENERATION */
	uint32_t answers_max;

	/* Of the thread that opened it. */
	natsConnection *connection; /* of server_publish(); NULL unless it is up */
	struct log_rate says;	    /* what servers say */

	/* Of the other thread. */
	char last[SERVER_TEXT_MAX]; /* what it has reported last */
	bool was_up;

	_Atomic uint64_t connecting_ns; /* since when the thread connects; 0: it does not */

	pthread_mutex_t lock; /* guards all below */
	pthread_cond_t changed;
	struct stream_wish want;
	uint64_t check_ns;     /* when the stream is checked again; UINT64_MAX: it is not */
	natsConnection *made;  /* the thread's, lent to the other thread */
	struct stream_fit fit; /* of the last check */
	bool is_lost;	       /* that connection was closed */
	bool is_stopping, has_failed;
	char error[SERVER_TEXT_MAX]; /* to be logged; "": nothing */
	char note[SERVER_TEXT_MAX];  /* what a server has said, of late so many times */
	uint32_t notes_cnt;
	struct server_answer *answers; /* a ring */
	uint32_t first, cnt;
};

/* The thread; its argument is the server. */
void *server_run(void *arg);

#endif
