// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* status: what a filter is, where it runs, what it holds and what it has done. */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "hand.h"
#include "kernel.h"
#include "layout.h"
#include "loader.h"
#include "plan.h"
#include "prefixes.h"
#include "receivers.h"
#include "say.h"
#include "stats.h"
#include "units.h"
#include "verbs.h"
#include "attachments.h"

#define HISTOGRAM_MAX 1023 /* countdowns; with more it is not shown */

struct status_iface {
	char name[IF_NAMESIZE];
	uint32_t ifindex; /* names change, and an interface may have several */
	enum attach_mode mode;
	bool dispatcher;
	const char *state; /* "attached", "detached", "gone", "other netns", "unknown" */
};

/* Everything that is shown, collected once. */
struct status {
	struct filter filter;
	const struct layout *layout;
	struct status_iface ifaces[2 * DEDUP_IFACES_MAX];
	int ifaces_cnt;
	struct links links;
	struct receivers_faults faults;
	const char *mode; /* of all attached interfaces, or "mixed", or "none" */
	struct filter_counters counters;
	struct fill fill;
	uint64_t *histogram;   /* countdown, where it is short enough to show */
	uint64_t approx_count; /* countdown */
	double hand;	       /* part of the turn that is done */
	uint32_t turns;
	uint64_t oldest_ns;
	bool stopped; /* the hand's clock */
	bool exact;   /* all of the memory is to be read */
};

static struct status_iface *add_iface(struct status *s, const char *name, uint32_t ifindex,
				      const char *state)
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

/* Is it an interface of this name that has moved here with its program? */
static bool has_come(const struct status *s, const char *name)
{
	for (int i = 0; i < s->ifaces_cnt; i++)
		if (!strcmp(s->ifaces[i].name, name) && !strcmp(s->ifaces[i].state, "attached"))
			return !attachments_recorded(&s->filter, name);
	return false;
}

/* Where the kernel says it runs, then what was once attached and no longer is. */
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
			add_iface(s, list[i].ifname, list[i].ifindex, "unknown");
			continue;
		}
		if (list[i].state_id != s->filter.state_id)
			continue;
		iface = add_iface(s, list[i].ifname, list[i].ifindex, "attached");
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
		if (recorded[i].netns != kernel_netns()) {
			if (!has_come(s, recorded[i].name))
				add_iface(s, recorded[i].name, 0, "other netns");
		} else if (!has_iface(s, recorded[i].ifindex))
			add_iface(s, recorded[i].name, recorded[i].ifindex,
				  if_indextoname(recorded[i].ifindex, name) ? "detached" : "gone");
	}
	return 0;
}

