// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "pending_ids.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int pending_ids_open(struct pending_ids *p, uint32_t events)
{
	uint32_t chains = 64;

	while (chains < events)
		chains *= 2;
	p->mask = chains - 1;
	p->chains = calloc(chains, sizeof(struct intake_event *));
	return p->chains ? 0 : -ENOMEM;
}

void pending_ids_close(struct pending_ids *p)
{
	free(p->chains);
	p->chains = NULL;
}

/* FNV-1a. A sender that chooses ids of one chain only slows the publisher down: a chain has no more
 * events than messages may be pending.
 */
static struct intake_event **chain_of(const struct pending_ids *p, const struct intake_event *e)
{
	uint32_t hash = 2166136261U;

	for (uint32_t i = 0; i < e->id.len; i++)
		hash = (hash ^ e->id.bytes[i]) * 16777619;
	return &p->chains[(hash ^ hash >> 16) & p->mask];
}

static bool is_same(const struct intake_event *a, const struct intake_event *b)
{
	return a->id.len == b->id.len && !memcmp(a->id.bytes, b->id.bytes, a->id.len) &&
	       !strcmp(a->stream->realm, b->stream->realm);
}

bool pending_ids_add(struct pending_ids *p, struct intake_event *e)
{
	struct intake_event **chain = chain_of(p, e);

	if (e->stream->is.number_bytes)
		return true;
	for (const struct intake_event *one = *chain; one; one = one->next)
		if (is_same(one, e))
			return false;
	e->next = *chain;
	*chain = e;
	return true;
}

void pending_ids_remove(struct pending_ids *p, struct intake_event *e)
{
	struct intake_event **at = chain_of(p, e);

	while (*at && *at != e)
		at = &(*at)->next;
	if (*at)
		*at = e->next;
}
