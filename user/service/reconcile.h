/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The reconcile loop of the service: the filters that the file describes, the next job of each,
 * and when a failed job is tried again. It starts jobs (jobs.h), one at a time. It has no event
 * loop: the caller has one, and reports the end of a job, a change of the interfaces, or that a
 * retry is due.
 */
#pragma once

#include "attach.h"
#include "config_file.h"
#include "jobs.h"
#include "link_events.h"
#include "open_filter.h"
#include "readings.h"

#define RECONCILE_RETRY_MIN_NS 5000000000ULL
#define RECONCILE_RETRY_MAX_NS 300000000000ULL
#define RECONCILE_REATTACH_NS 60000000000ULL

/* One filter. */
struct reconciled {
	char name[NAME_MAX_LEN + 1];
	unsigned int todo;   /* enum job, ORed */
	unsigned int failed; /* jobs to retry: at retry_at_ns, or when an interface appears */
	uint32_t ifindices[DEDUP_IFACES_MAX]; /* of the file's interfaces; 0: not present */
	uint32_t appeared;    /* bit n: the n-th of these has appeared, and is to be attached */
	bool reattach;	      /* JOB_INTERFACES is to attach it again where it runs */
	bool is_up;	      /* it was loaded since the service started */
	bool leaves;	      /* it is no longer in the file */
	uint64_t retry_in_ns; /* delay after the last failure; 0: nothing has failed */
	uint64_t retry_at_ns; /* CLOCK_MONOTONIC */
	uint64_t reattach_ns; /* when reconcile_reattach() ordered that; 0: never */
};

struct reconcile {
	struct config_file config;
	struct link_events links;
	struct reconciled *list;
	int cnt;
	bool links_unread;	 /* the interfaces could not be read: retry at links_retry_ns */
	uint64_t links_retry_ns; /* CLOCK_MONOTONIC */
	bool refresh;		 /* JOB_REFRESH is to be done */
	uint64_t refresh_at_ns;	 /* not before; CLOCK_MONOTONIC */
	uint64_t refresh_in_ns;	 /* delay after the last failure; 0: it has not failed */
	const struct readings *readings; /* has the open filters; NULL: none is open */
	bool replace;			 /* a filter's first JOB_ENSURE exchanges its program */
	bool verbose;			 /* jobs show messages of libbpf and libxdp */
	bool ending;			 /* reconcile_end() was called */
	bool end_failed;		 /* a job that reconcile_end() ordered has failed */
	pid_t (*start)(const struct job_order *order); /* NULL: job_start() */

	pid_t running; /* the job's process; 0: none */
	enum job job;
	char job_name[NAME_MAX_LEN + 1]; /* the job's filter */
	uint32_t job_appeared;		 /* the filter's `appeared` and `reattach` before the job */
	bool job_reattach;
};

/* Takes over a configuration of config_read(), in the place of the previous one, if any. Orders
 * JOB_ENSURE for every filter in it, and JOB_UNLOAD for filters that are no longer in it. Returns
 * 0, and *config belongs to *k; or -ENOMEM (logged), and then nothing has changed and *config is
 * the caller's.
 */
int reconcile_configure(struct reconcile *k, struct config_file *config);

/* Reads the interfaces, and orders jobs for those that have changed. If they cannot be read,
 * reconcile_next() tries again later. Returns true if an interface of the file has appeared, gone
 * or been exchanged, or if that is unknown.
 */
bool reconcile_read_links(struct reconcile *k);

/* Orders a job that attaches the filter of this name again where it runs. Returns true; or false,
 * and orders nothing, if the filter is not in the file, or if this was ordered in the last
 * RECONCILE_REATTACH_NS.
 */
bool reconcile_reattach(struct reconcile *k, const char *name, uint64_t now_ns);

/* Orders that all filters be saved. Orders nothing if the service ends, or while earlier saves are
 * not done: else the first filters would be saved again and again, and the others never.
 */
void reconcile_save(struct reconcile *k);

/* Orders the jobs before the service ends, and no others any more. A job that cannot be started is
 * tried again; a job that fails is not, and sets k->end_failed. A filter whose save fails is not
 * unloaded. All is done when reconcile_next() is false and reconcile_retry_at() is 0.
 */
void reconcile_end(struct reconcile *k);

/* Starts the next job that is due, if none runs. Returns true if a job runs: the caller waits for
 * k->running to end. Returns false if no job is due now.
 */
bool reconcile_next(struct reconcile *k, uint64_t now_ns);

/* The caller calls this when the job has ended. status: as waitpid() has it. */
void reconcile_ended(struct reconcile *k, int status, uint64_t now_ns);

/* Returns when reconcile_next() is to be called again, in ns of CLOCK_MONOTONIC; 0 if only after
 * another event.
 */
uint64_t reconcile_retry_at(const struct reconcile *k);

/* Writes to `text` on which interfaces each filter runs, and for which it waits: "feed: eth0, waits
 * for eth1; ...". links: the present interfaces.
 */
void reconcile_text(const struct reconcile *k, const struct links *links, char *text, size_t size);

void reconcile_free(struct reconcile *k);
