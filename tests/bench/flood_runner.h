/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Where floods end: veth pairs in the sandbox, each with a way to deal with duplicates, one
 * sender and one reader, all on one CPU: the sender's program runs in bursts; NAPI follows each
 * burst, in a softirq in the sender's thread; then the reader, which has the higher priority.
 * Packets are in the CPU's caches, as after a NIC's DMA, nothing waits for anything, and what the
 * sender takes for itself is known from a flood that goes nowhere.
 */
#pragma once

#include "support.h"

/* Those that drop duplicates in XDP come first. */
enum flood_way {
	FLOOD_XDP_DEDUP,     /* the packet program, loaded by the tool; the reader gets the rest */
	FLOOD_XDP_DEDUP_XSK, /* XDP_DEDUP with --deliver xsk, and the library's receiver */
	FLOOD_XDP_NUMBERED_XSK, /* XDP_DEDUP_XSK with the events as a numbered stream */
	FLOOD_XDP_LINE,		/* FLOOD_XDP_TOLD, and it reads one random line for each packet */
	FLOOD_XDP_LINE_XSK,	/* FLOOD_XDP_TOLD_XSK, with such a line */
	FLOOD_XDP_TOLD,		/* a program that packets tell what they are: a filter at no cost */
	FLOOD_XDP_TOLD_XSK,	/* FLOOD_XDP_TOLD, to an AF_XDP socket */
	FLOOD_XSK_DEDUP,	/* all go to an AF_XDP socket; the reader asks the library */
	FLOOD_SOCKET_DEDUP,	/* no XDP; the reader asks the library about each packet */
	FLOOD_NOWHERE,		/* the sender alone */
	FLOOD_WAYS
};

struct flood_result {
	double rate_pps;       /* at which they were sent, which may be below what was asked */
	uint64_t sent, events; /* sent / events is the number of copies */
	uint64_t received;     /* packets dropped or read, duplicates or not */
	uint64_t dropped;      /* of them, by XDP */
	uint64_t by_xsk;       /* read from an AF_XDP socket */
	uint64_t delivered;    /* to one, says the filter in XDP */
	uint64_t distinct;     /* events that the reader saw */
	uint64_t duplicates;   /* packets known for duplicates, by whom ever */
	uint64_t again;	       /* of them, by the reader's own account alone */
	uint64_t strangers;    /* packets that are not the flood's */
	uint64_t lost_in_ring, lost_in_socket; /* packets for which there was no room */
	/* CPU time; that of NAPI is in the sender's, which is without its waiting. */
	uint64_t sender_ns, reader_ns;
};

/* Makes it all, for a sender of so many packets at once, and of so many copies of each event, a
 * divisor of FLOOD_COPIES_MAX; with this size (the tool's options) for all filters. The sandbox'
 * end removes it too. Fails the test otherwise.
 */
void flood_run_make(uint32_t burst, uint32_t copies, const char *size);
void flood_run_remove(void);

/* One flood, at this rate or as fast as can be, and of as many packets as are sent at this
 * rate in that time. Fails the test if it cannot be.
 */
struct flood_result flood_run_run(enum flood_way way, uint64_t rate_pps, double seconds);

/* The part of the sent packets that was not received. */
double flood_loss(const struct flood_result *r);

/* Fails the test unless every packet is accounted for, and everything received was right:
 * new events passed, but for the filter's false positives, and duplicates did not, but where
 * nothing filters.
 */
void flood_run_check(enum flood_way way, const struct flood_result *r);
