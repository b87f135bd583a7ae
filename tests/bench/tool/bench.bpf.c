// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The BPF programs of xdp-dedup-bench: a generator, which writes the next id into the packet and
 * then runs the program under test by a tail call; and the programs that the packet program is
 * compared with (the peers, and floors: what a part of the work costs by itself).
 */
#include <stdbool.h>
#include <stddef.h>

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "bench_stream.h"
#include "block.h"
#include "gsp.bpf.h"
#include "maps.bpf.h"

/* How often a CPU looks whether the other one has come, in one run of the program: some 0.1 ms. No
 * softirq runs on this CPU meanwhile, so no timer of a filter fires. User space then runs the
 * program again, up to WAITS times, some 3 s: the other CPU may have more warm packets to send.
 */
#define WAIT_LOOKS 30000
#define WAITS 30000
#define MEET_LOOKS 10000 /* race: times that a CPU looks at the clock, at most */
#define MEET_NS 1024	 /* race: both go on when the clock passes a multiple of this */

/* The program under test. */
struct {
	__uint(type, BPF_MAP_TYPE_PROG_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} target SEC(".maps");

/* Indexed by CPU. */
struct bench_stream streams[BENCH_CPUS] SEC(".data.streams");

/* Where in a frame the id is. */
__u64 id_at;

/* The peers' maps; user space sets their sizes. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, struct gsp_id);
	__type(value, __u8);
} lru SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_BLOOM_FILTER);
	__uint(max_entries, 1);
	__type(value, struct gsp_id);
} bloom SEC(".maps");

/* Race: on how many CPUs, 0 to 2, each id passed; indexed by the number of the packet. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u64);
} passes SEC(".maps");

/* The id in the frame, or behind its end. */
static __always_inline struct gsp_id *id_of(struct xdp_md *ctx)
{
	__u64 at = READ_ONCE(id_at);

	DEDUP_BOUND(at, 255);
	return (void *)(long)ctx->data + at;
}

static __always_inline struct bench_stream *own_stream(void)
{
	__u64 cpu = bpf_get_smp_processor_id();

	DEDUP_BOUND(cpu, BENCH_CPUS - 1);
	return &streams[cpu];
}

/* A permutation of 64-bit numbers that looks random. */
static __always_inline __u64 mix(__u64 x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93;
	x ^= x >> 32;
	return x * 0x9e3779b97f4a7c15;
}

/* Writes id number n. */
static __always_inline void put_id(struct gsp_id *id, const struct bench_stream *s, __u64 n)
{
	id->word[0] = mix(n + s->salt);
	id->word[1] = n;
	id->word[2] = s->salt;
	id->word[3] = __builtin_bswap64(n); /* a sequence number */
}

struct meeting {
	const __u32 *other_come; /* bench_stream.come of the other CPU */
	__u64 own_come;
};

/* For bpf_loop(): has the other CPU come as often as this one? 1 ends the loop. */
static long has_come(__u32 i, struct meeting *m)
{
	return READ_ONCE(*m->other_come) >= m->own_come;
}

/* Waits until the other CPU has come as often as this one, or gives up, which s->apart counts.
 * Returns false if the program is to be run again, to wait on.
 */
static __always_inline bool meet_other(struct bench_stream *s)
{
	__u64 other = s->other;
	struct meeting m;

	if (s->other == BENCH_ALONE)
		return true;
	if (!s->waits)
		WRITE_ONCE(s->come, s->come + 1);
	m.own_come = s->come;
	DEDUP_BOUND(other, BENCH_CPUS - 1);
	m.other_come = &streams[other].come;
	if (bpf_loop(WAIT_LOOKS, has_come, &m, 0) == WAIT_LOOKS) {
		if (++s->waits < WAITS)
			return false;
		s->apart++;
	}
	s->waits = 0;
	return true;
}

/* For bpf_loop(): is it this time yet? 1 ends the loop. */
static long is_time(__u32 i, __u64 *at_ns)
{
	return bpf_ktime_get_ns() >= *at_ns;
}

/* Sends the next packet of this CPU's stream. */
SEC("xdp.frags")
int generate(struct xdp_md *ctx)
{
	struct bench_stream *s = own_stream();
	void *end = (void *)(long)ctx->data_end;
	struct gsp_id *id = id_of(ctx);
	/* The number of this packet among the measured ones. While warming it wraps around to a
	 * huge number, which, like one after the last, is none of theirs.
	 */
	__u64 i = s->sent - s->warm;

	if ((void *)(id + 1) > end)
		return XDP_ABORTED;
	if (i == 0) {
		if (!meet_other(s))
			return XDP_PASS;
		s->begin_ns = bpf_ktime_get_ns();
	}
	if (i == s->packets)
		s->end_ns = bpf_ktime_get_ns();
	put_id(id, s, bench_next_id(s, i < s->packets));
	s->sent++;
	bpf_tail_call(ctx, &target, 0);
	return XDP_ABORTED;
}

/* Race: if the last packet counted as new on this CPU, adds 1 to that packet's `passes`. */
static __always_inline void note_pass(struct bench_stream *s)
{
	__u32 n = s->sent - 1;
	struct dedup_counters *cpu = cpu_counters(0);
	__u64 *pass = bpf_map_lookup_elem(&passes, &n);

	if (!cpu || cpu->new == s->seen_new)
		return;
	s->seen_new = cpu->new;
	if (pass)
		__sync_fetch_and_add(pass, 1);
}

/* Race: sends equal fresh ids on two CPUs, each id at one instant on both. */
SEC("xdp.frags")
int generate_race(struct xdp_md *ctx)
{
	struct bench_stream *s = own_stream();
	void *end = (void *)(long)ctx->data_end;
	struct gsp_id *id = id_of(ctx);
	__u64 at_ns;

	if ((void *)(id + 1) > end)
		return XDP_ABORTED;
	note_pass(s);
	put_id(id, s, s->sent < s->packets ? s->next + s->sent : s->known);
	if (!meet_other(s))
		return XDP_PASS;
	at_ns = (bpf_ktime_get_ns() | (MEET_NS - 1)) + 1;
	bpf_loop(MEET_LOOKS, is_time, &at_ns, 0);
	s->sent++;
	bpf_tail_call(ctx, &target, 0);
	return XDP_ABORTED;
}

/* Programs below parse as the packet program does. The id of an EVENT; NULL for other packets. */
static __always_inline struct gsp_id *parse(struct xdp_md *ctx)
{
	struct packet pkt = { 0 };
	struct gsp_id *id;

	if (parse_packet(ctx, &pkt) != PARSED || gsp(&pkt)->type != GSP_EVENT)
		return NULL;
	id = pkt.pos;
	return (void *)(id + 1) > pkt.end ? NULL : id;
}

/* A floor: what any program pays that drops a packet by what is in it. No id of the bench has this
 * word; the test makes the program read the id.
 */
SEC("xdp.frags")
int parse_and_drop(struct xdp_md *ctx)
{
	struct gsp_id *id = parse(ctx);

	return id && id->word[1] != ~0ULL ? XDP_DROP : XDP_PASS;
}

/* 45 times 4 instructions, about as many as a filter runs besides. They depend on each other, so
 * that a CPU cannot merge them, as it could additions of constants.
 */
static __always_inline void pad(void)
{
	__u64 a = 1, b = 2, c = 4, d = 8;

	DEDUP_UNROLL
	for (int i = 0; i < 45; i++)
		asm volatile("%0 ^= %1; %1 ^= %2; %2 ^= %3; %3 ^= %0"
			     : "+r"(a), "+r"(b), "+r"(c), "+r"(d));
}

/* Reads one cache line of the bench's own map `filter`, which is as large as the filter under
 * test.
 */
static __always_inline int see_line(struct xdp_md *ctx, bool padded)
{
	struct gsp_id *id = parse(ctx);
	struct dedup_block *block;

	if (!id)
		return XDP_PASS;
	if (padded)
		pad();
	block = dedup_block_at(NULL, dedup_probe_block(id->word[0], config.memory.blocks));
	return block && block->word[0] != 0xdeadbeef ? XDP_DROP : XDP_PASS;
}

/* A floor: what any filter pays that is larger than the CPU's caches. */
SEC("xdp.frags")
int one_line(struct xdp_md *ctx)
{
	return see_line(ctx, false);
}

/* one_line() with a filter's number of instructions: the more instructions a packet takes, the
 * fewer packets' lines a CPU fetches at once.
 */
SEC("xdp.frags")
int one_line_padded(struct xdp_md *ctx)
{
	return see_line(ctx, true);
}

/* `counting`: a variant of a peer that counts its drops. It is not the one that is timed. */
static __always_inline int drop(bool counting)
{
	if (counting)
		own_stream()->dropped++;
	return XDP_DROP;
}

static __always_inline int see_lru(struct xdp_md *ctx, bool counting)
{
	struct gsp_id *id = parse(ctx), key;
	__u8 one = 1;

	if (!id)
		return XDP_PASS;
	key = *id;
	if (bpf_map_lookup_elem(&lru, &key))
		return drop(counting);
	bpf_map_update_elem(&lru, &key, &one, BPF_ANY);
	return XDP_PASS;
}

SEC("xdp.frags")
int lru_hash(struct xdp_md *ctx)
{
	return see_lru(ctx, false);
}

SEC("xdp.frags")
int lru_hash_count(struct xdp_md *ctx)
{
	return see_lru(ctx, true);
}

static __always_inline int see_bloom(struct xdp_md *ctx, bool counting)
{
	struct gsp_id *id = parse(ctx), key;

	if (!id)
		return XDP_PASS;
	key = *id;
	if (!bpf_map_peek_elem(&bloom, &key))
		return drop(counting);
	bpf_map_push_elem(&bloom, &key, BPF_ANY);
	return XDP_PASS;
}

SEC("xdp.frags")
int bloom_filter(struct xdp_md *ctx)
{
	return see_bloom(ctx, false);
}

SEC("xdp.frags")
int bloom_filter_count(struct xdp_md *ctx)
{
	return see_bloom(ctx, true);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
