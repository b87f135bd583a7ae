// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Describes the ids of each traffic. */
#include "bench_setup.h"

#define HOT_IDS 64
#define GOSSIP_LATE 1000 /* copies repeat one of this many last fresh ids */

/* BENCH_WARM_AUTO: enough packets to fill the CPU's caches with the filter's memory. */
#define AUTO_WARM_MIN 10000
#define AUTO_WARM_MAX 500000

static const struct {
	const char *name, *key;
	uint32_t fresh_parts; /* of BENCH_ALL: packets whose id is fresh */
	uint32_t late;	      /* the others repeat one of this many last fresh ids; 0: known ids */
} TRAFFICS[] = {
	[BENCH_NEW] = { "all new", "new", BENCH_ALL, 0 },
	[BENCH_DUP90] = { "90 % duplicates", "duplicates_90", BENCH_ALL / 10, 0 },
	[BENCH_GOSSIP] = { "gossip", "gossip", BENCH_ALL / 10, GOSSIP_LATE },
	[BENCH_COLD] = { "cold duplicates", "cold_duplicates", 0, 0 },
	[BENCH_HOT] = { "hot duplicates", "hot_duplicates", 0, 0 },
};

const char *bench_traffic_name(enum bench_traffic traffic)
{
	return TRAFFICS[traffic].name;
}

const char *bench_traffic_key(enum bench_traffic traffic)
{
	return TRAFFICS[traffic].key;
}

uint64_t bench_known(const struct bench *b)
{
	return b->setting.ids / 2;
}

static uint64_t warm_packets(const struct bench *b)
{
	uint64_t known = bench_known(b);

	if (b->setting.warm != BENCH_WARM_AUTO)
		return b->setting.warm;
	return known < AUTO_WARM_MIN   ? AUTO_WARM_MIN
	       : known > AUTO_WARM_MAX ? AUTO_WARM_MAX
				       : known;
}

struct bench_stream bench_traffic_stream(const struct bench *b, const struct bench_subject *s,
					 const struct bench_load *l, int cpu)
{
	uint64_t first = s->next + cpu * l->packets;

	return (struct bench_stream){
		.first = first,
		.next = first,
		.known = s->known,
		.known_cnt = l->traffic == BENCH_HOT ? HOT_IDS : bench_known(b),
		.salt = s->salt,
		.random = s->next * 0x9e3779b97f4a7c15 + cpu,
		.warm = warm_packets(b),
		.packets = l->packets,
		.fresh_parts = TRAFFICS[l->traffic].fresh_parts,
		.late = TRAFFICS[l->traffic].late,
		.other = l->cpus == 2 ? (uint32_t)b->cpus[!cpu] : BENCH_ALONE,
	};
}

double bench_traffic_fresh(void)
{
	double fresh = 0;

	for (int i = 0; i < BENCH_TRAFFICS_CNT; i++)
		fresh += (double)TRAFFICS[i].fresh_parts / BENCH_ALL;
	return fresh;
}

bool bench_ran_at_once(const struct bench_stream *a, const struct bench_stream *b)
{
	uint64_t a_ns = a->end_ns - a->begin_ns, b_ns = b->end_ns - b->begin_ns;
	uint64_t begin_ns = a->begin_ns > b->begin_ns ? a->begin_ns : b->begin_ns;
	uint64_t end_ns = a->end_ns < b->end_ns ? a->end_ns : b->end_ns;

	return end_ns > begin_ns && end_ns - begin_ns >= (a_ns < b_ns ? a_ns : b_ns) / 2;
}
