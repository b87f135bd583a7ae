// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "totals.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "config_streams.h"
#include "kept.h"
#include "open.h"

/* Every CPU's counters of a row of the map `stats`, which the caller frees. NULL, and errno. */
static struct dedup_counters *read_row(const struct filter *f, __u32 row, int cpus)
{
	struct dedup_counters *each = calloc(cpus, sizeof(*each));
	size_t bytes = f->counters_bytes;
	int err;

	if (each && bpf_map_lookup_elem(f->stats_fd, &row, each)) {
		err = errno;
		free(each);
		errno = err;
		return NULL;
	}
	/* Those of the format before are shorter: the last is moved first. */
	for (int i = cpus - 1; each && bytes < sizeof(*each) && i >= 0; i--) {
		memmove(&each[i], (char *)each + i * bytes, bytes);
		memset((char *)&each[i] + bytes, 0, sizeof(*each) - bytes);
	}
	return each;
}

/* What the packet program of this configuration has dropped. */
static __u64 drops_of(const struct dedup_config *c, const struct dedup_counters *of)
{
	if (c->policy.action != DEDUP_DROP)
		return of->timed_drops;
	return of->duplicate + (c->policy.ihave_pass ? 0 : of->ihave_duplicate);
}

static __u64 drop_bytes_of(const struct dedup_config *c, const struct dedup_counters *of)
{
	return c->policy.action == DEDUP_DROP ? of->duplicate_bytes : of->timed_bytes;
}

/* The stream of the program before that goes on as stream n, as far as counters go; -1: none does.
 * A filter of one stream, and GSP/1 alone, keep all. A stream that has lost its ids, and so its
 * slot, goes by its name, unless the stream that had this name goes on by another one.
 */
static int stream_before(const struct dedup_config *old, const struct dedup_config *c, __u32 n)
{
	int was = kept_of_slot(old, c->policy.streams[n].slot);

	if (was >= 0 || (old->policy.streams_cnt == 1 && c->policy.streams_cnt == 1))
		return was < 0 ? 0 : was;
	was = stream_number(old, c->policy.streams[n].name);
	return was >= 0 && kept_of_slot(c, old->policy.streams[was].slot) < 0 ? was : -1;
}

/* Adds what a CPU has counted in a row; `earlier` as below. */
static void add_cpu(const struct filter *f, const struct dedup_counters *of, bool earlier,
		    struct filter_counters *sum)
{
#define X(name, help) sum->name += of->name;
	DEDUP_REASONS(X)
	DEDUP_TOTALS(X)
	DEDUP_DELIVERIES(X)
#undef X
#define X(name, help) sum->rx += of->name;
	DEDUP_REASONS(X)
#undef X
	sum->credit += of->credit;
	sum->dropped += earlier ? of->timed_drops : drops_of(f->config, of);
	sum->dropped_bytes += earlier ? of->timed_bytes : drop_bytes_of(f->config, of);
}

/* Where counters are added: of all CPUs to *sum; or with `of_each` of each CPU to one of sum[cpus]. */
struct sums {
	struct filter_counters *sum;
	int cpus;
	bool of_each;
};

/* Adds the counters of a row; `earlier`: of earlier programs, whose drops are in it as timed ones. */
static int add_row(const struct filter *f, __u32 row, bool earlier, const struct sums *to)
{
	struct dedup_counters *each = read_row(f, row, to->cpus);

	if (!each)
		return -errno;
	for (int i = 0; i < to->cpus; i++)
		add_cpu(f, &each[i], earlier, &to->sum[to->of_each ? i : 0]);
	free(each);
	return 0;
}

/* What earlier programs have counted in stream n: it is in the filter's counters, or while that is
 * not so (filter_keep_counters()) still in those of the program before it.
 */
