// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The source of the packet program, compiled for user space with this room's <bpf/bpf_helpers.h>. */
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#define DEDUP_PACKET_PROGRAM

/* The kernel's struct xdp_md has addresses of 32 bits. */
#define xdp_md uapi_xdp_md
#include <linux/bpf.h>
#undef xdp_md

/* Only this file calls its entries and global functions, so they have no prototypes. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wsign-compare"
static void touched_note(__u32 n);
static void age_places(__u32 cnt, __u64 hand);
#define NOTE_BLOCK(n) touched_note(n)
#define AGE_PLACES(cnt, aging) age_places(cnt, (aging)->hand)
/* The program does not repeat a hash of program_identify(): see digest_once(). */
#define DIGEST digest_once
/* Records the bytes that the search for tunnels reads, as they decide the verdict, too. */
#define DEDUP_NOTE_READ(w, bytes) note_read((w)->pos - (w)->data + (bytes))
static void note_read(__u64 end);
struct xdp_md;
static __u64 digest_once(struct xdp_md *ctx, __u32 at, __u32 bytes, __u32 cnt, __u32 of);
#include "xdp_dedup.bpf.c" /* NOLINT(bugprone-suspicious-include) */
#pragma GCC diagnostic pop

#include "ageing.h"
#include "extent.h"
#include "program.h"

/* Bytes of a frame's first buffer with BPF_PROG_TEST_RUN and many NICs: a page without the headroom
 * and the kernel's struct skb_shared_info. Headers and GSP/1's ids must be in it.
 */
#define FIRST_BUFFER (4096 - 256 - 320)

#define LARGE_PAGE (2UL << 20)

/* Gives a map its `cnt` elements. */
#define map_set(map, elements, cnt)                       \
	do {                                              \
		(map).value = (elements);                 \
		(map).key = (void *)(unsigned long)(cnt); \
	} while (0)

static struct dedup_counters counters[DEDUP_STREAMS_MAX];
static struct digest_input digest_memory;
static struct lookup lookup_memory;
static struct dedup_id id_memory;
static struct frame frame_memory;
static struct numbers numbers_memory;

/* The last digest that was computed for the current frame. */
static struct {
	bool known;
	__u32 at, bytes, cnt, of;
	__u64 value;
} last_digest;

static __u64 digest_once(struct xdp_md *ctx, __u32 at, __u32 bytes, __u32 cnt, __u32 of)
{
	if (!last_digest.known || last_digest.at != at || last_digest.bytes != bytes ||
	    last_digest.cnt != cnt || last_digest.of != of) {
		last_digest.value = digest(ctx, at, bytes, cnt, of);
		last_digest.known = true;
		last_digest.of = of;
		last_digest.at = at;
		last_digest.bytes = bytes;
		last_digest.cnt = cnt;
	}
	return last_digest.value;
}

static void age_places(__u32 cnt, __u64 hand)
{
	struct aging aging = { .hand = hand };

	if (dedup_one_by_one(&config))
		bpf_loop(cnt, age_place, &aging, 0);
	else
		age_touched(filter.value, hand, cnt);
}

void program_close(void)
{
	touched_close();
	free(filter.value);
	free(known_ids.value);
	map_set(filter, NULL, 0);
	map_set(known_ids, NULL, 0);
}

/* Allocates zeroed memory, aligned to cache lines. `bytes` is a multiple of 64. Large memory gets
 * large pages: it is read at random, and they avoid most page walks. Returns NULL without memory.
 */
static void *lines(size_t bytes)
{
	size_t align = bytes < LARGE_PAGE ? 64 : LARGE_PAGE;
	void *p = aligned_alloc(align, (bytes + align - 1) / align * align);

	if (p && align == LARGE_PAGE)
		madvise(p, bytes, MADV_HUGEPAGE);
	return p ? memset(p, 0, bytes) : NULL;
}

