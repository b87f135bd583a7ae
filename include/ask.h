/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an application without rights may ask of a filter of which a queue was granted to it: it
 * runs a BPF program (bpf/grant_program.bpf.c) whose descriptor it has. So it needs no map of the
 * filter's: neither the state, which it could overwrite, nor the configuration, which has secrets,
 * nor those about sockets, which are for all queues. What it asks for can harm its own queue, and
 * the list of wanted ids.
 */
#ifndef XDP_DEDUP_ASK_H
#define XDP_DEDUP_ASK_H

#include "deliver.h"
#include "stream.h"

#define DEDUP_ASK_MAX 64 /* packets that are asked about at a time */

/* Set when the program is loaded, for the filter, the interface and the queue as they are then. */
struct dedup_grant {
	__u64 serial;	 /* state.serial */
	__u64 window_ns; /* as in the configuration */
	__u64 stale_ns;
	__u64 streams;		       /* bit n: there is one whose slot is n, modulo DEDUP_SLOTS */
	__u64 realm_keys[DEDUP_SLOTS]; /* of that stream */
	__u32 slots[DEDUP_SLOTS];      /* which its slot is */
	__u32 slot;		       /* the queue's, of which it speaks alone */
	__u32 opened;		       /* dedup_socket.opened of it */
	__u32 frames_max;	       /* that a packet may fill at most */
	__u32 pad;
};

enum dedup_ask_what {
	DEDUP_ASK_CHANGED, /* -ESTALE after any change of the filter; -ETIME: the hand has not
			    * stepped for stale_ns; else 0
			    */
	DEDUP_ASK_WANT, /* the id is wanted from now on: 1; -E2BIG: there is no room; -EAGAIN: the
			 * hand was walking (slow_path.h), ask again; -ESTALE: another filter is in
			 * charge, or the hand has stopped
			 */
	DEDUP_ASK_NO_MORE, /* the id is wanted no more: 0 */

	/* Of its slot, whose `taken` and `opened` it then fills in: 0; -ESTALE, and nothing was
	 * done, if another one has opened the slot.
	 */
	DEDUP_ASK_FETCH, /* of each packet, by its number's lower 32 bits, the entry in `in_flight` */
	DEDUP_ASK_TELL, /* each packet, by its number, was given back; then granted, frames_max,
			 * timestamps and pid are these, the first two as far as is allowed
			 */
};

/* The program's context, which it changes. It returns what is said there. */
struct dedup_ask {
	struct dedup_id id; /* that is wanted, or is not */
	__u32 slot;	    /* of its stream */
	__u32 what;	    /* enum dedup_ask_what */
	__u32 cnt;	    /* of packets: at most DEDUP_ASK_MAX */
	__u32 pad;
	struct dedup_socket socket;
	struct dedup_in_flight packets[DEDUP_ASK_MAX];
};

#endif
