// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "change.h"
#include "diag.h"
#include "kept.h"
#include "plan.h"
#include "receivers.h"

/* A stream stays delivered if one of its name was, unless --deliver names the streams. */
static void keep_deliveries(const struct filter_spec *old, struct filter_spec *spec)
{
	for (uint32_t i = 0; i < old->streams_cnt; i++)
		for (uint32_t j = 0; j < spec->streams_cnt; j++)
			if (!strcmp(old->streams[i].stream.name, spec->streams[j].stream.name))
				spec->streams[j].deliver |= old->streams[i].deliver;
}

int change_ask(struct change *c)
{
	const struct wish *w = c->w;
	const struct given *given = &w->given;
	struct filter_spec *spec = &c->spec;

	if (w->profiles_cnt) {
		struct filter_spec old = *spec;

		memcpy(spec->streams, w->spec.streams, sizeof(spec->streams));
		spec->streams_cnt = w->spec.streams_cnt;
		spec->profiles_format = w->spec.profiles_format;
		keep_deliveries(&old, spec);
	} else if ((given->port || given->to || given->forwarded) && !spec_is_gsp(spec)) {
		return diag_err(-EINVAL, "%s has streams: say all that it is to have, by --profile",
				c->f.name);
	}
	wish_apply(w, spec);
	if (given->vlan)
		receivers_note_tags(spec, &c->where);
	return wish_streams_deliver(w, spec);
}

int change_plan(struct change *c, struct dedup_config *cfg)
{
	c->spec.several = c->where.cnt > 1;
	kept_plan_gsp(c->f.config, &c->spec);
	return wish_check_sources(c->w, &c->spec) ?: plan_here(&c->spec, cfg);
}

int change_place_of(const char *ifname, char *const *ifnames, int cnt)
{
	unsigned int ifindex = if_nametoindex(ifname);

	for (int i = 0; i < cnt; i++)
		if (ifindex ? if_nametoindex(ifnames[i]) == ifindex : !strcmp(ifname, ifnames[i]))
			return i;
	return -1;
}

/* The place of this interface among those where the filter is to run; -1 if it is not. */
static int place_of(const struct change *c, const char *ifname)
{
	return change_place_of(ifname, c->where.ifnames, c->where.cnt);
}

static int remove_interface(struct change *c, const char *ifname)
{
	int place = place_of(c, ifname);

	if (place < 0)
		return diag_err(-ENODEV, "%s does not run on %s", c->f.name, ifname);
	c->ifnames[place] = c->ifnames[--c->where.cnt];
	return 0;
}

/* Adds one behind those that are checked as a load would check them. */
static int add_new_interface(struct change *c, char *ifname)
{
	if (place_of(c, ifname) >= 0)
		return diag_err(-EEXIST, "%s runs on %s already", c->f.name, ifname);
	if (c->where.cnt == DEDUP_IFACES_MAX)
		return diag_err(-E2BIG, "at most %d interfaces", DEDUP_IFACES_MAX);
	c->ifnames[c->where.cnt++] = ifname;
	return 0;
}

/* Adds these, checked as a load would check them. */
static int add_new_interfaces(struct change *c, char *const *ifnames, int cnt)
{
	struct placement added = { ifnames, cnt, c->where.mode };
	struct links links;
	int err = 0;

	for (int i = 0; i < cnt && !err; i++)
		err = attach_check_named(&added, i) ?:
		      add_new_interface(c, ifnames[i]) ?:
		      attach_check_room(ifnames[i]);
	if (err || !cnt)
		return err;
	err = receivers_links(&links);
	if (err)
		return err;
	for (int i = 0; i < cnt && !err; i++)
		err = receivers_check_ethernet(ifnames[i], &links)
			      ?: receivers_check_merging(ifnames[i], c->where.mode, &links);
	links_free(&links);
	return err;
}

int change_interfaces(struct change *c, char *const *add, int add_cnt, char *const *remove,
		      int remove_cnt)
{
	int err = 0;

	for (int i = 0; i < remove_cnt && !err; i++)
		err = remove_interface(c, remove[i]);
	if (!err)
		err = add_new_interfaces(c, add, add_cnt);
	if (!err && !c->where.cnt)
		err = diag_err(-EINVAL, "%s would run nowhere: xdp-dedup unload ends it", c->f.name);
	return err;
}
