// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "change.h"
#include "diag.h"
#include "iface.h"
#include "plan.h"
#include "receivers.h"

/* Keeps a stream delivered if one of its name was. wish_streams_deliver() may override this. */
static void keep_deliveries(const struct filter_spec *old, struct filter_spec *spec)
{
	for (uint32_t i = 0; i < old->streams_cnt; i++)
		for (uint32_t j = 0; j < spec->streams_cnt; j++)
			if (!strcmp(old->streams[i].stream.name, spec->streams[j].stream.name))
				spec->streams[j].deliver |= old->streams[i].deliver;
}

int change_request(struct change *c)
{
	const struct wish *w = c->w;
	const struct spec_given *given = &w->spec.given;
	struct filter_spec *spec = &c->spec;

	if (w->profiles_cnt) {
		struct filter_spec old = *spec;

		memcpy(spec->streams, w->spec.streams, sizeof(spec->streams));
		spec->streams_cnt = w->spec.streams_cnt;
		/* These are said with the streams. */
		spec->given.port = spec->given.to = spec->given.forwarded = spec->forwarded = false;
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

/* Returns the index of the entry with this recorded name in c->requested; -1 if there is none. */
static int requested_place(const struct change *c, const char *recorded)
{
	for (int i = 0; i < c->requested.cnt; i++)
		if (!strcmp(c->requested.recorded[i], recorded))
			return i;
	return -1;
}

int change_plan(struct change *c, struct dedup_config *cfg)
{
	c->spec.several = c->requested.cnt > 1;
	return wish_check_sources(c->w, &c->spec) ?:
	       wish_streams_check_needs(&c->spec) ?:
	       plan_local(&c->spec, cfg);
}

int change_place_of(const char *ifname, char *const *ifnames, int cnt)
{
	unsigned int ifindex = if_nametoindex(ifname);

	for (int i = 0; i < cnt; i++)
		if (ifindex ? if_nametoindex(ifnames[i]) == ifindex : !strcmp(ifname, ifnames[i]))
			return i;
	return -1;
}

static void drop_requested(struct change *c, int place)
{
	int last = --c->requested.cnt;

	c->requested.list[place] = c->requested.list[last];
	memcpy(c->requested.recorded[place], c->requested.recorded[last], IF_NAMESIZE);
}

static int remove_interface(struct change *c, const char *ifname)
{
	const struct attachment *a = attachments_on(&c->at, ifname);
	int place;

	if (!a)
		return diag_err(-ENODEV, "%s does not run on %s", c->f.name, ifname);
	place = requested_place(c, a->recorded);
	if (place >= 0) /* else it is gone, and not in c->requested */
		drop_requested(c, place);
	place = change_place_of(a->ifname, c->where.ifnames, c->where.cnt);
	if (place >= 0) /* else it is not in this network namespace */
		c->ifnames[place] = c->ifnames[--c->where.cnt];
	return 0;
}

/* Removes an entry of this name if it runs nothing any more. Refuses the name if its entry is of an
 * interface that has another name now, or is in another network namespace.
 */
static int take_name(struct change *c, const char *ifname)
{
	for (int i = 0; i < c->at.cnt; i++) {
		const struct attachment *a = &c->at.list[i];
		int place = requested_place(c, a->recorded);

		if (place < 0 || (strcmp(c->requested.list[place].name, ifname) != 0 &&
				  (a->ifindex || strcmp(a->ifname, ifname) != 0)))
			continue;
		if (a->ifindex)
			return diag_err(
				-EEXIST,
				"%s runs on another interface, which was called %s: xdp-dedup set %s --remove %s takes it off",
				c->f.name, ifname, c->f.name, a->ifname);
		drop_requested(c, place);
	}
	return 0;
}

/* Adds an interface to c->requested, unless the filter runs there. */
static int add_new_interface(struct change *c, char *ifname)
{
	struct placement how = { .mode = c->where.mode, .share = c->where.share };
	int err;

	if (change_place_of(ifname, c->where.ifnames, c->where.cnt) >= 0)
		return diag_err(-EEXIST, "%s runs on %s already", c->f.name, ifname);
	err = take_name(c, ifname);
	if (err)
		return err;
	if (c->requested.cnt == DEDUP_IFACES_MAX)
		return diag_err(-E2BIG, "at most %d interfaces", DEDUP_IFACES_MAX);
	c->ifnames[c->where.cnt++] = ifname;
	*c->requested.recorded[c->requested.cnt] = '\0';
	return attachments_entry(ifname, &how, &c->requested.list[c->requested.cnt++]);
}

/* Returns whether the filter's link has another program there, which any change replaces. */
static bool has_foreign_program(const struct change *c, const char *ifname)
{
	const struct attachment *a = attachments_on(&c->at, ifname);

	return a && a->local && !a->ours;
}

/* Adds interfaces, with the checks of a load. */
static int add_new_interfaces(struct change *c, char *const *ifnames, int cnt)
{
	struct placement added = { ifnames, cnt, c->where.mode, c->where.share };
	struct links links;
	int err = cnt ? receivers_links(&links) : 0;

	if (err || !cnt)
		return err;
	for (int i = 0; i < cnt && !err; i++) {
		err = attach_check_named(&added, i);
		if (!err && !has_foreign_program(c, ifnames[i]))
			err = add_new_interface(c, ifnames[i])
				      ?: attach_check_room(ifnames[i], &links, added.share);
	}
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
	if (!err && !c->requested.cnt)
		err = diag_err(-EINVAL, "%s would run nowhere: xdp-dedup unload ends it", c->f.name);
	return err;
}

int change_request_interfaces(struct change *c)
{
	const struct placement *where = &c->w->where;
	char *added[DEDUP_IFACES_MAX], *left[DEDUP_IFACES_MAX];
	int added_cnt = 0, left_cnt = 0;

	for (int i = 0; i < where->cnt; i++)
		if (change_place_of(where->ifnames[i], c->where.ifnames, c->where.cnt) < 0)
			added[added_cnt++] = where->ifnames[i];
	for (int i = 0; i < c->where.cnt && where->cnt && !c->w->stays; i++)
		if (change_place_of(c->where.ifnames[i], where->ifnames, where->cnt) < 0)
			left[left_cnt++] = c->where.ifnames[i];
	if (!c->requested.cnt && !added_cnt)
		return diag_err(-ENODEV, "%s runs on no interface here: on which is it to?",
				c->f.name);
	return change_interfaces(c, added, added_cnt, left, left_cnt);
}
