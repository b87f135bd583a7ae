/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The reconcile loop of the service: the filters that the file describes, the next job of each,
 * and when a failed job is tried again. It starts jobs (jobs.h), one at a time. It has no event
 * loop: the caller, which has one, reports the end of a job, a change of the interfaces, or that
 * it is time.
 */
#ifndef XDP_DEDUP_RECONCILE_H
#define XDP_DEDUP_RECONCILE_H

#include "attach.h"
#include "config_file.h"
#include "jobs.h"
#include "link_events.h"
#include "open_filter.h"
#include "readings.h"

#define RECONCILE_RETRY_MIN_NS 5000000000ULL
#define RECONCILE_RETRY_MAX_NS 300000000000ULL
#define RECONCILE_ANEW_NS 60000000000ULL

/* One filter. */
struct reconciled {
	char name[NAME_MAX_LEN + 1];
	unsigned int todo;   /* enum job, ORed */
	unsigned int failed; /* jobs to try again: at retry_at_ns, or when an interface comes */
	uint32_t ifindices[DEDUP_IFACES_MAX]; /* of the file's interfaces; 0: not there */
	uint32_t came;	      /* bit n: the n-th of these has come, and is to be attached */
	bool is_anew;	      /* it is to be attached anew, by JOB_INTERFACES */
	bool is_up;	      /* it has run since the start */
	bool leaves;	      /* it is no longer in the file */
	uint64_t retry_in_ns; /* how long after a failure; 0: none yet */
	uint64_t retry_at_ns; /* CLOCK_MONOTONIC */
	uint64_t anew_ns;     /* when it was attached anew; 0: never */
};

struct reconcile {
	struct config_file config;
	struct link_events links;
	struct reconciled *list;
	int cnt;
	bool look;			 /* the interfaces could not be read: again at look_at_ns */
	uint64_t look_at_ns;		 /* CLOCK_MONOTONIC */
	bool refresh;			 /* JOB_REFRESH is to be done */
	uint64_t refresh_at_ns;		 /* not before; CLOCK_MONOTONIC */
	uint64_t refresh_in_ns;		 /* how long after a failure; 0: none yet */
	const struct readings *readings; /* filters that are open; NULL: none is */
	bool verbose;			 /* jobs show messages of libbpf and libxdp */
	bool ending;
	bool end_failed;			       /* a job of the end has failed */
	pid_t (*start)(const struct job_order *order); /* NULL: job_start() */

	pid_t running; /* the job's process; 0: none */
	enum job job;
	char job_name[NAME_MAX_LEN + 1]; /* the filter */
	uint32_t job_came;		 /* its `came` and `is_anew` before the job */
	bool job_is_anew;
};

/* Takes over a configuration of config_read(), at the start or in the place of the previous one.
 * Orders that every filter in it exist, and that those that are no longer in it go. Returns 0, and
 * *config belongs to *k; or -ENOMEM (logged), and then nothing has changed and *config is the
 * caller's.
 */
int reconcile_configure(struct reconcile *k, struct config_file *config);

/* Reads the interfaces, which may have changed, and orders the jobs that follow. If they cannot be
 * read, reconcile_next() tries again later. Returns whether an interface of the file has come, gone
 * or been exchanged, or this is unknown.
 */
bool reconcile_look(struct reconcile *k);

/* Orders a job that attaches the filter of this name anew where it runs. Returns true; or false,
 * and orders nothing, if the filter is not in the file, or if this was ordered in the last
 * RECONCILE_ANEW_NS.
 */
bool reconcile_attach_anew(struct reconcile *k, const char *name, uint64_t now_ns);

/* Orders that all filters be saved; nothing if the service ends, or if earlier saves still go on:
 * the first filters would be saved again and again, and the others never.
 */
void reconcile_save(struct reconcile *k);

/* Orders the jobs of the end; no other job is started any more. A job that cannot be started is
 * tried again; a job that fails is not, and sets k->end_failed. A filter whose save fails is not
 * unloaded. All is done when reconcile_next() is false and reconcile_retry_at() is 0.
 */
void reconcile_end(struct reconcile *k);

/* Starts the next job that is due, if none runs. Returns true if one runs: the caller waits for
 * k->running to end. Returns false if all is done that can be done now.
 */
bool reconcile_next(struct reconcile *k, uint64_t now_ns);

/* Notes that the job has ended, with this status of waitpid(). */
void reconcile_ended(struct reconcile *k, int status, uint64_t now_ns);

/* Returns when reconcile_next() is to be called again, by CLOCK_MONOTONIC, in ns; 0: only after
 * another event.
 */
uint64_t reconcile_retry_at(const struct reconcile *k);

/* Writes where each filter runs, and what it waits for: "feed: eth0, waits for eth1; ...". links:
 * the interfaces as they are now.
 */
void reconcile_text(const struct reconcile *k, const struct links *links, char *text, size_t size);

void reconcile_free(struct reconcile *k);

#endif
