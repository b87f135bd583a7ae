// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "connections.h"

#include <stdlib.h>
#include <sys/socket.h>

struct connection *connections_add(struct connections *g, int fd, uint64_t now_ms)
{
	struct connection *new = malloc(sizeof(*new));

	if (!new)
		return NULL;
	*new = (struct connection){ .fd = fd, .since_ms = now_ms, .older = g->newest };
	if (g->newest)
		g->newest->newer = new;
	else
		g->oldest = new;
	g->newest = new;
	g->cnt++;
	return new;
}

void connections_remove(struct connections *g, struct connection *connection)
{
	if (!connection)
		return;
	*(connection->older ? &connection->older->newer : &g->oldest) = connection->newer;
	*(connection->newer ? &connection->newer->older : &g->newest) = connection->older;
	g->cnt--;
	g->ended -= connection->is_ended;
	free(connection);
}

static void end_connection(struct connections *g, struct connection *connection)
{
	if (connection->is_ended)
		return;
	shutdown(connection->fd, SHUT_RDWR);
	connection->is_ended = true;
	g->ended++;
}

void connections_end_older(struct connections *g, uint64_t now_ms, uint64_t age_ms)
{
	for (struct connection *i = g->oldest; i && now_ms - i->since_ms > age_ms; i = i->newer)
		end_connection(g, i);
}

void connections_make_room(struct connections *g, int most)
{
	struct connection *chosen = NULL;
	int older = 0;

	for (struct connection *i = g->oldest; i; i = i->newer, older++) {
		if (i->is_ended)
			continue;
		if (!chosen)
			chosen = i;
		if (!i->has_request && older < g->cnt / 2) {
			chosen = i;
			break;
		}
	}
	if (chosen && g->cnt - g->ended > most)
		end_connection(g, chosen);
}
