/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Advice on a filter: what is wrong, and which setting to change to which value. A table of rows;
 * each writes one sentence, or nothing. A filter that works as promised gets none. Pure.
 */
#ifndef XDP_DEDUP_ADVICE_H
#define XDP_DEDUP_ADVICE_H

#include <stdbool.h>

#include "stats.h"

#define ADVICE_MAX 15	     /* rows */
#define ADVICE_TEXT_MAX 1024 /* bytes of a sentence */

struct advice_reading {
	const char *name; /* the filter's */
	const struct dedup_config *config;
	struct filter_counters total;  /* since the load */
	struct filter_counters recent; /* lately; equal to `total` if not known */
	struct stats_pace pace;	       /* now */
	bool stopped;		       /* stats_stopped() */
	bool asks_predecessor;	       /* stats_asks_predecessor() */
	const char *unseen;	       /* an interface of whose packets it sees none; NULL: none */
	const char *detached;	  /* an interface that somebody took off the filter; NULL: none */
	const char *macs_changed; /* an interface whose MACs have changed; NULL: none */
	const char *mtu;  /* an interface with a larger MTU than native XDP has there; NULL: none */
	uint32_t mtu_max; /* which is this */
	const char *strips; /* an interface that takes off tags by which it goes; NULL: none */
	const char *skb;    /* an interface in skb mode; NULL: none */
	int skb_native;	    /* 1: its driver has native XDP; 0: it has not; -errno */
	/* Of a filter that delivers: */
	int readers;	    /* queues whose socket a process reads */
	const char *unread; /* an interface with a queue that nobody reads; NULL: not known */
	uint32_t unread_queue;
};

struct advice {
	const char *key; /* stable, for programs */
	char text[ADVICE_TEXT_MAX];
};

/* Writes the advice, the most urgent first. Returns the number of sentences. */
int advice_of(const struct advice_reading *r, struct advice out[ADVICE_MAX]);

/* Has the list a sentence with this key? */
bool advice_has(const struct advice *list, int cnt, const char *key);

#endif
