// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "metrics.h"

#include <errno.h>
#include <math.h>
#include <net/if.h>
#include <string.h>

#include "facts.h"
#include "open_filter.h"
#include "plan.h"
#include "version.h"
#include "want_lost.h"

#define NS 1e9 /* in a second */

/* Returns whether the filter runs on the interface, in whatever network namespace. */
static bool is_running(const struct status_iface *f)
{
	return f->state == IFACE_ATTACHED || f->state == IFACE_OTHER_NETNS;
}

static int attached_cnt(const struct status *s)
{
	int cnt = 0;

	for (int i = 0; i < s->ifaces_cnt; i++)
		cnt += is_running(&s->ifaces[i]);
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

static void write_recovery(struct metrics_out *m, const struct readings *in)
{
	const struct want_lost *w = in->lost;

	metrics_family(m, METRICS_GAUGE, "recover_on",
		       "Whether what is lost behind the filters is wanted.");
	metrics_gauge(m, w->monitor != NULL, METRICS_NO_LABELS);
	metrics_family(m, METRICS_COUNTER, "recover_unread",
		       "Packets of any kind that the kernel discarded, too many to look at.");
	metrics_count(m, w->unread, METRICS_NO_LABELS);
	metrics_family(m, METRICS_COUNTER, "recover_wanted",
		       "Packets lost behind the filter whose next copies may pass.");
	for (int i = 0; i < w->cnt; i++)
		if (readings_last_filter(in, w->list[i]->name))
			metrics_count(m, w->list[i]->packets.wanted,
				      METRICS_LABELS("filter", w->list[i]->name));
	metrics_family(m, METRICS_COUNTER, "recover_unwanted",
		       "Packets lost behind the filter, too many to let their next copies pass.");
	for (int i = 0; i < w->cnt; i++)
		if (readings_last_filter(in, w->list[i]->name))
			metrics_count(m, w->list[i]->packets.unwanted,
				      METRICS_LABELS("filter", w->list[i]->name));
}

static const char *action_label(const struct dedup_config *c)
{
	return c->policy.action == DEDUP_COUNT	    ? "count"
	       : c->policy.action == DEDUP_DROP_FOR ? "drop_for"
						    : "drop";
}

/* Calls `write` for each filter that can be read. */
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
				     c->asked.learn_app ? "app" : "kernel", "ihave",
				     c->asked.ihave_pass ? "pass" : "drop", "mode", r->status.mode));
}

static const char *mode_label(const struct status_iface *f)
{
	return f->state == IFACE_ATTACHED ? attach_mode_name(f->mode) : "none";
}

/* Returns whether an earlier interface gives an identical metric: interfaces in several network
 * namespaces may have one name.
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

/* Of packets of any port, in the network namespace in which the filter was loaded, if it is ours. */
static void write_host_discarded(struct metrics_out *m, const struct watched *r)
{
	static const char *const REASONS[] = {
#define REASON(name, ipv4, ipv6, text) #name,
		STACK_LOSSES(REASON)
#undef REASON
	};

	for (int i = 0; r->status.behind.is_known && i < STACK_LOSSES_CNT; i++)
		metrics_count(m, r->status.behind.lost[i],
			      METRICS_LABELS("filter", r->name, "reason", REASONS[i]));
}

/* Returns 1 or 0; -ENODATA if that is unknown. */
static int is_attached(const struct watched *r, const char *ifname)
{
	uint32_t ifindex = if_nametoindex(ifname); /* an interface may have several names */

	if (r->err)
		return r->err == -ENOENT ? 0 : -ENODATA;
	for (int i = 0; i < r->status.ifaces_cnt; i++) {
		const struct status_iface *f = &r->status.ifaces[i];

		if (ifindex ? f->ifindex == ifindex : !strcmp(f->name, ifname))
			return f->state == IFACE_UNKNOWN ? -ENODATA : is_running(f);
	}
	return 0;
}

static int is_present(const struct watched *r, const char *ifname)
{
	(void)r;
	return if_nametoindex(ifname) != 0;
}

