/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Jobs change filters, each in a process of its own. A change may wait seconds for the lock, for
 * packets and for the hand; meanwhile the service handles other events. The service goes on even if
 * the job's process crashes.
 */
#pragma once

#include <sys/types.h>

#include "config_file.h"

/* What a job does with one filter. Jobs of one filter run in this order; values are ORed. */
enum job {
	JOB_ENSURE = 1 << 0,	 /* make the filter as in the file, on these interfaces */
	JOB_INTERFACES = 1 << 1, /* attach it again where it runs, and to appeared interfaces */
	JOB_SAVE = 1 << 2,	 /* write a snapshot to its file */
	JOB_UNLOAD = 1 << 3,
	JOB_REFRESH = 1 << 4, /* for all filters: update which MACs are this host's */
};

struct job_order {
	enum job job;
	/* Always has the filter's name. For ENSURE and INTERFACES it is the file's request, but
	 * `where` has only existing interfaces; for INTERFACES only those that have appeared.
	 */
	struct wish wish;
	const char *state; /* directory of snapshots, for SAVE and for ENSURE to restore; or NULL */
};

/* Does JOB_INTERFACES in this process, if that takes no time. Returns 0; -EAGAIN (not logged) if it
 * needs a process of its own; or another -errno (logged).
 */
int job_attach_now(const struct job_order *order);

/* Starts a process that does the job, prints to stdout and stderr, and ends with an enum exit_code.
 * Returns its process id; or -errno (logged).
 */
pid_t job_start(const struct job_order *order);
