// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "guests.h"

#include <stdlib.h>
#include <sys/socket.h>

struct guest *guests_add(struct guests *g, int fd, uint64_t now_ms)
{
	struct guest *new = malloc(sizeof(*new));

	if (!new)
		return NULL;
	*new = (struct guest){ .fd = fd, .since_ms = now_ms, .next = g->first, .link = &g->first };
	if (g->first)
		g->first->link = &new->next;
	g->first = new;
	g->cnt++;
	return new;
}

void guests_remove(struct guests *g, struct guest *guest)
{
	if (!guest)
		return;
	*guest->link = guest->next;
	if (guest->next)
		guest->next->link = guest->link;
	free(guest);
	g->cnt--;
}

void guests_end_older(const struct guests *g, uint64_t now_ms, uint64_t age_ms)
{
	for (const struct guest *i = g->first; i; i = i->next)
		if (now_ms - i->since_ms > age_ms)
			shutdown(i->fd, SHUT_RDWR);
}
