// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "rig.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "attach.h"
#include "plan.h"
#include "units.h"

#define NAME "t"
#define HOUR_NS 3600000000000ULL

static const char *const COUNTERS[] = {
#define X(name, help) #name,
	DEDUP_COUNTERS(X)
#undef X
};

struct rig rig;

struct dedup_config rig_live_config(const char *ports)
{
	struct filter_spec spec = { .capacity = 10000, .fpr = 1e-12, .window_ns = 1000000 * HOUR_NS };
	struct dedup_config cfg;

	assert_int_equal(parse_ports(ports, spec.ports, &spec.ports_cnt), 0);
	assert_int_equal(plan_here(&spec, &cfg), 0);
	return cfg;
}

struct dedup_config rig_still_config(void)
{
	struct dedup_config cfg = rig_live_config(RIG_PORTS);

	cfg.tick_ns = HOUR_NS;
	cfg.busy_tick_ns = HOUR_NS;
	cfg.stale_jiffies = UINT32_MAX;
	return cfg;
}

/* Learning credit is a CPU's own: stays on one. */
static void pin_to_a_cpu(void)
{
	cpu_set_t cpus;

	assert_return_code(sched_getaffinity(0, sizeof(cpus), &cpus), errno);
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &cpus))
			continue;
		CPU_ZERO(&cpus);
		CPU_SET(cpu, &cpus);
		break;
	}
	assert_return_code(sched_setaffinity(0, sizeof(cpus), &cpus), errno);
}

uint64_t rig_mac(const uint8_t mac[6])
{
	uint64_t first8 = 0;

	memcpy(&first8, mac, 6);
	return dedup_mac_word(first8);
}

void rig_load(const struct dedup_config *cfg)
{
	static bool begun;

	pin_to_a_cpu();
	if (!begun)
		assert_int_equal(loader_begin(false), 0);
	begun = true;
	rig_unload(NULL); /* what a setup left that failed: it has no teardown */
	rig = (struct rig){ .row = "", .filter.stats_fd = -1 };
	assert_int_equal(loader_create(NAME, cfg), 0);
	assert_int_equal(loader_program_open(NAME, &rig.skel), 0);
	rig.fd = attach_prog_fd(rig.skel);
	assert_return_code(rig.fd, -rig.fd);
	assert_int_equal(filter_open(NAME, &rig.filter), 0);
	if (cfg->receiver == DEDUP_ONE_INTERFACE)
		rig.filter.state->own_mac = rig_mac((uint8_t[])FRAME_MAC);
	rig_count();
}

int rig_load_still(void **state)
{
	struct dedup_config cfg = rig_still_config();

	(void)state;
	rig_load(&cfg);
	return 0;
}

int rig_unload(void **state)
{
	(void)state;
	if (!rig.skel)
		return 0;
	filter_close(&rig.filter);
	loader_program_close(rig.skel);
	rig.skel = NULL;
	return loader_remove(NAME);
}

int rig_run(const struct frame *f)
{
	static uint8_t out[FRAME_MAX];
	struct xdp_md ctx = { .data_end = rig.linear ?: f->len, .ingress_ifindex = rig.ifindex };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = f->data, .data_size_in = f->len,
		    .data_out = out, .data_size_out = sizeof(out));

	if (rig.linear || rig.ifindex) {
		opts.ctx_in = &ctx;
		opts.ctx_size_in = sizeof(ctx);
	}
	if (bpf_prog_test_run_opts(rig.fd, &opts))
		return -errno;
	assert_int_equal(opts.data_size_out, f->len);
	assert_memory_equal(out, f->data, f->len);
	return opts.retval;
}

void rig_count(void)
{
	assert_int_equal(filter_counters(&rig.filter, &rig.seen), 0);
}

void rig_await(const __u64 *value, uint64_t least)
{
	for (uint32_t us = 0; dedup_read(value) < least; us += 50) {
		assert_true(us < 1000 * PATIENCE_MS);
		usleep(50);
	}
}

int rig_verdict(enum dedup_reason reason)
{
	if (reason == DEDUP_ihave_duplicate && rig.filter.config->ihave_pass)
		return XDP_PASS;
	return reason == DEDUP_duplicate || reason == DEDUP_ihave_duplicate ? XDP_DROP : XDP_PASS;
}

void rig_expect(int line, const struct frame *f, int verdict, enum dedup_reason reason)
{
	struct filter_counters want = rig.seen;
	const __u64 *got_cnt = (const __u64 *)&rig.seen, *want_cnt = (const __u64 *)&want;
	int got = rig_run(f);
	bool good = got == verdict;

	rig_count();
	want.rx++;
	((__u64 *)&want)[reason]++;
	want.dropped += verdict == XDP_DROP;
	if (rig_verdict(reason) == XDP_DROP)
		want.duplicate_bytes += f->len - f->padding;
	want.early = rig.seen.early; /* the hand's */
	want.late = rig.seen.late;
	for (size_t i = 0; i < ARRAY_SIZE(COUNTERS); i++) {
		if (got_cnt[i] == want_cnt[i])
			continue;
		print_error("%s is off by %lld\n", COUNTERS[i],
			    (long long)(got_cnt[i] - want_cnt[i]));
		good = false;
	}
	if (good)
		return;
	print_error("line %d%s%s: frame of %u bytes, verdict %d; wanted %d, %s\n", line,
		    *rig.row ? ", " : "", rig.row, f->len, got, verdict, COUNTERS[reason]);
	fail();
}

void rig_expect_ids(int line, enum gsp_type type, const struct id *ids, int count, int verdict,
		    enum dedup_reason reason)
{
	struct frame f;

	frame_build(&f, &(struct frame_plan){ .type = type, .count = count }, ids);
	rig_expect(line, &f, verdict, reason);
}

void rig_learn(struct id *ids, int cnt)
{
	for (int i = 0; i < cnt; i++) {
		ids[i] = id_fresh();
		expect_event(&ids[i], XDP_PASS, DEDUP_new);
	}
}
