/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A filter's configuration (fixed at load) and its state (changes while it runs). Both are in maps
 * that the kernel program, the tool and bpftool read.
 */
#pragma once

#include "compiler.h"
#include "digest.h"
#include "format.h"
#include "id.h"
#include "record.h"
#include "sample.h"
#include "spec.h"

#define DEDUP_KEYS (2 * DEDUP_ID_WORDS_MAX) /* 32-bit words of the hash secret */
#define DEDUP_MARKS 1024		    /* segments of the hand's circle, at most */
#define DEDUP_TIES 256			    /* slots (claim.h) */

/* What becomes of duplicates. All are counted. */
enum dedup_action {
	DEDUP_DROP,	/* they are dropped */
	DEDUP_COUNT,	/* they pass */
	DEDUP_DROP_FOR, /* they are dropped for asked.drop_ns, and then pass: state.counting */
};

/* The geometry and the ageing of the memory. If a plan and a filter have equal structs of this
 * kind, the planned filter can go on with the filter's memory. The plan fills it in.
 */
struct dedup_memory {
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	__u32 blocks;	 /* of 64 bytes, the filter's memory; at least 1 */
	__u32 places;	 /* of the hand's circle: blocked: blocks; flat: blocks of one of the two
			  * arrays; countdown: what a learned id's cells are set to
			  */
	__u32 words;	 /* blocked: w, words of a half in which an id has bits; 1, 2 or 4 */
	__u32 bits;	 /* blocked: b, bits of an id in each of these; 1 to DEDUP_BITS_MAX */
	__u32 m;	 /* flat: bits of an array; countdown: cells, a power of 2 */
	__u32 k;	 /* probes of an id; blocked: w * b; others: 1 to DEDUP_HASHES_MAX */
	__u32 known_cnt; /* entries of the known-id cache (known_ids.h), a power of 2; 0: no cache */
	__u32 claim;	 /* learning credit, in ids, that a CPU takes at a time (credit.bpf.h) */
	__u32 replay;	 /* 1: the clock is state.replay_ns, and user space steps the hand */
	__u32 segment_places; /* places of a segment; the last segment may have fewer */

	__u64 window_ns;     /* W: ids are remembered for W to 2 W; countdown: see README.md */
	__u64 countdown_ns;  /* countdown: time between two countdowns that come by the clock */
	__u64 tick_ns;	     /* longest time between two steps of the hand */
	__u64 busy_tick_ns;  /* shortest one, after a step that was full or passed places by load */
	__u64 late_ns;	     /* a place that is passed more than this after it was due is late */
	__u64 stale_ns;	     /* the window's clock counts as stopped after so long without a step */
	__u64 stale_jiffies; /* stale_ns in jiffies, which the packet path compares */
	__u64 capacity;	     /* ids a window: as asked for, or fewer where m and k do not keep p */
	__u64 fpr_e18;	     /* p in units of 1e-18: as asked for, or more if that cannot be kept */
	__u64 turn_ids;	     /* more learned since its guard (hand.h): a place is passed early */
	__u64 full_ids;	     /* ids learned between two passes of a place, at most: bounds p */
};
_Static_assert(sizeof(struct dedup_memory) == 12 * 4 + 11 * 8, "no hidden padding");

/* What is to be found out of a frame, beside the place of its UDP payload. */
enum dedup_frames {
	DEDUP_FRAMES_NOT,    /* nothing: all bases and layers are within a payload */
	DEDUP_FRAMES_WHOLE,  /* its other headers, and its end */
	DEDUP_FRAMES_INSIDE, /* these, after its tunnels have been opened */
};

/* The packet program's entries (bpf/xdp_dedup.bpf.c), of which one is loaded. From DEDUP_ENTRY_GSP
 * on GSP/1 is the only stream, and its realm key is 0.
 */
enum dedup_entry {
	DEDUP_ENTRY_STREAMS,
	DEDUP_ENTRY_NUMBERED,
	DEDUP_ENTRY_GSP,
	DEDUP_ENTRY_GSP_DELIVER,
	DEDUP_ENTRIES,
};

/* Which packets the filter looks at, and what it does with them, beside `asked`: for each program.
 * The plan fills it in, except the streams' slots and realm keys (kept.h, secrets.h).
 */
