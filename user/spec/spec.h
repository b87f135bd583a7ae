/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is asked of a filter, by a command line, the bench or a test. plan.h makes the filter's
 * configuration, struct dedup_config, from it.
 */
#ifndef XDP_DEDUP_SPEC_H
#define XDP_DEDUP_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "config.h"

#define SPEC_CAPACITY_DEFAULT 1000000
#define SPEC_CAPACITY_MAX (1ULL << 40)
#define SPEC_SOURCES_DEFAULT 1024
#define SPEC_SOURCES_MAX (1 << 20)
#define SPEC_FPR_DEFAULT 1e-4
#define SPEC_WINDOW_DEFAULT_NS (600 * 1000000000ULL)
#define SPEC_WINDOW_MIN_NS (10 * 1000000ULL)
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

/* Tunnels that are opened: kinds are DEDUP_TUNNEL_BITs (include/tunnel.h). */
struct spec_tunnels {
	bool given; /* by the option */
	uint32_t kinds;
	struct dedup_tunnel_port ports[DEDUP_TUNNEL_PORTS_MAX];
	uint32_t ports_cnt;
};

/* One stream. */
struct spec_stream {
	/* As its profile has it (profile.h), by a name of its own. realm: streams with one number
	 * share their ids. What the plan or the loader fills in is 0 here: words in config.ports
	 * and config.to, and the key.
	 */
	struct dedup_stream stream;
	struct dedup_numbered numbered;		   /* as its profile has it */
	struct dedup_ports ports[DEDUP_PORTS_MAX]; /* ascending, and none overlap */
	uint32_t ports_cnt;
	struct dedup_prefix to[DEDUP_TO_MAX]; /* only packets to these; those of IPv4 first */
	uint32_t to_cnt;		      /* 0: packets to any destination */
	uint32_t to4_cnt;		      /* how many of them are of IPv4 */
	struct spec_tunnels tunnels;	      /* as its profile says; not `given` */
	bool named;			      /* the user gave it its name */
	bool needs_to;			      /* it must not run without */
	bool needs_app;			      /* nor unless an application adds the ids */
	bool deliver;			      /* its fresh packets go to AF_XDP sockets */
};

struct filter_spec {
	uint64_t capacity;  /* ids a window: 1 to SPEC_CAPACITY_MAX */
	double fpr;	    /* bound on the part of fresh ids that are lost; in (0, 1) */
	uint64_t window_ns; /* SPEC_WINDOW_MIN_NS to SPEC_WINDOW_MAX_NS */
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	/* 0 in any of these: chosen so that the rate is kept, or by the rules of the hash's system.
	 */
	uint32_t bits;	     /* flat: m */
	uint32_t hashes;     /* flat, countdown: k, up to DEDUP_HASHES_MAX */
	uint32_t index_bits; /* countdown: log2 of its cells, up to SPEC_INDEX_BITS_MAX */
	/* countdown: an id lasts 2^this - 1 countdowns; up to SPEC_COUNTDOWN_BITS_MAX */
	uint32_t countdown_bits;

	uint32_t paths;	  /* that are reported of each of these: 0 to DEDUP_PATHS_MAX */
	uint32_t sources; /* of numbered streams: 1 to SPEC_SOURCES_MAX; 0: SPEC_SOURCES_DEFAULT */

	struct spec_stream streams[DEDUP_STREAMS_MAX];
	uint32_t streams_cnt;			   /* at least 1 */
	struct dedup_ports vlans[DEDUP_VLANS_MAX]; /* as in struct dedup_config; for all streams */
	uint32_t vlans_cnt;
	struct spec_tunnels tunnels;		    /* if given: those of all streams */
	struct dedup_prefix outer_to[DEDUP_TO_MAX]; /* tunnels to these; those of IPv4 first */
	uint32_t outer_to_cnt;			    /* 0: tunnels to any destination */
	uint32_t outer_to4_cnt;			    /* how many of them are of IPv4 */
	bool forwarded; /* also frames for other hosts, in all streams */
	bool several;	/* it is to run on more than one interface */

	bool count_only;  /* duplicates are counted and pass; else they are dropped */
	uint64_t drop_ns; /* not with count_only: dropped so long, then they pass; 0: for ever */
	bool learn_app;	  /* packets are only tested, an application adds ids; else packets teach */
	bool ihave_pass;  /* all IHAVEs pass; else those are dropped whose every id is known */
	bool deliver; /* fresh packets of all streams go to AF_XDP sockets (include/deliver.h) */
};

/* Does the spec ask for GSP/1 alone? */
bool spec_is_gsp(const struct filter_spec *spec);

/* Writes to *out what was asked of the filter with this configuration. */
void spec_of_config(const struct dedup_config *c, struct filter_spec *out);

#endif
