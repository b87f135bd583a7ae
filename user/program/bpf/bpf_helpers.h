/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Replaces libbpf's header of this name when the packet program is compiled for user space
 * (program.c): a map is an array in this process, or has no entries; a frame is one piece of
 * memory, whose first bytes are the program's first buffer; the caller sets the time and steps the
 * hand. program.c turns off warnings of unused parameters.
 */
#pragma once

#include <errno.h>
#include <string.h>

#include <linux/types.h>

/* The context of an XDP program, with addresses of this process. */
struct xdp_md {
	__u64 data, data_end;
	__u64 frame_end; /* end of the last buffer; only the functions below read it */
	__u32 ingress_ifindex, rx_queue_index;
};

#define SEC(name)
/* gcc 14 puts const volatile objects into read-only memory. */
#define CONFIG_QUALIFIERS volatile
#define __noinline __attribute__((noinline))
#define barrier_var(var) asm volatile("" : "+r"(var))

/* A map is a struct with the pointers `key` and `value`. `value` points to the elements, and the
 * number of elements is stored in `key`: see map_set() in program.c.
 */
#define __uint(name, number) int(*name)[number]
#define __type(name, type) __typeof__(type) *name
#define __array(name, type) __typeof__(type) *name[]

#define bpf_map_lookup_elem(map, key_pointer)                                     \
	({                                                                        \
		__u32 n_;                                                         \
		memcpy(&n_, key_pointer, sizeof(n_));                             \
		n_ < (__u64)(unsigned long)(map)->key ? (map)->value + n_ : NULL; \
	})
/* These two serve maps without entries. */
static inline int bpf_map_delete_elem(const void *map, const void *key)
{
	return -ENOENT;
}

static inline int bpf_for_each_map_elem(const void *map, const void *callback, const void *context,
					__u64 flags)
{
	return 0;
}

#define bpf_loop(cnt, callback, context, flags)     \
	({                                          \
		__u32 cnt_ = (cnt);                 \
		for (__u32 i_ = 0; i_ < cnt_; i_++) \
			if (callback(i_, context))  \
				break;              \
	})

/* Always 0: to the program the window's clock has never stopped. */
static inline __u64 bpf_jiffies64(void)
{
	return 0;
}

static inline __u64 bpf_ktime_get_ns(void)
{
	return 0;
}

/* There is no ring buffer, as user space takes no samples. */
static inline void *bpf_ringbuf_reserve(void *ring, __u64 bytes, __u64 flags)
{
	return NULL;
}

static inline void bpf_ringbuf_submit(void *record, __u64 flags)
{
}

static inline void bpf_ringbuf_discard(void *record, __u64 flags)
{
}

/* There is no timer: the caller steps the hand. */
static inline int bpf_timer_init(struct bpf_timer *timer, const void *map, __u64 clock)
{
	return 0;
}

static inline int bpf_timer_set_callback(struct bpf_timer *timer, const void *callback)
{
	return 0;
}

static inline int bpf_timer_start(struct bpf_timer *timer, __u64 ns, __u64 flags)
{
	return 0;
}

static inline __u64 bpf_xdp_get_buff_len(struct xdp_md *ctx)
{
	return ctx->frame_end - ctx->data;
}

static inline int bpf_xdp_load_bytes(struct xdp_md *ctx, __u32 at, void *to, __u32 bytes)
{
	if ((__u64)at + bytes > ctx->frame_end - ctx->data)
		return -EINVAL;
	memcpy(to, (const char *)ctx->data + at, bytes);
	return 0;
}

/* Packets are never delivered: returns the fallback action in `flags`. */
static inline int bpf_redirect_map(const void *map, __u32 key, __u64 flags)
{
	return (int)flags;
}
