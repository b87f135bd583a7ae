/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Samples on the kernel's side (include/sample.h): copies of packets for a sampler's ring buffer. */
#pragma once

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "gsp.h"
#include "maps.bpf.h"
#include "sample.h"

#define SECOND_NS 1000000000ULL
#define TAKE_TRIES 8 /* that CPUs disturb each other so many times in a row is next to never */

/* The sampler's ring buffer, of whatever size; none while nobody listens. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
	__array(
		values, struct {
			__uint(type, BPF_MAP_TYPE_RINGBUF);
			__uint(max_entries, 64 * 1024);
		});
} samples SEC(".maps");

/* Is there a sampler that is to see packets of stream n with this reason? */
static __always_inline bool is_sampled(__u32 n, __u32 reason)
{
	const struct dedup_sampler *s = &state.sampler;

	return dedup_sampler_listens(s, READ_ONCE(state.last_ns)) &&
	       READ_ONCE(s->reasons) >> (reason & 31) & 1 &&
	       READ_ONCE(s->streams) >> (slot_of(n) & (DEDUP_SLOTS - 1)) & 1;
}

/* Takes one of the samples that each second has. False if none is left, or the second is over, as
 * another CPU has found.
 */
static __always_inline bool take_of_second(struct dedup_sampler *s, __u64 now_ns)
{
	__u64 second = now_ns / SECOND_NS;

	for (__u64 i = 0; i < TAKE_TRIES; i++) {
		__u64 was = READ_ONCE(s->taken);
		__u64 next = second > was >> 32 ? second << 32 | 1 : was + 1;

		if (second < was >> 32 || (__u32)next > READ_ONCE(s->rate))
			return false;
		if (__sync_val_compare_and_swap(&s->taken, was, next) == was)
			return true;
	}
	return false;
}

/* Where a packet's id is: at *id; if that is NULL, GSP/1's at this frame offset. */
struct sampled_id {
	const struct dedup_id *id;
	__u32 at;
};

/* Puts the sample into the ring buffer, with the first `snapped` bytes of the frame, at most
 * `room`, a constant: what is reserved has a constant size. False if the ring buffer has less room.
 */
static __always_inline bool put_sample(struct xdp_md *ctx, void *ring,
				       const struct dedup_sample *head, struct sampled_id from,
				       __u32 room)
{
	struct dedup_sample *sample = bpf_ringbuf_reserve(ring, sizeof(*sample) + room, 0);
	__u64 size = (__u64)head->snapped - 1;

	if (!sample)
		return false;
	sample->time_ns = head->time_ns;
	sample->ifindex = ctx->ingress_ifindex;
	sample->slot = head->slot;
	sample->reason = head->reason;
	sample->len = head->len;
	sample->snapped = head->snapped;
	if (from.id)
		sample->id = *from.id;
	else if (bpf_xdp_load_bytes(ctx, from.at, &sample->id, GSP_ID_BYTES))
		goto discard;
	/* One comparison that Linux 6.1 takes both bounds of `size` from, as in digest(). */
	barrier_var(size);
	if (size >= room)
		goto discard;
	size++;
	barrier_var(size);
	if (bpf_xdp_load_bytes(ctx, 0, sample->frame, size))
		goto discard;
	bpf_ringbuf_submit(sample, 0);
	return true;
discard: /* does not happen */
	bpf_ringbuf_discard(sample, 0);
	return false;
}

/* Gives the sampler the packet, if there is one that is to see it: of stream n, with this enum
 * dedup_reason, and with this id; if that is NULL, with the one of GSP/1 at frame offset id_at.
 * Only packets on the slow path come here. Returns nothing of use. A global function: verified
 * once.
 */
__noinline int take_sample(struct xdp_md *ctx, __u32 n, __u32 reason, __u32 id_at,
			   const struct dedup_id *id)
{
	const struct sampled_id from = { .id = id, .at = id_at };
	struct dedup_sampler *s = &state.sampler;
	struct dedup_sample head;
	__u32 zero = 0, snap;
	bool put;
	void *ring;

	if (!is_sampled(n, reason))
		return 0;
	ring = bpf_map_lookup_elem(&samples, &zero);
	if (!ring)
		return 0;
	head.time_ns = bpf_ktime_get_ns();
	if (!take_of_second(s, head.time_ns)) {
		__sync_fetch_and_add(&s->limited, 1);
		return 0;
	}
	head.slot = slot_of(n);
	head.reason = reason;
	head.len = bpf_xdp_get_buff_len(ctx);
	snap = READ_ONCE(s->snap);
	head.snapped = head.len < snap ? head.len : snap;
	if (head.snapped <= 256)
		put = put_sample(ctx, ring, &head, from, 256);
	else if (head.snapped <= 2048)
		put = put_sample(ctx, ring, &head, from, 2048);
	else
		put = put_sample(ctx, ring, &head, from, DEDUP_SNAP_MAX);
	if (!put)
		__sync_fetch_and_add(&s->full, 1);
	return 0;
}