struct dedup_policy {
	enum dedup_action action;
	__u32 deliver; /* deliver.h; bit n: fresh packets of stream n */

	__u32 streams_cnt; /* at least 1 */
	enum dedup_entry entry;
	enum dedup_receiver receiver;
	__u32 forwarded; /* 1: frames for other hosts are looked at, too, in all streams */
	enum dedup_frames frames;
	__u32 id_bytes;	  /* of the longest id; 1 to DEDUP_ID_BYTES_MAX */
	__u32 any_direct; /* 1: some range of ports has a stream in `direct` */

	/* The streams' UDP ports and IP destinations: each stream has a part of these. */
	__u32 ports_cnt;
	struct dedup_ports ports[DEDUP_PORTS_MAX];
	/* For each range of `ports`: the one stream that packets to it can be of, if that is
	 * `direct`; else DEDUP_STREAMS_MAX.
	 */
	__u8 direct[DEDUP_PORTS_MAX];
	__u32 to_cnt;
	/* Tunnels are opened only where the outermost IP header has one of these destinations of
	 * `to`; outer_to_cnt 0: any.
	 */
	__u32 outer_to_first, outer_to4_cnt, outer_to_cnt;
	struct dedup_prefix to[DEDUP_TO_MAX];

	__u32 opens[DEDUP_STREAMS_MAX]; /* the kinds of tunnels of each stream: DEDUP_TUNNEL_BITs */
	struct dedup_stream streams[DEDUP_STREAMS_MAX];
};
_Static_assert(__builtin_offsetof(struct dedup_policy, to) ==
			       __builtin_offsetof(struct dedup_policy, outer_to_cnt) + 4 &&
		       __builtin_offsetof(struct dedup_policy, streams) ==
			       __builtin_offsetof(struct dedup_policy, opens) + 4 * DEDUP_STREAMS_MAX,
	       "no hidden padding: policies are compared as bytes");

/* No output shows these; nor the streams' realm keys. */
struct dedup_secrets {
	__u32 key[DEDUP_KEYS];		     /* the hash's */
	__u64 digest_key[DEDUP_DIGEST_KEYS]; /* filled in if some stream has a digest */
};

/* Map `.rodata.config`, frozen at load: to the verifier every field is a constant. bpftool shows
 * fields of an enum by name.
 */
struct dedup_config {
	__u32 format; /* DEDUP_FORMAT */
	__u32 frags;  /* 1: loaded for frags, a packet may go on behind its first buffer */
	struct dedup_memory memory;
	struct dedup_policy policy;
	struct dedup_secrets secrets;

	/* This program among the filter's programs (predecessor.h). */
	__u32 serial; /* among those of the filter, counted from 0 */
	/* Rows of `stats` with what earlier programs counted, behind one for each stream: 0: none;
	 * 1: one for each stream; 2: and one more, for what no stream of now has counted.
	 */
	__u32 earlier_stats;
	__u32 has_predecessor; /* 1: loaded with a predecessor, which may be gone now */
	__u32 pad;
	__u64 predecessor_scale; /* what an id counts for in the predecessor: dedup_scale() */
	/* With a predecessor, for each stream: 1 + the index of a stream of its realm in the
	 * predecessor; 0: the predecessor has no such realm, and is not asked.
	 */
	__u8 predecessor_stream[DEDUP_STREAMS_MAX];

	struct dedup_sources sources;			   /* as a part of `memory` */
	struct dedup_numbered numbered[DEDUP_STREAMS_MAX]; /* of each stream, as a part of it */

	struct dedup_tunnels tunnels; /* of any stream; as a part of `policy` */

	struct filter_spec asked; /* last: a later format appends its options' fields (format.h) */
};
_Static_assert(__builtin_offsetof(struct dedup_config, asked) ==
		       __builtin_offsetof(struct dedup_config, tunnels) + sizeof(struct dedup_tunnels),
	       "no hidden padding");
_Static_assert(__builtin_offsetof(struct dedup_config, asked.streams) +
			       DEDUP_STREAMS_MAX * sizeof(struct spec_stream) ==
		       DEDUP_CONFIG_BYTES_OLDEST,
	       "fields that moved: see format.h");