static int collect_faults(struct status *s)
{
	uint32_t indices[DEDUP_IFACES_MAX];
	bool skb[DEDUP_IFACES_MAX];
	int cnt = 0, err = receivers_links(&s->links);

	for (int i = 0; i < s->ifaces_cnt && cnt < DEDUP_IFACES_MAX; i++) {
		if (strcmp(s->ifaces[i].state, "attached"))
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
	s->stopped = stats_stopped(s->filter.config, s->filter.state, kernel_now_ns());
	return 0;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / whole : 0;
}

/* Bytes that the stack never saw. */
static uint64_t bytes_kept_away(const struct status *s)
{
	return s->filter.config->count_only ? 0 : s->counters.duplicate_bytes;
}

static void print_ifaces(const struct status *s)
{
	for (int i = 0; i < s->ifaces_cnt; i++) {
		const struct status_iface *f = &s->ifaces[i];

		printf("%s%s (", i ? ", " : "", f->name);
		if (strcmp(f->state, "attached"))
			printf("%s)", f->state);
		else
			printf("%s%s)", attach_mode_name(f->mode),
			       f->dispatcher ? ", through the dispatcher" : ", alone");
	}
	puts(s->ifaces_cnt ? "" : "none");
}

static void print_counters(const struct filter_counters *c)
{
	char text[32];

#define X(name, help)                                                   \
	if (c->name)                                                    \
		printf("  %-16s %14llu %6.2f %%  %s\n", #name, c->name, \
		       100 * share(c->name, c->rx), help);
	printf("  %-16s %14llu           packets entering\n", "rx", c->rx);
	DEDUP_REASONS(X)
#undef X
	printf("  %-16s %14llu %6.2f %%\n", "dropped", c->dropped, 100 * share(c->dropped, c->rx));
	printf("  %-16s %14s           of duplicates\n", "bytes",
	       format_bytes(c->duplicate_bytes, text, sizeof(text)));
	printf("  %-16s %14llu           blocks aged early, by load\n", "early", c->early);
	if (c->late)
		printf("  %-16s %14llu           blocks aged late, the hand was held up\n", "late",
		       c->late);
}

static void print_shape(const struct status *s)
{
	const struct dedup_config *c = s->filter.config;
	char parameters[LAYOUT_TEXT_MAX], size[32];

	s->layout->describe(c, parameters);
	printf("  filter      %s, %s hash; %s; %s\n", s->layout->name, hash_name(c->hash),
	       format_bytes(plan_bytes(c), size, sizeof(size)), parameters);
}

static void print_fill(const struct status *s)
{
	const struct fill *f = &s->fill;

	if (s->layout->approx_count)
		printf("  fill        %.2f %% (%llu cells); %llu ids learned and not expired\n",
		       100 * f->current, (unsigned long long)f->set_current,
		       (unsigned long long)s->approx_count);
	else
		printf("  fill        current %.2f %% (%llu bits), previous %.2f %% (%llu bits)\n",
		       100 * f->current, (unsigned long long)f->set_current, 100 * f->previous,
		       (unsigned long long)f->set_previous);
}

static void print_estimate(const struct fill *f)
{
	printf("  estimate    %.0f ids", f->ids);
	if (f->read_part < 1)
		printf(" (standard error %.0f)", f->ids_error);
	printf("; false-positive rate now %.3g\n", f->fpr);
	if (f->read_part < 1)
		printf("              fill and estimate from a sample of %.3g %%; --exact reads "
		       "all\n",
		       100 * f->read_part);
}

static void print_receiver(const struct status *s)
{
	const struct dedup_config *c = s->filter.config;
	const struct receivers_faults *faults = &s->faults;
	char text[PREFIX_TEXT_MAX];

	if (c->forwarded)
		puts("  frames      for any host");
	for (uint32_t i = 0; i < c->to_cnt; i++)
		printf("%s%s%s", i ? "," : "  only to     ",
		       format_prefix(&c->to[i], i < c->to4_cnt, text), i + 1 < c->to_cnt ? "" : "\n");
	for (int i = 0; i < faults->stale_cnt; i++)
		printf("  warning     the MACs of %s or of what is on top of it have changed: "
		       "xdp-dedup "
		       "refresh %s\n",
		       faults->stale[i]->name, s->filter.name);
	if (faults->stacked.upper)
		printf("  warning     %s is on top of %s: packets meet the filter twice, and are "
		       "dropped the second time; unload one of them\n",
		       faults->stacked.upper->name, faults->stacked.lower->name);
	if (faults->merging.upper)
		printf("  warning     %s merges UDP packets before %s sees them: only the first "
		       "one's "
		       "id is looked at\n",
		       faults->merging.lower->name, faults->merging.upper->name);
}

static void print_text(const struct status *s)
{
	const struct dedup_config *c = s->filter.config;
	char ports[PORTS_TEXT_MAX], window[32], oldest[32], kept[32];

	printf("%s: GSP/1 on UDP port %s, duplicates are %s\n", s->filter.name,
	       format_ports(c->ports, c->ports_cnt, ports, sizeof(ports)),
	       c->count_only ? "counted and passed" : "dropped");
	printf("  interfaces  ");
	print_ifaces(s);
	print_receiver(s);
	print_shape(s);
	printf("  promise     at most %g of fresh events lost, at %llu ids a window of %s\n",
	       plan_fpr(c), c->capacity, format_time(c->window_ns, window, sizeof(window)));
	if (c->learn_app)
		puts("  learning    only what an application adds");
	if (c->ihave_pass)
		puts("  IHAVEs      all pass");
	if (s->stopped)
		puts("  hand        has stopped: everything passes; unload and load again");
	else if (s->layout->approx_count)
		printf("  hand        %u countdowns; oldest id at most %s old\n",
		       s->turns * c->places + (uint32_t)(s->hand * c->places + 0.5),
		       format_time(s->oldest_ns, oldest, sizeof(oldest)));
	else
		printf("  hand        at %.1f %% of turn %u; oldest id at most %s old\n",
		       100 * s->hand, s->turns + 1,
		       format_time(s->oldest_ns, oldest, sizeof(oldest)));
	print_fill(s);
	print_estimate(&s->fill);
	printf("  kept away   %s\n\n", format_bytes(bytes_kept_away(s), kept, sizeof(kept)));
	print_counters(&s->counters);
}

static json_object *json_u64(uint64_t value)
{
	return json_object_new_uint64(value);
}

static json_object *json_ifaces(const struct status *s)
{
	json_object *list = json_object_new_array();

	for (int i = 0; i < s->ifaces_cnt; i++) {
		const struct status_iface *f = &s->ifaces[i];
		bool attached = !strcmp(f->state, "attached");
		json_object *o = json_object_new_object();

		json_object_object_add(o, "name", json_object_new_string(f->name));
		json_object_object_add(o, "state", json_object_new_string(f->state));
		json_object_object_add(o, "mode",
				       attached ? json_object_new_string(attach_mode_name(f->mode))
						: NULL);
		json_object_object_add(o, "dispatcher", json_object_new_boolean(f->dispatcher));
		json_object_array_add(list, o);
	}
	return list;
}

static json_object *json_ports(const struct dedup_config *c)
{
	json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < c->ports_cnt; i++) {
		json_object *range = json_object_new_array();

		json_object_array_add(range, json_object_new_int(c->ports[i].lo));
		json_object_array_add(range, json_object_new_int(c->ports[i].hi));
		json_object_array_add(list, range);
	}
	return list;
}

