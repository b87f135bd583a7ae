// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attachments.h"
#include "checks.h"
#include "device.h"
#include "diag.h"
#include "driver.h"
#include "iface.h"
#include "kernel.h"
#include "loader.h"
#include "open.h"
#include "predecessor.h"
#include "stats.h"
#include "status.h"
#include "streams.h"
#include "text.h"

#define HISTOGRAM_MAX 1023 /* countdowns: longer histograms are not shown */

const char *iface_state_name(enum iface_state state)
{
	static const char *const NAMES[] = {
		[IFACE_ATTACHED] = "attached",	     [IFACE_UNKNOWN] = "unknown",
		[IFACE_DETACHED] = "detached",	     [IFACE_GONE] = "gone",
		[IFACE_OTHER_NETNS] = "other netns",
	};

	return NAMES[state];
}

/* Returns the driver's largest MTU with native XDP, if the interface has a larger one; else 0. */
static uint32_t mtu_exceeded(const struct links *links, const struct attachment *a)
{
	const struct link *l = links_find(links, a->ifindex);
	char name[DEVICE_DRIVER_MAX];
	const struct driver *d = driver_of(device_driver(a->ifname, name) ? "" : name);
	uint32_t fits = driver_one_buffer_mtu(d);

	return a->mode == MODE_NATIVE && l && l->mtu > fits && driver_lacks_frags(d, a->ifindex)
		       ? fits
		       : 0;
}

/* Notes an interface of another network namespace that has the index of a local one: packets of both
 * would go to one AF_XDP socket (include/deliver.h), and the kernel would drop those of one of them.
 */
static void note_same_index(struct status *s, const struct attachments *at)
{
	for (int i = 0; i < at->cnt; i++)
		for (int j = 0; j < at->cnt && s->filter.config->policy.deliver; j++) {
			const struct attachment *local = &at->list[i], *other = &at->list[j];

			if (!local->local || other->local || local->ifindex != other->ifindex)
				continue;
			snprintf(s->same_index.local, IF_NAMESIZE, "%s", local->ifname);
			snprintf(s->same_index.other, IF_NAMESIZE, "%s", other->recorded);
			text_clean(s->same_index.local);
			text_clean(s->same_index.other);
			return;
		}
}

static enum iface_state state_of(const struct attachment *a, const struct links *links)
{
	if (a->unknown)
		return IFACE_UNKNOWN;
	if (a->ifindex && a->ours)
		return a->local ? IFACE_ATTACHED : IFACE_OTHER_NETNS;
	for (int i = 0; i < links->cnt; i++)
		if (!strcmp(links->list[i].name, a->ifname))
			return IFACE_DETACHED;
	return a->ifindex ? IFACE_DETACHED : IFACE_GONE;
}

/* Fills in *out for an interface that runs the filter here. */
static void collect_attached(struct status *s, const struct links *links,
			     const struct attachment *a, struct status_iface *out)
{
	const char *mode = attach_mode_name(a->mode);
	uint64_t features;
	uint32_t max;

	out->ifindex = a->ifindex;
	out->mode = a->mode;
	out->mtu_max = mtu_exceeded(links, a);
	out->strips_tags = receivers_go_by_tags(&s->filter.config->asked) &&
			   device_has(a->ifname, DEVICE_STRIPS_TAGS) == 1;
	if (out->mode == MODE_SKB)
		out->native = driver_xdp_features((int)out->ifindex, &features)
				      ?: !!(features & DEVICE_XDP);
	if (s->filter.config->policy.deliver && device_queues(a->ifname, &out->queues, &max))
		out->queues = 0;
	s->mode = !strcmp(s->mode, "none") || !strcmp(s->mode, mode) ? mode : "mixed";
}

/* Fills in the interfaces, first those that are attached here. */
static void collect_interfaces(struct status *s, const struct links *links,
			       const struct attachments *at)
{
	s->mode = "none";
	note_same_index(s, at);
	for (int others = 0; others < 2; others++)
		for (int i = 0; i < at->cnt; i++) {
			const struct attachment *a = &at->list[i];
			enum iface_state state = state_of(a, links);
			struct status_iface *out = &s->ifaces[s->ifaces_cnt];

			if ((state == IFACE_ATTACHED) == others)
				continue;
			s->ifaces_cnt++;
			snprintf(out->name, sizeof(out->name), "%s", a->ifname);
			text_clean(out->name);
			out->state = state;
			out->link_id = a->link_id;
			out->shared = a->shared;
			if (state == IFACE_ATTACHED)
				collect_attached(s, links, a, out);
			else if (state != IFACE_OTHER_NETNS)
				out->ifindex = if_nametoindex(a->ifname);
		}
}

