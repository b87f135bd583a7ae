/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a filter is (fixed at load) and where its hand stands (changes while it
 * runs). Both live in maps that the kernel program, the tool and bpftool read.
 */
#ifndef XDP_DEDUP_CONFIG_H
#define XDP_DEDUP_CONFIG_H

#include "compiler.h"
#include "destination.h"
#include "id.h"

#define DEDUP_FORMAT 5	   /* of pinned state: grows when a struct here or in memory.h changes */
#define DEDUP_PORTS_MAX 32 /* ranges of UDP destination ports */
#define DEDUP_KEYS (2 * DEDUP_ID_WORDS_MAX) /* 32-bit words of the hash secret */
#define DEDUP_IFACES_MAX 32		    /* interfaces that share one filter */
#define DEDUP_MARKS 1024		    /* segments of the circle whose passing is remembered */

struct dedup_ports {
	__u16 lo, hi; /* inclusive, host order */
};

/* How the filter's memory is used; each has a header of its own. */
enum dedup_layout {
	DEDUP_BLOCKED,	 /* block.h: both generations of an id in one cache line */
	DEDUP_FLAT,	 /* flat.h: the bit array of the textbooks, two of them */
	DEDUP_COUNTDOWN, /* countdown.h: cells that count down to 0 */
};

/* From an id to where it is looked for; the last four for flat and countdown only. */
enum dedup_hash_scheme {
	DEDUP_FAST,    /* NH, keyed with a secret of each filter */
	DEDUP_SIPHASH, /* SipHash-1-3, keyed likewise */
	DEDUP_COLIBRI, /* one SHA-256 a position */
	DEDUP_FIPS,    /* one SHA-256, double hashing */
	DEDUP_FNV1A,   /* FNV-1a, then as the keyed ones */
	DEDUP_TEZOS,   /* one SHA-256, cut into indices */
};

/* Map `.rodata.config`, frozen at load: to the verifier every field is a constant. */
struct dedup_config {
	__u32 format;	  /* DEDUP_FORMAT */
	__u32 layout;	  /* enum dedup_layout */
	__u32 hash;	  /* enum dedup_hash_scheme */
	__u32 blocks;	  /* of 64 bytes, the filter's memory; at least 1 */
	__u32 places;	  /* on the hand's circle: blocked: the blocks; flat: the blocks of one
			   * of its two arrays; countdown: how often an id is counted down
			   */
	__u32 words;	  /* blocked: w, words of a half that an id uses; 1, 2 or 4 */
	__u32 bits;	  /* blocked: b, bits it sets in each; 1 to DEDUP_BITS_MAX; k = w * b */
	__u32 m;	  /* flat: bits of an array; countdown: cells, a power of 2 */
	__u32 k;	  /* probes; 1 to DEDUP_HASHES_MAX but in blocked */
	__u32 recent;	  /* ids that the kernel remembers having seen, a power of 2; 0: none */
	__u32 count_only; /* duplicates are counted and passed */
	__u32 learn_app;  /* the kernel only tests; an application adds */
	__u32 frags;	  /* loaded as xdp.frags: a packet may exceed its first buffer */
	__u32 claim;	  /* ids of learning credit that a CPU takes at once */
	__u32 id_bytes;	  /* of each id; 1 to DEDUP_ID_BYTES_MAX */
	__u32 pad;

	__u64 window_ns;      /* W: an id is remembered so long, at most twice */
	__u64 countdown_ns;   /* countdown: between two of them by the clock */
	__u64 tick_ns;	      /* between two steps of the hand, at most */
	__u64 busy_tick_ns;   /* the same while it has more to do than a step may; at least */
	__u64 late_ns;	      /* a place that is passed so much after its time is late */
	__u64 stale_ns;	      /* without a step for so long the window counts as stopped */
	__u64 stale_jiffies;  /* the same in jiffies, as the packet path counts */
	__u64 capacity;	      /* ids a window that were asked for */
	__u64 fpr_e18;	      /* p that was asked for, in units of 1e-18 */
	__u64 turn_ids;	      /* more in less than a window, and places are passed early */
	__u64 full_ids;	      /* learned at most between two passes of a place */
	__u32 segment_places; /* places between two marks */
	__u32 ihave_pass;     /* IHAVEs are counted as ever, and all passed */
	__u32 ports_cnt;
	struct dedup_ports ports[DEDUP_PORTS_MAX];
	__u32 key[DEDUP_KEYS]; /* the hash's secret: never shown */

