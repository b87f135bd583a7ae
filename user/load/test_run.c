// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "test_run.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "counters.h"
#include "diag.h"
#include "hand.h"
#include "loader.h"
#include "open_filter.h"
#include "xdp_dedup.skel.h"

/* The kernel accepts only smaller frames. */
#define OUT_MAX (256 * 1024)

struct test_run {
	struct filter filter;
	struct xdp_dedup *prog;
	uint32_t streams;
	int cpu;
	struct dedup_counters before[DEDUP_STREAMS_MAX];
	uint8_t out[OUT_MAX];		  /* the kernel copies the frame back */
	struct dedup_counters counters[]; /* of one stream, for each possible CPU */
};

/* Pins this thread to its current CPU: then only one CPU's learning credit is used. */
static int pin_cpu(struct test_run *k)
{
	cpu_set_t one;

	k->cpu = sched_getcpu();
	if (k->cpu < 0)
		return -errno;
	CPU_ZERO(&one);
	CPU_SET(k->cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one) ? -errno : 0;
}

int test_run_open(const struct dedup_config *cfg, uint64_t now_ns, struct test_run **out,
		  const struct filter **filter)
{
	int cpus = libbpf_num_possible_cpus(), err;
	struct test_run *k = NULL;

	if (cpus > 0)
		k = calloc(1, sizeof(*k) + cpus * sizeof(k->counters[0]));
	if (!k)
		return diag_err(-ENOMEM, "no memory");
	k->streams = cfg->policy.streams_cnt;
	err = pin_cpu(k);
	if (err)
		diag_err(err, "cannot keep to one CPU: %s", strerror(-err));
	else
		err = loader_private_open(cfg, &k->filter, &k->prog);
	if (err) {
		free(k);
		return err;
	}
	k->filter.state->replay_ns = now_ns;
	dedup_hand_start(k->filter.state, cfg, now_ns);
	*filter = &k->filter;
	*out = k;
	return 0;
}

void test_run_close(struct test_run *k)
{
	loader_private_close(&k->filter, k->prog);
	free(k);
}

int test_run_step(struct test_run *k, uint64_t now_ns, uint64_t *sleep_ns)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	*(volatile __u64 *)&k->filter.state->replay_ns = now_ns;
	if (bpf_prog_test_run_opts(bpf_program__fd(k->prog->progs.hand_replay), &opts))
		return diag_err(-errno, "the kernel does not run the hand: %s", strerror(errno));
	*sleep_ns = opts.retval;
	return 0;
}

/* Finds the stream and the reason whose counter has changed since the last call. */
static int take_counted_reason(struct test_run *k, struct answer *out)
{
	for (uint32_t n = 0; n < k->streams; n++) {
		const uint64_t *now = (const uint64_t *)&k->counters[k->cpu];
		uint64_t *before = (uint64_t *)&k->before[n];

		if (bpf_map_lookup_elem(k->filter.stats_fd, &n, k->counters))
			return diag_err(-errno, "cannot read the counters: %s", strerror(errno));
		for (uint32_t r = 0; r < DEDUP_REASONS_CNT; r++) {
			if (now[r] != before[r]) {
				before[r] = now[r];
				out->reason = r;
				out->stream = n;
				return 0;
			}
		}
	}
	return diag_err(-EIO, "the program has counted nothing: it was moved to another CPU");
}

int test_run_frame(struct test_run *k, const void *frame, uint32_t len, struct answer *out)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = len,
		    .data_out = k->out, .data_size_out = sizeof(k->out), .repeat = 1);

	if (bpf_prog_test_run_opts(loader_private_prog_fd(k->prog), &opts))
		return diag_err(-errno, "the kernel does not run a frame of %u bytes: %s", len,
				strerror(errno));
	if (opts.retval != XDP_PASS && opts.retval != XDP_DROP)
		return diag_err(-EIO, "the packet program aborted");
	out->drops = opts.retval == XDP_DROP;
	return take_counted_reason(k, out);
}