/* Keeps the first message, as "FINDING; ADVICE". */
static void keep_first(void *to, const struct diag *d)
{
	struct status *s = to;

	if (!*s->behind_note)
		snprintf(s->behind_note, sizeof(s->behind_note), "%s; %s", d->finding, d->advice);
}

/* Asks what is lost behind the filter on its interfaces of this network namespace. */
static void collect_behind(struct status *s, const struct links *links, const struct attachments *at)
{
	struct diag_receiver receiver = { .take = keep_first, .to = s };
	char *names[DEDUP_IFACES_MAX];
	struct placement where = { .ifnames = names };
	const struct checks_subject subject = { .where = &where,
						.spec = &s->filter.config->asked,
						.plan = s->filter.config,
						.links = links,
						.force = true };

	for (int i = 0; i < at->cnt; i++)
		if (attachment_runs_here(&at->list[i]))
			names[where.cnt++] = (char *)at->list[i].ifname;
	diag_receive(&receiver);
	checks_behind(&subject);
	diag_receive_end(&receiver);
}

static void collect_histogram(struct status *s, uint64_t hand, struct sample sample)
{
	const struct dedup_config *c = s->filter.config;

	if (!s->layout->histogram || c->memory.places > HISTOGRAM_MAX)
		return;
	s->histogram = calloc(c->memory.places + 1, sizeof(*s->histogram));
	if (s->histogram)
		s->layout->histogram(c, s->filter.blocks, hand, sample, s->histogram);
}

static void collect_drop_time(struct status *s)
{
	uint64_t until_ns = READ_ONCE(s->filter.record->drop_until_ns), now_ns = kernel_now_ns();

	if (!until_ns)
		until_ns = READ_ONCE(s->filter.state->drop_until_ns);
	s->drop_left_ns = s->counting_ns = 0;
	if (s->filter.config->policy.action != DEDUP_DROP_FOR)
		return;
	/* The hand ends --for, up to a tick after its time. */
	if (!READ_ONCE(s->filter.state->counting))
		s->drop_left_ns = until_ns > now_ns ? until_ns - now_ns : 1;
	else
		s->counting_ns = now_ns > until_ns ? now_ns - until_ns : 1;
}

const char *status_iface_name(const struct status *s, uint32_t ifindex, char name[IF_NAMESIZE])
{
	for (int i = 0; i < s->ifaces_cnt; i++)
		if (s->ifaces[i].ifindex == ifindex)
			return s->ifaces[i].name;
	if (!if_indextoname(ifindex, name))
		return NULL;
	text_clean(name);
	return name;
}

bool status_drops(const struct status *s)
{
	uint32_t action = s->filter.config->policy.action;

	return action == DEDUP_DROP || (action == DEDUP_DROP_FOR && s->drop_left_ns && !s->stopped);
}

double status_mean_fill(const struct status *s)
{
	return s->layout->has_generations ? (s->fill.current + s->fill.previous) / 2
					  : s->fill.current;
}

/* Updates the predecessor's figures, and the rate of both. */
static void update_before(struct status *s)
{
	const struct filter *f = s->filter.predecessor;
	struct status_predecessor *b = &s->predecessor;

	s->fpr = s->fill.fpr;
	if (!f)
		return;
	b->left_ns = stats_forgets_in_ns(f->config, f->state, kernel_now_ns());
	b->leads = READ_ONCE(f->state->successor) != DEDUP_SUCCESSOR_IN_CHARGE;
	b->forgotten = dedup_is_forgotten(f->state);
	b->asked = stats_uses_predecessor(&s->filter);
	if (b->asked)
		s->fpr = stats_rate_of_both(s->fpr, b->fill.fpr);
}

