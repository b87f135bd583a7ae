/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Delivery of fresh packets to AF_XDP sockets (include/deliver.h). */
#ifndef XDP_DEDUP_DELIVER_BPF_H
#define XDP_DEDUP_DELIVER_BPF_H

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

/* A fresh packet's id, `words` long, perhaps in the packet; and its stream. */
struct fresh_id {
	const struct dedup_id *id;
	__u32 words, n;
};

/* Credits of a socket that a packet takes: so many, from this one on. */
struct credits {
	__u64 number;
	__u32 frames;
};

/* Takes c->frames credits, and sets c->number. False if there are too few. */
static __always_inline bool take_room(struct dedup_socket *s, struct credits *c)
{
	DEDUP_UNROLL
	for (int i = 0; i < CREDIT_TRIES; i++) {
		__u64 taken = READ_ONCE(s->taken);

		if (taken + c->frames > READ_ONCE(s->granted))
			return false;
		if (__sync_val_compare_and_swap(&s->taken, taken, taken + c->frames) == taken) {
			c->number = taken;
			return true;
		}
	}
	return false;
}

/* Counts the packet under this enum dedup_delivery. */
static __always_inline void count_delivery(__u32 n, __u32 which)
{
	struct dedup_counters *cpu = cpu_counters(n);

	if (cpu && which < DEDUP_DELIVERIES_CNT)
		(&cpu->delivered)[which]++;
}

/* May so many bytes be redirected to the socket, which has frames for them? */
static __always_inline bool fits(struct xdp_md *ctx, const struct dedup_socket *s, __u32 bytes,
				 __u32 frames)
{
	__u32 most = READ_ONCE(s->frames_max);

	return frames <= most && (most > 1 || ctx->data_end - ctx->data == bytes);
}

/* Notes the packet as an entry of the socket *s in this slot, and puts its number into its front.
 * NULL does not happen, which the verifier does not know. Reading the time takes 40 ns or more, so
 * it is read only where the application asks for it.
 */
static __always_inline struct dedup_in_flight *note_in_flight(struct xdp_md *ctx,
							      const struct dedup_socket *s,
							      __u32 slot, const struct credits *c,
							      const struct fresh_id *of)
{
	__u32 at = slot * DEDUP_IN_FLIGHT_MAX + c->number % DEDUP_IN_FLIGHT_MAX;
	struct dedup_in_flight *h = bpf_map_lookup_elem(&in_flight, &at);
	__u32 *front = (void *)(long)ctx->data;

	if (!h || (void *)(front + 1) > (void *)(long)ctx->data_end)
		return NULL;
	h->time_ns = READ_ONCE(s->timestamps) ? bpf_ktime_get_ns() : 0;
	h->slot = slot_of(of->n);
	h->frames = c->frames;
	h->front = *front;
	h->id = dedup_id_copy(of->id, of->words);
	WRITE_ONCE(h->number, c->number + 1);
	*front = c->number;
	return h;
}

/* Redirects the packet to the socket in this slot, if it can take it. Returns an enum
 * dedup_delivery.
 */
static __always_inline int redirect(struct xdp_md *ctx, __u32 slot, const struct fresh_id *of)
{
	struct dedup_socket *s = bpf_map_lookup_elem(&sockets, &slot);
	__u32 bytes = bpf_xdp_get_buff_len(ctx), *front;
	struct dedup_in_flight *h;
	struct credits c;

	if (!s || !bpf_map_lookup_elem(&xsks, &slot))
		return DEDUP_DELIVERY_no_socket;
	c.frames = dedup_frames_of(s, bytes);
	if (!fits(ctx, s, bytes, c.frames))
		return DEDUP_DELIVERY_too_large;
	if (!take_room(s, &c))
		return DEDUP_DELIVERY_no_room;
	h = note_in_flight(ctx, s, slot, &c, of);
	if (h && bpf_redirect_map(&xsks, slot, XDP_PASS) == XDP_REDIRECT)
		return DEDUP_DELIVERY_delivered;
	/* The socket has just been closed. The packet is as it was before. */
	front = (void *)(long)ctx->data;
	if (h && (void *)(front + 1) <= (void *)(long)ctx->data_end) {
		*front = h->front;
		h->number = 0;
	}
	return DEDUP_DELIVERY_no_socket;
}

/* A fresh packet of stream n, which has been learned and counted: its id is at *id, `words` long,
 * perhaps in the packet. It goes to its queue's socket, or to the stack. Returns the XDP verdict.
 */
static __noinline int deliver(struct xdp_md *ctx, const struct dedup_id *id, __u32 words, __u32 n)
{
	const struct fresh_id of = { .id = id, .words = words, .n = n };
	struct dedup_queue queue = { ctx->ingress_ifindex, ctx->rx_queue_index };
	const __u32 *slot = bpf_map_lookup_elem(&queues, &queue);
	int became = DEDUP_DELIVERY_no_socket;

	if (slot)
		became = redirect(ctx, *slot, &of);
	count_delivery(n, became);
	return became == DEDUP_DELIVERY_delivered ? XDP_REDIRECT : XDP_PASS;
}

#endif