/* Is GSP/1 the only stream, with an entry of its own? */
static __always_inline bool dedup_is_gsp(const struct dedup_config *c)
{
	return c->policy.entry >= DEDUP_ENTRY_GSP;
}

/* When the hand passed a segment last. `learned` is state.learned when it passed the segment's
 * first place (flat: the last place, after which the cleared array is the current one); at_ns is
 * when it passed the last place.
 */
struct dedup_mark {
	__u64 learned;
	__u64 at_ns; /* CLOCK_MONOTONIC */
};

/* Map `.data.state`, mapped into user space. Each group or line tells what writes its fields. */
struct dedup_state {
	/* Every packet reads this line; the hand writes it once a step. User space also writes: the
	 * top bit of `stale_at` (DEDUP_SLOW_PATH in slow_path.h) and `known_version`.
	 */
	__u64 hand;	/* turns done << 32 | next place to pass; the turns are the epoch */
	__u64 stale_at; /* jiffies after which the window's clock has stopped; 0: it never ran */
	__u64 limit;	/* `learned` may not exceed this until the hand steps again */
	__u64 known_version; /* known_ids.h: entries with another one are void */
	__u64 sources_era; /* user space: another value makes all sources unknown (source_table.h) */
	__u64 walks;	   /* begins and ends of walks (slow_path.h): odd during one */
	__u64 replay_ns;   /* memory.replay: the time, which user space sets */
	__u64 counting;	   /* the hand, DEDUP_DROP_FOR: 1 once duplicates pass, 0 before */

	/* Added to when ids are learned: by a CPU once for memory.claim ids, by user space for
	 * each id.
	 */
	__u64 learned; /* ids ever learned, and credit that CPUs have claimed but not used yet */
	__u64 pad1[7];

	/* The hand writes these. */
	__u64 last_ns;	   /* CLOCK_MONOTONIC of its last step */
	__u64 passed;	   /* places that it has passed in all */
	__u64 early;	   /* of them: before they were due, because of load */
	__u64 late;	   /* of them: more than memory.late_ns after they were due */
	__u64 late_max_ns; /* longest time after it was due that one was passed */
	__u64 next_ns;	   /* countdown: the next one does not come by the clock before this */
	/* User space (rotate, reset): the hand passes places at once until `passed` is this. */
	__u64 requested;
	__u64 started_ns; /* CLOCK_MONOTONIC of the load */

	struct dedup_mark marks[2 * DEDUP_MARKS]; /* passes in even epochs, then in odd ones */

	__u64 ties[DEDUP_TIES]; /* CPUs that learn one id at one instant (claim.h) */
	__u64 pad2[321 - DEDUP_TIES];

	/* DEDUP_DROP_FOR, CLOCK_MONOTONIC: duplicates pass from then on. Set when the hand starts;
	 * user space then sets the end that was asked for.
	 */
	__u64 drop_until_ns;

	struct dedup_sampler sampler; /* tells for each field what writes it */

	/* User space writes these. */
	__u64 exchanging; /* 1 while a change is made: packets take the slow path */
	__u64 successor;  /* enum dedup_charge (predecessor.h) */
	__u64 forgotten_at; /* of a predecessor: it is empty when `passed` is this; 0: not known yet */
	__u64 serial;	    /* raised when processes that have this filter open must reopen it */

	__u64 reported; /* the hand: how many of `learned` it has reported to the predecessor */

	__u64 source; /* that the hand looks at next (source_table.h) */
	/* memory.replay: by which interface frames come; user space sets it. 0: by their own */
	__u64 replay_ifindex;

	DEDUP_APPENDED(__u64 appended[1024];)
};
_Static_assert(__builtin_offsetof(struct dedup_state, learned) == 64, "one cache line a writer");
_Static_assert(__builtin_offsetof(struct dedup_state, marks) == 192, "one cache line a writer");
_Static_assert(__builtin_offsetof(struct dedup_state, reported) + 8 ==
		       192 + 2048 * 16 + 32 * 32 + 64 * 8 + 8 + 128 * 8 + 8 +
			       sizeof(struct dedup_sampler) + 5 * 8,
	       "no hidden padding");
_Static_assert(__builtin_offsetof(struct dedup_state, replay_ifindex) + 8 == DEDUP_STATE_BYTES_OLDEST,
	       "fields that moved: see format.h");
