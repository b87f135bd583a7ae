/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is asked of a filter, by a command line, the bench or a test. The plan (user/layout/plan.h)
 * makes the filter's configuration, struct dedup_config, from it, which keeps it as it was given: a
 * change lays what is given then over it, and plans anew.
 */
#pragma once

#include "compiler.h"
#include "destination.h"
#include "format.h"
#include "stream.h"
#include "tunnel.h"

#define DEDUP_PORTS_MAX 32 /* ranges of UDP destination ports */
#define DEDUP_VLANS_MAX 32 /* ranges of VLAN ids */

#define SPEC_CAPACITY_DEFAULT 1000000
#define SPEC_CAPACITY_MAX (1ULL << 40)
#define SPEC_SOURCES_DEFAULT 1024
#define SPEC_SOURCES_MAX (1 << 20)
#define SPEC_FPR_DEFAULT 1e-4
#define SPEC_WINDOW_DEFAULT_NS (600 * 1000000000ULL)
#define SPEC_WINDOW_MIN_NS (10 * 1000000ULL)
#define SPEC_COMMENT_BYTES 64
#define SPEC_DROP_MIN_NS 1000000000ULL /* --for: 1 s to 100 years */
#define SPEC_DROP_MAX_NS (36500 * 86400000000000ULL)
#define SPEC_WINDOW_MAX_NS (30 * 24 * 3600 * 1000000000ULL)

#define SPEC_GSP_ID_BYTES 32 /* as in gsp.h, which only programs know */
#define STREAM_GSP "gsp"     /* the stream of --port */

/* Part of a struct spec_stream's initializer: GSP/1, as its profile has it. */
#define SPEC_GSP                                    \
	.stream = { .name = STREAM_GSP,             \
		    .decoder = DEDUP_GSP,           \
		    .words = SPEC_GSP_ID_BYTES / 8, \
		    .bytes = SPEC_GSP_ID_BYTES }
#define SPEC_INDEX_BITS_MAX 24
#define SPEC_COUNTDOWN_BITS_MAX 24

struct dedup_ports {
	__u16 lo, hi; /* inclusive, host order */
};

/* How the filter's memory is used. */
enum dedup_layout {
	DEDUP_BLOCKED,	 /* block.h: both generations of an id in one cache line */
	DEDUP_FLAT,	 /* flat.h: two bit arrays, a textbook's Bloom filter for each generation */
	DEDUP_COUNTDOWN, /* countdown.h: cells that count down to 0 */
};

/* Hashes: from an id to its positions. From DEDUP_COLIBRI on for flat and countdown only. */
enum dedup_hash_scheme {
	DEDUP_FAST,    /* NH, keyed with the filter's secret */
	DEDUP_SIPHASH, /* SipHash-1-3, keyed with the filter's secret */
	DEDUP_COLIBRI, /* a SHA-256 for each position */
	DEDUP_FIPS,    /* one SHA-256, double hashing */
	DEDUP_FNV1A,   /* FNV-1a; positions after the first are mixed as in DEDUP_FAST */
	DEDUP_TEZOS,   /* one SHA-256, cut into indices */
};

/* One stream. */
struct spec_stream {
	/* As its profile has it (profile.h), by a name of its own. realm: streams with one number
	 * share their ids. What the plan or the loader fills in is 0 here: words in config.ports
	 * and config.to, and the key.
	 */
	struct dedup_stream stream;
	struct dedup_numbered numbered; /* as its profile has it */
	struct dedup_tunnels tunnels;	/* as its profile has them */
	__u8 named;			/* the user gave it its name */
	__u8 needs_to;			/* it must not run without */
	__u8 needs_app;			/* nor unless an application adds the ids */
	__u8 deliver;			/* its fresh packets go to AF_XDP sockets */
	__u32 ports_cnt;
	struct dedup_ports ports[DEDUP_PORTS_MAX]; /* ascending, and none overlap */
	__u32 to_cnt;				   /* 0: packets to any destination */
	__u32 to4_cnt;				   /* how many of them are of IPv4 */
	struct dedup_prefix to[DEDUP_TO_MAX];	   /* only packets to these; those of IPv4 first */
};
_Static_assert(sizeof(struct spec_stream) ==
		       sizeof(struct dedup_stream) + sizeof(struct dedup_numbered) +
			       sizeof(struct dedup_tunnels) + 4 * (4 + DEDUP_PORTS_MAX) +
			       DEDUP_TO_MAX * sizeof(struct dedup_prefix),
	       "no hidden padding");

