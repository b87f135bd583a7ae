// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Another XDP program to share an interface with: counts packets and passes them. */
#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>
#include <xdp/xdp_helpers.h>

/* Below 50 it runs before xdp_dedup, above after it; the test sets it. */
struct {
	__uint(priority, 10);
	__uint(XDP_PASS, 1);
} XDP_RUN_CONFIG(neighbour);

__u64 seen;

SEC("xdp.frags")
int neighbour(struct xdp_md *ctx)
{
	__sync_fetch_and_add(&seen, 1);
	return XDP_PASS;
}

char LICENSE[] SEC("license") = "Dual BSD/GPL";
