/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Delivery of fresh packets to AF_XDP sockets (include/deliver.h). */
#pragma once

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "deliver.h"
#include "maps.bpf.h"

/* That CPUs disturb each other so many times in a row is next to never: a queue is one CPU's at a
 * time, but in generic XDP with receive packet steering.
 */
#define CREDIT_TRIES 4

/* These maps are made only for filters that deliver. */
struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, DEDUP_SOCKETS_MAX);
	__type(key, __u32);
	__type(value, __u32);
} xsks SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DEDUP_SOCKETS_MAX);
	__type(key, struct dedup_queue);
	__type(value, __u32);
} queues SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, DEDUP_SOCKETS_MAX);
	__type(key, __u32);
	__type(value, struct dedup_socket);
} sockets SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, DEDUP_SOCKETS_MAX *DEDUP_IN_FLIGHT_MAX);
	__type(key, __u32);
	__type(value, struct dedup_in_flight);
} in_flight SEC(".maps");

/* A packet's id, `words` long, perhaps in the packet; and its stream. */
struct delivered_id {
	const struct dedup_id *id;
	__u32 words, n;
};

/* A packet's room in the socket of a slot: `frames` credits, from `number` on. frames 0: none. */
struct room {
	__u64 number;
	__u32 slot;
	__u16 frames;
	__u16 is_timed; /* the application asks for the time */
};

/* Are fresh packets of stream n delivered? ctx may be NULL where nothing is delivered. */
static __always_inline bool is_delivered(const struct xdp_md *ctx, __u32 n)
{
	return ctx && config.policy.deliver && config.policy.deliver >> (n & 31) & 1;
}

/* Takes room->frames credits, and sets room->number. False if there are too few. */
static __always_inline bool take_credits(struct dedup_socket *s, struct room *room)
{
	DEDUP_UNROLL
	for (int i = 0; i < CREDIT_TRIES; i++) {
		__u64 taken = READ_ONCE(s->taken);

		if (taken + room->frames > READ_ONCE(s->granted))
			return false;
		if (__sync_val_compare_and_swap(&s->taken, taken, taken + room->frames) == taken) {
			room->number = taken;
			return true;
		}
	}
	return false;
}

/* May so many bytes be redirected to the socket, which has frames for them? */
static __always_inline bool fits(struct xdp_md *ctx, const struct dedup_socket *s, __u32 bytes,
				 __u32 frames)
{
	__u32 most = READ_ONCE(s->frames_max);

	return frames <= most && (most > 1 || ctx->data_end - ctx->data == bytes);
}

/* Counts the packet under this enum dedup_delivery. */
static __always_inline void count_delivery(__u32 n, __u32 which)
{
	struct dedup_counters *cpu = cpu_counters(n);

	if (cpu && which < DEDUP_DELIVERIES_CNT)
		(&cpu->delivered)[which]++;
}

/* Does what take_room() does, but counts nothing. Returns an enum dedup_delivery. */
static __always_inline int find_room(struct xdp_md *ctx, struct room *room)
{
	struct dedup_queue queue = { ctx->ingress_ifindex, ctx->rx_queue_index };
	const __u32 *slot = bpf_map_lookup_elem(&queues, &queue);
	__u32 bytes = bpf_xdp_get_buff_len(ctx);
	struct dedup_socket *s;

	if (!slot)
		return DEDUP_DELIVERY_no_socket;
	room->slot = *slot;
	s = bpf_map_lookup_elem(&sockets, &room->slot);
	if (!s || bpf_redirect_map(&xsks, room->slot, XDP_PASS) != XDP_REDIRECT)
		return DEDUP_DELIVERY_no_socket;
	room->frames = dedup_frames_of(s, bytes);
	room->is_timed = READ_ONCE(s->timestamps);
	if (!fits(ctx, s, bytes, room->frames))
		return DEDUP_DELIVERY_too_large;
	return take_credits(s, room) ? DEDUP_DELIVERY_delivered : DEDUP_DELIVERY_no_room;
}

/* Takes room for a packet of stream n in its queue's socket, before its id is learned. The packet
 * is not known to be a duplicate. Returns true if there is room. Then the caller calls hand_over()
 * or give_back(), and only the socket itself can still refuse the packet: find_room() has told the
 * kernel where to redirect it. Returns false if there is none: *room is empty, and the packet is
 * counted.
 */
static __noinline bool take_room(struct xdp_md *ctx, struct room *room, __u32 n)
{
	int became = find_room(ctx, room);

	if (became == DEDUP_DELIVERY_delivered)
		return true;
	room->frames = 0;
	count_delivery(n, became);
	return false;
}

/* The entry of the packet with this room. It is never NULL, but the verifier does not know that. */
static __always_inline struct dedup_in_flight *in_flight_entry(const struct room *room)
{
	__u32 at = room->slot * DEDUP_IN_FLIGHT_MAX + room->number % DEDUP_IN_FLIGHT_MAX;

	return bpf_map_lookup_elem(&in_flight, &at);
}

/* Gives the room of a packet back that is not fresh any more, as a copy on another CPU was faster.
 * If a third CPU has taken room behind it meanwhile, an entry says that no packet comes: the
 * application ends it when it has nothing to read (receive_idle.c).
 */
static __noinline int give_back(const struct room *room)
{
	struct dedup_socket *s = bpf_map_lookup_elem(&sockets, &room->slot);
	__u64 end = room->number + room->frames;
	struct dedup_in_flight *h;

	if (!s || __sync_val_compare_and_swap(&s->taken, end, room->number) == end)
		return 0;
	h = in_flight_entry(room);
	if (!h)
		return 0;
	h->frames = room->frames;
	h->given_back = 1;
	WRITE_ONCE(h->number, room->number + 1);
	return 0;
}

/* Notes the packet as an entry of its socket, and writes its number over its front. False does not
 * happen. Reading the time takes 40 ns or more, so it is read only where the application asks for
 * it.
 */
static __always_inline bool note_in_flight(struct xdp_md *ctx, const struct room *room,
					   const struct delivered_id *of)
{
	struct dedup_in_flight *h = in_flight_entry(room);
	__u32 *front = (void *)(long)ctx->data;

	if (!h || (void *)(front + 1) > (void *)(long)ctx->data_end)
		return false;
	h->time_ns = room->is_timed ? bpf_ktime_get_ns() : 0;
	h->slot = slot_of(of->n);
	h->frames = room->frames;
	h->given_back = 0;
	h->front = *front;
	h->id = dedup_id_copy(of->id, of->words);
	WRITE_ONCE(h->number, room->number + 1);
	*front = room->number;
	return true;
}

/* Hands a packet with this id, of stream n, which has been judged and counted, over to the socket
 * in which it has this room. Returns the XDP verdict.
 */
static __noinline int hand_over(struct xdp_md *ctx, const struct room *room,
				const struct dedup_id *id, __u32 words, __u32 n)
{
	const struct delivered_id of = { .id = id, .words = words, .n = n };

	if (!note_in_flight(ctx, room, &of))
		return XDP_PASS;
	count_delivery(n, DEDUP_DELIVERY_delivered);
	return XDP_REDIRECT;
}
