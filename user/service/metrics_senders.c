// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Metrics of the senders of numbered streams, and of their paths. */
#include "metrics.h"

#include <math.h>
#include <string.h>

#define NS 1e9 /* in a second */

/* Of each sender: kind, family, help, value, of s, its struct source_figures. */
#define SENDER_METRICS(X)                                                                           \
	X(COUNTER, messages, "Messages that the sender has sent since its first one came.",         \
	  s->messages)                                                                              \
	X(COUNTER, lost, "Messages that no path had brought when they left the history.", s->lost)  \
	X(COUNTER, restarts, "How often the sender's numbers began anew elsewhere.", s->restarts)   \
	X(COUNTER, jumped, "Messages between a silence's begin and its end, perhaps lost.",         \
	  s->jumped)                                                                                \
	X(COUNTER, other_packets, "Packets on paths for which the account had no room.", s->others) \
	X(GAUGE, missing, "Messages in the history that no path has brought.", s->missing)          \
	X(GAUGE, redundant, "Whether several paths bring all messages: none is silent.",            \
	  s->redundant)                                                                             \
	X(GAUGE, partial, "Whether the sender also numbers packets that do not come here.",         \
	  s->partial)

/* Of each path: kind, family, help, value, of p, its struct path_figures. */
#define PATH_METRICS(X)                                                                              \
	X(COUNTER, packets, "Packets of the sender that came on the path.", p->counted.packets)      \
	X(COUNTER, messages, "Messages sent since the path brought its first one.", p->messages)     \
	X(COUNTER, received, "Messages that the path has brought, each counted once.",               \
	  p->counted.received)                                                                       \
	X(COUNTER, first, "Messages that the path has brought before all others.", p->counted.first) \
	X(COUNTER, lost, "Messages that the path had not brought when they left the history.",       \
	  p->lost)                                                                                   \
	X(COUNTER, out_of_order, "Messages that came behind a higher one of the path.",              \
	  p->counted.out_of_order)                                                                   \
	X(COUNTER, repeated, "Messages that the path had brought before.", p->counted.repeated)      \
	X(COUNTER, late, "Messages older than the history.", p->counted.late)                        \
	X(COUNTER, far, "Messages whose numbers are far from the sender's others.", p->counted.far)  \
	X(COUNTER, unnoted, "Packets that are not counted here, because another CPU was stopped.",   \
	  p->counted.unnoted)                                                                        \
	X(GAUGE, missing, "Messages in the history that the path has not brought.", p->missing)      \
	X(GAUGE, behind, "Messages above the highest one that the path has brought.", p->behind)     \
	X(GAUGE, silent, "Whether the path brings nothing, while others do.", p->silent)

/* A path, and how it is named: the stream is "" if the filter has it no longer. */
struct named_path {
	const struct watched *filter;
	const struct watched_sender *sender;
	const struct path_figures *path;
	const char *stream, *interface;
};

static void name_path(struct named_path *n, uint32_t path, char room[IF_NAMESIZE])
{
	const struct status *s = &n->filter->status;

	n->path = &n->sender->now.paths[path];
	n->stream = sender_path_stream(s->filter.config, n->path) ?: "";
	n->interface = status_iface_name(s, n->path->ifindex, room);
	if (n->interface)
		return;
	snprintf(room, IF_NAMESIZE, "%u", n->path->ifindex);
	n->interface = room;
}

/* Would an earlier path give an identical metric? Of streams that are gone there may be several. */
static bool is_repeated(const struct named_path *n)
{
	char room[IF_NAMESIZE];
	struct named_path other = *n;

	for (uint32_t p = 0; &n->sender->now.paths[p] < n->path; p++) {
		name_path(&other, p, room);
		if (!strcmp(other.stream, n->stream) && !strcmp(other.interface, n->interface))
			return true;
	}
	return false;
}

/* And a further label and its value, or NULL. */
#define PATH_LABELS(n, ...)                                                                  \
	METRICS_LABELS("filter", (n)->filter->name, "stream", (n)->sender->stream, "source", \
		       (n)->sender->source, "path_stream", (n)->stream, "interface",         \
		       (n)->interface, __VA_ARGS__)

/* Writes what a function does of each path. */
static void write_paths(struct metrics_out *m, const struct monitor *in,
			void (*write)(struct metrics_out *m, const struct named_path *n))
{
	char room[IF_NAMESIZE];

	for (int i = 0; i < in->cnt; i++) {
		const struct sender_watch *f = &in->list[i]->senders;

		for (uint32_t k = 0; k < f->cnt && !in->list[i]->err; k++) {
			struct named_path n = { .filter = in->list[i], .sender = &f->list[k] };

			for (uint32_t p = 0; p < n.sender->now.paths_cnt; p++) {
				name_path(&n, p, room);
				if (!is_repeated(&n))
					write(m, &n);
			}
		}
	}
}

static void write_senders(struct metrics_out *m, const struct monitor *in,
			  uint64_t (*value)(const struct source_figures *s))
{
	for (int i = 0; i < in->cnt; i++) {
		const struct sender_watch *f = &in->list[i]->senders;

		for (uint32_t k = 0; k < f->cnt && !in->list[i]->err; k++)
			metrics_count(m, value(&f->list[k].now),
				      METRICS_LABELS("filter", in->list[i]->name, "stream",
						     f->list[k].stream, "source", f->list[k].source));
	}
}

#define X(kind, name, help, value)                                    \
	static uint64_t sender_##name(const struct source_figures *s) \
	{                                                             \
		return (value);                                       \
	}
SENDER_METRICS(X)
#undef X

#define X(kind, name, help, value)                                                       \
	static void write_path_##name(struct metrics_out *m, const struct named_path *n) \
	{                                                                                \
		const struct path_figures *p = n->path;                                  \
                                                                                         \
		metrics_count(m, (value), PATH_LABELS(n, NULL));                         \
	}
PATH_METRICS(X)
#undef X

/* Copies by their skew. The account has powers of 2 of a microsecond: less than each. There is no
 * sum of the skews, as nothing adds them up; without a sum, OpenMetrics wants no count either. The
 * last bucket has the count.
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

void metrics_senders(struct metrics_out *m, const struct monitor *in)
{
#define X(kind, name, help, value)                                \
	metrics_family(m, METRICS_##kind, "sender_" #name, help); \
	write_senders(m, in, sender_##name);
	SENDER_METRICS(X)
#undef X
	write_left_out(m, in);
#define X(kind, name, help, value)                              \
	metrics_family(m, METRICS_##kind, "path_" #name, help); \
	write_paths(m, in, write_path_##name);
	PATH_METRICS(X)
#undef X
	metrics_family(m, METRICS_HISTOGRAM, "path_skew_seconds",
		       "How much later than the first one copies came, of a part of the messages.");
	write_paths(m, in, write_skew);
}
