/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What changes filters, each in a process of its own. A change waits for the lock, for packets and
 * for the hand, up to seconds: meanwhile the service answers. And the service goes on whatever
 * becomes of such a process.
 */
#ifndef XDP_DEDUP_JOBS_H
#define XDP_DEDUP_JOBS_H

#include <sys/types.h>

#include "config_file.h"

/* What is to be done with one filter, in this order; to be ORed. */
enum job {
	JOB_ENSURE = 1 << 0,	 /* it is to be there, as the file says, on these interfaces */
	JOB_INTERFACES = 1 << 1, /* it is to run on these interfaces; all else stays as it is */
	JOB_SAVE = 1 << 2,	 /* what it remembers is written to its file */
	JOB_UNLOAD = 1 << 3,
	JOB_REFRESH = 1 << 4, /* of all filters: which frames are this host's */
};

struct job_order {
	enum job job;
	/* By name; ENSURE, INTERFACES: what the file says, `where` with those interfaces that there are. */
	struct wish wish;
	const char *state; /* SAVE, and ENSURE if what was saved is to be restored: the directory; or NULL */
};

/* Starts a process that does it, and ends with an enum exit_code; it prints on stdout and
 * stderr. Its id; or -errno (logged).
 */
pid_t job_start(const struct job_order *order);

#endif