static void take_socket(const struct stack_socket *k, void *arg)
{
	struct status *s = arg;
	struct status_behind *b = &s->behind;

	if (!streams_have_socket_port(&s->filter.config->asked, k->port))
		return;
	b->dropped += k->dropped;
	if (b->sockets_cnt < STATUS_SOCKETS_MAX)
		b->sockets[b->sockets_cnt++] = *k;
}

/* Reads what is lost behind the filter in this network namespace. */
static void update_behind(struct status *s)
{
	const struct dedup_losses *before = &s->filter.record->losses;
	struct status_behind *b = &s->behind;

	b->dropped = b->sockets_cnt = 0;
	b->is_known = before->netns && before->netns == iface_local_netns() && !stack_losses(b->lost);
	b->sockets_known = b->is_known && !stack_each_socket(take_socket, s);
	for (int i = 0; i < STACK_LOSSES_CNT; i++)
		b->lost[i] -= before->lost[i];
}

static int update_counters(struct status *s)
{
	int err = filter_counters(&s->filter, &s->counters);

	for (uint32_t n = 0; n < s->filter.config->policy.streams_cnt && !err; n++)
		err = filter_stream_counters(&s->filter, n, &s->streams[n]);
	return err;
}

int status_update(struct status *s)
{
	const struct dedup_config *c = s->filter.config;
	struct dedup_state *st = s->filter.state;
	int err = update_counters(s);

	if (err)
		return diag_err(err, "cannot read the counters of %s: %s", s->filter.name,
				strerror(-err));
	if (s->layout->approx_count)
		s->approx_count = s->layout->approx_count(c, st, s->counters.credit);
	s->hand = s->layout->hand(c, st, kernel_now_ns());
	s->turns = dedup_hand_epoch(READ_ONCE(st->hand));
	s->oldest_ns = stats_oldest_ns(c, st, kernel_now_ns());
	s->pace = stats_pace(c, st, s->counters.credit, kernel_now_ns());
	collect_drop_time(s);
	sampling_find_process(&s->filter, &s->sampler);
	if (s->sockets)
		sockets_refresh(s->sockets);
	update_before(s);
	update_behind(s);
	s->exchanging = READ_ONCE(st->exchanging);
	s->stopped = stats_stopped(c, st, kernel_now_ns());
	return 0;
}

/* Reads the occupancy of the memory. */
static void collect_fill(struct status *s)
{
	const struct dedup_config *c = s->filter.config;
	struct sample sample = s->exact ? FILL_ALL : fill_sample(c, kernel_now_ns());
	uint64_t hand = READ_ONCE(s->filter.state->hand);

	s->fill = stats_fill(c, s->filter.blocks, hand, sample);
	collect_histogram(s, hand, sample);
	if (s->filter.predecessor)
		s->predecessor.fill = stats_fill_of(s->filter.predecessor, s->exact, kernel_now_ns());
}

/* Fills in the rest of *s, whose filter is open. Returns 0, or -errno (logged). */
static int collect(struct status *s, const struct links *links)
{
	struct attachments at;
	int err = attachments_read(&s->filter, links, &at);

	if (err)
		return loader_explain(s->filter.name, err);
	collect_interfaces(s, links, &at);
	collect_behind(s, links, &at);
	status_note_received(s, links);
	err = receivers_faults(&s->filter, links, &at, &s->faults);
	if (err)
		return err;
	err = sockets_open(&s->filter, &s->sockets);
	if (err && !filter_is_loaded(&s->filter)) /* no error if it was unloaded meanwhile */
		return loader_explain(s->filter.name, err);
	collect_fill(s);
	return status_update(s);
}

int status_collect(struct filter *f, const struct links *links, bool exact, struct status *s)
{
	int err = filter_open_predecessor(f) ?: filter_open_change(f);
	struct links now = { 0 };

	*s = (struct status){ .filter = *f,
			      .layout = layout_of(f->config->memory.layout),
			      .exact = exact };
	if (err)
		return loader_explain(f->name, err);
	err = (links ? 0 : receivers_links(&now)) ?: collect(s, links ?: &now);
	links_free(&now);
	return err;
}

void status_free(struct status *s)
{
	sockets_free(s->sockets);
	free(s->histogram);
	filter_close(&s->filter);
}
