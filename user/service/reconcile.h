/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the service keeps: the filters that the file describes, what is to be done with each next,
 * and when what failed is tried again. Starts jobs (jobs.h), one at a time, and knows no event
 * loop: who has one tells it when a job has ended, interfaces have changed, or it is time.
 */
#ifndef XDP_DEDUP_RECONCILE_H
#define XDP_DEDUP_RECONCILE_H

#include "attach.h"
#include "config_file.h"
#include "jobs.h"
#include "link_events.h"
#include "open_filter.h"

#define RECONCILE_RETRY_MIN_NS 5000000000ULL
#define RECONCILE_RETRY_MAX_NS 300000000000ULL

/* One filter. */
struct reconciled {
	char name[NAME_MAX_LEN + 1];
	unsigned int todo;   /* enum job, ORed */
	unsigned int failed; /* jobs to be tried again: then, or when an interface comes */
	uint32_t ifindices[DEDUP_IFACES_MAX]; /* of the interfaces in the file; 0: there is none */
	bool is_up;			      /* it has been there since the start */
	bool leaves;			      /* it is no longer in the file */
	uint64_t retry_in_ns;		      /* how long after a failure; 0: none yet */
	uint64_t retry_at_ns;		      /* CLOCK_MONOTONIC */
};

struct reconcile {
	struct config_file config;
	struct link_events links;
	struct reconciled *list;
	int cnt;
	bool refresh;		/* JOB_REFRESH is to be done */
	uint64_t refresh_at_ns; /* not before; CLOCK_MONOTONIC */
	bool ending;
	pid_t (*start)(const struct job_order *order); /* NULL: job_start() */

	pid_t running; /* the job's process; 0: none */
	enum job job;
	char job_name[NAME_MAX_LEN + 1]; /* whose */
};

/* Takes what config_read() has read, which is its own from then on: at the start, or in the place
 * of what it had. Every filter is to be there, and those that are no longer in the file to go. 0
 * or -ENOMEM (logged): then nothing has changed, and *config is the caller's.
 */
int reconcile_configure(struct reconcile *k, struct config_file *config);

/* Interfaces may have changed: looks, and orders what follows. */
void reconcile_look(struct reconcile *k);

/* Orders that all filters be saved. */
void reconcile_save(struct reconcile *k);

/* Orders what is to be done at the end, and nothing else any more. What cannot be started is tried
 * again; what fails is not. All is done when reconcile_next() is false and reconcile_retry_at() is 0.
 */
void reconcile_end(struct reconcile *k);

/* Starts the next job that is due, if none is running. True: one is running; the caller waits for
 * k->running to end. False: all is done that can be done now.
 */
bool reconcile_next(struct reconcile *k, uint64_t now_ns);

/* The job has ended with this status of waitpid(). */
void reconcile_ended(struct reconcile *k, int status, uint64_t now_ns);

/* When reconcile_next() is to be called again; 0: only after another event. CLOCK_MONOTONIC, ns. */
uint64_t reconcile_retry_at(const struct reconcile *k);

/* Says of each filter where it runs, and what it waits for: "feed: eth0, waits for eth1; ...".
 * view: the interfaces as they are now.
 */
void reconcile_text(const struct reconcile *k, const struct attach_view *view, char *text,
		    size_t size);

void reconcile_free(struct reconcile *k);

#endif
