/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a packet costs, here and now: this filter and its peers, each handed the same packets
 * by one generator in the kernel. All functions say on stderr what went wrong, and how
 * far they are (say_progress).
 */
#ifndef XDP_DEDUP_BENCH_H
#define XDP_DEDUP_BENCH_H

#include <stdbool.h>
#include <stdint.h>

#define BENCH_IDS_MIN 1000
#define BENCH_IDS_MAX 1000000000ULL
#define BENCH_ROUNDS_MAX 101
#define BENCH_FILL_MIN 0.01
#define BENCH_COPIES_MAX 100000000
#define BENCH_WARM_MAX 100000000
#define BENCH_WARM_AUTO UINT64_MAX /* as many as are known, 10,000 to 500,000 */

/* Who is measured. */
enum bench_row {
	BENCH_FLOOR,   /* parse, drop */
	BENCH_LINE,    /* and read one random line of as much memory as the filter has */
	BENCH_PADDED,  /* the same with 180 instructions more, about as many as the filter has */
	BENCH_SHIPPED, /* this filter, its defaults */
	BENCH_SIPHASH, /* with that hash */
	BENCH_FLAT,    /* layout flat, fast hash */
	BENCH_BLOOM,   /* the kernel's bloom map: peek, push; one generation */
	BENCH_LRU,     /* the kernel's LRU hash map */
	BENCH_ROWS_CNT,
};

/* Which ids come. Known ones are of the youngest half of the window. */
enum bench_traffic {
	BENCH_NEW,    /* all fresh */
	BENCH_DUP90,  /* 9 of 10 are known */
	BENCH_GOSSIP, /* 9 of 10 are copies of the last 1000 fresh ones */
	BENCH_COLD,   /* all are known */
	BENCH_HOT,    /* the same 64 again and again */
	BENCH_TRAFFICS_CNT,
};

/* What is measured at once. */
struct bench_setting {
	uint64_t ids; /* in the window, BENCH_IDS_MIN to BENCH_IDS_MAX */
	double fill;  /* part of the capacity that they are, in (0, 1] */
	double fpr;   /* p at capacity, of the filters and of the bloom map */
	int rounds;   /* 1 to BENCH_ROUNDS_MAX */
	/* Known ids that come before what is measured, in the same stream: for the branches, and
	 * for the caches, which the rows before have taken and other programs take in the 20 ms
	 * that a stream needs to begin. 0 to BENCH_WARM_MAX, or BENCH_WARM_AUTO, with which a
	 * packet costs what it costs in a steady stream.
	 */
	uint64_t warm;
};

struct bench_result {
	struct bench_setting setting;
	uint64_t capacity;
	int cpus; /* 1 or 2: how many there were to run at once */
	bool there[BENCH_ROWS_CNT];
	double bytes_an_id[BENCH_ROWS_CNT]; /* of capacity, as the kernel accounts them; 0: none */
	double fpr[BENCH_ROWS_CNT];	    /* expected at capacity; 0: exact */
	uint32_t hashes[BENCH_ROWS_CNT];    /* k; 0: none */
	/* ns a packet, by round: one CPU, and two at once on different ids (of each CPU); NAN if
	 * the two did not run at once after all
	 */
	double ns[2][BENCH_ROWS_CNT][BENCH_TRAFFICS_CNT][BENCH_ROUNDS_MAX];
};

/* Names for people, and keys for programs. */
const char *bench_row_name(enum bench_row row);
const char *bench_row_key(enum bench_row row);
const char *bench_traffic_name(enum bench_traffic traffic);
const char *bench_traffic_key(enum bench_traffic traffic);

/* Measures all rows that there is memory for (there[]; says which are left out), rounds
 * interleaved. Fails if a verdict is not what the traffic asks for. 0 or a negative errno.
 */
int bench_run(const struct bench_setting *setting, struct bench_result *out);

struct bench_figure {
	double median, low, high; /* the quartiles */
};

/* Of cnt values, which it sorts, without those that are no numbers; NAN if that leaves none. */
struct bench_figure bench_quartiles(double *values, int cnt);

/* A figure of one row and traffic, by round; what it is compared with is of the same round. */
struct bench_figure bench_ns(const struct bench_result *r, int cpus, enum bench_row row,
			     enum bench_traffic traffic);
struct bench_figure bench_added(const struct bench_result *r, enum bench_row row,
				enum bench_traffic traffic); /* ns over the floor */
struct bench_figure bench_ratio(const struct bench_result *r, enum bench_row row, enum bench_row to,
				enum bench_traffic traffic);
struct bench_figure bench_scaling(const struct bench_result *r, enum bench_row row,
				  enum bench_traffic traffic); /* 2: two CPUs do twice as much */
/* The added cost of the shipped filter as a part of that of `row`. */
struct bench_figure bench_shipped_part(const struct bench_result *r, enum bench_row row,
				       enum bench_traffic traffic);

/* How many measurements of two CPUs are left out, as the two did not run at once. */
int bench_apart(const struct bench_result *r);

struct bench_race {
	uint64_t ids;
	uint64_t twice, never; /* passed on both CPUs, on none (false positives) */
	uint64_t apart;	       /* did not come at the same instant: a CPU was late */
};

/* So many fresh ids, each on two CPUs at the same instant, through a filter for as many.
 * -ENODEV with one CPU.
 */
int bench_race(uint64_t ids, double fpr, struct bench_race *out);

#endif
