/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* For whom a frame is. An id is dropped because this host has had it: a frame for another
 * host, as a promiscuous interface or a bridge's port sees them, must neither teach nor be
 * dropped.
 *
 * A destination MAC is compared as a word of 64 bits: a frame's first 8 bytes, of which the
 * last two are the source's and make way for the interface's index where the filter has
 * several interfaces. What is this host's on one of them is not on another.
 */
#ifndef XDP_DEDUP_DESTINATION_H
#define XDP_DEDUP_DESTINATION_H

#include "compiler.h"

#define DEDUP_OWN_SLOTS 64  /* for the MACs of the interfaces of a filter of several */
#define DEDUP_MACS_MAX 128  /* further MACs: of devices on top of the interfaces */
#define DEDUP_TO_MAX 32	    /* destinations of --to */
#define DEDUP_MAC_NONE 1ULL /* no frame's word */

/* Whose frames are looked at. The packet path tests one constant of these. */
enum dedup_receiver {
	DEDUP_ONE_INTERFACE,
	DEDUP_SEVERAL_INTERFACES,
	DEDUP_ANYONE, /* --forwarded */
	DEDUP_NAMED,  /* --to; whether MACs count besides, config.forwarded says */
};

/* A prefix of destination addresses, in network order: IPv6, or IPv4 in the first 4 bytes. */
struct dedup_prefix {
	__u64 addr[2], mask[2];
};

/* The word of a frame that begins with these 8 bytes, the index's 16 bits being 0. */
static __always_inline __u64 dedup_mac_word(__u64 first8)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return first8 << 16;
#else
	return first8 & ~0xffffULL;
#endif
}

/* What the word has of the interface where the filter has several. */
static __always_inline __u64 dedup_mac_index(__u32 ifindex)
{
	return ifindex & 0xffff;
}

/* The slot of an interface's most frequent destination, where the filter has several. User
 * space sees to it that no two of a filter's interfaces share one: else it has DEDUP_MAC_NONE.
 */
static __always_inline __u64 dedup_own_slot(__u32 ifindex)
{
	__u64 slot = ifindex;

	DEDUP_BOUND(slot, DEDUP_OWN_SLOTS - 1);
	return slot;
}

#endif
