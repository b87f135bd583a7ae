// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "open_filter.h"
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

/* Uses the coarse clock, which needs no system call. It may be late by a jiffy, far less than the
 * time after which a hand counts as stopped.
 */
bool lib_is_stopped(const struct xdp_dedup_filter *f, const struct filter *of)
{
	return stats_stopped(of->config, of->state,
			     clock_ns(CLOCK_MONOTONIC_COARSE) + f->clock_offset_ns);
}

static void free_handle(struct xdp_dedup_filter *f)
{
	lib_close_views(f);
	free(f->name);
	free(f->stream);
	free(f);
}

int xdp_dedup_open(const char *name, struct xdp_dedup_filter **out)
{
	const char *stream = strchr(name, '/');
	struct xdp_dedup_filter *f = calloc(1, sizeof(*f));
	int err;

	if (!f)
		return -ENOMEM;
	f->name = strndup(name, stream ? (size_t)(stream - name) : strlen(name));
	f->stream = stream ? strdup(stream + 1) : NULL;
	err = f->name && (f->stream || !stream) ? lib_open_view(f) : -ENOMEM;
	if (!err)
		err = clock_read_offset(&f->clock_offset_ns);
	if (err) {
		free_handle(f);
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
	fips_sequences_free(&f->sequences);
	pthread_mutex_destroy(&f->absorbing);
	free_handle(f);
}

/* Converts a result of ids.h to that of the library: the all-zero id (-EINVAL) is never known. */
static int as_duplicate(int known)
{
	return known == -EINVAL ? 0 : known;
}

/* A function of ids.h or want.h. */
typedef int (*id_fn)(struct filter *f, const uint8_t *id);

static int test(struct filter *f, const uint8_t *id)
{
	return ids_test(f, id);
}

/* Calls the function with the id. If the filter's successor was put in charge meanwhile, the
 * successor's answer counts: it knows all ids of the filter, and later ones. lib_enter() finds the
 * successor at once, as serial is raised before the successor is put in charge. `won`: an earlier
 * call has already learned the id as a new one.
 */
static inline int call_with_id(const struct xdp_dedup_filter *f, struct xdp_dedup_id of, id_fn fn,
			       bool learns, bool won)
{
	uint8_t id[DEDUP_ID_BYTES_MAX];
	bool known = false, again;
	struct filter *now;
	int result;

	do {
		now = lib_enter(f);
		if (!now)
			return won ? 0 : -ESTALE;
		result = stream_make_id(now, of.bytes, of.len, id);
		if (!result)
			result = lib_is_stopped(f, now) ? -ESTALE
				 : won			? ids_learn_again(now, id)
							: as_duplicate(fn(now, id));
		again = lib_is_superseded(now);
		lib_leave();
		known |= result == 1;
		won |= learns && !result;
	} while (again);
	return known ? 1 : result;
}

int xdp_dedup_test(const struct xdp_dedup_filter *f, const void *bytes, size_t len)
{
	return call_with_id(f, (struct xdp_dedup_id){ bytes, len }, test, false, false);
}

int xdp_dedup_add(struct xdp_dedup_filter *f, const void *bytes, size_t len)
{
	return call_with_id(f, (struct xdp_dedup_id){ bytes, len }, ids_add, true, false);
}

int xdp_dedup_check_and_add(struct xdp_dedup_filter *f, const void *bytes, size_t len)
{
	return call_with_id(f, (struct xdp_dedup_id){ bytes, len }, ids_see, true, false);
}

/* Checks and adds at most IDS_AT_ONCE ids. Returns true if the filter has a successor: then
 * call_with_id() must query it for each id that is not known.
 */
static bool check_some(const struct xdp_dedup_filter *f, const struct xdp_dedup_id *ids,
		       unsigned int cnt, int *results)
{
	uint8_t id[IDS_AT_ONCE][DEDUP_ID_BYTES_MAX];
	unsigned int good = 0, at[IDS_AT_ONCE];
	struct filter *now = lib_enter(f);
	int known[IDS_AT_ONCE];
	bool again;

	for (unsigned int i = 0; i < cnt; i++)
		results[i] = -ESTALE;
	if (!now)
		return false;
	if (!lib_is_stopped(f, now)) {
		for (unsigned int i = 0; i < cnt; i++) {
			results[i] = stream_make_id(now, ids[i].bytes, ids[i].len, id[good]);
			if (!results[i])
				at[good++] = i;
		}
		ids_see_many(now, id, good, known);
		for (unsigned int i = 0; i < good; i++)
			results[at[i]] = as_duplicate(known[i]);
	}
	again = lib_is_superseded(now);
	lib_leave();
	return again;
}

size_t xdp_dedup_check_and_add_many(struct xdp_dedup_filter *f, const struct xdp_dedup_id *ids,
				    size_t cnt, int *results)
{
	size_t duplicates = 0;

	for (size_t i = 0; i < cnt; i += IDS_AT_ONCE) {
		unsigned int some = cnt - i < IDS_AT_ONCE ? cnt - i : IDS_AT_ONCE;
		bool again = check_some(f, ids + i, some, results + i);

		for (size_t j = i; j < i + some; j++) {
			if (again && results[j] != 1)
				results[j] = call_with_id(f, ids[j], ids_see, true, !results[j]);
			duplicates += results[j] == 1;
		}
	}
	return duplicates;
}

/* A filter that cannot remove ids returns -EOPNOTSUPP for any id, even the all-zero one. */
static int try_remove_id(struct filter *f, const uint8_t *id)
{
	return ids_can_remove(f) ? ids_remove(f, id) : -EOPNOTSUPP;
}

int xdp_dedup_remove(struct xdp_dedup_filter *f, const void *bytes, size_t len)
{
	return call_with_id(f, (struct xdp_dedup_id){ bytes, len }, try_remove_id, false, false);
}

int xdp_dedup_want(struct xdp_dedup_filter *f, const void *bytes, size_t len)
{
	return call_with_id(f, (struct xdp_dedup_id){ bytes, len }, want_id, false, false);
}

int xdp_dedup_counters(const struct xdp_dedup_filter *f, struct xdp_dedup_counters *out, size_t size)
{
	struct xdp_dedup_counters c = { 0 };
	struct filter_counters all;
	struct filter *now;
	int err = lib_enter_whole(f, &now);

	if (err)
		return err;
	err = filter_counters(now, &all);
	c.stopped = lib_is_stopped(f, now);
	lib_leave();
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
	c.untaken = all.untaken;
	lib_copy_out(out, size, &c, sizeof(c));
	return 0;
}

static void describe_filter(const struct dedup_config *c, struct xdp_dedup_stats *s)
{
	s->layout = layout_of(c->memory.layout)->name;
	s->hash = hash_name(c->memory.hash);
	s->capacity = c->memory.capacity;
	s->window_ns = c->memory.window_ns;
	s->fpr = plan_fpr(c);
	s->m = layout_of(c->memory.layout)->bits(c);
	s->k = c->memory.k;
}

/* Fills in the occupancy of the memory, including the predecessor's, as status prints it. */
static void read_memory(const struct filter *f, bool exact, struct xdp_dedup_stats *s)
{
	struct fill fill = stats_fill_of(f, exact, clock_ns(CLOCK_MONOTONIC));

	s->set_bits = fill.set_current;
	s->set_bits_previous = fill.set_previous;
	s->occupancy = fill.current;
	s->occupancy_previous = fill.previous;
	s->ids_estimate = fill.ids;
	s->sampled = fill.read_part < 1;
	s->ids_error = fill.ids_error;
	s->fpr_estimate = fill.fpr;
	if (!stats_uses_predecessor(f))
		return;
	s->predecessor_bytes = plan_bytes(f->predecessor->config);
	fill = stats_fill_of(f->predecessor, exact, clock_ns(CLOCK_MONOTONIC));
	s->fpr_estimate = stats_rate_of_both(s->fpr_estimate, fill.fpr);
}

static int get_stats(const struct xdp_dedup_filter *f, struct xdp_dedup_stats *out, size_t size,
		     bool exact)
{
	struct filter_counters counters;
	struct xdp_dedup_stats s = { 0 };
	const struct layout *layout;
	struct filter *now;
	int err = lib_enter_whole(f, &now);

	if (err)
		return err;
	err = filter_counters(now, &counters);
	if (err) {
		lib_leave();
		return err;
	}
	layout = layout_of(now->config->memory.layout);
	describe_filter(now->config, &s);
	read_memory(now, exact, &s);
	if (layout->approx_count)
		s.approx_count = layout->approx_count(now->config, now->state, counters.credit);
	s.rx = counters.rx;
	s.fresh = counters.new;
	s.duplicate = counters.duplicate;
	s.dropped = counters.dropped;
	s.stopped = lib_is_stopped(f, now);
	s.wanted = counters.wanted;
	lib_leave();
	lib_copy_out(out, size, &s, sizeof(s));
	return 0;
}

int xdp_dedup_stats(const struct xdp_dedup_filter *f, struct xdp_dedup_stats *out, size_t size)
{
	return get_stats(f, out, size, false);
}

int xdp_dedup_stats_exact(const struct xdp_dedup_filter *f, struct xdp_dedup_stats *out, size_t size)
{
	return get_stats(f, out, size, true);
}
