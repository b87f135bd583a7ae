// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The counters of filters as metrics. */
#include "metrics.h"

#include <string.h>

/* Counters that belong to no stream; and names by Prometheus' conventions for counters whose own
 * names do not say what they count.
 */
static const char *const FILTER_COUNTERS[] = { "ignored", "rx", "early", "late" };
static const char *const NAMES[][2] = { { "rx", "rx_packets" },
					{ "dropped", "dropped_packets" },
					{ "early", "early_blocks" },
					{ "late", "late_blocks" } };

static bool is_filter_counter(const char *counter)
{
	for (size_t i = 0; i < sizeof(FILTER_COUNTERS) / sizeof(FILTER_COUNTERS[0]); i++)
		if (!strcmp(counter, FILTER_COUNTERS[i]))
			return true;
	return false;
}

static const char *family_of(const char *counter)
{
	for (size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++)
		if (!strcmp(counter, NAMES[i][0]))
			return NAMES[i][1];
	return counter;
}

/* Writes a filter's packets by reason: those of each stream, and those of no stream. */
static void write_reasons(struct metrics_out *m, const char *filter, const struct status *s)
{
	for (uint32_t n = 0; n < s->filter.config->policy.streams_cnt; n++) {
		const char *stream = s->filter.config->policy.streams[n].name;
		const struct filter_counters *of = &s->streams[n];

#define X(name, help)                      \
	if (!is_filter_counter(#name))     \
		metrics_count(m, of->name, \
			      METRICS_LABELS("filter", filter, "stream", stream, "reason", #name));
		DEDUP_REASONS(X)
#undef X
	}
#define X(name, help)                              \
	if (is_filter_counter(#name))              \
		metrics_count(m, s->counters.name, \
			      METRICS_LABELS("filter", filter, "stream", "", "reason", #name));
	DEDUP_REASONS(X)
#undef X
}

/* Writes one counter, which is at this offset in struct filter_counters, of each filter. */
static void write_counter(struct metrics_out *m, const struct monitor *in, const char *counter,
			  const char *help, size_t offset)
{
	metrics_family(m, METRICS_COUNTER, family_of(counter), help);
	for (int i = 0; i < in->cnt; i++) {
		const char *name = in->list[i]->name;
		const struct status *s = &in->list[i]->status;

		if (in->list[i]->err)
			continue;
		if (is_filter_counter(counter)) {
			metrics_count(m, *(const __u64 *)((const char *)&s->counters + offset),
				      METRICS_LABELS("filter", name));
			continue;
		}
		for (uint32_t n = 0; n < s->filter.config->policy.streams_cnt; n++)
			metrics_count(m, *(const __u64 *)((const char *)&s->streams[n] + offset),
				      METRICS_LABELS("filter", name, "stream",
						     s->filter.config->policy.streams[n].name));
	}
}

/* Writes the fresh packets of a delivered stream by outcome. */
static void write_outcomes(struct metrics_out *m, const char *filter, const char *stream,
			   const struct filter_counters *of)
{
#define X(name, help)              \
	metrics_count(m, of->name, \
		      METRICS_LABELS("filter", filter, "stream", stream, "outcome", #name));
	DEDUP_DELIVERIES(X)
#undef X
}

static void write_deliveries(struct metrics_out *m, const struct monitor *in)
{
	metrics_family(m, METRICS_COUNTER, "deliveries",
		       "Fresh packets of streams that are delivered, by outcome.");
	for (int i = 0; i < in->cnt; i++) {
		const struct status *s = &in->list[i]->status;
		const struct dedup_config *c = s->filter.config;

		for (uint32_t n = 0; !in->list[i]->err && n < c->policy.streams_cnt; n++)
			if (c->policy.deliver >> n & 1)
				write_outcomes(m, in->list[i]->name, c->policy.streams[n].name,
					       &s->streams[n]);
	}
}

void metrics_counters(struct metrics_out *m, const struct monitor *in)
{
	metrics_family(m, METRICS_COUNTER, "packets", "Packets, by reason.");
	for (int i = 0; i < in->cnt; i++)
		if (!in->list[i]->err)
			write_reasons(m, in->list[i]->name, &in->list[i]->status);
#define X(name, help) write_counter(m, in, #name, help, offsetof(struct filter_counters, name));
	DEDUP_SUMS(X)
	DEDUP_TOTALS(X)
	X(dropped_bytes, "bytes of packets dropped")
#undef X
	write_deliveries(m, in);
}
