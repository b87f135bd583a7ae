// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "guests.h"

#include <stdlib.h>
#include <sys/socket.h>

struct guest *guests_add(struct guests *g, int fd, uint64_t now_ms)
{
	struct guest *new = malloc(sizeof(*new));

	if (!new)
		return NULL;
	*new = (struct guest){ .fd = fd, .since_ms = now_ms, .older = g->newest };
	if (g->newest)
		g->newest->newer = new;
	else
		g->oldest = new;
	g->newest = new;
	g->cnt++;
	return new;
}

void guests_remove(struct guests *g, struct guest *guest)
{
	if (!guest)
		return;
	*(guest->older ? &guest->older->newer : &g->oldest) = guest->newer;
	*(guest->newer ? &guest->newer->older : &g->newest) = guest->older;
	g->cnt--;
	g->ended -= guest->is_ended;
	free(guest);
}

static void end(struct guests *g, struct guest *guest)
{
	if (guest->is_ended)
		return;
	shutdown(guest->fd, SHUT_RDWR);
	guest->is_ended = true;
	g->ended++;
}

void guests_end_older(struct guests *g, uint64_t now_ms, uint64_t age_ms)
{
	for (struct guest *i = g->oldest; i && now_ms - i->since_ms > age_ms; i = i->newer)
		end(g, i);
}

void guests_make_room(struct guests *g, int most)
{
	struct guest *chosen = NULL;
	int older = 0;

	for (struct guest *i = g->oldest; i; i = i->newer, older++) {
		if (i->is_ended)
			continue;
		if (!chosen)
			chosen = i;
		if (!i->has_asked && older < g->cnt / 2) {
			chosen = i;
			break;
		}
	}
	if (chosen && g->cnt - g->ended > most)
		end(g, chosen);
}
