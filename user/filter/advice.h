/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Advice on a filter: what is wrong, and which setting to change to which value. Each row of a
 * table writes one sentence, or nothing. A filter that works as promised gets no advice. Pure.
 */
#pragma once

#include <stdbool.h>

#include "stats.h"

#define ADVICE_MAX 18	     /* rows */
#define ADVICE_TEXT_MAX 1024 /* bytes of a sentence */

struct advice_reading {
	const char *name; /* the filter's */
	const struct dedup_config *config;
	struct filter_counters total;  /* since the load */
	struct filter_counters recent; /* between the last two readings; `total` if not known */
	struct stats_pace pace;	       /* now */
	bool stopped;		       /* stats_stopped() */
	bool uses_predecessor;	       /* stats_uses_predecessor() */
	/* Interfaces with a problem; NULL if there is none: */
	const char *unseen;	  /* the filter sees none of its packets */
	const char *detached;	  /* somebody has detached the filter from it */
	const char *macs_changed; /* its MACs have changed */
	const char *mtu;	  /* its MTU is larger than mtu_max */
	uint32_t mtu_max;	  /* the largest MTU with native XDP there */
	const char *strips;	  /* it removes VLAN tags which the filter needs */
	const char *skb;	  /* it runs the filter in skb mode */
	const char *behind;	  /* what is lost behind the filter, and what to do */
	uint32_t full_inode; /* of a socket that has lost datagrams in its full buffer; 0: none */
	uint32_t full_dropped, full_buffer, full_port; /* how many; the buffer's bytes */
	int skb_native; /* 1 if the driver of `skb` has native XDP, 0 if not; or -errno */
	/* Of a filter that delivers: */
	int readers;	    /* queues whose socket a process reads */
	const char *unread; /* an interface with a queue that no process reads; NULL: not known */
	uint32_t unread_queue;
};

struct advice {
	const char *key; /* stable, for programs */
	char text[ADVICE_TEXT_MAX];
};

/* Writes the advice, the most urgent first. Returns the number of sentences. */
int advice_of(const struct advice_reading *r, struct advice out[ADVICE_MAX]);

/* Returns whether the list has a sentence with this key. */
bool advice_has(const struct advice *list, int cnt, const char *key);
