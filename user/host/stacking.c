// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stacking.h"

#include <stddef.h>

#include "device.h"

struct stacked stacking_find(const struct links *l, const uint32_t *indices, int cnt)
{
	for (int i = 0; i < cnt; i++)
		for (int j = 0; j < cnt; j++)
			if (links_is_on(l, indices[i], indices[j]))
				return (struct stacked){ links_find(l, indices[i]),
							 links_find(l, indices[j]) };
	return (struct stacked){ NULL, NULL };
}

static int merges(const struct link *link, void *arg)
{
	*(const struct link **)arg = link;
	return device_merges_udp(link->name);
}

int stacking_merges(const struct links *l, uint32_t index, const struct link **out)
{
	return links_each_below(l, index, merges, out);
}
