// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attachments.h"
#include "device.h"
#include "diag.h"
#include "driver.h"
#include "here.h"
#include "kernel.h"
#include "loader.h"
#include "open.h"
#include "predecessor.h"
#include "stats.h"
#include "status.h"
#include "text.h"

#define HISTOGRAM_MAX 1023 /* countdowns; with more it is not shown */

const char *iface_state_name(enum iface_state state)
{
	static const char *const NAMES[] = {
		[IFACE_ATTACHED] = "attached",	     [IFACE_UNKNOWN] = "unknown",
		[IFACE_DETACHED] = "detached",	     [IFACE_GONE] = "gone",
		[IFACE_OTHER_NETNS] = "other netns",
	};

	return NAMES[state];
}

static struct status_iface *add_status_iface(struct status *s, const char *name, uint32_t ifindex,
					     enum iface_state state)
{
	struct status_iface *i = &s->ifaces[s->ifaces_cnt];

	if (s->ifaces_cnt == 2 * DEDUP_IFACES_MAX)
		return NULL;
	s->ifaces_cnt++;
	snprintf(i->name, sizeof(i->name), "%s", name);
	text_clean(i->name);
	i->ifindex = ifindex;
	i->state = state;
	return i;
}

static bool has_iface(const struct status *s, uint32_t ifindex)
{
	for (int i = 0; i < s->ifaces_cnt; i++)
		if (s->ifaces[i].ifindex == ifindex)
			return true;
	return false;
}

/* Is an interface of this name attached here without being recorded here? Then it is the recorded
 * one of another network namespace, which has moved here with its program.
 */
static bool has_moved_here(const struct status *s, const char *name)
{
	for (int i = 0; i < s->ifaces_cnt; i++)
		if (!strcmp(s->ifaces[i].name, name) && s->ifaces[i].state == IFACE_ATTACHED)
			return !attachments_recorded(&s->filter, name);
	return false;
}

static int has_native(uint32_t ifindex)
{
	uint64_t features;
	int err = driver_xdp_features((int)ifindex, &features);

	return err ? err : features & DEVICE_XDP ? 1 : 0;
}

/* The largest MTU that the driver has native XDP for, if the interface has a larger one. */
static uint32_t mtu_exceeded(const struct attach_view *v, const struct attachment *a)
{
	const struct link *l = links_find(&v->links, a->ifindex);
	char name[DEVICE_DRIVER_MAX];
	const struct driver *d = driver_of(device_driver(a->ifname, name) ? "" : name);
	uint32_t fits = driver_one_buffer_mtu(d);

	return a->mode == MODE_NATIVE && l && l->mtu > fits && driver_lacks_frags(d, a->ifindex)
		       ? fits
		       : 0;
}

static void note_same_index(struct status *s, const struct attach_view *v, const struct attachment *a)
{
	const struct dedup_iface *other = attachments_same_index(&s->filter, v->list, v->cnt, a);

	if (!other)
		return;
	snprintf(s->same_index.here, sizeof(s->same_index.here), "%s", a->ifname);
	here_name(other, s->same_index.there);
}

/* Lists the interfaces that are attached here. While the filter is being changed the program of
 * +NAME may run there, and filters as well.
 */
static void collect_attached(struct status *s, const struct attach_view *v)
{
	const struct filter *staged = s->filter.staged;

	s->mode = "none";
	for (int i = 0; i < v->cnt; i++) {
		const struct attachment *a = &v->list[i];
		const char *mode = attach_mode_name(a->mode);
		struct status_iface *iface;
		uint32_t max;

		if (a->err) {
			add_status_iface(s, a->ifname, a->ifindex, IFACE_UNKNOWN);
			continue;
		}
		if (a->id.state_id != s->filter.state_id &&
		    (!staged || a->id.state_id != staged->state_id))
			continue;
		if (has_iface(s, a->ifindex)) /* two programs, during a change */
			continue;
		iface = add_status_iface(s, a->ifname, a->ifindex, IFACE_ATTACHED);
		if (!iface)
			break;
		note_same_index(s, v, a);
		iface->mode = a->mode;
		iface->dispatcher = a->dispatcher;
		iface->shared = a->shared;
		iface->mtu_max = mtu_exceeded(v, a);
		iface->strips_tags = receivers_go_by_tags(s->filter.config) &&
				     device_strips_tags(a->ifname) == 1;
		if (iface->mode == MODE_SKB)
			iface->native = has_native(iface->ifindex);
		if (s->filter.config->policy.deliver &&
		    device_queues(iface->name, &iface->queues, &max))
			iface->queues = 0;
		s->mode = !strcmp(s->mode, "none") || !strcmp(s->mode, mode) ? mode : "mixed";
	}
}

/* Those that are only recorded come after these. */
static void collect_recorded(struct status *s, const struct attach_view *v)
{
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		const struct dedup_iface entry = s->filter.record->ifaces[i];
		char name[IF_NAMESIZE];

		if (!entry.ifindex)
			continue;
		here_name(&entry, name);
		if (!here_has(&entry)) {
			if (!has_moved_here(s, name))
				add_status_iface(s, name, 0, IFACE_OTHER_NETNS);
		} else if (!has_iface(s, entry.ifindex))
			add_status_iface(s, name, entry.ifindex,
					 links_find(&v->links, entry.ifindex) ? IFACE_DETACHED
									      : IFACE_GONE);
	}
}

static int collect_faults(struct status *s, const struct attach_view *v)
{
	struct receivers_attached at = { .cnt = 0 };

	for (int i = 0; i < s->ifaces_cnt && at.cnt < DEDUP_IFACES_MAX; i++) {
		if (s->ifaces[i].state != IFACE_ATTACHED)
			continue;
		at.skb[at.cnt] = s->ifaces[i].mode == MODE_SKB;
		at.indices[at.cnt++] = s->ifaces[i].ifindex;
	}
	return receivers_faults(&s->filter, &v->links, &at, &s->faults);
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
	/* The hand says when it is over, up to a tick after the time. */
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

/* And the rate of both. */
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
	b->asked = stats_asks_predecessor(&s->filter);
	if (b->asked)
		s->fpr = stats_rate_of_both(s->fpr, b->fill.fpr);
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
	sampling_look(&s->filter, &s->sampler);
	if (s->sockets)
		sockets_look(s->sockets);
	update_before(s);
	s->exchanging = READ_ONCE(st->exchanging);
	s->stopped = stats_stopped(c, st, kernel_now_ns());
	return 0;
}

/* What the memory says. */
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

/* Fills in the rest; s->filter is open. */
static int collect(struct status *s, const struct attach_view *view)
{
	int err;

	collect_attached(s, view);
	collect_recorded(s, view);
	status_note_received(s, &view->links);
	err = collect_faults(s, view);
	if (err)
		return err;
	err = sockets_open(&s->filter, &s->sockets);
	if (err && !filter_is_loaded(&s->filter)) /* else they have gone with it, meanwhile */
		return loader_explain(s->filter.name, err);
	collect_fill(s);
	return status_update(s);
}

int status_collect(struct filter *f, const struct attach_view *view, bool exact, struct status *s)
{
	int err = filter_open_predecessor(f) ?: filter_open_change(f);

	*s = (struct status){ .filter = *f,
			      .layout = layout_of(f->config->memory.layout),
			      .exact = exact };
	return err ? loader_explain(f->name, err) : collect(s, view);
}

void status_free(struct status *s)
{
	sockets_free(s->sockets);
	free(s->histogram);
	filter_close(&s->filter);
}
