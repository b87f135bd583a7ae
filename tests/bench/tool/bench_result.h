/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Settings and results of the bench. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define BENCH_IDS_MIN 1000
#define BENCH_IDS_MAX 1000000000ULL
#define BENCH_ROUNDS_MAX 101
#define BENCH_FILL_MIN 0.01
#define BENCH_COPIES_MAX 100000000
#define BENCH_WARM_MAX 100000000
#define BENCH_WARM_AUTO UINT64_MAX /* one packet for each known id, 10,000 to 500,000 */

/* A row of the report. */
enum bench_row {
	BENCH_FLOOR,	/* only parses and drops */
	BENCH_LINE,	/* also reads one random cache line of as much memory as the filter has */
	BENCH_PADDED,	/* LINE with 180 more instructions, about as many as the filter has */
	BENCH_SHIPPED,	/* this filter with its defaults */
	BENCH_SIPHASH,	/* this filter with --hash siphash */
	BENCH_FLAT,	/* this filter with --layout flat */
	BENCH_STREAM,	/* this filter with a stream whose id is GSP/1's 32 bytes */
	BENCH_STREAMS,	/* with eight such streams; the packets match the fifth one */
	BENCH_NUMBERED, /* with a numbered stream, 10 s of history at 1 million messages/s */
	BENCH_PATHS,	/* with a numbered stream, and --paths 2 */
	BENCH_PAYLOAD,	/* with a stream whose id is a digest of the payload, 1,000 bytes */
	BENCH_MIRROR,	/* with the profile mirror, IP packets of 128 bytes */
	BENCH_TUNNELS,	/* with mirror and --tunnels all; packets in no tunnel */
	BENCH_VXLAN,	/* with mirror and --tunnels all; packets in VXLAN */
	BENCH_GRE,	/* packets in GRE */
	BENCH_ERSPAN,	/* packets in ERSPAN II */
	BENCH_BLOOM,	/* the kernel's bloom map: a peek, a push if that fails; one generation */
	BENCH_LRU,	/* the kernel's LRU hash map */
	BENCH_ROWS_CNT,
};

/* Which ids the packets have. Known ids are from the younger half of the window. */
enum bench_traffic {
	BENCH_NEW,    /* all fresh */
	BENCH_DUP90,  /* 9 of 10 are known */
	BENCH_GOSSIP, /* 9 of 10 are copies of the last 1000 fresh ones */
	BENCH_COLD,   /* all are known */
	BENCH_HOT,    /* 64 packets, repeated */
	BENCH_TRAFFICS_CNT,
};

/* Names for people, and keys for programs. */
const char *bench_row_name(enum bench_row row);
const char *bench_row_key(enum bench_row row);
const char *bench_traffic_name(enum bench_traffic traffic);
const char *bench_traffic_key(enum bench_traffic traffic);

/* The setting of one run. */
struct bench_setting {
	uint64_t ids;	 /* in the window, BENCH_IDS_MIN to BENCH_IDS_MAX */
	double fill;	 /* ids / capacity, in (0, 1] */
	double fpr;	 /* p at capacity, of the filters and of the bloom map */
	uint32_t rounds; /* 1 to BENCH_ROUNDS_MAX */
	/* Packets with known ids that each stream sends before the measured ones. They train the
	 * branch predictor, and fill the CPU's caches, which hold data of other rows and programs
	 * when a stream begins. 0 to BENCH_WARM_MAX; BENCH_WARM_AUTO is enough to measure a steady
	 * stream.
	 */
	uint64_t warm;
};

struct bench_result {
	struct bench_setting setting;
	uint64_t capacity;
	int cpus;			    /* 1 or 2: the most CPUs that were measured at once */
	bool measured[BENCH_ROWS_CNT];	    /* the row was measured; false: no memory */
	double bytes_an_id[BENCH_ROWS_CNT]; /* memory for each id of the capacity; 0: none */
	double fpr[BENCH_ROWS_CNT];	    /* expected at capacity; 0: exact */
	uint32_t hashes[BENCH_ROWS_CNT];    /* k; 0: no hash */
	/* ns for a packet on each CPU, in each round. [0]: one CPU. [1]: two CPUs at once, each
	 * with its own ids; NAN if the two did not run concurrently.
	 */
	double ns[2][BENCH_ROWS_CNT][BENCH_TRAFFICS_CNT][BENCH_ROUNDS_MAX];
};
