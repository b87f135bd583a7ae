// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* status: what a filter is, where it runs, what it holds and what it has done. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "attachments.h"
#include "json_out.h"
#include "kernel.h"
#include "loader.h"
#include "predecessor.h"
#include "stats.h"
#include "status.h"
#include "stream_ids.h"
#include "verbs.h"

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

static struct status_iface *add_iface(struct status *s, const char *name, uint32_t ifindex,
				      enum iface_state state)
{
	struct status_iface *i = &s->ifaces[s->ifaces_cnt];

	if (s->ifaces_cnt == 2 * DEDUP_IFACES_MAX)
		return NULL;
	s->ifaces_cnt++;
	snprintf(i->name, sizeof(i->name), "%s", name);
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

/* Lists the interfaces that are attached here, then those that are only recorded. */
static int collect_ifaces(struct status *s)
{
	const struct dedup_iface *recorded = s->filter.state->ifaces;
	char name[IF_NAMESIZE];
	struct attachment *list;
	int cnt, err = attach_list(&list, &cnt);

	if (err)
		return err;
	s->mode = "none";
	for (int i = 0; i < cnt; i++) {
		const char *mode = attach_mode_name(list[i].mode);
		struct status_iface *iface;

		if (list[i].err) {
			add_iface(s, list[i].ifname, list[i].ifindex, IFACE_UNKNOWN);
			continue;
		}
		if (list[i].id.state_id != s->filter.state_id)
			continue;
		iface = add_iface(s, list[i].ifname, list[i].ifindex, IFACE_ATTACHED);
		if (!iface)
			break;
		iface->mode = list[i].mode;
		iface->dispatcher = list[i].dispatcher;
		s->mode = !strcmp(s->mode, "none") || !strcmp(s->mode, mode) ? mode : "mixed";
	}
	free(list);
	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		if (!recorded[i].ifindex)
			continue;
		if (!kernel_is_here(&recorded[i])) {
			if (!has_moved_here(s, recorded[i].name))
				add_iface(s, recorded[i].name, 0, IFACE_OTHER_NETNS);
		} else if (!has_iface(s, recorded[i].ifindex))
			add_iface(s, recorded[i].name, recorded[i].ifindex,
				  if_indextoname(recorded[i].ifindex, name) ? IFACE_DETACHED
									    : IFACE_GONE);
	}
	return 0;
}

static int collect_faults(struct status *s)
{
	uint32_t indices[DEDUP_IFACES_MAX];
	bool skb[DEDUP_IFACES_MAX];
	int cnt = 0, err = receivers_links(&s->links);

	for (int i = 0; i < s->ifaces_cnt && cnt < DEDUP_IFACES_MAX; i++) {
		if (s->ifaces[i].state != IFACE_ATTACHED)
			continue;
		skb[cnt] = s->ifaces[i].mode == MODE_SKB;
		indices[cnt++] = s->ifaces[i].ifindex;
	}
	return err ?: receivers_faults(&s->filter, &s->links, indices, skb, cnt, &s->faults);
}

static void collect_countdown(struct status *s, uint64_t hand, struct sample sample)
{
	const struct dedup_config *c = s->filter.config;

	s->approx_count = s->layout->approx_count(c, s->filter.state, s->counters.credit);
	if (c->places > HISTOGRAM_MAX)
		return;
	s->histogram = calloc(c->places + 1, sizeof(*s->histogram));
	if (s->histogram)
		s->layout->histogram(c, s->filter.blocks, hand, sample, s->histogram);
}

static void collect_drop_time(struct status *s)
{
	uint64_t until_ns = READ_ONCE(s->filter.state->drop_until_ns), now_ns = kernel_now_ns();

	if (s->filter.config->action != DEDUP_DROP_FOR)
		return;
	/* The hand says when it is over, up to a tick after the time. */
	if (!READ_ONCE(s->filter.state->counting))
		s->drop_left_ns = until_ns > now_ns ? until_ns - now_ns : 1;
	else
		s->counting_ns = now_ns > until_ns ? now_ns - until_ns : 1;
}

bool status_drops(const struct status *s)
{
	uint32_t action = s->filter.config->action;

	return action == DEDUP_DROP || (action == DEDUP_DROP_FOR && s->drop_left_ns);
}

/* And the rate of both. */
static void collect_before(struct status *s)
{
	const struct filter *f = s->filter.before;
	struct status_before *b = &s->before;

	s->fpr = s->fill.fpr;
	if (!f)
		return;
	b->fill = stats_fill_of(f, s->exact, kernel_now_ns());
	b->left_ns = stats_forgets_in_ns(f->config, f->state, kernel_now_ns());
	b->leads = READ_ONCE(f->state->successor) != DEDUP_SUCCESSOR_IN_CHARGE;
	b->forgotten = dedup_is_forgotten(f->state);
	b->asked = stats_asks_before(&s->filter);
	if (b->asked)
		s->fpr = stats_rate_of_both(s->fpr, b->fill.fpr);
}

