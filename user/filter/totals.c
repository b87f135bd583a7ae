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

/* Reads all CPUs' counters of a row of the map `stats`. Returns them, and the caller frees them; or
 * NULL, and sets errno.
 */
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
	/* Counters of the previous format are shorter, so the last CPU's are moved first. */
	for (int i = cpus - 1; each && bytes < sizeof(*each) && i >= 0; i--) {
		memmove(&each[i], (char *)each + i * bytes, bytes);
		memset((char *)&each[i] + bytes, 0, sizeof(*each) - bytes);
	}
	return each;
}

/* Returns how many packets the program of this configuration has dropped. */
static __u64 drops_of(const struct dedup_config *c, const struct dedup_counters *of)
{
	if (c->policy.action != DEDUP_DROP)
		return of->timed_drops;
	return of->duplicate + (c->asked.ihave_pass ? 0 : of->ihave_duplicate);
}

static __u64 drop_bytes_of(const struct dedup_config *c, const struct dedup_counters *of)
{
	return c->policy.action == DEDUP_DROP ? of->duplicate_bytes : of->timed_bytes;
}

/* Returns the previous program's stream whose counters stream n continues; -1 if there is none.
 * That is the one with its slot. If the ids were lost, and so the slot, it is the one with its
 * name, unless that continues under another name.
 */
static int old_stream(const struct dedup_config *old, const struct dedup_config *c, __u32 n)
{
	int n_old = kept_of_slot(old, c->policy.streams[n].slot);

	if (n_old >= 0)
		return n_old;
	n_old = stream_number(old, c->policy.streams[n].name);
	return n_old >= 0 && kept_of_slot(c, old->policy.streams[n_old].slot) < 0 ? n_old : -1;
}

/* Adds a CPU's counters of a row. earlier: the row is of earlier programs, and counts all drops as
 * timed ones.
 */
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

/* Where counters are added: to *sum; or with `of_each`, those of each CPU to one of sum[cpus]. */
struct sums {
	struct filter_counters *sum;
	int cpus;
	bool of_each;
};

/* Adds the counters of rows first to end - 1. */
static int add_rows(const struct filter *f, __u32 first, __u32 end, const struct sums *to)
{
	for (__u32 row = first; row < end; row++) {
		struct dedup_counters *each = read_row(f, row, to->cpus);

		if (!each)
			return -errno;
		for (int i = 0; i < to->cpus; i++)
			add_cpu(f, &each[i], row >= f->config->policy.streams_cnt,
				&to->sum[to->of_each ? i : 0]);
		free(each);
	}
	return 0;
}

/* Returns the previous program while the counters of *f do not yet contain its counts and those of
 * earlier programs (filter_keep_counters()); else NULL.
 */
static const struct filter *uncounted_program(const struct filter *f)
{
	bool is_uncounted = f->config->earlier_stats && f->staged &&
			    filter_is_later(f, f->staged) && !READ_ONCE(f->record->has_counts);

	return is_uncounted ? f->staged : NULL;
}

static int add_all(const struct filter *f, const struct sums *to)
{
	const struct filter *old = uncounted_program(f);
	__u32 streams = f->config->policy.streams_cnt;

	return add_rows(f, 0, old ? streams : totals_rows(f->config), to)
		       ?: old ? add_rows(old, 0, totals_rows(old->config), to)
			      : 0;
}

/* Adds the row of stream n, and the stream's row of earlier programs. */
static int add_stream(const struct filter *f, __u32 n, const struct sums *to)
{
	__u32 earlier = f->config->policy.streams_cnt + n;

	return add_rows(f, n, n + 1, to)
		       ?: f->config->earlier_stats ? add_rows(f, earlier, earlier + 1, to)
						   : 0;
}

int filter_cpu_counters(const struct filter *f, struct filter_counters **each, int *cpus)
{
	int err;

	*cpus = libbpf_num_possible_cpus();
	*each = *cpus < 0 ? NULL : calloc(*cpus, sizeof(**each));
	if (!*each)
		return *cpus < 0 ? *cpus : -ENOMEM;
	err = add_all(f, &(struct sums){ .sum = *each, .cpus = *cpus, .of_each = true });
	if (err) {
		free(*each);
		*each = NULL;
	}
	return err;
}

/* Returns the row of *f that keeps this row of *old: that of the continuing stream, or the last. */
static __u32 kept_row(const struct filter *old, __u32 row, const struct filter *f)
{
	__u32 streams = f->config->policy.streams_cnt, n = 0;
	__u32 streams_old = old->config->policy.streams_cnt;

	while (n < streams && (row >= 2 * streams_old ||
			       old_stream(old->config, f->config, n) != (int)(row % streams_old)))
		n++;
	return streams + n;
}

/* Adds each CPU's counters of a row to that CPU's sums. */
static int keep_row(const struct filter *old, __u32 row, int cpus, struct dedup_counters *sums)
{
	bool earlier = row >= old->config->policy.streams_cnt;
	struct dedup_counters *each = read_row(old, row, cpus);

	if (!each)
		return -errno;
	for (int i = 0; i < cpus; i++) {
		__u64 drops = earlier ? each[i].timed_drops : drops_of(old->config, &each[i]);

		if (!earlier)
			each[i].timed_bytes = drop_bytes_of(old->config, &each[i]);
		each[i].timed_drops = drops;
		each[i].credit = 0;
		for (size_t j = 0; j < sizeof(*each) / sizeof(__u64); j++)
			((__u64 *)&sums[i])[j] += ((__u64 *)&each[i])[j];
	}
	free(each);
	return 0;
}

/* Writes a row of *f with the counts of those rows of *old that it keeps. */
static int keep_in_row(const struct filter *old, const struct filter *f, __u32 row, int cpus)
{
	struct dedup_counters *sums = calloc(cpus, sizeof(*sums));
	int err = sums ? 0 : -ENOMEM;

	for (__u32 from = 0; from < totals_rows(old->config) && !err; from++)
		if (kept_row(old, from, f) == row)
			err = keep_row(old, from, cpus, sums);
	if (!err && bpf_map_update_elem(f->stats_fd, &row, sums, BPF_ANY))
		err = -errno;
	free(sums);
	return err;
}

int filter_keep_counters(const struct filter *old, const struct filter *f)
{
	int cpus = libbpf_num_possible_cpus(), err = cpus < 0 ? cpus : 0;
	__u32 row = f->config->policy.streams_cnt;

	for (; row < totals_rows(f->config) && !err; row++)
		err = keep_in_row(old, f, row, cpus);
	if (!err)
		WRITE_ONCE(f->record->has_counts, 1);
	return err;
}

int filter_counters(const struct filter *f, struct filter_counters *sum)
{
	struct sums to = { .sum = sum, .cpus = libbpf_num_possible_cpus() };

	*sum = (struct filter_counters){ 0 };
	return to.cpus < 0 ? to.cpus : add_all(f, &to);
}

int filter_stream_counters(const struct filter *f, uint32_t n, struct filter_counters *sum)
{
	struct sums to = { .sum = sum, .cpus = libbpf_num_possible_cpus() };
	const struct filter *old = uncounted_program(f);
	int from = old ? old_stream(old->config, f->config, n) : -1, err = to.cpus;

	*sum = (struct filter_counters){ 0 };
	if (to.cpus >= 0)
		err = old ? add_rows(f, n, n + 1, &to) : add_stream(f, n, &to);
	if (!err && from >= 0)
		err = add_stream(old, from, &to);
	sum->rx -= sum->ignored;
	sum->ignored = sum->early = sum->late = 0;
	return err;
}
