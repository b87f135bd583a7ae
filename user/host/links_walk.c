// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which interface is on top of which. */
#include "links.h"

#include <stddef.h>
#include <string.h>

#define DEPTH_MAX 16 /* devices on top of each other; the kernel allows 8 */

static bool is_directly_on(const struct link *upper, const struct link *lower)
{
	return lower->master == upper->index || upper->below == lower->index;
}

/* Of all tunnel devices, only VXLAN is an upper device of its carrier to the kernel. */
static bool is_vxlan_on(const struct link *upper, const struct link *lower)
{
	return upper->carrier == lower->index && !strcmp(upper->kind, "vxlan");
}

bool link_has_xdp(const struct link *l)
{
	for (int i = 0; i < LINK_XDP_MAX; i++)
		if (l->xdp_ids[i])
			return true;
	return false;
}

const struct link *links_xdp_above(const struct links *l, uint32_t index)
{
	const struct link *lower = links_find(l, index);

	for (int i = 0; i < l->cnt && lower; i++)
		if ((is_directly_on(&l->list[i], lower) || is_vxlan_on(&l->list[i], lower)) &&
		    link_has_xdp(&l->list[i]))
			return &l->list[i];
	return NULL;
}

/* A walk from one device to all above it, or below it. */
struct links_walk {
	const struct links *links;
	bool goes_up;
	links_fn each;
	void *arg;
};

static int walk_from(const struct links_walk *w, const struct link *from, int depth)
{
	int found = 0;

	for (int i = 0; i < w->links->cnt && depth < DEPTH_MAX && !found; i++) {
		const struct link *next = &w->links->list[i];

		if (w->goes_up ? is_directly_on(next, from) : is_directly_on(from, next))
			found = w->each(next, w->arg) ?: walk_from(w, next, depth + 1);
	}
	return found;
}

int links_each_above(const struct links *l, uint32_t lower, links_fn each, void *arg)
{
	const struct links_walk w = { l, true, each, arg };
	const struct link *start = links_find(l, lower);

	return start ? walk_from(&w, start, 0) : 0;
}

int links_each_below(const struct links *l, uint32_t upper, links_fn each, void *arg)
{
	const struct links_walk w = { l, false, each, arg };
	const struct link *start = links_find(l, upper);

	return start ? walk_from(&w, start, 0) : 0;
}

static int has_index(const struct link *link, void *arg)
{
	return link->index == *(const uint32_t *)arg;
}

bool links_is_on(const struct links *l, uint32_t upper, uint32_t lower)
{
	return links_each_above(l, lower, has_index, &upper);
}

struct stacked links_find_stacked(const struct links *l, const uint32_t *indices, int cnt)
{
	for (int i = 0; i < cnt; i++)
		for (int j = 0; j < cnt; j++)
			if (links_is_on(l, indices[i], indices[j]))
				return (struct stacked){ links_find(l, indices[i]),
							 links_find(l, indices[j]) };
	return (struct stacked){ NULL, NULL };
}