int program_open(const struct dedup_config *cfg, bool memory, uint64_t now_ns)
{
	__u64 known_lines = cfg->memory.known_cnt * dedup_known_lines(cfg->policy.id_bytes);
	struct dedup_config *own = (struct dedup_config *)&config;

	program_close();
	*own = *cfg;
	own->memory.replay = own->frags = 1;
	own->policy.deliver = 0;
	memset(&state, 0, sizeof(state));
	memset(counters, 0, sizeof(counters));
	/* The program expects 0 here in a filter without tunnels. */
	memset(&frame_memory, 0, sizeof(frame_memory));
	digest_memory.front = 0;
	map_set(stats, counters, DEDUP_STREAMS_MAX);
	map_set(digest_inputs, &digest_memory, 1);
	map_set(lookups, &lookup_memory, 1);
	map_set(ids, &id_memory, 1);
	map_set(frames, &frame_memory, 1);
	map_set(numbers, &numbers_memory, 1);
	if (memory) {
		map_set(filter, lines(dedup_blocks(cfg) * sizeof(struct dedup_block)),
			dedup_blocks(cfg));
		map_set(known_ids, lines(known_lines * sizeof(struct dedup_known) + 64), known_lines);
		if (!filter.value || !known_ids.value || !touched_open(cfg)) {
			program_close();
			return -ENOMEM;
		}
	}
	state.replay_ns = now_ns;
	memset(&record, 0, sizeof(record));
	record.own_mac = DEDUP_MAC_NONE;
	dedup_hand_start(&state, &config, now_ns);
	state.stale_at = config.memory.stale_jiffies;
	return 0;
}

void program_open_to_identify(const struct dedup_config *cfg, bool any_vlan)
{
	struct dedup_policy *p = &((struct dedup_config *)&config)->policy;

	program_open(cfg, false, 2 * cfg->memory.window_ns); /* fails only with memory */
	p->forwarded = 1;
	for (uint32_t n = 0; n < p->streams_cnt; n++)
		p->streams[n].forwarded = 1;
	if (any_vlan)
		((struct dedup_config *)&config)->asked.vlans_cnt = 0;
}

struct dedup_block *program_blocks(void)
{
	return filter.value;
}

struct dedup_state *program_state(void)
{
	return &state;
}

struct dedup_record *program_record(void)
{
	return &record;
}

uint64_t program_step(uint64_t now_ns)
{
	state.replay_ns = now_ns;
	return step_hand();
}

static struct xdp_md context_of(const void *frame, uint32_t len)
{
	uint32_t first = len < FIRST_BUFFER ? len : FIRST_BUFFER;

	return (struct xdp_md){
		.data = (unsigned long)frame,
		.data_end = (unsigned long)frame + first,
		.frame_end = (unsigned long)frame + len,
	};
}

int program_run(const void *frame, uint32_t len)
{
	struct xdp_md ctx = context_of(frame, len);

	return dedup_is_gsp(configuration())		     ? xdp_dedup(&ctx)
	       : config.policy.entry == DEDUP_ENTRY_NUMBERED ? dedup_numbered(&ctx)
							     : dedup_streams(&ctx);
}

struct dedup_counters *program_counters(uint32_t n)
{
	return &counters[n];
}

/* The current frame of program_parse(). */
static struct {
	struct xdp_md ctx;
	uint32_t len, extent;
	int reason;
	bool inside; /* in a tunnel: frame_memory is the inner frame, and `reason` is PARSED */
} parsed;

/* Returns the extent of all headers that distinguish streams. */
static __u32 headers_extent(struct xdp_md *ctx)
{
	const struct frame *f = &frame_memory;
	struct packet pkt = { 0 };
	__be16 proto;

	if (f->tunnels) {
		at_network(ctx, f, &pkt);
		return packet_extent(&pkt, f->proto, f->base[DEDUP_NETWORK]);
	}
	if (open_packet(ctx, &pkt) != PARSED || parse_tags(&pkt, &proto) != PARSED)
		return ALL;
	return packet_extent(&pkt, proto, frame_offset(ctx, &pkt));
}

