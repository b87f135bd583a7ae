// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "where.h"

#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "attach.h"
#include "kernel.h"

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
