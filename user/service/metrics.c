// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "metrics.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>

#include "open_filter.h"
#include "plan.h"
#include "version.h"

#define NS 1e9 /* in a second */

/* Of each filter that can be read: the family's name, its help, its value, of s, the filter's
 * struct status, c, its configuration, and r, its struct watched.
 */
#define GAUGES(X)                                                                                    \
	X(dropping, "Whether duplicates are dropped now.", status_drops(s))                          \
	X(attached_interfaces, "Interfaces that run the filter, in whatever network namespace.",     \
	  attached_cnt(s))                                                                           \
	X(capacity_ids, "Ids in a window for which the filter is made.", c->memory.capacity)         \
	X(estimated_ids, "Ids in the filter, estimated from its bits.", s->fill.ids)                 \
	X(estimated_ids_error, "Standard error of estimated_ids, if only a sample was read.",        \
	  s->fill.ids_error)                                                                         \
	X(target_fpr_ratio, "Highest probability that a fresh id is taken for a known one.",         \
	  plan_fpr(c))                                                                               \
	X(estimated_fpr_ratio,                                                                       \
	  "This probability now, estimated from the bits, with the predecessor's.", s->fpr)          \
	X(window_seconds, "How long ids are remembered, at least, within the capacity.",             \
	  c->memory.window_ns / NS)                                                                  \
	X(effective_window_seconds, "How long ids are remembered, at least, at the present load.",   \
	  monitor_window_ns(r) / NS)                                                                 \
	X(oldest_id_age_seconds, "Age of the oldest id that may still be known, at most.",           \
	  s->oldest_ns / NS)                                                                         \
	X(hand_position_ratio, "How far the hand is in its turn.", s->hand)                          \
	X(hand_turns, "Turns that the hand has completed.", s->turns)                                \
	X(hand_lag_seconds, "How long the place at the hand has been due.", r->hand_lag_ns / NS)     \
	X(hand_lag_max_seconds, "The longest time that a place was due before the hand passed it.",  \
	  READ_ONCE(s->filter.state->late_max_ns) / NS)                                              \
	X(hand_stopped, "Whether the hand has stopped, so that every packet passes.", s->stopped)    \
	X(memory_bytes, "Memory that the filter takes in the kernel.", filter_bytes(c))              \
	X(fill_read_ratio, "Part of the memory from which estimates are made.", s->fill.read_part)   \
	X(fill_age_seconds, "Age of the estimates and of the state of interfaces.", r->fill_ns / NS) \
	X(change_unfinished, "Whether a change of the filter has begun and not ended.",              \
	  s->exchanging)

/* Of each predecessor: its value, of b, its struct status_predecessor, and c, its configuration. */
#define PREDECESSOR_GAUGES(X)                                                                      \
	X(asked, "Whether packets look ids up in the predecessor.", b->asked)                      \
	X(learns, "Whether the predecessor still learns ids.", b->leads)                           \
	X(left_seconds, "Longest time until the predecessor has forgotten every id.",              \
	  b->left_ns / NS)                                                                         \
	X(capacity_ids, "Ids in a window for which the predecessor was made.", c->memory.capacity) \
	X(window_seconds, "The predecessor's window.", c->memory.window_ns / NS)                   \
	X(target_fpr_ratio, "The predecessor's highest part of the probability.", plan_fpr(c))     \
	X(estimated_ids, "Ids in the predecessor, estimated from its bits.", b->fill.ids)          \
	X(estimated_fpr_ratio, "The predecessor's part of the probability now.", b->fill.fpr)      \
	X(memory_bytes, "Memory that the predecessor takes in the kernel.", plan_bytes(c))

/* Of each socket: its value, of k, its struct socket_seen. */
#define SOCKET_GAUGES(X)                                                                    \
	X(read, "Whether a process reads the queue's AF_XDP socket.", k->is_read)           \
	X(zerocopy, "Whether the driver writes into the socket's memory.", k->zerocopy)     \
	X(frames_free, "Frames of the socket that packets may still take.", k->frames_free) \
	X(frames_taken, "Frames of packets that were not given back.", k->frames_taken)     \
	X(unreturned, "Packets that were not given back.", k->unreturned)

static uint64_t filter_bytes(const struct dedup_config *c)
{
	return plan_bytes(c) + plan_delivery_bytes(c);
}

/* In whatever network namespace. */
static bool runs_there(const struct status_iface *f)
{
	return f->state == IFACE_ATTACHED || f->state == IFACE_OTHER_NETNS;
}

static int attached_cnt(const struct status *s)
{
	int cnt = 0;

	for (int i = 0; i < s->ifaces_cnt; i++)
		cnt += runs_there(&s->ifaces[i]);
	return cnt;
}