/* Does program_identify_as() after parse_frame(). Returns false if the frame is not the stream's. */
static bool identify_as(struct xdp_md *ctx, struct frame *f, __u32 n, struct program_id *out)
{
	const struct dedup_stream *s = &configuration()->policy.streams[n];
	bool taken = !parsed.inside || takes_inside(f, n);
	int reason = taken ? match(ctx, f, s) : DEDUP_REASON_ignored;
	__u32 extent;

	if (reason != PARSED) {
		out->reason = reason;
		return false;
	}
	memset(&f->id, 0, sizeof(f->id));
	reason = check_gates(ctx, f, s);
	if (reason == PARSED)
		reason = s->decoder == DEDUP_GSP ? read_gsp(ctx, f) : read_id(ctx, f, s);
	f->messages = 1;
	if (reason == PARSED && is_numbered(n))
		reason = read_messages(ctx, f, n);
	extent = extent_of(f, s, reason);
	if (is_numbered(n) && numbered_of(n)->count.bytes)
		extend(&extent, f, &numbered_of(n)->count);
	if (extent > out->extent)
		out->extent = extent;
	if (reason == NOT_OF_STREAM) {
		out->reason = DEDUP_REASON_ignored;
		return false;
	}
	if (reason == PARSED && !is_numbered(n) && dedup_is_no_id(&f->id, s->words))
		reason = DEDUP_REASON_no_id;
	out->messages = f->messages;
	out->reason = reason == LOOK_UP_IDS ? DEDUP_REASON_ihave_new : reason;
	out->stream = n;
	out->words = s->words;
	out->realm = s->realm;
	out->id = f->id;
	return true;
}

/* Identifies a packet in a filter without streams. */
static void identify_gsp(struct xdp_md *ctx, struct program_id *out)
{
	struct packet pkt = { 0 };
	int reason = parse_packet(ctx, &pkt);

	out->reason = reason;
	out->extent = headers_extent(ctx);
	if (reason != PARSED)
		return;
	out->extent = frame_offset(ctx, &pkt);
	if (gsp(&pkt)->type != GSP_EVENT) {
		out->reason =
			gsp(&pkt)->type == GSP_IHAVE ? DEDUP_REASON_ihave_new : DEDUP_REASON_exempt;
		return;
	}
	out->extent += GSP_ID_BYTES;
	out->reason = check_event(&pkt, false);
	if (out->reason != PARSED)
		return;
	out->words = GSP_ID_WORDS;
	out->messages = 1;
	memcpy(&out->id, pkt.pos, GSP_ID_BYTES);
}

/* Sets the extent to the whole frame if the reason may depend on its length, or on any byte. */
static void complete(struct program_id *out, uint32_t len)
{
	bool by_extent = out->reason == PARSED || out->reason == DEDUP_REASON_ignored ||
			 out->reason == DEDUP_REASON_fragment ||
			 out->reason == DEDUP_REASON_exempt || out->reason == DEDUP_REASON_no_id;

	if (!by_extent || out->extent > len)
		out->extent = len;
}

void program_parse(const void *frame, uint32_t len)
{
	parsed.ctx = context_of(frame, len);
	parsed.len = len;
	last_digest.known = false;
	walked = 0;
	frame_memory.tunnels = 0; /* left over from the previous frame */
	parsed.reason = parse_frame(&parsed.ctx);
	if (parsed.reason == INSIDE)
		parsed.reason = PARSED;
	parsed.inside = parsed.reason == PARSED && frame_memory.tunnels;
	parsed.extent = headers_extent(&parsed.ctx);
	if (parsed.extent < walked)
		parsed.extent = walked;
}

void program_identify_as(uint32_t stream, struct program_id *out)
{
	*out = (struct program_id){
		.stream = stream,
		.reason = parsed.reason,
		.extent = parsed.extent,
	};
	if (out->reason == PARSED)
		identify_as(&parsed.ctx, &frame_memory, stream, out);
	complete(out, parsed.len);
}

void program_identify(const void *frame, uint32_t len, struct program_id *out)
{
	int wrong = DEDUP_REASON_ignored;

	*out = (struct program_id){ 0 };
	if (dedup_is_gsp(configuration())) {
		struct xdp_md ctx = context_of(frame, len);

		parsed.inside = false;
		identify_gsp(&ctx, out);
		complete(out, len);
		return;
	}
	program_parse(frame, len);
	out->reason = parsed.reason;
	out->extent = parsed.extent;
	for (__u32 n = 0; out->reason == PARSED && n < config.policy.streams_cnt; n++) {
		if (identify_as(&parsed.ctx, &frame_memory, n, out)) {
			complete(out, len);
			return;
		}
		if (out->reason != DEDUP_REASON_ignored && wrong == DEDUP_REASON_ignored) {
			wrong = out->reason;
			out->stream = n;
		}
		out->reason = PARSED;
	}
	if (out->reason == PARSED)
		out->reason = wrong;
	complete(out, len);
}
