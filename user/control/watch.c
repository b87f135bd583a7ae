// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stats.h"

#define UNSEEN_MIN 20 /* packets: fewer may be between the two counters */
#define SMALL 0.1

static struct watch_rates rates_of(const struct filter_counters *came, double seconds)
{
	double duplicates = (double)came->duplicate + came->ihave_duplicate;
	double copies = (double)came->new + came->duplicate + came->wanted;

	return (struct watch_rates){
		.packets = came->rx / seconds,
		.fresh = ((double)came->new + came->unlearned) / seconds,
		.duplicates = duplicates / seconds,
		.duplicate_bytes = came->duplicate_bytes / seconds,
		.dropped = came->dropped / seconds,
		.dropped_bytes = came->dropped_bytes / seconds,
		.delivered = came->delivered / seconds,
		.undelivered = (stats_deliveries(came) - came->delivered) / seconds,
		.share = stats_share(duplicates, (double)came->rx - came->ignored),
		.copies = stats_share(copies, came->new),
	};
}

static const struct watch_iface *find_iface(const struct watch_reading *r, const char *name)
{
	for (int i = 0; i < r->ifaces_cnt; i++)
		if (!strcmp(r->ifaces[i].name, name))
			return &r->ifaces[i];
	return NULL;
}

/* Returns how many packets the interface has received since; below 0 if that is not known. */
static double received_since(const struct watch_iface *now, const struct watch_reading *first)
{
	const struct watch_iface *then = find_iface(first, now->name);

	if (!then || !now->is_counted || !then->is_counted)
		return -1;
	/* If the number is smaller, another interface has the name now. */
	return now->received < then->received ? -1 : (double)now->received - then->received;
}

/* Returns how many packets the interface has received, all of which the filter should have seen;
 * below 0 if that is not known.
 */
static double to_be_seen(const struct watch_iface *now, const struct watch_reading *first)
{
	const struct watch_iface *then = find_iface(first, now->name);

	return now->sees_all && then && then->sees_all ? received_since(now, first) : -1;
}

/* If the filter misses at least as many packets as an interface received, it sees none of that
 * interface; of several such interfaces, takes the busiest. The counters are not read at one
 * moment: the filter's are compared over a time that contains that of the interfaces, and a small
 * part of all packets is ignored, which may be on their way. Packets that the filter saw on
 * interfaces which are not compared make `missing` too small, never too large.
 */
const char *watch_unseen(const struct watch_reading *first, const struct watch_reading *last)
{
	double sum = 0, most = 0, missing;
	const char *found = NULL;

	if (first->rx_before > first->all.rx) /* unknown, or another filter's */
		return NULL;
	for (int i = 0; i < last->ifaces_cnt; i++)
		sum += fmax(to_be_seen(&last->ifaces[i], first), 0);
	missing = sum - ((double)last->all.rx - first->rx_before);
	for (int i = 0; i < last->ifaces_cnt; i++) {
		double packets = to_be_seen(&last->ifaces[i], first);

		if (packets < UNSEEN_MIN || packets < SMALL * sum ||
		    missing < (1 - SMALL) * packets || packets <= most)
			continue;
		most = packets;
		found = last->ifaces[i].name;
	}
	return found;
}

/* Sets the rates of streams and CPUs. False if a counter has gone back, or others were before. */
static bool take_stream_rates(struct watch *w, const struct watch_reading *r, double seconds)
{
	struct filter_counters came;

	if (r->streams_cnt != w->last.streams_cnt || r->cpus_cnt != w->last.cpus_cnt ||
	    memcmp(r->slots, w->last.slots, r->streams_cnt * sizeof(*r->slots)))
		return false;
	for (int i = 0; i < r->streams_cnt; i++) {
		if (!stats_between(&r->streams[i], &w->last.streams[i], &came))
			return false;
		w->streams[i] = rates_of(&came, seconds);
	}
	free(w->cpus);
	w->cpus = r->cpus_cnt ? calloc(r->cpus_cnt, sizeof(*w->cpus)) : NULL;
	for (int i = 0; i < r->cpus_cnt && w->cpus && w->last.cpus; i++) {
		if (!stats_between(&r->cpus[i], &w->last.cpus[i], &came))
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
	const char *unseen = NULL;

	w->seconds = 0;
	if (w->last.now_ns && seconds > 0 && stats_between(&r->all, &w->last.all, &w->recent) &&
	    take_stream_rates(w, r, seconds)) {
		w->seconds = seconds;
		w->all = rates_of(&w->recent, seconds);
		for (int i = 0; i < r->ifaces_cnt; i++)
			w->ifaces[i] = received_since(&r->ifaces[i], &w->last) / seconds;
		unseen = watch_unseen(&w->last, r);
		remember(w);
	}
	snprintf(w->unseen, sizeof(w->unseen), "%s", unseen ?: "");
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
