/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* watch: what is shown of a filter, from two of its readings. Pure: no clock, no output. */
#pragma once

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "facts.h"
#include "totals.h"

#define WATCH_HISTORY 60
#define WATCH_IFACES_MAX (2 * DEDUP_IFACES_MAX) /* as struct status has */

#define WATCH_UNKNOWN UINT64_MAX

/* An interface of the filter. */
struct watch_iface {
	char name[IF_NAMESIZE];
	bool is_counted;   /* is `received` known? */
	uint64_t received; /* packets, as its driver counts them */
	bool sees_all;	   /* the filter should see each of these packets */
};

/* One reading. */
struct watch_reading {
	uint64_t now_ns; /* CLOCK_MONOTONIC */
	struct filter_counters all;
	uint64_t rx_before; /* all.rx before the interfaces were read; WATCH_UNKNOWN */
	struct filter_counters streams[DEDUP_STREAMS_MAX];
	uint32_t slots[DEDUP_STREAMS_MAX]; /* of the streams (kept.h) */
	int streams_cnt;
	struct filter_counters *cpus; /* cpus_cnt; NULL: none */
	int cpus_cnt;
	struct watch_iface ifaces[WATCH_IFACES_MAX];
	int ifaces_cnt;
};

/* Rates between two readings. */
struct watch_rates {
#define X(rate, key, help) double rate;
	WATCH_RATES(X)
#undef X
};

/* What is shown of one filter. */
struct watch {
	struct watch_reading last;     /* the newest one; last.now_ns is 0: none yet */
	double seconds;		       /* between the last two; 0: the rates are not known */
	struct filter_counters recent; /* counts between them */
	struct watch_rates all;
	struct watch_rates streams[DEDUP_STREAMS_MAX];
	struct watch_rates *cpus;	 /* last.cpus_cnt; NULL: not known */
	double ifaces[WATCH_IFACES_MAX]; /* packets a second; below 0: not known */
	char unseen[IF_NAMESIZE];	 /* watch_unseen(); "": none */

	/* A minute, one value per second: the oldest first. */
	double packets[WATCH_HISTORY], duplicates[WATCH_HISTORY];
	int history_cnt;
};

/* Takes the next reading; its `cpus` belongs to *w from then on. If a counter has gone back, it is
 * another filter: rates are known again after the following reading; the history stays.
 */
void watch_take(struct watch *w, struct watch_reading *r);
void watch_free(struct watch *w);

/* Returns the interface that received packets between these two readings of a filter, of which the
 * filter saw none: its driver has lost the program, which the kernel still lists. Of several such
 * interfaces returns the busiest. NULL: there is none, or that is unknown. The string belongs to
 * *last.
 */
const char *watch_unseen(const struct watch_reading *first, const struct watch_reading *last);

/* Scales the newest `cnt` values of a history to heights of 0 to `steps`: the highest value gets
 * `steps`, and a value above 0 gets at least 1. Returns the number of heights, at most cnt.
 */
int watch_spark(const double *history, int history_cnt, int steps, int cnt, int *heights);
