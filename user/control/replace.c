// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* load --replace: this version's program, and whatever else is asked for, in the place of a filter
 * that runs. What is not asked for stays as it is.
 */
#include <errno.h>
#include <net/if.h>
#include <string.h>

#include "change.h"
#include "diag.h"
#include "load.h"
#include "plan.h"

/* Interfaces may have several names. */
static bool is_among(const char *ifname, char *const *ifnames, int cnt)
{
	unsigned int ifindex = if_nametoindex(ifname);

	for (int i = 0; i < cnt; i++)
		if (ifindex ? if_nametoindex(ifnames[i]) == ifindex : !strcmp(ifname, ifnames[i]))
			return true;
	return false;
}

/* It is to run on the interfaces that are named, if any is, and on no others. */
static int ask_interfaces(const struct options *o, struct change *c)
{
	char *added[DEDUP_IFACES_MAX], *left[DEDUP_IFACES_MAX];
	int added_cnt = 0, left_cnt = 0;

	for (int i = 0; i < o->args_cnt; i++)
		if (!is_among(o->args[i], c->ifnames, c->cnt))
			added[added_cnt++] = o->args[i];
	for (int i = 0; i < c->cnt && o->args_cnt; i++)
		if (!is_among(c->ifnames[i], o->args, o->args_cnt))
			left[left_cnt++] = c->ifnames[i];
	if (!c->cnt && !added_cnt)
		return diag_err(-ENODEV, "%s runs on no interface here: on which is it to?",
				c->f.name);
	return change_interfaces(c, added, added_cnt, left, left_cnt);
}

static int plan(const struct options *o, struct change *c, struct dedup_config *cfg)
{
	int err = 0;

	if (o->whole) {
		c->spec = o->spec;
		return change_plan(c, cfg);
	}
	err = change_ask_packets(o, c);
	if (err)
		return err;
	change_ask_action(o, c);
	if (change_asks_shape(o))
		change_ask_shape(o, c);
	return change_plan(c, cfg);
}

/* Can a program of this plan go on with the memory that there is? */
static bool keeps_memory(const struct options *o, const struct change *c,
			 const struct dedup_config *cfg)
{
	const struct dedup_config *old = c->f.config;

	struct dedup_config next = *cfg;

	if (old->format != DEDUP_FORMAT || plan_next_program(old, &next))
		return false;
	return (!o->whole && !change_asks_shape(o)) || plan_is_same_memory(old, cfg);
}

/* Is the filter that runs what is planned, in all that a plan says? */
static bool is_same(const struct dedup_config *old, const struct dedup_config *cfg)
{
	struct dedup_config next = *cfg;

	if (old->format != DEDUP_FORMAT || !plan_is_same_memory(old, cfg) ||
	    plan_next_program(old, &next))
		return false;
	next.serial = old->serial;
	next.earlier_stats = old->earlier_stats;
	return !memcmp(&next, old, sizeof(next));
}

/* Is where it runs where it is to? */
static bool is_in_place(const struct change *c)
{
	bool same = c->where.cnt == c->cnt;

	for (int i = 0; i < c->cnt && same; i++)
		same = is_among(c->list[i].ifname, c->where.ifnames, c->where.cnt);
	return same;
}

static int replace(const struct options *o, struct change *c)
{
	struct dedup_config cfg;
	int err = ask_interfaces(o, c);

	if (!err)
		err = plan(o, c, &cfg);
	if (err)
		return err;
	if (o->whole && is_in_place(c) && is_same(c->f.config, &cfg))
		return 0;
	err = keeps_memory(o, c, &cfg) ? change_program(o, c, &cfg) : change_filter(o, c, &cfg);
	if (!err)
		diag_done("%s: replaced; what it remembers is kept", c->f.name);
	return err;
}

int load_replace(const struct options *o)
{
	struct change c;
	int err = change_find(o, o->name ? o->name : o->args[0], &c);

	if (err)
		return err;
	err = replace(o, &c);
	change_end(&c);
	return err;
}