#define ADD(key, value) json_object_object_add(o, key, value)

/* Empty, or one pair. */
static json_object *json_pair(struct stacked pair)
{
	json_object *list = json_object_new_array(), *o;

	if (pair.upper) {
		o = json_object_new_object();
		ADD("upper", json_object_new_string(pair.upper->name));
		ADD("lower", json_object_new_string(pair.lower->name));
		json_object_array_add(list, o);
	}
	return list;
}

/* Whose packets it takes, and what is wrong with that. */
static void json_receiver(json_object *o, const struct status *s)
{
	const struct dedup_config *c = s->filter.config;
	json_object *to = json_object_new_array(), *stale = json_object_new_array();
	char text[PREFIX_TEXT_MAX];

	for (uint32_t i = 0; i < c->to_cnt; i++)
		json_object_array_add(
			to, json_object_new_string(format_prefix(&c->to[i], i < c->to4_cnt, text)));
	for (int i = 0; i < s->faults.stale_cnt; i++)
		json_object_array_add(stale, json_object_new_string(s->faults.stale[i]->name));
	ADD("forwarded", json_object_new_boolean(c->forwarded));
	ADD("to", to);
	ADD("macs_changed", stale);
	ADD("stacked", json_pair(s->faults.stacked));
	ADD("merged", json_pair(s->faults.merging));
}

/* What the filter is. */
static void json_shape(json_object *o, const struct status *s)
{
	const struct dedup_config *c = s->filter.config;

	struct layout_fact facts[LAYOUT_FACTS_MAX];
	int cnt = s->layout->facts(NULL, c, facts);

	ADD("blocks", json_u64(c->blocks));
	for (int i = 0; i < cnt; i++)
		ADD(facts[i].key, json_u64(facts[i].value));
}

