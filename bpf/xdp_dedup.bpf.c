// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The packet program: parse, look the ids up, learn, count, verdict. It has four entries, of which
 * user space loads one: so GSP/1 alone pays nothing for streams, nor streams for it or for numbers,
 * and it does not keep `ctx` at hand where nothing is delivered.
 */
#include <stdbool.h>
#include <stddef.h>

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <xdp/xdp_helpers.h>

#include "gossip.bpf.h"
#include "hand.bpf.h"
#include "maps.bpf.h"
#include "stream.bpf.h"

/* For libxdp's dispatcher, which runs several XDP programs on an interface: the default priority,
 * and packets that pass go on to the next program.
 */
struct {
	__uint(priority, 50);
	__uint(XDP_PASS, 1);
} XDP_RUN_CONFIG(xdp_dedup), XDP_RUN_CONFIG(dedup_deliver), XDP_RUN_CONFIG(dedup_streams),
	XDP_RUN_CONFIG(dedup_numbered);

/* Filters without streams: GSP/1 alone. */
SEC("xdp")
int xdp_dedup(struct xdp_md *ctx)
{
	return see_gsp_frame(ctx, false);
}

/* Filters without streams that deliver. */
SEC("xdp")
int dedup_deliver(struct xdp_md *ctx)
{
	return see_gsp_frame(ctx, true);
}

/* Filters with streams. */
SEC("xdp")
int dedup_streams(struct xdp_md *ctx)
{
	return see_stream_frame(ctx, false);
}

/* Filters with numbered streams. */
SEC("xdp")
int dedup_numbered(struct xdp_md *ctx)
{
	return see_stream_frame(ctx, true);
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
