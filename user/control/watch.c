// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "watch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

static double share(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static struct watch_rates rates_of(const struct filter_counters *came, double seconds)
{
	double duplicates = (double)came->duplicate + came->ihave_duplicate;

	return (struct watch_rates){
		.packets = came->rx / seconds,
		.fresh = ((double)came->new + came->unlearned) / seconds,
		.duplicates = duplicates / seconds,
		.duplicate_bytes = came->duplicate_bytes / seconds,
		.dropped = came->dropped / seconds,
		.dropped_bytes = came->dropped_bytes / seconds,
		.delivered = came->delivered / seconds,
		.undelivered = (stats_deliveries(came) - came->delivered) / seconds,
		.share = share(duplicates, (double)came->rx - came->ignored),
		.copies = share((double)came->new + came->duplicate + came->wanted, came->new),
	};
}

static double iface_rate(const struct watch_iface *now, const struct watch_reading *before,
			 double seconds)
{
	for (int i = 0; i < before->ifaces_cnt; i++)
		if (!strcmp(now->name, before->ifaces[i].name) && now->known &&
		    before->ifaces[i].known)
			return (uint32_t)(now->packets - before->ifaces[i].packets) / seconds;
	return -1;
}

/* Streams and CPUs; false if a counter has gone back, or there are others than before. */
static bool take_parts(struct watch *w, const struct watch_reading *r, double seconds)
{
	struct filter_counters came;

	if (r->streams_cnt != w->last.streams_cnt || r->cpus_cnt != w->last.cpus_cnt ||
	    memcmp(r->slots, w->last.slots, r->streams_cnt * sizeof(*r->slots)))
		return false;
	for (int i = 0; i < r->streams_cnt; i++) {
		if (!stats_came(&r->streams[i], &w->last.streams[i], &came))
			return false;
		w->streams[i] = rates_of(&came, seconds);
	}
	free(w->cpus);
	w->cpus = r->cpus_cnt ? calloc(r->cpus_cnt, sizeof(*w->cpus)) : NULL;
	for (int i = 0; i < r->cpus_cnt && w->cpus && w->last.cpus; i++) {
		if (!stats_came(&r->cpus[i], &w->last.cpus[i], &came))
			return false;
		w->cpus[i] = rates_of(&came, seconds);
	}
	return true;
}

static void remember(struct watch *w)
{
	if (w->history_cnt == WATCH_HISTORY) {
		memmove(w->packets, w->packets + 1, sizeof(w->packets) - sizeof(w->packets[0]));
		memmove(w->duplicates, w->duplicates + 1,
			sizeof(w->duplicates) - sizeof(w->duplicates[0]));
		w->history_cnt--;
	}
	w->packets[w->history_cnt] = w->all.packets;
	w->duplicates[w->history_cnt++] = w->all.duplicates;
}

void watch_take(struct watch *w, struct watch_reading *r)
{
	double seconds = ((double)r->now_ns - w->last.now_ns) / 1e9;

	w->seconds = 0;
	if (w->last.now_ns && seconds > 0 && stats_came(&r->all, &w->last.all, &w->recent) &&
	    take_parts(w, r, seconds)) {
		w->seconds = seconds;
		w->all = rates_of(&w->recent, seconds);
		for (int i = 0; i < r->ifaces_cnt; i++)
			w->ifaces[i] = iface_rate(&r->ifaces[i], &w->last, seconds);
		remember(w);
	}
	free(w->last.cpus);
	w->last = *r;
	r->cpus = NULL;
}

void watch_free(struct watch *w)
{
	free(w->last.cpus);
	free(w->cpus);
	*w = (struct watch){ 0 };
}

int watch_spark(const double *history, int history_cnt, int steps, int cnt, int *heights)
{
	const double *first;
	double most = 0;

	if (cnt > history_cnt)
		cnt = history_cnt;
	first = history + history_cnt - cnt;
	for (int i = 0; i < cnt; i++)
		most = first[i] > most ? first[i] : most;
	for (int i = 0; i < cnt; i++)
		heights[i] = first[i] > 0 ? (int)ceil(first[i] / most * steps) : 0;
	return cnt;
}
