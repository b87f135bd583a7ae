/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an application without rights may ask of a filter of which a queue was lent to it: it runs a
 * BPF program (bpf/lent.bpf.c) whose descriptor it has. So it needs no map of the filter's: neither
 * the state, which it could overwrite, nor the configuration, which has secrets.
 */
#ifndef XDP_DEDUP_ASK_H
#define XDP_DEDUP_ASK_H

#include "stream.h"

/* Set when the program is loaded, for the filter and the interface as they are then. */
struct dedup_lent {
	__u64 serial;	 /* state.serial */
	__u64 window_ns; /* as in the configuration */
	__u64 stale_ns;
	__u64 slots;		       /* bit n: there is a stream with slot n */
	__u64 realm_keys[DEDUP_SLOTS]; /* of the stream with this slot */
};

enum dedup_ask_what {
	DEDUP_ASK_CHANGED, /* -ESTALE after any change of the filter; -ETIME: the hand has not
			    * stepped for stale_ns; else 0
			    */
	DEDUP_ASK_WANT, /* the id is wanted from now on: 1; -E2BIG: there is no room; -EAGAIN: the
			 * hand was walking (closely.h), ask again
			 */
	DEDUP_ASK_NO_MORE, /* the id is wanted no more: 0 */
};

/* The program's context. It returns as said there, or -ESTALE: another filter is in charge, or an
 * id cannot be wanted as the hand has stopped.
 */
struct dedup_ask {
	struct dedup_id id;
	__u32 slot; /* of the stream */
	__u32 what; /* enum dedup_ask_what */
};

#endif
