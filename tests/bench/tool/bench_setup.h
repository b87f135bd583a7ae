/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sets up the measured programs in the kernel, and sends packets through them. Nothing is pinned,
 * so everything ends with this process. Functions return 0, or -errno (logged).
 */
#pragma once

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>

#include "bench_result.h"
#include "bench_stream.h"
#include "gsp.h"
#include "open_filter.h"
#include "totals.h"

#define BENCH_PORT 8001
#define BENCH_BODY_BYTES 960 /* so that the UDP payload has 1,000 bytes */

struct bench_bpf; /* the skeleton of bench.bpf.c */
struct xdp_dedup;

/* The packet that is sent: an EVENT, into which the generator writes the id. */
struct bench_frame {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
	struct gsp_header gsp;
	uint8_t id[GSP_ID_BYTES];
	uint8_t body[BENCH_BODY_BYTES];
} __attribute__((packed));
_Static_assert(__builtin_offsetof(struct bench_frame, id) == BENCH_ID_AT, "as the generator has it");

/* Kinds of packets; a row has one. */
enum bench_packet {
	BENCH_LONG,  /* a struct bench_frame */
	BENCH_PLAIN, /* an IP packet of 128 bytes; below, its frame in tunnels */
	BENCH_IN_VXLAN,
	BENCH_IN_GRE,
	BENCH_IN_ERSPAN,
};
#define BENCH_HEAD_MAX 64 /* bytes of a tunnel's headers */

/* A row that is ready for packets. */
struct bench_subject {
	int fd;			/* its program; -1: the row is not open */
	int count_fd;		/* the variant that counts its drops; -1: none */
	struct filter filter;	/* only if prog is not NULL */
	struct xdp_dedup *prog; /* rows of this project; NULL: a peer */
	uint64_t next;		/* number of the next fresh id */
	enum bench_packet packet;
	uint64_t salt;	/* makes the ids of rows differ */
	uint64_t known; /* number of the first of the bench_known() known ids */
};

struct bench {
	struct bench_setting setting;
	uint64_t capacity;
	struct bench_bpf *skel;
	struct bench_stream *streams; /* one for each CPU; memory shared with the generator */
	struct bench_subject subject[BENCH_ROWS_CNT];
	int cpus[2], cpus_cnt;
	uint8_t frame[BENCH_HEAD_MAX + sizeof(struct bench_frame)]; /* the frame to send */
	uint32_t frame_bytes, id_at; /* its length, and the offset of the id */
};

/* Initializes *b: chooses one or two of the CPUs that this process may use. Pins this thread to the
 * first one, and raises its priority.
 */
int bench_prepare(struct bench *b, const struct bench_setting *setting);

/* Opens the filter of this row. */
int bench_open_filter(struct bench *b, enum bench_row row);

/* Opens every row that fits into memory, empty; with `logs` reports which do not. bench_close()
 * closes all open rows, also after a failure.
 */
int bench_open(struct bench *b, bool logs);
void bench_close(struct bench *b);

/* Opens the programs of bench.bpf.c, with the parameters of the shipped filter, which must be
 * open; the bloom map and the LRU map only if requested. `race`: the number of ids whose passes are
 * counted, or 0.
 */
int bench_open_peers(struct bench *b, bool bloom, bool lru, uint32_t race);

/* Sets all of *out except the times, from the open rows. */
void bench_describe(const struct bench *b, struct bench_result *out);

/* Returns how many ids of a row are known, and may be sent again: half of the window's. */
uint64_t bench_known(const struct bench *b);

/* The packets of one measurement. */
struct bench_load {
	enum bench_traffic traffic;
	int cpus;	  /* 1 or 2, at once */
	uint64_t packets; /* of each CPU */
};

/* Returns the stream of b->cpus[cpu]. Fresh ids of the first CPU begin at s->next, those of the
 * second one at s->next + packets.
 */
struct bench_stream bench_traffic_stream(const struct bench *b, const struct bench_subject *s,
					 const struct bench_load *l, int cpu);

/* Returns the sum, over all traffics, of the part (0 to 1) of their packets whose id is fresh. */
double bench_traffic_fresh(void);

/* Returns whether the measured parts of two streams overlapped for at least half of the shorter. */
bool bench_ran_at_once(const struct bench_stream *a, const struct bench_stream *b);

/* Writes a packet of this kind to b->frame. */
void bench_build_frame(struct bench *b, enum bench_packet packet);

/* Makes the next packets on any CPU packets of this kind, for this program. */
int bench_aim(struct bench *b, int prog_fd, enum bench_packet packet);

/* Runs the streams of the first cnt CPUs at once, each with `extra` additional packets.
 * generator_fd is bench_generator_fd(), or the generator of bench_race().
 */
int bench_send(struct bench *b, int generator_fd, int cnt, int extra);
int bench_generator_fd(const struct bench *b);

/* Sends a load to the program that bench_aim() has chosen. */
typedef int (*bench_send_fn)(struct bench *b, struct bench_subject *s, const struct bench_load *l);

/* Sends the load, and repeats it while packets count as stale, because the scheduler took the CPU
 * from the filter's clock. Sets counters[] to those of the row's filter, if it has one, before and
 * after the last try.
 */
int bench_send_counted(struct bench *b, struct bench_subject *s, const struct bench_load *l,
		       bench_send_fn send, struct filter_counters counters[2]);

/* Sends this many fresh ids through the row's program, which learns them. */
int bench_fill(struct bench *b, struct bench_subject *s, uint64_t ids);

/* Fills a row to its state in the middle of a window; the youngest ids are then the known ones.
 * Peers have one generation: the bloom map then has only the known ids, LRU those of a window.
 */
int bench_fill_row(struct bench *b, enum bench_row row);
