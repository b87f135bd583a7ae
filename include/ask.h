/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests of an application without rights to a filter that granted it a queue. It runs a BPF
 * program (bpf/grant_program.bpf.c), whose descriptor it has. So it needs none of the filter's
 * maps: neither the state, which it could overwrite, nor the configuration, which has secrets, nor
 * the maps of sockets, which are for all queues. Its requests can harm its own queue, and the list
 * of wanted ids.
 */
#ifndef XDP_DEDUP_ASK_H
#define XDP_DEDUP_ASK_H

#include "deliver.h"
#include "stream.h"

#define DEDUP_ASK_MAX 64 /* packets of one request */

/* The granted queue. Set when the program is loaded, for the filter, the interface and the queue
 * as they are then.
 */
struct dedup_grant {
	__u64 serial;	 /* state.serial */
	__u64 window_ns; /* as in the configuration */
	__u64 stale_ns;
	__u64 streams;		       /* bit n: a stream has slot n, modulo DEDUP_SLOTS */
	__u64 realm_keys[DEDUP_SLOTS]; /* of that stream */
	__u32 slots[DEDUP_SLOTS];      /* of that stream: its slot */
	__u32 slot;		       /* the queue's: requests are for no other */
	__u32 opened;		       /* the queue's dedup_socket.opened */
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

	/* These two are for the packets of its slot, and fill in `taken` and `opened`. They return
	 * 0; -ESTALE if another process has opened the slot, and then do nothing.
	 */
	DEDUP_ASK_FETCH, /* of each packet, by its number's lower 32 bits, the entry in `in_flight` */
	DEDUP_ASK_TELL, /* each packet, by its number, was given back; then granted, frames_max,
			 * timestamps and pid are these, the first two as far as is allowed
			 */
};

/* The program's context, which the program changes. It returns what enum dedup_ask_what lists. */
struct dedup_ask {
	struct dedup_id id; /* the id to want, or to want no more */
	__u32 slot;	    /* of its stream */
	__u32 what;	    /* enum dedup_ask_what */
	__u32 cnt;	    /* of packets: at most DEDUP_ASK_MAX */
	__u32 pad;
	struct dedup_socket socket;
	struct dedup_in_flight packets[DEDUP_ASK_MAX];
};

#endif
