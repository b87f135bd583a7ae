/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The bench's machinery: what is measured, set up in the kernel, and packets sent through it.
 * Nothing is pinned: all of it goes with this process, however that ends.
 */
#ifndef XDP_DEDUP_BENCH_SETUP_H
#define XDP_DEDUP_BENCH_SETUP_H

#include <linux/if_ether.h>
#include <linux/ip.h>
#include <linux/udp.h>

#include "bench.h"
#include "bench_stream.h"
#include "pins.h"
#include "gsp.h"

#define BENCH_PORT 8001
#define BENCH_BODY_BYTES 18

struct bench_bpf; /* the skeleton of bpf/bench.bpf.c */
struct xdp_dedup;

/* What is sent: an EVENT, into which the generator puts the id. */
struct bench_frame {
	struct ethhdr eth;
	struct iphdr ip;
	struct udphdr udp;
	struct gsp_header gsp;
	uint8_t id[GSP_ID_BYTES];
	uint8_t body[BENCH_BODY_BYTES];
} __attribute__((packed));
_Static_assert(__builtin_offsetof(struct bench_frame, id) == BENCH_ID_AT,
	       "as the generator has it");

/* One row, ready to be handed packets. */
struct bench_subject {
	int fd;		      /* its program; -1: not there */
	int count_fd;	      /* the variant that counts its drops; -1: has none */
	struct filter filter; /* own rows */
	struct xdp_dedup *prog;
	uint64_t next, salt; /* of its ids */
	uint64_t known;	     /* the first of bench_known() ids */
};

struct bench {
	struct bench_setting setting;
	uint64_t capacity;
	struct bench_bpf *skel;
	struct bench_stream *streams; /* by CPU, in the kernel's memory too */
	struct bench_subject subject[BENCH_ROWS_CNT];
	int cpus[2], cpus_cnt;
	struct bench_frame frame;
};

/* Which of the CPUs that this process may use; the frame. Pins this thread to the first and
 * asks for all of its time.
 */
int bench_prepare(struct bench *b, const struct bench_setting *setting);

/* Opens this filter as that row. */
int bench_open_filter(struct bench *b, enum bench_row row);

/* Opens every row that there is memory for, empty; what is not there is said on stderr if
 * `say`. bench_close() takes all states, also what a failure leaves.
 */
int bench_open(struct bench *b, bool say);
void bench_close(struct bench *b);

/* The programs of bpf/bench.bpf.c, beside the shipped filter, which is open; LRU and bloom
 * map if so asked. `race`: ids whose passes are counted, or 0.
 */
int bench_open_peers(struct bench *b, bool bloom, bool lru, uint32_t race);

/* Describes what is open in *out. */
void bench_describe(const struct bench *b, struct bench_result *out);

/* Ids that are sent again as known. */
uint64_t bench_known(const struct bench *b);

/* What one of 1 or 2 CPUs sends: CPU 0 fresh ids from s->next on, CPU 1 from `packets` later. */
struct bench_stream bench_traffic_stream(const struct bench *b, const struct bench_subject *s,
					 enum bench_traffic traffic, int cpu, int cpus,
					 uint64_t packets);

/* Fresh ids among the packets of each traffic once, for every packet of one of them. */
double bench_traffic_fresh(void);

/* Whether two streams that have ended were measured at the same time, for half of the shorter
 * one at least.
 */
bool bench_ran_at_once(const struct bench_stream *a, const struct bench_stream *b);

/* The next packets on any CPU go to this program. */
int bench_aim(struct bench *b, int prog_fd);

/* Runs the streams of the first cnt CPUs at once, `extra` packets beyond what they describe,
 * through a program of the skeleton.
 */
int bench_send(struct bench *b, int generator_fd, int cnt, int extra);
int bench_generator_fd(const struct bench *b);
int bench_race_fd(const struct bench *b);

/* Sends so many fresh ids. */
int bench_fill(struct bench *b, struct bench_subject *s, uint64_t ids);

/* Fills a row as it is in the middle of a window, with the youngest ids known. Of the peers,
 * which have one generation, bloom then holds the known alone, LRU a window's.
 */
int bench_fill_row(struct bench *b, enum bench_row row);

#endif