static int add_earlier(const struct filter *f, __u32 n, const struct sums *to)
{
	const struct filter *old = f->staged;
	int from, err;

	if (!f->config->earlier_stats)
		return 0;
	if (!old || !filter_is_later(f, old) || READ_ONCE(f->record->has_counts))
		return add_row(f, f->config->policy.streams_cnt + n, true, to);
	from = stream_before(old->config, f->config, n);
	if (from < 0)
		return 0;
	err = add_row(old, from, false, to);
	if (!err && old->config->earlier_stats)
		err = add_row(old, old->config->policy.streams_cnt + from, true, to);
	return err;
}

/* Adds the counters of streams first to end - 1. */
static int add_rows(const struct filter *f, __u32 first, __u32 end, const struct sums *to)
{
	int err = 0;

	for (__u32 n = first; n < end && !err; n++)
		err = add_row(f, n, false, to) ?: add_earlier(f, n, to);
	return err;
}

static int sum_counters(const struct filter *f, __u32 first, __u32 end, struct filter_counters *sum)
{
	struct sums to = { .sum = sum, .cpus = libbpf_num_possible_cpus() };

	*sum = (struct filter_counters){ 0 };
	return to.cpus < 0 ? to.cpus : add_rows(f, first, end, &to);
}

int filter_cpu_counters(const struct filter *f, struct filter_counters **each, int *cpus)
{
	int err;

	*cpus = libbpf_num_possible_cpus();
	*each = *cpus < 0 ? NULL : calloc(*cpus, sizeof(**each));
	if (!*each)
		return *cpus < 0 ? *cpus : -ENOMEM;
	err = add_rows(f, 0, f->config->policy.streams_cnt,
		       &(struct sums){ .sum = *each, .cpus = *cpus, .of_each = true });
	if (err) {
		free(*each);
		*each = NULL;
	}
	return err;
}

/* Of one stream: makes what `from` of *old has counted what earlier programs of n have. */
static int keep_stream(const struct filter *old, uint32_t from, const struct filter *f, uint32_t n)
{
	__u32 row = f->config->policy.streams_cnt + n,
	      earlier = old->config->policy.streams_cnt + from;
	int cpus = libbpf_num_possible_cpus(), err = 0;
	struct dedup_counters *each, *before = NULL;

	if (cpus < 0)
		return cpus;
	each = read_row(old, from, cpus);
	if (!each)
		return -errno;
	for (int i = 0; i < cpus; i++) {
		__u64 drops = drops_of(old->config, &each[i]);

		each[i].timed_bytes = drop_bytes_of(old->config, &each[i]);
		each[i].timed_drops = drops;
		each[i].credit = 0;
	}
	if (old->config->earlier_stats) {
		before = read_row(old, earlier, cpus);
		err = before ? 0 : -errno;
	}
	for (int i = 0; i < cpus && before; i++)
		for (size_t j = 0; j < sizeof(*each) / sizeof(__u64); j++)
			((__u64 *)&each[i])[j] += ((__u64 *)&before[i])[j];
	if (!err && bpf_map_update_elem(f->stats_fd, &row, each, BPF_ANY))
		err = -errno;
	free(before);
	free(each);
	return err;
}

int filter_keep_counters(const struct filter *old, const struct filter *f)
{
	int err = 0;

	for (__u32 n = 0; n < f->config->policy.streams_cnt && !err; n++) {
		int from = stream_before(old->config, f->config, n);

		if (from >= 0)
			err = keep_stream(old, from, f, n);
	}
	if (!err)
		WRITE_ONCE(f->record->has_counts, 1);
	return err;
}

int filter_counters(const struct filter *f, struct filter_counters *sum)
{
	return sum_counters(f, 0, f->config->policy.streams_cnt, sum);
}

int filter_stream_counters(const struct filter *f, uint32_t n, struct filter_counters *sum)
{
	int err = sum_counters(f, n, n + 1, sum);

	sum->rx -= sum->ignored;
	sum->ignored = sum->early = sum->late = 0;
	return err;
}