	__u32 receiver;	 /* enum dedup_receiver */
	__u32 several;	 /* the filter has several interfaces */
	__u32 forwarded; /* frames for other hosts count as well */
	__u32 to_cnt;	 /* only these destinations do; 0: all */
	__u32 to4_cnt;	 /* of to_cnt: the first ones are IPv4, the others IPv6 */
	struct dedup_prefix to[DEDUP_TO_MAX];
};

/* The last pass of a segment: how many ids had been learned by its first place (flat: by its
 * last, which makes the new array the current one), and when it was over.
 */
struct dedup_mark {
	__u64 learned;
	__u64 at_ns; /* CLOCK_MONOTONIC */
};

struct dedup_iface {
	__u64 netns;   /* cookie of the network namespace it was in: never used again */
	__u32 ifindex; /* 0: unused slot */
	char name[16];
	__u32 pad;
};

/* Map `.data.state`, mapped into user space. Who writes is said per line. */
struct dedup_state {
	/* The hand writes these once a step, every packet reads them; `recent_version` and the top
	 * bit of `stale_at` are also user space's: it adds to the one when it takes ids out of the
	 * filter, and sets the other as wanted.h says.
	 */
	__u64 hand;	      /* epoch << 32 | next place to pass */
	__u64 stale_at;	      /* jiffies after which the window counts as stopped; 0: always */
	__u64 limit;	      /* bound on `learned` until it steps again */
	__u64 recent_version; /* how often what the kernel remembers was made void */
	__u64 own_mac;	      /* user space: the one interface's, as dedup_mac_word() */
	__u64 walks;	      /* of the hand through what is wanted: begun and ended ones */
	__u64 pad0[2];

	/* Everyone who learns adds to it, a CPU once in `claim` ids. */
	__u64 learned; /* ids ever learned, credit not yet used included */
	__u64 pad1[7];

	/* The hand's own. */
	__u64 last_ns;	   /* CLOCK_MONOTONIC of its last step */
	__u64 passed;	   /* places, ever */
	__u64 early;	   /* of them before their time, because of load */
	__u64 late;	   /* of them more than late_ns after it */
	__u64 late_max_ns; /* the latest of all */
	__u64 next_ns;	   /* countdown: CLOCK_MONOTONIC of the next one by the clock */
	/* User space's: `passed` is to get so far at once (rotate, reset). */
	__u64 requested;
	__u64 started_ns; /* CLOCK_MONOTONIC of the load */

	struct dedup_mark marks[2 * DEDUP_MARKS];    /* even epochs, then odd ones */
	struct dedup_iface ifaces[DEDUP_IFACES_MAX]; /* user space: where it was attached */

	/* User space's: further MACs whose frames are this host's, in words of destination.h.
	 * Those of several interfaces, by dedup_own_slot(); and of what is on top of them.
	 */
	__u64 own_macs[DEDUP_OWN_SLOTS];
	__u64 macs_cnt;
	__u64 macs[DEDUP_MACS_MAX];
};
_Static_assert(__builtin_offsetof(struct dedup_state, learned) == 64, "one cache line a writer");
_Static_assert(__builtin_offsetof(struct dedup_state, marks) == 192, "one cache line a writer");
_Static_assert(sizeof(struct dedup_state) == 192 + 2048 * 16 + 32 * 32 + 64 * 8 + 8 + 128 * 8,
	       "no hidden padding");

#endif
