// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the other layouts and samplers cost: `make bench`. Rounds are interleaved; medians. */
#include "lock.h"
#include "open.h"
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "bench.h"
#include "slow_path.h"
#include "loader.h"
#include "loader_next.h"
#include "packet.h"
#include "pin_dirs.h"
#include "plan.h"
#include "sampling.h"
#include "xdp_dedup.skel.h"

#define ROUNDS 21
#define PACKETS 100000

static double median(double *values)
{
	return bench_quartiles(values, ROUNDS).median;
}

/* A filter in the kernel, asked again and again about one known id. */
static const struct row {
	const char *what;
	enum dedup_layout layout;
	enum dedup_hash_scheme hash;
	uint32_t m; /* flat; countdown: index_bits */
	uint32_t k;
	bool plain; /* without the known-id cache */
} ROWS[] = {
	{ "blocked, fast (the default)", DEDUP_BLOCKED, DEDUP_FAST, 0, 0, false },
	{ "blocked, siphash", DEDUP_BLOCKED, DEDUP_SIPHASH, 0, 0, false },
	{ "flat, fast, k = 7", DEDUP_FLAT, DEDUP_FAST, 9586, 7, false },
	{ "flat, fnv1a, k = 1", DEDUP_FLAT, DEDUP_FNV1A, 9586, 1, false },
	{ "flat, fips, k = 5: every hash", DEDUP_FLAT, DEDUP_FIPS, 8192, 5, true },
	{ "flat, fips, k = 5", DEDUP_FLAT, DEDUP_FIPS, 8192, 5, false },
	{ "countdown, tezos, k = 5: every hash", DEDUP_COUNTDOWN, DEDUP_TEZOS, 10, 5, true },
	{ "countdown, tezos, k = 5", DEDUP_COUNTDOWN, DEDUP_TEZOS, 10, 5, false },
	{ "flat, colibri, k = 7: every hash", DEDUP_FLAT, DEDUP_COLIBRI, 9586, 7, true },
	{ "flat, colibri, k = 7", DEDUP_FLAT, DEDUP_COLIBRI, 9586, 7, false },
};
#define ROWS_CNT ARRAY_SIZE(ROWS)

static struct xdp_dedup *load(const struct row *r, int i)
{
	struct xdp_dedup *skel;
	struct filter_spec spec = {
		.layout = r->layout,
		.hash = r->hash,
		.bits = r->layout == DEDUP_FLAT ? r->m : 0,
		.index_bits = r->layout == DEDUP_COUNTDOWN ? r->m : 0,
		.hashes = r->k,
		.capacity = 1000,
		.fpr_e18 = SPEC_FPR(0.01),
		.window_ns = 3600000000000,
		.streams = { { SPEC_GSP, .ports = { { GOSSIP_PORT, GOSSIP_PORT } }, .ports_cnt = 1 } },
		.streams_cnt = 1,
		.forwarded = true, /* its frames are to a MAC that is no interface's */
	};
	struct dedup_config cfg;
	char name[16];

	assert_int_equal(plan_local(&spec, &cfg), 0);
	if (r->plain)
		cfg.memory.known_cnt = 0;
	snprintf(name, sizeof(name), "b%d", i);
	assert_int_equal(loader_create(name, &cfg, NULL), 0);
	assert_int_equal(pin_dir_publish(name), 0);
	assert_int_equal(loader_program_open(name, &skel), 0);
	assert_int_equal(xdp_dedup__load(skel), 0);
	return skel;
}

static double run(struct xdp_dedup *skel, const struct frame *f, int packets)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = f->data, .data_size_in = f->len,
		    .repeat = packets);

	assert_int_equal(bpf_prog_test_run_opts(loader_private_prog_fd(skel), &opts), 0);
	assert_int_equal(opts.retval, packets > 1 ? XDP_DROP : XDP_PASS); /* the first is new */
	return opts.duration;
}