static void write_service(struct metrics_out *m, const struct readings *in)
{
	metrics_family(m, METRICS_INFO, "build", "The version of xdp-dedup.");
	metrics_gauge(m, 1, METRICS_LABELS("version", XDP_DEDUP_VERSION));
	metrics_family(m, METRICS_GAUGE, "collect_duration_seconds",
		       "How long it took to read counters and hands for this text.");
	metrics_gauge(m, in->take_ns / NS, METRICS_NO_LABELS);
	metrics_family(m, METRICS_GAUGE, "refresh_duration_seconds",
		       "How long it took the last time to look at memory and interfaces.");
	metrics_gauge(m, in->refresh_ns / NS, METRICS_NO_LABELS);
	metrics_family(m, METRICS_GAUGE, "filter_up",
		       "Whether the filter is loaded and could be read.");
	for (int i = 0; i < in->filters.cnt; i++)
		metrics_gauge(m, !in->filters.list[i]->err,
			      METRICS_LABELS("filter", in->filters.list[i]->name));
}

static const char *action_label(const struct dedup_config *c)
{
	return c->policy.action == DEDUP_COUNT	    ? "count"
	       : c->policy.action == DEDUP_DROP_FOR ? "drop_for"
						    : "drop";
}

/* Writes what a function does of each filter that can be read. */
static void write_each(struct metrics_out *m, const struct monitor *in,
		       void (*write)(struct metrics_out *m, const struct watched *r))
{
	for (int i = 0; i < in->cnt; i++)
		if (!in->list[i]->err)
			write(m, in->list[i]);
}

static void write_info(struct metrics_out *m, const struct watched *r)
{
	const struct dedup_config *c = r->status.filter.config;

	metrics_gauge(m, 1,
		      METRICS_LABELS("filter", r->name, "layout", r->status.layout->name, "hash",
				     hash_name(c->memory.hash), "action", action_label(c), "learn",
				     c->policy.learn_app ? "app" : "kernel", "ihave",
				     c->policy.ihave_pass ? "pass" : "drop", "mode", r->status.mode));
}

static const char *mode_label(const struct status_iface *f)
{
	return f->state == IFACE_ATTACHED ? attach_mode_name(f->mode) : "none";
}

/* Would an earlier interface give an identical metric? Interfaces of several network namespaces
 * may have one name.
 */
static bool is_repeated(const struct status *s, int n)
{
	const struct status_iface *f = &s->ifaces[n];

	for (int i = 0; i < n; i++) {
		const struct status_iface *g = &s->ifaces[i];

		if (!strcmp(f->name, g->name) && f->state == g->state && f->shared == g->shared &&
		    !strcmp(mode_label(f), mode_label(g)))
			return true;
	}
	return false;
}

static void write_ifaces(struct metrics_out *m, const struct watched *r)
{
	for (int n = 0; n < r->status.ifaces_cnt; n++) {
		const struct status_iface *f = &r->status.ifaces[n];

		if (!is_repeated(&r->status, n))
			metrics_gauge(m, 1,
				      METRICS_LABELS("filter", r->name, "interface", f->name,
						     "state", iface_state_name(f->state), "mode",
						     mode_label(f), "shared",
						     f->shared ? "true" : "false"));
	}
}

/* 1 or 0; -ENODATA if it is unknown. */
static int is_attached(const struct watched *r, const char *ifname)
{
	uint32_t ifindex = if_nametoindex(ifname); /* it may have several names */

	if (r->err)
		return r->err == -ENOENT ? 0 : -ENODATA;
	for (int i = 0; i < r->status.ifaces_cnt; i++) {
		const struct status_iface *f = &r->status.ifaces[i];

		if (ifindex ? f->ifindex == ifindex : !strcmp(f->name, ifname))
			return f->state == IFACE_UNKNOWN ? -ENODATA : runs_there(f);
	}
	return 0;
}

static int is_present(const struct watched *r, const char *ifname)
{
	(void)r;
	return if_nametoindex(ifname) != 0;
}

/* A gauge of each interface that the file names; not where it is unknown. */
static void write_wanted(struct metrics_out *m, const struct readings *in,
			 int (*value)(const struct watched *r, const char *ifname))
{
	for (int i = 0; i < in->filters.cnt; i++) {
		const struct watched *r = in->filters.list[i];
		const struct config_filter *f = in->wanted ? config_find(in->wanted, r->name) : NULL;

		for (int n = 0; f && n < f->wish.where.cnt; n++) {
			const char *ifname = f->wish.where.ifnames[n];
			int is = value(r, ifname);

			if (is >= 0)
				metrics_gauge(m, is,
					      METRICS_LABELS("filter", r->name, "interface", ifname));
		}
	}
}

static void write_geometry(struct metrics_out *m, const struct watched *r)
{
	struct layout_fact facts[LAYOUT_FACTS_MAX];
	int cnt = r->status.layout->facts(NULL, r->status.filter.config, facts);

	for (int n = 0; n < cnt; n++)
		metrics_gauge(m, (double)facts[n].value,
			      METRICS_LABELS("filter", r->name, "parameter", facts[n].key));
}