/* Fills in the rest; s->filter is open. */
static int collect(struct status *s)
{
	struct sample sample = FILL_ALL;
	uint64_t hand;
	int err = collect_ifaces(s);

	if (!err)
		err = collect_faults(s);
	if (!err)
		err = filter_counters(&s->filter, &s->counters);
	for (uint32_t n = 0; n < streams_cnt(s->filter.config) && !err; n++)
		err = filter_stream_counters(&s->filter, n, &s->streams[n]);
	if (err)
		return err;
	hand = READ_ONCE(s->filter.state->hand);
	if (!s->exact)
		sample = fill_sample(s->filter.config, kernel_now_ns());
	s->fill = stats_fill_by(s->filter.config, s->filter.blocks, hand, sample);
	if (s->layout->approx_count)
		collect_countdown(s, hand, sample);
	s->hand = s->layout->hand(s->filter.config, s->filter.state, kernel_now_ns());
	s->turns = dedup_hand_epoch(hand);
	s->oldest_ns = stats_oldest_ns(s->filter.config, s->filter.state, kernel_now_ns());
	collect_drop_time(s);
	sampling_look(&s->filter, &s->sampler);
	collect_before(s);
	s->exchanging = READ_ONCE(s->filter.state->exchanging);
	s->stopped = stats_stopped(s->filter.config, s->filter.state, kernel_now_ns());
	return 0;
}

/* Prints an open filter, or, unless `list` is NULL, appends it there. Closes the filter. */
static int show(struct filter *f, bool exact, json_object *list)
{
	struct status *s = calloc(1, sizeof(*s));
	int err = s ? filter_open_before(f) : -ENOMEM;

	if (s && err)
		loader_explain(f->name, err);
	if (s && !err) {
		s->filter = *f;
		s->layout = layout_of(f->config->layout);
		s->exact = exact;
		err = collect(s);
	}
	if (!err && list)
		json_object_array_add(list, status_json(s));
	else if (!err)
		status_print(s);
	filter_close(f);
	if (s) {
		links_free(&s->links);
		free(s->histogram);
	}
	free(s);
	return err;
}

static bool is_in(const struct attachment *list, int cnt, const struct attachment *a)
{
	for (int i = 0; i < cnt; i++)
		if (list[i].ifindex == a->ifindex && list[i].id.state_id == a->id.state_id)
			return true;
	return false;
}

/* Has one of the filters of these names this state map, also if it cannot be opened? 1 or 0;
 * -errno, which is said, if that cannot be told.
 */
static int is_named(char **names, uint32_t state_id)
{
	struct identity id;

	for (char **n = names; *n; n++) {
		int err = filter_identity(*n, &id);

		if (err)
			return loader_explain(*n, err);
		if (id.state_id == state_id)
			return 1;
	}
	return 0;
}

/* Leaves in the list what runs a filter that none of these names has. Returns how many; or -errno,
 * which is said.
 */
static int keep_nameless(char **names, struct attachment *list, int cnt)
{
	int kept = 0;

	for (int i = 0; i < cnt; i++) {
		int named = list[i].err ? 1 : is_named(names, list[i].id.state_id);

		if (named < 0)
			return named;
		if (!named)
			list[kept++] = list[i];
	}
	return kept;
}

/* Says which interface runs a filter that has no name any more, as its pins are gone: -ENOENT if
 * one does. Pins are there as long as a filter is attached, so one that was attached before and
 * after they were looked for lacks them; others are being loaded or unloaded.
 */
static int check_nameless(void)
{
	struct attachment *before = NULL, *after = NULL;
	int before_cnt = 0, after_cnt = 0;
	char **names = NULL;
	int err = attach_list(&before, &before_cnt);

	if (!err)
		err = loader_names(&names);
	if (!err) {
		before_cnt = keep_nameless(names, before, before_cnt);
		err = before_cnt < 0 ? before_cnt : attach_list(&after, &after_cnt);
	}
	for (int i = 0; i < after_cnt && !err; i++)
		if (!after[i].err && is_in(before, before_cnt, &after[i]))
			err = attachments_explain_gone(after[i].ifname);
	if (!err)
		err = attach_say_unknown(after, after_cnt);
	loader_free_names(names);
	free(before);
	free(after);
	return err;
}

static int show_all(bool exact, bool json)
{
	json_object *list = json ? json_object_new_array() : NULL, *all;
	char **names;
	int err = loader_names(&names), shown = 0;

	for (char **n = names; !err && *n; n++) {
		struct filter f;
		int open_err = filter_open(*n, &f);

		if (open_err == -ENOENT)
			continue; /* unloaded since */
		if (shown++ && !json)
			putchar('\n');
		if (open_err ? loader_explain(*n, open_err) : show(&f, exact, list))
			err = -EIO;
	}
	if (!err)
		err = check_nameless();
	if (!err && !shown && !json)
		puts("no filter is loaded");
	loader_free_names(names);
	if (json) {
		all = json_object_new_object();
		json_object_object_add(all, "filters", list);
		json_print(all);
		json_object_put(all);
	}
	return err;
}

int verb_status(const struct options *o)
{
	json_object *list = NULL;
	struct filter f;
	int err;

	if (kernel_ready(o->verbose, false))
		return EXIT_FAILED;
	if (!o->args_cnt)
		return show_all(o->exact, o->json) ? EXIT_FAILED : EXIT_DONE;
	if (attachments_open(o->args[0], &f))
		return EXIT_FAILED;
	if (o->json)
		list = json_object_new_array();
	err = show(&f, o->exact, list);
	if (!err && o->json)
		json_print(json_object_array_get_idx(list, 0));
	json_object_put(list);
	return err ? EXIT_FAILED : EXIT_DONE;
}