/* Writes a gauge for each interface that the file names, unless its value is unknown. */
static void write_named_interfaces(struct metrics_out *m, const struct readings *in,
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

/* Converts a value of facts.h, where times are in ns, to the metric's unit. */
static double in_unit(const char *metric, double value)
{
	return strstr(metric, "_seconds") ? value / NS : value;
}

static void write_gauges(struct metrics_out *m, const struct monitor *in)
{
#define METRIC(metric, help, value)                                       \
	metrics_family(m, METRICS_GAUGE, #metric, help);                  \
	for (int i = 0; i < in->cnt; i++) {                               \
		const struct watched *r = in->list[i];                    \
		const struct status *s = &r->status;                      \
		const struct dedup_config *c = s->filter.config;          \
                                                                          \
		(void)c;                                                  \
		if (!r->err)                                              \
			metrics_gauge(m, in_unit(#metric, value),         \
				      METRICS_LABELS("filter", r->name)); \
	}
#define GAUGE(key, metric, help, value) METRIC(metric, help, value)
	STATUS_FACTS(NO_FACT, GAUGE, METRIC)
	WATCHED_FACTS(NO_FACT, GAUGE, METRIC)
#undef GAUGE
#undef METRIC
	metrics_family(m, METRICS_GAUGE, "fill_ratio",
		       "Part of a generation's bits that are set; countdown: of all cells.");
	write_each(m, in, write_fill);
}

static void write_predecessors(struct metrics_out *m, const struct monitor *in)
{
#define GAUGE(key, metric, help, value)                                                     \
	metrics_family(m, METRICS_GAUGE, "predecessor_" #metric, help);                     \
	for (int i = 0; i < in->cnt; i++) {                                                 \
		const struct watched *r = in->list[i];                                      \
		const struct status_predecessor *b = &r->status.predecessor;                \
		const struct filter *before = r->err ? NULL : r->status.filter.predecessor; \
		const struct dedup_config *c = before ? before->config : NULL;              \
                                                                                            \
		if (c)                                                                      \
			metrics_gauge(m, in_unit(#metric, ((void)b, value)),                \
				      METRICS_LABELS("filter", r->name));                   \
	}
	PREDECESSOR_FACTS(NO_FACT, GAUGE)
#undef GAUGE
}

static void write_socket(struct metrics_out *m, const struct watched *r,
			 const struct socket_seen *k, double value)
{
	char buf[IF_NAMESIZE], number[16], queue[16];
	const char *name = status_iface_name(&r->status, k->queue.ifindex, buf);

	snprintf(number, sizeof(number), "%u", k->queue.ifindex);
	snprintf(queue, sizeof(queue), "%u", k->queue.queue);
	metrics_gauge(m, value,
		      METRICS_LABELS("filter", r->name, "interface", name ?: number, "queue", queue));
}

static void write_sockets(struct metrics_out *m, const struct monitor *in)
{
#define GAUGE(key, metric, help, value)                                                            \
	metrics_family(m, METRICS_GAUGE, "socket_" #metric, help);                                 \
	for (int i = 0; i < in->cnt; i++) {                                                        \
		const struct sockets *all = in->list[i]->err ? NULL : in->list[i]->status.sockets; \
                                                                                                   \
		for (int n = 0; all && n < all->cnt; n++) {                                        \
			const struct socket_seen *k = &all->list[n];                               \
                                                                                                   \
			write_socket(m, in->list[i], k, value);                                    \
		}                                                                                  \
	}
	SOCKET_FACTS(NO_FACT, GAUGE)
#undef GAUGE
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
	if (r->lost)
		write_recovery(&m, r);
	metrics_family(&m, METRICS_INFO, "filter", "What the filter is.");
	write_each(&m, &r->filters, write_info);
	metrics_family(&m, METRICS_INFO, "interface", "Where the filter runs, or ran.");
	write_each(&m, &r->filters, write_ifaces);
	metrics_family(&m, METRICS_COUNTER, "behind_host_discarded",
		       "UDP packets of any port that the host's IP stack has discarded.");
	write_each(&m, &r->filters, write_host_discarded);
	metrics_family(&m, METRICS_GAUGE, "interface_up",
		       "Whether the filter runs on the interface that the file names.");
	write_named_interfaces(&m, r, is_attached);
	metrics_family(&m, METRICS_GAUGE, "interface_present",
		       "Whether the interface that the file names is there.");
	write_named_interfaces(&m, r, is_present);
	metrics_counters(&m, &r->filters);
	write_gauges(&m, &r->filters);
	/* One family for parameters of many kinds, so that their names are not taken for units. */
	metrics_family(&m, METRICS_GAUGE, "geometry", "Parameters of the filter's memory.");
	write_each(&m, &r->filters, write_geometry);
	write_predecessors(&m, &r->filters);
	write_sockets(&m, &r->filters);
	metrics_senders(&m, &r->filters);
	metrics_family(&m, METRICS_GAUGE, "advice", "1: `xdp-dedup status` has this advice.");
	write_each(&m, &r->filters, write_advice);
	return metrics_end(&m);
}
