// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "xdp-dedup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "ids.h"
#include "layout.h"
#include "lib_handle.h"
#include "plan.h"
#include "stats.h"
#include "stream_ids.h"
#include "want.h"

/* By the coarse clock, which is read without a system call. It may be behind by a jiffy, which is
 * far less than what counts as stopped.
 */
bool lib_is_stopped(const struct xdp_dedup_filter *f)
{
	return stats_stopped(f->filter.config, f->filter.state,
			     clock_ns(CLOCK_MONOTONIC_COARSE) + f->clock_offset_ns);
}

int xdp_dedup_open(const char *name, struct xdp_dedup_filter **out)
{
	const char *stream = strchr(name, '/');
	struct xdp_dedup_filter *f = calloc(1, sizeof(*f));
	char *filter = strndup(name, stream ? (size_t)(stream - name) : strlen(name));
	int err = f && filter ? filter_open(filter, &f->filter) : -ENOMEM;

	free(filter);
	if (!err && stream) {
		err = stream_select(&f->filter, stream + 1);
		if (err)
			filter_close(&f->filter);
	}
	if (err) {
		free(f);
		return err;
	}
	err = clock_measure_offset(&f->clock_offset_ns);
	if (err) {
		filter_close(&f->filter);
		free(f);
		return err;
	}
	pthread_mutex_init(&f->absorbing, NULL);
	*out = f;
	return 0;
}

void xdp_dedup_close(struct xdp_dedup_filter *f)
{
	if (!f)
		return;
	filter_close(&f->filter);
	fips_heard_free(&f->heard);
	pthread_mutex_destroy(&f->absorbing);
	free(f);
}

/* What ids.h returned, as the library returns it: the all-zero id, -EINVAL there, is never known. */
static int as_duplicate(int known)
{
	return known == -EINVAL ? 0 : known;
}

int xdp_dedup_test(const struct xdp_dedup_filter *f, const void *bytes, size_t len)
{
	uint8_t id[DEDUP_ID_BYTES_MAX];
	int err = stream_make_id(&f->filter, bytes, len, id);

	if (err)
		return err;
	return lib_is_stopped(f) ? -ESTALE : ids_test(&f->filter, id);
}

int xdp_dedup_add(struct xdp_dedup_filter *f, const void *bytes, size_t len)
{
	uint8_t id[DEDUP_ID_BYTES_MAX];
	int err = stream_make_id(&f->filter, bytes, len, id);

	if (err)
		return err;
	return lib_is_stopped(f) ? -ESTALE : as_duplicate(ids_add(&f->filter, id));
}

int xdp_dedup_check_and_add(struct xdp_dedup_filter *f, const void *bytes, size_t len)
{
	uint8_t id[DEDUP_ID_BYTES_MAX];
	int err = stream_make_id(&f->filter, bytes, len, id);

	if (err)
		return err;
	return lib_is_stopped(f) ? -ESTALE : as_duplicate(ids_see(&f->filter, id));
}

/* xdp_dedup_check_and_add_many() for at most IDS_AT_ONCE ids. */
static size_t check_some(struct xdp_dedup_filter *f, const struct xdp_dedup_id *ids,
			 unsigned int cnt, int *results)
{
	uint8_t id[IDS_AT_ONCE][DEDUP_ID_BYTES_MAX];
	int err[IDS_AT_ONCE];
	size_t duplicates = 0;

	for (unsigned int i = 0; i < cnt; i++) /* all zero after an error, which is no id */
		err[i] = stream_make_id(&f->filter, ids[i].bytes, ids[i].len, id[i]);
	ids_see_many(&f->filter, id, cnt, results);
	for (unsigned int i = 0; i < cnt; i++) {
		results[i] = err[i] ?: as_duplicate(results[i]);
		duplicates += results[i] == 1;
	}
	return duplicates;
}

size_t xdp_dedup_check_and_add_many(struct xdp_dedup_filter *f, const struct xdp_dedup_id *ids,
				    size_t cnt, int *results)
{
	bool stopped = lib_is_stopped(f);
	size_t duplicates = 0;

	for (size_t i = 0; i < cnt; i += IDS_AT_ONCE) {
		unsigned int some = cnt - i < IDS_AT_ONCE ? cnt - i : IDS_AT_ONCE;

		if (!stopped)
			duplicates += check_some(f, ids + i, some, results + i);
		for (unsigned int j = 0; j < some && stopped; j++)
			results[i + j] = -ESTALE;
	}
	return duplicates;
}

