// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Metrics of the senders of numbered streams, and of their paths. */
#include "metrics.h"

#include <math.h>
#include <string.h>

#include "facts.h"

#define NS 1e9 /* in a second */

/* A path and its labels. The stream is "" if the filter does not have it any more. */
struct named_path {
	int filter_index;
	uint32_t sender_index, next_path;
	const struct watched *filter;
	const struct watched_sender *sender;
	const struct path_figures *path;
	const char *stream, *interface;
	char buf[IF_NAMESIZE];
};

static void name_path(struct named_path *n, uint32_t path)
{
	const struct status *s = &n->filter->status;

	n->path = &n->sender->now.paths[path];
	n->stream = sender_path_stream(s->filter.config, n->path) ?: "";
	snprintf(n->buf, sizeof(n->buf), "%u", n->path->ifindex);
	n->interface = status_iface_name(s, n->path->ifindex, n->buf) ?: n->buf;
}

/* Returns whether an earlier path gives an identical metric: all removed streams have one label. */
static bool is_repeated(const struct named_path *n)
{
	struct named_path other = *n;

	for (uint32_t p = 0; &n->sender->now.paths[p] < n->path; p++) {
		name_path(&other, p);
		if (!strcmp(other.stream, n->stream) && !strcmp(other.interface, n->interface))
			return true;
	}
	return false;
}

/* The labels of a path, and one further label with its value, or NULL. */
#define PATH_LABELS(n, ...)                                                                  \
	METRICS_LABELS("filter", (n)->filter->name, "stream", (n)->sender->stream, "source", \
		       (n)->sender->source, "path_stream", (n)->stream, "interface",         \
		       (n)->interface, __VA_ARGS__)

/* Steps to the next path, or from all zero to the first one. Returns false at the end. */
static bool next_path(const struct monitor *in, struct named_path *n)
{
	for (; n->filter_index < in->cnt; n->filter_index++, n->sender_index = 0) {
		n->filter = in->list[n->filter_index];
		for (; n->sender_index < n->filter->senders.cnt && !n->filter->err;
		     n->sender_index++, n->next_path = 0) {
			n->sender = &n->filter->senders.list[n->sender_index];
			while (n->next_path < n->sender->now.paths_cnt) {
				name_path(n, n->next_path++);
				if (!is_repeated(n))
					return true;
			}
		}
	}
	return false;
}

/* Writes copies by skew, in buckets of powers of 2 of a microsecond. There is no sum of the skews,
 * so OpenMetrics allows no count either; the last bucket has the count.
 */
static void write_skew(struct metrics_out *m, const struct named_path *n)
{
	uint64_t cnt = 0;

	for (int i = 0; i < DEDUP_SKEWS; i++) {
		uint64_t ns = accounts_skew_ns(i);
		char le[METRICS_NUMBER_MAX];

		cnt += n->path->counted.skew[i];
		metrics_count(m, cnt,
			      PATH_LABELS(n, "le",
					  metrics_number(ns == UINT64_MAX ? INFINITY : ns / NS, le)));
	}
}

static void write_left_out(struct metrics_out *m, const struct monitor *in)
{
	metrics_family(m, METRICS_GAUGE, "senders_left_out",
		       "Senders of which there are no metrics, as there are too many.");
	for (int i = 0; i < in->cnt; i++)
		if (!in->list[i]->err && in->list[i]->status.filter.config->sources.paths)
			metrics_gauge(m, in->list[i]->senders.left_out,
				      METRICS_LABELS("filter", in->list[i]->name));
}

#define COUNTER(...) FAMILY(COUNTER, __VA_ARGS__)
#define GAUGE(...) FAMILY(GAUGE, __VA_ARGS__)

static void write_senders(struct metrics_out *m, const struct monitor *in)
{
#define FAMILY(kind, key, help, value)                                                      \
	metrics_family(m, METRICS_##kind, "sender_" #key, help);                            \
	for (int i = 0; i < in->cnt; i++) {                                                 \
		const struct sender_watch *all = &in->list[i]->senders;                     \
                                                                                            \
		for (uint32_t n = 0; n < all->cnt && !in->list[i]->err; n++) {              \
			const struct source_figures *f = &all->list[n].now;                 \
                                                                                            \
			metrics_count(m, value,                                             \
				      METRICS_LABELS("filter", in->list[i]->name, "stream", \
						     all->list[n].stream, "source",         \
						     all->list[n].source));                 \
		}                                                                           \
	}
	SENDER_FACTS(NO_FACT, GAUGE, COUNTER)
#undef FAMILY
}

static void write_paths(struct metrics_out *m, const struct monitor *in)
{
#define FAMILY(kind, key, help, value)                          \
	metrics_family(m, METRICS_##kind, "path_" #key, help);  \
	for (struct named_path n = { 0 }; next_path(in, &n);) { \
		const struct path_figures *p = n.path;          \
                                                                \
		metrics_count(m, value, PATH_LABELS(&n, NULL)); \
	}
	PATH_FACTS(NO_FACT, GAUGE, COUNTER)
#undef FAMILY
	metrics_family(m, METRICS_HISTOGRAM, "path_skew_seconds",
		       "How much later than the first one copies came, of a part of the messages.");
	for (struct named_path n = { 0 }; next_path(in, &n);)
		write_skew(m, &n);
}

void metrics_senders(struct metrics_out *m, const struct monitor *in)
{
	write_senders(m, in);
	write_left_out(m, in);
	write_paths(m, in);
}
