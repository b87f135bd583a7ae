/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Jobs change filters, each in a process of its own. A change waits for the lock, for packets and
 * for the hand, up to seconds; meanwhile the service answers. The service goes on even if that
 * process crashes.
 */
#ifndef XDP_DEDUP_JOBS_H
#define XDP_DEDUP_JOBS_H

#include <sys/types.h>

#include "config_file.h"

/* What a job does with one filter, in this order; values are ORed. */
enum job {
	JOB_ENSURE = 1 << 0,	 /* make the filter as in the file, on these interfaces */
	JOB_INTERFACES = 1 << 1, /* attach it anew where it runs, and to interfaces that have come */
	JOB_SAVE = 1 << 2,	 /* write a snapshot to its file */
	JOB_UNLOAD = 1 << 3,
	JOB_REFRESH = 1 << 4, /* for all filters: update which MACs are this host's */
};

struct job_order {
	enum job job;
	/* By name. ENSURE, INTERFACES: as in the file; `where` has only existing interfaces, of
	 * INTERFACES those that have come.
	 */
	struct wish wish;
	const char *state; /* SAVE; ENSURE if a snapshot is restored: the directory; or NULL */
};

/* Does an INTERFACES in this process, if that takes no time. Returns 0; -EAGAIN (not logged): it
 * takes a process; or another -errno (logged).
 */
int job_attach_now(const struct job_order *order);

/* Starts a process that does the job, and ends with an enum exit_code; it prints on stdout and
 * stderr. Returns its process id; or -errno (logged).
 */
pid_t job_start(const struct job_order *order);

#endif