/* What it holds. */
static void json_fill(json_object *o, const struct status *s)
{
	const struct fill *f = &s->fill;
	json_object *list;

	if (s->layout->approx_count) {
		ADD("fill", json_object_new_double(f->current));
		ADD("cells_set", json_u64(f->set_current));
		ADD("approx_count", json_u64(s->approx_count));
		list = s->histogram ? json_object_new_array() : NULL;
		for (uint32_t i = 0; list && i <= s->filter.config->places; i++)
			json_object_array_add(list, json_u64(s->histogram[i]));
		ADD("life_expectancy_histogram", list);
		return;
	}
	ADD("fill", json_object_new_double((f->current + f->previous) / 2));
	ADD("fill_current", json_object_new_double(f->current));
	ADD("fill_previous", json_object_new_double(f->previous));
	ADD("set_bits", json_u64(f->set_current));
	ADD("set_bits_previous", json_u64(f->set_previous));
	if (s->layout == &LAYOUT_FLAT) {
		ADD("occupancy", json_object_new_double(f->current));
		ADD("occupancy_previous", json_object_new_double(f->previous));
	}
}

static json_object *to_json(const struct status *s)
{
	const struct dedup_config *c = s->filter.config;
	json_object *o = json_object_new_object(), *counters = json_object_new_object();

	ADD("name", json_object_new_string(s->filter.name));
	ADD("interfaces", json_ifaces(s));
	ADD("mode", json_object_new_string(s->mode));
	ADD("ports", json_ports(c));
	ADD("action", json_object_new_string(c->count_only ? "count" : "drop"));
	ADD("learn", json_object_new_string(c->learn_app ? "app" : "kernel"));
	ADD("ihave", json_object_new_string(c->ihave_pass ? "pass" : "drop"));
	ADD("layout", json_object_new_string(s->layout->name));
	ADD("hash", json_object_new_string(hash_name(c->hash)));
	json_receiver(o, s);
	json_shape(o, s);
	ADD("capacity", json_u64(c->capacity));
	ADD("fpr", json_object_new_double(plan_fpr(c)));
	ADD("window_ns", json_u64(c->window_ns));
	ADD("filter_bytes", json_u64(plan_bytes(c)));
	ADD("stopped", json_object_new_boolean(s->stopped));
	ADD("hand_position", json_object_new_double(s->hand));
	ADD("hand_turns", json_u64(s->turns));
	ADD("oldest_id_ns", json_u64(s->oldest_ns));
	ADD("late_max_ns", json_u64(READ_ONCE(s->filter.state->late_max_ns)));
	json_fill(o, s);
	ADD("fill_sampled", json_object_new_boolean(s->fill.read_part < 1));
	ADD("fill_read_part", json_object_new_double(s->fill.read_part));
	ADD("ids_estimate", json_object_new_double(s->fill.ids));
	ADD("ids_estimate_error", json_object_new_double(s->fill.ids_error));
	ADD("fpr_estimate", json_object_new_double(s->fill.fpr));
	ADD("bytes_kept_away", json_u64(bytes_kept_away(s)));
#define X(name, help) json_object_object_add(counters, #name, json_u64(s->counters.name));
	DEDUP_COUNTERS(X)
#undef X
	ADD("counters", counters);
	return o;
}

/* Shows an open filter, or puts it into `list` where there is one; closes it. */
static int show(struct filter *f, bool exact, json_object *list)
{
	struct status *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	if (s) {
		s->filter = *f;
		s->layout = layout_of(f->config->layout);
		s->exact = exact;
		err = collect(s);
	}
	if (!err && list)
		json_object_array_add(list, to_json(s));
	else if (!err)
		print_text(s);
	filter_close(f);
	if (s) {
		links_free(&s->links);
		free(s->histogram);
	}
	free(s);
	return err;
}

static void print_json(json_object *o)
{
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED));
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
		if (open_err ? filter_explain(*n, open_err) : show(&f, exact, list))
			err = -EIO;
	}
	if (!err && !shown && !json)
		puts("no filter is loaded");
	loader_free_names(names);
	if (json) {
		all = json_object_new_object();
		json_object_object_add(all, "filters", list);
		print_json(all);
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
		print_json(json_object_array_get_idx(list, 0));
	json_object_put(list);
	return err ? EXIT_FAILED : EXIT_DONE;
}
