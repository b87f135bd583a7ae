// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "bench.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench_setup.h"
#include "diag.h"
#include "integers.h"

#define PACKETS_MAX 10000   /* in one measurement, on each CPU */
#define CHECK_PACKETS 20000 /* most packets in a check of a peer */
#define KNOWN_MIN 0.99	    /* least part of the known ids that LRU keeps: it is approximate */

static const struct {
	const char *name, *key;
} ROW_NAMES[] = {
	{ "parse and drop", "floor" },
	{ "one random line", "one_line" },
	{ "  and 180 instr.", "one_line_padded" },
	{ "xdp-dedup", "xdp_dedup" },
	{ "  with siphash", "xdp_dedup_siphash" },
	{ "  with flat", "xdp_dedup_flat" },
	{ "  one stream", "xdp_dedup_stream" },
	{ "  eight streams", "xdp_dedup_streams" },
	{ "  numbered stream", "xdp_dedup_numbered" },
	{ "    and two paths", "xdp_dedup_paths" },
	{ "  payload, 1000 B", "xdp_dedup_payload" },
	{ "  mirror, 128 B", "xdp_dedup_mirror" },
	{ "    with tunnels", "xdp_dedup_tunnels" },
	{ "    in VXLAN", "xdp_dedup_vxlan" },
	{ "    in GRE", "xdp_dedup_gre" },
	{ "    in ERSPAN II", "xdp_dedup_erspan" },
	{ "kernel bloom map", "bloom_filter" },
	{ "kernel LRU hash", "lru_hash" },
};

const char *bench_row_name(enum bench_row row)
{
	return ROW_NAMES[row].name;
}

const char *bench_row_key(enum bench_row row)
{
	return ROW_NAMES[row].key;
}

/* Returns how many fresh ids may be sent before the filters must be filled again: a quarter of the
 * window's ids, so that their occupancy changes little.
 */
static uint64_t fresh_budget(const struct bench_setting *s)
{
	return s->ids / 4;
}

/* Returns how many fresh ids a round has for each packet of a measurement: each traffic is sent
 * three times, once on one CPU and once on each of two.
 */
static double fresh_a_packet(void)
{
	return 3 * bench_traffic_fresh();
}

static uint64_t packets_in_budget(const struct bench_setting *s)
{
	return lesser(fresh_budget(s) / fresh_a_packet(), PACKETS_MAX);
}

/* Sends the load through the program, on all CPUs at once, each with its own ids. */
static int send_load(struct bench *b, struct bench_subject *s, const struct bench_load *l)
{
	int err;

	for (int i = 0; i < l->cpus; i++)
		b->streams[b->cpus[i]] = bench_traffic_stream(b, s, l, i);
	/* One more packet: the generator reads the end time when that begins. */
	err = bench_send(b, bench_generator_fd(b), l->cpus, 1);
	s->next += l->cpus * l->packets;
	return err;
}

/* Returns how many packets of the last load were fresh. */
static uint64_t sent_fresh(const struct bench *b, int cpus)
{
	uint64_t fresh = 0;

	for (int i = 0; i < cpus; i++)
		fresh += b->streams[b->cpus[i]].next - b->streams[b->cpus[i]].first;
	return fresh;
}

/* Compares the packet program's counters with the packets that were sent. False positives are
 * allowed: a fresh id may count as a duplicate. When it is sent again, it may count as new, as the
 * ids whose bits it shared have been forgotten since.
 */
static int check_counters(const struct bench *b, enum bench_row row, const struct bench_load *l,
			  const struct filter_counters *before, const struct filter_counters *after)
{
	uint64_t fresh = sent_fresh(b, l->cpus);
	uint64_t rx = after->rx - before->rx, passed = after->new - before->new;
	uint64_t duplicate = after->duplicate - before->duplicate;
	uint64_t false_positives = 10 + 3 * b->setting.fpr * rx;

	if (passed <= fresh + false_positives && passed + false_positives >= fresh &&
	    passed + duplicate == rx)
		return 0;
	return diag_err(-EPROTO,
			"%s: %s: of %" PRIu64 " packets with %" PRIu64 " fresh ids %" PRIu64
			" were new, %" PRIu64 " duplicates, %llu unlearned, %llu stale",
			bench_row_name(row), bench_traffic_name(l->traffic), rx, fresh, passed,
			duplicate, (unsigned long long)(after->unlearned - before->unlearned),
			(unsigned long long)(after->stale - before->stale));
}

/* Makes one measurement: *ns is the time of a packet on each CPU; NAN if two CPUs did not run
 * concurrently, because of the scheduler.
 */
