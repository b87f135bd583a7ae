/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads all that is shown of a filter at one moment. */
#pragma once

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "advice.h"
#include "attachments.h"
#include "layout.h"
#include "open_filter.h"
#include "receivers.h"
#include "sampling.h"
#include "sockets.h"
#include "stack.h"
#include "stats.h"
#include "watch.h"

enum iface_state {
	IFACE_ATTACHED, /* the kernel reports that it runs the filter */
	IFACE_UNKNOWN,	/* shared, and libxdp cannot tell */
	/* recorded, but not attached here: */
	IFACE_DETACHED,	   /* somebody has detached the program, or put another one there */
	IFACE_GONE,	   /* the interface is gone */
	IFACE_OTHER_NETNS, /* it runs the filter in another network namespace */
};

struct status_iface {
	char name[IF_NAMESIZE];
	uint32_t ifindex;      /* identifies it, as names change; 0: in another netns */
	enum attach_mode mode; /* set only if attached */
	uint32_t link_id;      /* of its bpf_link; 0: it has none */
	bool shared;	       /* by libxdp, where other programs may run, too */
	int native; /* set only in skb mode: 1 if the driver has native XDP, 0 if not; or -errno */

	enum iface_state state;
	uint32_t mtu_max;  /* its MTU is above this, so the driver may lose packets; 0: it is not */
	bool strips_tags;  /* it removes VLAN tags, which matter to the filter */
	uint32_t queues;   /* receive queues, of a filter that delivers; 0: not known */
	bool is_counted;   /* is `received` known? */
	uint64_t received; /* packets, as in struct link */
};

#define STATUS_SOCKETS_MAX 64

/* What is lost behind the filter. */
struct status_behind {
	bool is_known;			 /* the filter was loaded in this network namespace */
	bool sockets_known;		 /* and its sockets could be listed */
	uint64_t lost[STACK_LOSSES_CNT]; /* by the IP stack since then, of any port */
	struct stack_socket sockets[STATUS_SOCKETS_MAX]; /* UDP sockets on the streams' ports */
	int sockets_cnt;
	uint64_t dropped; /* datagrams, by these sockets since they were opened */
};

/* What is shown of a filter's predecessor (include/predecessor.h), s->filter.predecessor. */
struct status_predecessor {
	struct fill fill;
	uint64_t left_ns; /* stats_forgets_in_ns() */
	bool leads;	  /* it is still in charge: a change has not ended */
	bool forgotten;	  /* it has forgotten every id */
	bool asked; /* packets look ids up in it: not if `forgotten`, or if its hand has stopped */
};

/* All that is shown of a filter. */
struct status {
	struct filter filter;
	const struct layout *layout;
	struct status_iface ifaces[DEDUP_IFACES_MAX];
	int ifaces_cnt;
	struct {
		char local[IF_NAMESIZE], other[IF_NAMESIZE]; /* "": none */
	} same_index;
	struct receivers_faults faults;
	const char *mode; /* that all attached interfaces have; else "mixed", or "none" */
	struct filter_counters counters;		   /* of all streams */
	struct filter_counters streams[DEDUP_STREAMS_MAX]; /* of each */
	struct fill fill;				   /* of this filter's own memory */
	struct status_predecessor predecessor;		   /* if filter.predecessor is not NULL */
	double fpr;	       /* the rate that packets meet now, with the predecessor */
	bool exchanging;       /* a change has begun and not ended (live_exchange.h) */
	uint64_t *histogram;   /* countdown: layout.h; NULL: too long to show, or another layout */
	uint64_t approx_count; /* countdown: layout.h */
	double hand;	       /* position of the hand in its turn, 0 to 1 */
	uint32_t turns;	       /* completed turns of the hand */
	uint64_t oldest_ns;    /* stats_oldest_ns() */
	struct stats_pace pace;
	uint64_t drop_left_ns; /* DEDUP_DROP_FOR: time until duplicates pass; 0: it is over */
	uint64_t counting_ns;  /* DEDUP_DROP_FOR: time since then; 0: they are dropped */
	struct sampling_process sampler;
	struct sockets *sockets;  /* NULL: the filter does not deliver */
	bool stopped;		  /* the hand has stopped: all ids pass */
	char unseen[IF_NAMESIZE]; /* set by the caller: watch_unseen(); "": none */
	struct status_behind behind;
	char behind_note[ADVICE_TEXT_MAX]; /* the first note of checks_behind(); "": none */
	bool exact; /* set before collecting: read all of the memory, not a sample */
};

/* "attached", "unknown", "detached", "gone", "other netns". */
const char *iface_state_name(enum iface_state state);

/* Returns the name of the interface with this index: one on which the filter runs, or another one
 * of this network namespace; NULL if there is none. name[]: a buffer for it.
 */
const char *status_iface_name(const struct status *s, uint32_t ifindex, char name[IF_NAMESIZE]);

/* Returns whether the filter drops duplicates now. While its hand has stopped, hashed ids pass. */
bool status_drops(const struct status *s);

/* Returns the part of the memory's bits that are set, 0 to 1: the mean of both generations. */
double status_mean_fill(const struct status *s);

/* Fills in *s from the open filter *f, which belongs to *s then, also after a failure. links: the
 * present interfaces; NULL: it reads them. Returns 0, or -errno (logged). The caller frees *s with
 * status_free() in both cases.
 */
int status_collect(struct filter *f, const struct links *links, bool exact, struct status *s);

/* Updates what is quick to read: all but the interfaces and the occupancy. Returns 0, or -errno
 * (logged).
 */
int status_update(struct status *s);
void status_free(struct status *s);

/* Sets the number of packets that each interface has received, from this list. */
void status_note_received(struct status *s, const struct links *l);

/* Makes a reading of what was collected last, without streams and CPUs. For rx_before see struct
 * watch_reading.
 */
void status_reading(const struct status *s, uint64_t rx_before, struct watch_reading *r);

/* Sets s->unseen by comparing the packets of the interfaces and of the filter for 10 ms, or for up
 * to 300 ms if the filter seems to miss some packets. For callers that read a filter once; others
 * compare two readings.
 */
void status_look_for_unseen(struct status *s);

/* Writes advice on the filter, by its counts since the load, or by `recent` unless that is NULL.
 * Returns what advice_of() does.
 */
int status_advice(const struct status *s, const struct filter_counters *recent,
		  struct advice out[ADVICE_MAX]);
