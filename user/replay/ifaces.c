// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "ifaces.h"

#include <stdio.h>

void ifaces_clean_name(char name[IFACE_NAME_SIZE], const uint8_t *bytes, size_t len)
{
	size_t n = 0;

	for (; n < len && n < IFACE_NAME_SIZE - 1 && bytes[n]; n++)
		name[n] = bytes[n] >= ' ' && bytes[n] <= '~' ? (char)bytes[n] : '?';
	name[n] = '\0';
}

uint32_t ifaces_add(struct ifaces *i, const char *name, uint32_t tag)
{
	if (i->cnt == IFACES_MAX)
		return IFACES_MAX - 1;
	snprintf(i->names[i->cnt], IFACE_NAME_SIZE, "%s", name);
	i->tags[i->cnt] = tag;
	return i->cnt++;
}

uint32_t ifaces_by_index(struct ifaces *i, uint32_t index)
{
	char name[IFACE_NAME_SIZE];

	for (uint32_t number = 0; number < i->cnt; number++)
		if (i->tags[number] == index)
			return number;
	snprintf(name, sizeof(name), "index %u", index);
	return ifaces_add(i, name, index);
}