TEST(duplicates_in_the_kernel)
{
	struct xdp_dedup *skels[ROWS_CNT];
	double ns[ROWS_CNT][ROUNDS];
	struct id id = id_fresh();
	struct frame f;

	frame_build(&f, &(struct frame_plan){ .body = 18 }, &id);
	assert_int_equal(lock_take(false), 0);
	for (size_t i = 0; i < ROWS_CNT; i++) {
		skels[i] = load(&ROWS[i], i);
		run(skels[i], &f, 1);
	}
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < ROWS_CNT; i++)
			ns[i][round] = run(skels[i], &f, PACKETS);
	printf("  One known id again and again, ns a packet (the harness included):\n");
	for (size_t i = 0; i < ROWS_CNT; i++) {
		printf("    %-40s %6.0f\n", ROWS[i].what, median(ns[i]));
		xdp_dedup__destroy(skels[i]);
	}
}

/* The default filter, with a sampler of drops at this rate. */
static const struct sampled {
	const char *what;
	uint32_t reasons, rate; /* rate 0: no sampler */
} SAMPLED[] = {
	{ "nobody listens", 0, 0 },
	{ "a sampler of what is new", SAMPLING_NEW, 10 },
	{ "a sampler of drops, --rate 10", SAMPLING_DROPS, 10 },
	{ "a sampler of drops, --rate 1000", SAMPLING_DROPS, 1000 },
	{ "a sampler of all drops, --rate 1M", SAMPLING_DROPS, SAMPLING_RATE_MAX },
};
#define SAMPLED_CNT ARRAY_SIZE(SAMPLED)

/* Reads samples on the other CPU. */
struct reader {
	struct filter *f;
	const struct sampled *row;
	uint64_t cnt;
	atomic_bool listens, done;
};

static int count_sample(void *arg, const struct dedup_sample *sample)
{
	(void)sample;
	++*(uint64_t *)arg;
	return 0;
}

static void *read_samples(void *arg)
{
	struct reader *r = arg;
	const struct sampling_request wish = {
		.reasons = r->row->reasons, .streams = 1, .snap = 256, .rate = r->row->rate
	};
	struct sampling_lost lost;
	struct sampling *s;
	uint32_t pid;

	if (sampling_begin(r->f, &wish, (struct sampling_taker){ count_sample, &r->cnt }, &s, &pid))
		abort();
	r->listens = true;
	while (!r->done)
		if (sampling_poll(s, 1))
			abort();
	sampling_end(s, &lost);
	return NULL;
}

/* ns a packet; adds what has been sampled to *cnt. */
static double run_sampled(struct xdp_dedup *skel, const struct frame *f, struct filter *filter,
			  const struct sampled *row, uint64_t *cnt)
{
	struct reader r = { .f = filter, .row = row };
	pthread_t thread;
	double ns;

	while (READ_ONCE(filter->state->stale_at) & DEDUP_SLOW_PATH) /* for the one before */
		usleep(1000);
	if (!row->rate)
		return run(skel, f, PACKETS);
	assert_int_equal(pthread_create(&thread, NULL, read_samples, &r), 0);
	while (!r.listens)
		usleep(1000);
	ns = run(skel, f, PACKETS);
	r.done = true;
	pthread_join(thread, NULL);
	*cnt += r.cnt;
	return ns;
}

TEST(sampled_duplicates_in_the_kernel)
{
	double ns[SAMPLED_CNT][ROUNDS];
	uint64_t cnt[SAMPLED_CNT] = { 0 };
	struct id id = id_fresh();
	struct xdp_dedup *skel;
	struct filter filter;
	struct frame f;

	frame_build(&f, &(struct frame_plan){ .body = 18 }, &id);
	skel = load(&ROWS[0], ROWS_CNT);
	assert_int_equal(filter_open("b10", &filter), 0);
	run(skel, &f, 1);
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < SAMPLED_CNT; i++)
			ns[i][round] = run_sampled(skel, &f, &filter, &SAMPLED[i], &cnt[i]);
	printf("  One known id again and again in the default filter, a sampler on another CPU:\n");
	for (size_t i = 0; i < SAMPLED_CNT; i++)
		printf("    %-40s %6.0f, of 100 packets %.2f read\n", SAMPLED[i].what,
		       median(ns[i]), 100.0 * cnt[i] / ROUNDS / PACKETS);
	filter_close(&filter);
	xdp_dedup__destroy(skel);
}

int main(void)
{
	add_own_tests(NULL, NULL);
	return run_added_tests("bench");
}
