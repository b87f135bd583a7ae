/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the flood's BPF programs and user space share: the frame, and the orders to send. */
#pragma once

#include <linux/types.h>

#include "gsp.h"

#define FLOOD_COPIES_MAX 10 /* of each event, one of which is new; or a divisor */
#define FLOOD_SPREAD 1000   /* a copy is fewer events late than this */
#define FLOOD_HEADERS 42    /* Ethernet, IPv4, UDP */
#define FLOOD_BODY 176
#define FLOOD_SEED_STEP 0x9e3779b97f4a7c15 /* SplitMix64 */

/* Whose socket it is, in the map of AF_XDP sockets. */
enum { FLOOD_XSK_FIRST, FLOOD_XSK_LINE, FLOOD_XSK_ALL, FLOOD_XSKS };

/* An EVENT of GSP/1. What is not GSP/1's is in host order. */
struct flood_payload {
	struct gsp_header header;
	__u64 id[GSP_ID_BYTES / 8]; /* flood_id() of seed and index */
	__u64 seed;
	__u64 index;
	__u64 copy;    /* 0 is the first */
	__be64 number; /* `index`: with `seed` as the source, a numbered stream's */
	__u8 body[FLOOD_BODY];
};
_Static_assert(sizeof(struct flood_payload) == 248, "no hidden padding");

/* User space sets the first part before a flood; the program counts in the other. */
struct flood_orders {
	__u64 seed;
	__u64 rate_pps;
	__u64 burst;	 /* packets sent at once, as by a NIC that coalesces interrupts */
	__u64 ifindex;	 /* redirect to this one; 0: drop */
	__u64 copies;	 /* of each event */
	__u64 late_step; /* FLOOD_COPIES_MAX / copies */
	__u16 front[4];	 /* the first 8 bytes of each frame */

	__u64 event; /* the newest one */
	__u64 copy;  /* copies of `event` that were sent or had their turn left to older ones */
	__u64 sent;
	__u64 left;		 /* of this burst */
	__u64 start_ns;		 /* of the first packet; put off when the sender was held up */
	__u64 first_ns, last_ns; /* when the first burst began, and the last one */
	__u64 waited_ns;
};

static inline __u64 flood_mix(__u64 z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

/* The words of an event's id, which no other event of any seed shares but by chance. */
static inline __u64 flood_id(__u64 seed, __u64 index, unsigned int word)
{
	return flood_mix(flood_mix(seed) + (index * (GSP_ID_BYTES / 8) + word) * FLOOD_SEED_STEP);
}