static void write_fill(struct metrics_out *m, const struct watched *r)
{
	metrics_gauge(m, r->status.fill.current,
		      METRICS_LABELS("filter", r->name, "generation", "current"));
	if (r->status.layout->has_generations)
		metrics_gauge(m, r->status.fill.previous,
			      METRICS_LABELS("filter", r->name, "generation", "previous"));
}

static void write_gauges(struct metrics_out *m, const struct monitor *in)
{
#define X(gauge, help, value)                                                                 \
	metrics_family(m, METRICS_GAUGE, #gauge, help);                                       \
	for (int i = 0; i < in->cnt; i++) {                                                   \
		const struct watched *r = in->list[i];                                        \
		const struct status *s = &r->status;                                          \
		const struct dedup_config *c = s->filter.config;                              \
                                                                                              \
		(void)c;                                                                      \
		if (!r->err)                                                                  \
			metrics_gauge(m, (double)(value), METRICS_LABELS("filter", r->name)); \
	}
	GAUGES(X)
#undef X
	metrics_family(m, METRICS_GAUGE, "fill_ratio",
		       "Part of a generation's bits that are set; countdown: of all cells.");
	write_each(m, in, write_fill);
}

static void write_predecessors(struct metrics_out *m, const struct monitor *in)
{
#define X(gauge, help, value)                                                               \
	metrics_family(m, METRICS_GAUGE, "predecessor_" #gauge, help);                      \
	for (int i = 0; i < in->cnt; i++) {                                                 \
		const struct watched *r = in->list[i];                                      \
		const struct status_predecessor *b = &r->status.predecessor;                \
		const struct filter *before = r->err ? NULL : r->status.filter.predecessor; \
		const struct dedup_config *c = before ? before->config : NULL;              \
                                                                                            \
		if (c)                                                                      \
			metrics_gauge(m, (double)((void)b, value),                          \
				      METRICS_LABELS("filter", r->name));                   \
	}
	PREDECESSOR_GAUGES(X)
#undef X
}

/* A gauge of each socket. */
static void write_socket_gauge(struct metrics_out *m, const struct watched *r,
			       double (*value)(const struct socket_seen *k))
{
	const struct sockets *all = r->err ? NULL : r->status.sockets;
	char room[IF_NAMESIZE], number[16], queue[16];

	for (int i = 0; all && i < all->cnt; i++) {
		const struct socket_seen *k = &all->list[i];
		const char *name = status_iface_name(&r->status, k->queue.ifindex, room);

		snprintf(number, sizeof(number), "%u", k->queue.ifindex);
		snprintf(queue, sizeof(queue), "%u", k->queue.queue);
		metrics_gauge(m, value(k),
			      METRICS_LABELS("filter", r->name, "interface", name ?: number,
					     "queue", queue));
	}
}

#define X(gauge, help, value)                                     \
	static double socket_##gauge(const struct socket_seen *k) \
	{                                                         \
		return (value);                                   \
	}
SOCKET_GAUGES(X)
#undef X

static void write_sockets(struct metrics_out *m, const struct monitor *in)
{
#define X(gauge, help, value)                                     \
	metrics_family(m, METRICS_GAUGE, "socket_" #gauge, help); \
	for (int i = 0; i < in->cnt; i++)                         \
		write_socket_gauge(m, in->list[i], socket_##gauge);
	SOCKET_GAUGES(X)
#undef X
}

static void write_advice(struct metrics_out *m, const struct watched *r)
{
	for (int n = 0; n < r->advice_cnt; n++)
		metrics_gauge(m, 1, METRICS_LABELS("filter", r->name, "advice", r->advice[n].key));
}

int metrics_write(FILE *out, const struct readings *r)
{
	struct metrics_out m = { .out = out };

	write_service(&m, r);
	metrics_family(&m, METRICS_INFO, "filter", "What the filter is.");
	write_each(&m, &r->filters, write_info);
	metrics_family(&m, METRICS_INFO, "interface", "Where the filter runs, or ran.");
	write_each(&m, &r->filters, write_ifaces);
	metrics_family(&m, METRICS_GAUGE, "interface_up",
		       "Whether the filter runs on the interface that the file names.");
	write_wanted(&m, r, is_attached);
	metrics_family(&m, METRICS_GAUGE, "interface_present",
		       "Whether the interface that the file names is there.");
	write_wanted(&m, r, is_present);
	metrics_counters(&m, &r->filters);
	write_gauges(&m, &r->filters);
	/* Numbers of many kinds in one family, so that names are not taken for units. */
	metrics_family(&m, METRICS_GAUGE, "geometry", "Parameters of the filter's memory.");
	write_each(&m, &r->filters, write_geometry);
	write_predecessors(&m, &r->filters);
	write_sockets(&m, &r->filters);
	metrics_senders(&m, &r->filters);
	metrics_family(&m, METRICS_GAUGE, "advice", "1: `xdp-dedup status` has this advice.");
	write_each(&m, &r->filters, write_advice);
	return metrics_end(&m);
}