static int measure(struct bench *b, enum bench_row row, enum bench_traffic traffic, int cpus,
		   double *ns)
{
	struct bench_subject *s = &b->subject[row];
	struct filter_counters counters[2];
	const struct bench_load load = { traffic, cpus, packets_in_budget(&b->setting) };
	double rate = 0; /* packets a ns, of all CPUs together */
	int err = bench_aim(b, s->fd, s->packet)
			  ?: bench_send_counted(b, s, &load, send_load, counters);

	if (!err && s->prog)
		err = check_counters(b, row, &load, &counters[0], &counters[1]);
	if (err)
		return err;
	for (int i = 0; i < cpus; i++) {
		const struct bench_stream *stream = &b->streams[b->cpus[i]];

		rate += (double)load.packets / (stream->end_ns - stream->begin_ns);
	}
	*ns = cpus / rate;
	if (cpus == 2 && !bench_ran_at_once(&b->streams[b->cpus[0]], &b->streams[b->cpus[1]]))
		*ns = NAN;
	return 0;
}

/* Measures all rows with one traffic in direct succession: the rows are compared, and the effect of
 * other programs on the caches changes with time.
 */
static int measure_rows(struct bench *b, enum bench_traffic traffic, int cpus, int round,
			struct bench_result *out)
{
	int err = 0;

	for (int row = 0; row < BENCH_ROWS_CNT && !err; row++)
		if (out->measured[row])
			err = measure(b, row, traffic, cpus, &out->ns[cpus - 1][row][traffic][round]);
	return err;
}

static int run_round(struct bench *b, int round, struct bench_result *out)
{
	int err = 0;

	for (int cpus = 1; cpus <= b->cpus_cnt; cpus++)
		for (int traffic = 0; traffic < BENCH_TRAFFICS_CNT && !err; traffic++)
			err = measure_rows(b, traffic, cpus, round, out);
	return err;
}

/* Checks that a peer drops known ids and passes fresh ones: after the measurements, by the variant
 * of its program that counts drops.
 */
static int check_peer(struct bench *b, enum bench_row row, enum bench_traffic traffic)
{
	struct bench_subject *s = &b->subject[row];
	const struct bench_stream *stream = &b->streams[b->cpus[0]];
	struct bench_load load = { traffic, 1, lesser(fresh_budget(&b->setting) / 4, CHECK_PACKETS) };
	uint64_t sent, known, dropped;
	double slack;
	int err;

	err = bench_aim(b, s->count_fd, s->packet) ?: send_load(b, s, &load);
	if (err)
		return err;
	sent = stream->warm + load.packets + 1;
	known = sent - sent_fresh(b, 1);
	dropped = stream->dropped;
	slack = row == BENCH_LRU ? 0 : 10 + 3 * b->setting.fpr * (sent - known);
	if (dropped >= known * (row == BENCH_LRU ? KNOWN_MIN : 1) && dropped <= known + slack)
		return 0;
	return diag_err(-EPROTO,
			"%s: %s: of %" PRIu64 " packets, %" PRIu64 " of them known, %" PRIu64
			" were dropped",
			bench_row_name(row), bench_traffic_name(traffic), sent, known, dropped);
}

static int check_peers(struct bench *b)
{
	int err = 0;

	for (int row = 0; row < BENCH_ROWS_CNT; row++)
		for (int traffic = 0; traffic < BENCH_TRAFFICS_CNT && !err; traffic++)
			if (b->subject[row].count_fd >= 0)
				err = check_peer(b, row, traffic);
	return err;
}

static void progress(const struct bench_setting *setting, int round, const char *what)
{
	diag_progress("%" PRIu64 " ids, round %d of %u: %s", setting->ids, round + 1,
		      setting->rounds, what);
}

/* Fills the filters, and runs rounds, beginning with `from`, until they must be filled again.
 * Returns the next round, or a negative errno.
 */
static int run_pass(struct bench *b, int from, struct bench_result *out)
{
	const struct bench_setting *setting = &out->setting;
	uint64_t fit = fresh_budget(setting) / (packets_in_budget(setting) * fresh_a_packet() + 1);
	int to = setting->rounds, err;

	progress(setting, from, "filling");
	err = bench_open(b, !from);
	if (fit < 1)
		fit = 1;
	if (fit < (uint64_t)(to - from))
		to = from + fit;
	if (err)
		return err;
	bench_describe(b, out);
	for (int row = 0; row < BENCH_ROWS_CNT && !err; row++)
		if (out->measured[row])
			err = bench_fill_row(b, row);
	for (int round = from; round < to && !err; round++) {
		progress(setting, round, "measuring");
		err = run_round(b, round, out);
	}
	return err ?: check_peers(b) ?: to;
}

int bench_run(const struct bench_setting *setting, struct bench_result *out)
{
	struct bench b;
	int err = bench_prepare(&b, setting), round = 0;

	if (err)
		return err;
	memset(out, 0, sizeof(*out));
	out->setting = *setting;
	while (round >= 0 && round < (int)setting->rounds) {
		round = run_pass(&b, round, out);
		bench_close(&b);
	}
	return round < 0 ? round : 0;
}
