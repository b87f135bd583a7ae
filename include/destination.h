/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Is a frame for this host? A duplicate may be dropped because this host has had the event. So a
 * frame for another host, which a promiscuous interface or a bridge's port sees as well, must not
 * be dropped, nor may its ids be learned.
 *
 * Destination MACs are compared as words of 64 bits. The word of a frame is made of its first 8
 * bytes: the 6 of the destination MAC are its high 48 bits, and the low 16 bits, where the first
 * two bytes of the source MAC were, are 0. In a filter of several interfaces a MAC is this host's
 * on one of them only; the list of further MACs there has the interface's index in these low 16
 * bits.
 */
#pragma once

#include "compiler.h"

#define DEDUP_OWN_SLOTS 64  /* for one MAC of each interface of a filter of several */
#define DEDUP_MACS_MAX 128  /* further MACs: of devices on top of the interfaces */
#define DEDUP_TO_MAX 32	    /* destinations of --to */
#define DEDUP_MAC_NONE 1ULL /* equals no frame's word, as the low 16 bits of those are 0 */

/* Whose frames are looked at: config.policy.receiver, a constant to the verifier. In a filter with
 * streams it is DEDUP_ANYONE if all streams take frames for other hosts, too; never DEDUP_NAMED.
 */
enum dedup_receiver {
	DEDUP_ONE_INTERFACE,	  /* this host's; the filter has one interface */
	DEDUP_SEVERAL_INTERFACES, /* this host's; the filter has several */
	DEDUP_ANYONE,		  /* all frames: --forwarded */
	DEDUP_NAMED, /* as policy.forwarded says, and --to or --vlan names the destination */
};

/* A prefix of destination addresses, in network order. IPv4 is in the first 4 bytes of the 16. Bits
 * beyond the prefix are 0 in both.
 */
struct dedup_prefix {
	__u64 addr[2], mask[2];
};

/* Returns the word of a frame that begins with these 8 bytes. */
static __always_inline __u64 dedup_mac_word(__u64 first8)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	return first8 << 16;
#else
	return first8 & ~0xffffULL;
#endif
}

/* Returns the low 16 bits of a word in the list of further MACs, in a filter of several
 * interfaces.
 */
static __always_inline __u64 dedup_mac_index(__u32 ifindex)
{
	return ifindex & 0xffff;
}

/* In a filter of several interfaces: returns the slot, in record.own_macs, of the MAC to which
 * most frames of this interface go. If two interfaces of the filter share a slot, it holds
 * DEDUP_MAC_NONE, and their MACs are in the list of further ones.
 */
static __always_inline __u64 dedup_own_slot(__u32 ifindex)
{
	__u64 slot = ifindex;

	DEDUP_BOUND(slot, DEDUP_OWN_SLOTS - 1);
	return slot;
}
