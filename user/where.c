// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "where.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "kernel.h"
#include "say.h"

/* Who works with certain pins: programs with this state map, or this program. */
struct identity {
	uint32_t state_id, prog_id; /* 0: unknown */
};

static struct identity identify(const char *name)
{
	struct identity id;

	filter_identity(name, &id.state_id, &id.prog_id);
	return id;
}

static bool is_theirs(const struct attachment *a, struct identity id)
{
	return a->state_id == id.state_id || a->prog_id == id.prog_id;
}

bool where_attached(const char *name)
{
	struct identity id = identify(name);
	struct attachment *list;
	bool found = false;
	int cnt;

	if (attach_list(&list, &cnt))
		return true; /* unknown: rather keep than remove */
	for (int i = 0; i < cnt; i++)
		found |= is_theirs(&list[i], id);
	free(list);
	return found;
}

int where_detach(const char *name, int ifindex)
{
	struct identity id = identify(name);
	struct attachment *list;
	int cnt, left = 0, err = attach_list(&list, &cnt);

	if (err)
		return err;
	for (int i = 0; i < cnt && !err; i++) {
		if (!is_theirs(&list[i], id))
			continue;
		if (ifindex && list[i].ifindex != ifindex)
			left++;
		else
			err = detach(&list[i]);
	}
	free(list);
	return err ? err : left;
}

/* What runs on an interface; a->ifindex is 0 if nothing of ours does. */
static int find_attachment(const char *ifname, struct attachment *a)
{
	int ifindex = if_nametoindex(ifname);
	struct attachment *list;
	int cnt, err = attach_list(&list, &cnt);

	*a = (struct attachment){ 0 };
	if (err)
		return err;
	for (int i = 0; i < cnt; i++)
		if (list[i].ifindex == ifindex)
			*a = list[i];
	free(list);
	return 0;
}

/* Opens the one filter that has this state map, or, if that is 0, this interface in its record.
 * -ENOENT if none has, -ENOTUNIQ if several have, which it says.
 */
static int find_filter(uint32_t state_id, const char *ifname, struct filter *out)
{
	struct filter f;
	char **names;
	int found = 0, err = loader_names(&names);

	for (char **n = names; !err && *n; n++) {
		if (filter_open(*n, &f))
			continue;
		if (state_id ? f.state_id != state_id : !where_recorded(&f, ifname)) {
			filter_close(&f);
		} else if (!found++) {
			*out = f;
		} else {
			err = say_err(
				-ENOTUNIQ,
				"%s runs no filter now, and did run %s and %s; say which by its "
				"own name",
				ifname, out->name, f.name);
			filter_close(out);
			filter_close(&f);
		}
	}
	loader_free_names(names);
	return err ? err : found ? 0 : -ENOENT;
}

int where_on(const char *ifname, struct attachment *a, struct filter *f)
{
	int err = find_attachment(ifname, a);

	return err ? err : find_filter(a->ifindex ? a->state_id : 0, ifname, f);
}

int where_open(const char *what, struct filter *out)
{
	struct attachment a;
	int err = filter_open(what, out);

	if (err != -ENOENT)
		return err ? filter_explain(what, err) : 0;
	err = where_on(what, &a, out);
	if (err == -ENOENT && a.ifindex)
		return say_err(err,
			       "the pins of the filter on %s are gone; xdp-dedup unload %s removes "
			       "its program",
			       what, what);
	return err == -ENOENT ? filter_explain(what, err) : err;
}

bool where_elsewhere(const struct filter *f)
{
	uint32_t netns = kernel_netns();

	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (f->state->ifaces[i].ifindex && f->state->ifaces[i].netns != netns)
			return true;
	return false;
}

struct dedup_iface *where_recorded(struct filter *f, const char *ifname)
{
	uint32_t ifindex = if_nametoindex(ifname);

	for (int i = 0; i < DEDUP_IFACES_MAX; i++) {
		struct dedup_iface *iface = &f->state->ifaces[i];

		if (!iface->ifindex || iface->netns != kernel_netns())
			continue;
		if (ifindex ? iface->ifindex == ifindex : !strcmp(iface->name, ifname))
			return iface;
	}
	return NULL;
}
