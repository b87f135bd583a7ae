// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A sender fast enough to saturate a core: run on live frames by BPF_PROG_TEST_RUN, it
 * writes the next id into each and redirects it. And what a flood ends in at best: programs
 * that drop everything, and what the packet itself says is no first copy; and AF_XDP sockets.
 */
#include <linux/bpf.h>
#include <stdbool.h>

#include <bpf/bpf_helpers.h>

#include "flood_frame.h"

#define NS_PER_S 1000000000ULL
#define LINES (1 << 17) /* of 64 bytes: as much memory as the filter has */
#define LOOKS 200000	/* at the clock, some 20 ns each: the longest wait */

struct {
	__uint(type, BPF_MAP_TYPE_XSKMAP);
	__uint(max_entries, FLOOD_XSKS);
	__type(key, __u32);
	__type(value, __u32);
} xsks SEC(".maps");

struct flood_orders orders;
__u64 lines[LINES][8];
__u64 dropped; /* by the programs below; packets of one NAPI, so no two at once */

/* By how many events a copy is late, of 10; of fewer, every so many of these. The first is not. */
static const __u16 LATE[FLOOD_COPIES_MAX] = { 0,   1,	13,  87,  151,
					      280, 411, 590, 777, FLOOD_SPREAD - 1 };

/* Is it time for the next burst? For bpf_loop(): 1 ends it. */
static long burst_is_due(__u32 look, void *ctx)
{
	struct flood_orders *o = &orders;
	__u64 now = bpf_ktime_get_ns(), due;

	due = (now - o->start_ns) * o->rate_pps / NS_PER_S;
	if (due < o->sent + o->burst)
		return 0;
	due -= o->sent + o->burst;
	/* A CPU that was held up makes up for half a burst; two bursts at once would fill a ring.
	 */
	if (due > o->burst / 2)
		o->start_ns += (due - o->burst / 2) * NS_PER_S / o->rate_pps;
	return 1;
}

static __always_inline void wait_for_burst(struct flood_orders *o)
{
	__u64 from = bpf_ktime_get_ns();

	if (!o->first_ns)
		o->start_ns = o->first_ns = from;
	bpf_loop(LOOKS, burst_is_due, (void *)0, 0);
	o->last_ns = bpf_ktime_get_ns();
	o->waited_ns += o->last_ns - from;
}

/* Copy 0 of each event comes first; copies of what was never sent are of the newest. */
static __always_inline void put_event(struct flood_payload *p, struct flood_orders *o)
{
	__u64 copy = o->copy, at, late;

	if (copy >= o->copies) {
		copy = 0;
		o->event++;
	}
	o->copy = copy + 1;
	at = copy * o->late_step;
	late = at < FLOOD_COPIES_MAX ? LATE[at] : 0;
	p->seed = o->seed;
	p->index = late > o->event ? o->event : o->event - late;
	p->copy = copy;
	p->number = __builtin_bswap64(p->index);
	for (unsigned int i = 0; i < GSP_ID_BYTES / 8; i++)
		p->id[i] = flood_id(p->seed, p->index, i);
}

/* Frames are used again, and delivery writes over their front, which a NIC would write anew. */
static __always_inline void put_front(__u16 *front, const struct flood_orders *o)
{
	for (unsigned int i = 0; i < sizeof(o->front) / sizeof(o->front[0]); i++)
		front[i] = o->front[i];
}

SEC("xdp")
int send(struct xdp_md *ctx)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct flood_payload *p = data + FLOOD_HEADERS;
	struct flood_orders *o = &orders;

	if ((void *)(p + 1) > end)
		return XDP_ABORTED;
	if (!o->left) {
		wait_for_burst(o);
		o->left = o->burst;
	}
	o->left--;
	o->sent++;
	put_front(data, o);
	put_event(p, o);
	return o->ifindex ? bpf_redirect(o->ifindex, 0) : XDP_DROP;
}

/* Is it a first copy? The packet says so. With `line`, one line, which the id picks, is read, and
 * a first copy is marked in it, as whatever remembers ids has to do at least.
 */
static __always_inline bool is_first(const struct xdp_md *ctx, bool line)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct flood_payload *p = data + FLOOD_HEADERS;

	if ((void *)(p + 1) > end)
		return true;
	if (line && !p->copy)
		__sync_fetch_and_or(lines[p->id[0] % LINES], 1);
	else if (line)
		*(volatile __u64 *)lines[p->id[0] % LINES];
	return !p->copy;
}

static __always_inline int drop_unless(bool first)
{
	if (first)
		return XDP_PASS;
	dropped++;
	return XDP_DROP;
}

/* First copies go past the stack, to the AF_XDP socket in this place. */
static __always_inline int redirect_if(bool first, __u32 place)
{
	return first ? bpf_redirect_map(&xsks, place, XDP_PASS) : drop_unless(first);
}

/* What a filter would be that costs nothing, but one line of memory that is in no cache. */
SEC("xdp")
int drop_by_line(struct xdp_md *ctx)
{
	return drop_unless(is_first(ctx, true));
}

SEC("xdp")
int redirect_by_line(struct xdp_md *ctx)
{
	return redirect_if(is_first(ctx, true), FLOOD_XSK_LINE);
}

/* And without this line. */
SEC("xdp")
int drop_copies(struct xdp_md *ctx)
{
	return drop_unless(is_first(ctx, false));
}

SEC("xdp")
int redirect_first(struct xdp_md *ctx)
{
	return redirect_if(is_first(ctx, false), FLOOD_XSK_FIRST);
}

/* For an application that has the filter. */
SEC("xdp")
int redirect_all(struct xdp_md *ctx)
{
	return bpf_redirect_map(&xsks, FLOOD_XSK_ALL, XDP_PASS);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