int xdp_dedup_remove(struct xdp_dedup_filter *f, const void *bytes, size_t len)
{
	uint8_t id[DEDUP_ID_BYTES_MAX];
	int err = stream_make_id(&f->filter, bytes, len, id);

	if (!err && !ids_can_remove(&f->filter))
		err = -EOPNOTSUPP;
	if (err)
		return err;
	err = ids_remove(&f->filter, id);
	return err == -EINVAL ? 0 : err;
}

int xdp_dedup_want(struct xdp_dedup_filter *f, const void *bytes, size_t len)
{
	uint8_t id[DEDUP_ID_BYTES_MAX];
	int err = stream_make_id(&f->filter, bytes, len, id);

	if (err)
		return err;
	if (lib_is_stopped(f))
		return -ESTALE;
	err = want_id(&f->filter, id);
	return err == -EINVAL ? 0 : err;
}

/* Copies our struct to a caller's whose version of it may be shorter or longer: cut, or filled up
 * with zeros.
 */
static void hand_out(void *out, size_t out_size, const void *from, size_t size)
{
	memset(out, 0, out_size);
	memcpy(out, from, size < out_size ? size : out_size);
}

int xdp_dedup_counters(const struct xdp_dedup_filter *f, struct xdp_dedup_counters *out, size_t size)
{
	struct xdp_dedup_counters c = { 0 };
	struct filter_counters all;
	int err = filter_counters(&f->filter, &all);

	if (err)
		return err;
	c.rx = all.rx;
	c.dropped = all.dropped;
	c.fresh = all.new;
	c.duplicate = all.duplicate;
	c.ihave_fresh = all.ihave_new;
	c.ihave_duplicate = all.ihave_duplicate;
	c.unlearned = all.unlearned;
	c.stale = all.stale;
	c.duplicate_bytes = all.duplicate_bytes;
	c.early = all.early;
	c.late = all.late;
	c.wanted = all.wanted;
	c.stopped = lib_is_stopped(f);
	hand_out(out, size, &c, sizeof(c));
	return 0;
}

static int get_stats(const struct xdp_dedup_filter *f, struct xdp_dedup_stats *out, size_t size,
		     struct sample sample)
{
	const struct dedup_config *c = f->filter.config;
	const struct layout *layout = layout_of(c->layout);
	struct dedup_state *st = f->filter.state;
	struct filter_counters counters;
	struct xdp_dedup_stats s = {
		.layout = layout->name,
		.hash = hash_name(c->hash),
		.capacity = c->capacity,
		.window_ns = c->window_ns,
		.fpr = plan_fpr(c),
		.m = layout->bits(c),
		.k = c->k,
	};
	int err = filter_counters(&f->filter, &counters);
	struct fill fill;

	if (err)
		return err;
	fill = stats_fill_by(c, f->filter.blocks, READ_ONCE(st->hand), sample);
	s.set_bits = fill.set_current;
	s.set_bits_previous = fill.set_previous;
	s.occupancy = fill.current;
	s.occupancy_previous = fill.previous;
	s.ids_estimate = fill.ids;
	s.fpr_estimate = fill.fpr;
	s.sampled = fill.read_part < 1;
	s.ids_error = fill.ids_error;
	if (layout->approx_count)
		s.approx_count = layout->approx_count(c, st, counters.credit);
	s.rx = counters.rx;
	s.fresh = counters.new;
	s.duplicate = counters.duplicate;
	s.dropped = counters.dropped;
	s.stopped = lib_is_stopped(f);
	s.wanted = counters.wanted;
	hand_out(out, size, &s, sizeof(s));
	return 0;
}

int xdp_dedup_stats(const struct xdp_dedup_filter *f, struct xdp_dedup_stats *out, size_t size)
{
	return get_stats(f, out, size, fill_sample(f->filter.config, clock_ns(CLOCK_MONOTONIC)));
}

int xdp_dedup_stats_exact(const struct xdp_dedup_filter *f, struct xdp_dedup_stats *out, size_t size)
{
	return get_stats(f, out, size, FILL_ALL);
}
