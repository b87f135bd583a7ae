// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "grant_program.h"
#include "queue_grant.h"

/* Asks the program of the slot. */
static int ask_grant_program(struct queue_grant *g, uint32_t what)
{
	struct dedup_ask *a = &g->copy->ask;
	int err = grant_program_ask(g->ask_fd, a, what);

	if (err)
		a->socket.opened = g->facts.opened + 1;
	return err;
}

int queue_grant_make_copy(struct queue_grant *g)
{
	g->copy = calloc(1, sizeof(*g->copy));
	if (!g->copy)
		return -ENOMEM;
	g->socket = &g->copy->ask.socket;
	g->in_flight = g->copy->in_flight;
	return ask_grant_program(g, DEDUP_ASK_FETCH);
}

void queue_grant_fetch(struct queue_grant *g, const uint32_t *numbers, unsigned int cnt)
{
	struct dedup_in_flight *packets;
	int err;

	if (!g->copy)
		return;
	if (g->copy->ask.cnt) /* noted as cleared: the request takes their place */
		queue_grant_tell(g);
	packets = g->copy->ask.packets;
	for (unsigned int i = 0; i < cnt; i++)
		packets[i].number = numbers[i];
	g->copy->ask.cnt = cnt;
	err = ask_grant_program(g, DEDUP_ASK_FETCH);
	g->copy->ask.cnt = 0;
	for (unsigned int i = 0; i < cnt; i++) {
		if (err)
			packets[i].number = 0;
		*queue_grant_in_flight(g, numbers[i]) = packets[i];
	}
}

void queue_grant_fetch_all(struct queue_grant *g)
{
	uint32_t numbers[DEDUP_ASK_MAX];

	for (uint32_t at = 0; g->copy && at < DEDUP_IN_FLIGHT_MAX; at += DEDUP_ASK_MAX) {
		for (uint32_t i = 0; i < DEDUP_ASK_MAX; i++)
			numbers[i] = at + i;
		queue_grant_fetch(g, numbers, DEDUP_ASK_MAX);
	}
}

void queue_grant_note_cleared(struct queue_grant *g, uint64_t number)
{
	g->copy->ask.packets[g->copy->ask.cnt++].number = number;
	if (g->copy->ask.cnt == DEDUP_ASK_MAX)
		queue_grant_tell(g);
}

void queue_grant_tell(struct queue_grant *g)
{
	if (!g->copy)
		return;
	ask_grant_program(g, DEDUP_ASK_TELL);
	g->copy->ask.cnt = 0;
}
