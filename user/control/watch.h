/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* watch: what is shown of a filter, from two readings of it. Pure: no clock, no output. */
#ifndef XDP_DEDUP_WATCH_H
#define XDP_DEDUP_WATCH_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "totals.h"

#define WATCH_HISTORY 60
#define WATCH_IFACES_MAX (2 * DEDUP_IFACES_MAX) /* as struct status has */

/* What an interface has received, by the kernel's own account, modulo 2^32. */
struct watch_iface {
	char name[IF_NAMESIZE];
	bool known; /* else the kernel does not say */
	uint32_t packets;
};

/* One reading. */
struct watch_reading {
	uint64_t now_ns; /* CLOCK_MONOTONIC */
	struct filter_counters all;
	struct filter_counters streams[DEDUP_STREAMS_MAX];
	uint32_t slots[DEDUP_STREAMS_MAX]; /* which streams they are (kept.h) */
	int streams_cnt;
	struct filter_counters *cpus; /* cpus_cnt; NULL: none */
	int cpus_cnt;
	struct watch_iface ifaces[WATCH_IFACES_MAX];
	int ifaces_cnt;
};

/* Between two readings; "a second" each, but for the last two. */
struct watch_rates {
	double packets; /* that came */
	double fresh;	/* `new` and `unlearned` */
	double duplicates, duplicate_bytes;
	double dropped, dropped_bytes;
	double delivered;   /* fresh ones that went to AF_XDP sockets */
	double undelivered; /* and that went to the stack instead */
	double share;	    /* of duplicates, 0 to 1, in all that were looked at: not ignored */
	double copies;	    /* of each event whose first copy came: at least 1; 0 if none came */
};

/* What is shown of one filter. */
struct watch {
	struct watch_reading last;     /* the newest one; last.now_ns is 0: none yet */
	double seconds;		       /* between the last two; 0: the rates are not known */
	struct filter_counters recent; /* what came between them */
	struct watch_rates all;
	struct watch_rates streams[DEDUP_STREAMS_MAX];
	struct watch_rates *cpus;	 /* last.cpus_cnt; NULL: not known */
	double ifaces[WATCH_IFACES_MAX]; /* packets a second; below 0: not known */

	/* A minute of one a second: the oldest first. */
	double packets[WATCH_HISTORY], duplicates[WATCH_HISTORY];
	int history_cnt;
};

/* Takes the next reading; its `cpus` belongs to *w from then on. If a counter has gone back, it is
 * another filter, and rates are known again with the reading after; the history stays.
 */
void watch_take(struct watch *w, struct watch_reading *r);
void watch_free(struct watch *w);

/* The heights, 0 to `steps`, of the newest `cnt` values of a history, the highest of which has all;
 * what is above 0 has at least 1. Returns how many there are, at most cnt.
 */
int watch_spark(const double *history, int history_cnt, int steps, int cnt, int *heights);

#endif