/* Which options were given, on a command line or as keys of a file: a change changes only these.
 * The environment does not count, as it sets defaults.
 */
struct spec_given {
	__u8 port, to, outer_to, vlan, tunnels, forwarded, action, drop_for, learn, ihave, deliver;
	__u8 capacity, fpr, window, layout, hash, bits, hashes, index_bits, countdown_bits;
	__u8 sources, paths, comment;
	__u8 later[7]; /* 0: marks of fields that later formats append (format.h) */
};

/* Compared as bytes. */
struct filter_spec {
	__u64 capacity;	 /* ids a window: 1 to SPEC_CAPACITY_MAX */
	__u64 fpr_e18;	 /* bound on the part of fresh ids that are lost: SPEC_FPR() */
	__u64 window_ns; /* SPEC_WINDOW_MIN_NS to SPEC_WINDOW_MAX_NS */
	__u64 drop_ns;	 /* not with count_only: dropped so long, then they pass; 0: for ever */
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	/* 0 in any of these: chosen so that the rate is kept, or by the rules of the hash's system.
	 */
	__u32 bits;	  /* flat: m */
	__u32 hashes;	  /* flat, countdown: k, up to DEDUP_HASHES_MAX */
	__u32 index_bits; /* countdown: log2 of its cells, up to SPEC_INDEX_BITS_MAX */
	/* countdown: an id lasts 2^this - 1 countdowns; up to SPEC_COUNTDOWN_BITS_MAX */
	__u32 countdown_bits;

	__u32 paths;   /* that are reported of each of these: 0 to DEDUP_PATHS_MAX */
	__u32 sources; /* of numbered streams: 1 to SPEC_SOURCES_MAX; 0: SPEC_SOURCES_DEFAULT */

	struct spec_given given;
	__u8 forwarded;	 /* also frames for other hosts, in all streams */
	__u8 several;	 /* it is to run on more than one interface */
	__u8 count_only; /* duplicates are counted and pass; else they are dropped */
	__u8 learn_app;	 /* packets are only tested, an application adds ids; else packets teach */
	__u8 ihave_pass; /* all IHAVEs pass; else those are dropped whose every id is known */
	__u8 deliver;	 /* fresh packets of all streams go to AF_XDP sockets (deliver.h) */
	__u32 vlans_cnt;
	/* Only frames of these VLANs are looked at, in all streams: ranges of ids of the outermost
	 * tag, 0 being frames without a tag, or with a priority alone. vlans_cnt 0: of any.
	 */
	struct dedup_ports vlans[DEDUP_VLANS_MAX];
	struct dedup_tunnels tunnels;		    /* if given: those of all streams */
	__u32 outer_to_cnt;			    /* 0: tunnels to any destination */
	__u32 outer_to4_cnt;			    /* how many of them are of IPv4 */
	struct dedup_prefix outer_to[DEDUP_TO_MAX]; /* tunnels to these; those of IPv4 first */

	__u32 pad;
	__u32 streams_cnt; /* at least 1 */
	struct spec_stream streams[DEDUP_STREAMS_MAX];

	char comment[SPEC_COMMENT_BYTES]; /* printable ASCII */

	DEDUP_APPENDED(__u64 appended[16];) /* so that a snapshot's head is longer, too */
};
_Static_assert(__builtin_offsetof(struct filter_spec, streams) ==
		       4 * 8 + 8 * 4 + sizeof(struct spec_given) + 6 + 4 * (1 + DEDUP_VLANS_MAX) +
			       sizeof(struct dedup_tunnels) + 2 * 4 +
			       DEDUP_TO_MAX * sizeof(struct dedup_prefix) + 2 * 4,
	       "no hidden padding");

/* To the nearest unit; from 2^52 on a double has no halves, and would be rounded a second time. */
#define SPEC_FPR(rate) ((__u64)((rate)*1e18 + ((rate)*1e18 < 0x1p52 ? 0.5 : 0)))

/* Does the spec ask for GSP/1 alone? */
static __always_inline bool spec_is_gsp(const struct filter_spec *spec)
{
	return spec->streams_cnt == 1 && spec->streams[0].stream.decoder == DEDUP_GSP;
}
