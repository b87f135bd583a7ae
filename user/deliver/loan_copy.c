// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>

#include "lent.h"
#include "loan.h"

/* Asks the program of the place. */
static int ask(struct loan *l, uint32_t what)
{
	struct dedup_ask *a = &l->copy->ask;
	int err = lent_ask(l->ask_fd, a, what);

	if (err)
		a->socket.opened = l->facts.opened + 1;
	return err;
}

int loan_make_copy(struct loan *l)
{
	l->copy = calloc(1, sizeof(*l->copy));
	if (!l->copy)
		return -ENOMEM;
	l->socket = &l->copy->ask.socket;
	l->handed = l->copy->handed;
	return ask(l, DEDUP_ASK_FETCH);
}

void loan_fetch(struct loan *l, const uint32_t *numbers, unsigned int cnt)
{
	struct dedup_handed *packets;
	int err;

	if (!l->copy)
		return;
	packets = l->copy->ask.packets;
	for (unsigned int i = 0; i < cnt; i++)
		packets[i].number = numbers[i];
	l->copy->ask.cnt = cnt;
	err = ask(l, DEDUP_ASK_FETCH);
	l->copy->ask.cnt = 0;
	for (unsigned int i = 0; i < cnt; i++) {
		if (err)
			packets[i].number = 0;
		*loan_handed(l, numbers[i]) = packets[i];
	}
}

void loan_fetch_all(struct loan *l)
{
	uint32_t numbers[DEDUP_ASK_MAX];

	for (uint32_t at = 0; l->copy && at < DEDUP_HANDED_MAX; at += DEDUP_ASK_MAX) {
		for (uint32_t i = 0; i < DEDUP_ASK_MAX; i++)
			numbers[i] = at + i;
		loan_fetch(l, numbers, DEDUP_ASK_MAX);
	}
}

void loan_note_cleared(struct loan *l, uint64_t number)
{
	l->copy->ask.packets[l->copy->ask.cnt++].number = number;
	if (l->copy->ask.cnt == DEDUP_ASK_MAX)
		loan_tell(l);
}

void loan_tell(struct loan *l)
{
	if (!l->copy)
		return;
	ask(l, DEDUP_ASK_TELL);
	l->copy->ask.cnt = 0;
}
