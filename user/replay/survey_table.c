// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "survey_state.h"

#include <stdlib.h>
#include <string.h>

#define INDEX_CNT (2 * SURVEY_DESTINATIONS_MAX)

/* Returns the index entry of the flow's destination, or the unused entry for it. */
static uint16_t *find_index_entry(struct survey_table *t, const struct flow *f)
{
	uint32_t i = flow_destination(f);

	for (;; i++) {
		uint16_t *at = &t->index[i % INDEX_CNT];

		if (!*at || flow_is_to(f, &t->destinations[*at - 1].d))
			return at;
	}
}

static void free_ages(struct survey_table *t, struct histogram **at)
{
	t->ages_cnt -= *at != NULL;
	free(*at);
	*at = NULL;
}

static void free_destination(struct survey_table *t, struct destination *p)
{
	for (uint32_t i = 0; i < DEDUP_STREAMS_MAX; i++) {
		if (!p->candidates[i])
			continue;
		free_ages(t, &p->candidates[i]->ages);
		free(p->candidates[i]->numbers);
		free(p->candidates[i]);
	}
	free_ages(t, &p->ages);
	*p = (struct destination){ 0 };
}

/* Returns the worth of a destination, by which it stays in the table: duplicates count more. */
static uint64_t worth(const struct destination *p)
{
	return p->d.packets + 16 * p->d.identical.packets;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void move_to_others(struct survey_table *t, struct destination *p)
{
	t->others.packets += p->d.packets;
	t->others.bytes += p->d.bytes;
	t->others.identical.packets += p->d.identical.packets;
	t->others.identical.bytes += p->d.identical.bytes;
	t->others_cnt++;
	t->used--;
	free_destination(t, p);
}

/* Removes pairs of destinations that are no longer in the table. */
static void clean_pairs(struct survey_table *t)
{
	struct destination_pair *old = malloc(sizeof(t->pairs));

	if (!old)
		return;
	memcpy(old, t->pairs, sizeof(t->pairs));
	memset(t->pairs, 0, sizeof(t->pairs));
	t->pairs_cnt = 0;
	for (uint32_t i = 0; i < SURVEY_PAIRS_MAX; i++) {
		const struct destination_pair *p = &old[i];

		if (p->cnt && t->destinations[p->a].used && t->destinations[p->b].used)
			survey_add_pairs(t, p->stream, p->a, p->b, p->cnt);
	}
	free(old);
}

/* Moves the half of the destinations with the lower worth to t->others. */
static void move_lesser_half(struct survey_table *t)
{
	uint64_t worths[SURVEY_DESTINATIONS_MAX], limit;

	for (uint32_t i = 0; i < SURVEY_DESTINATIONS_MAX; i++)
		worths[i] = worth(&t->destinations[i]);
	qsort(worths, SURVEY_DESTINATIONS_MAX, sizeof(*worths), by_number);
	limit = worths[SURVEY_DESTINATIONS_MAX / 2 - 1];
	for (uint32_t i = 0; i < SURVEY_DESTINATIONS_MAX; i++)
		if (worth(&t->destinations[i]) < limit)
			move_to_others(t, &t->destinations[i]);
	for (uint32_t i = 0; i < SURVEY_DESTINATIONS_MAX; i++)
		if (t->used > SURVEY_DESTINATIONS_MAX / 2 && t->destinations[i].used &&
		    worth(&t->destinations[i]) == limit)
			move_to_others(t, &t->destinations[i]);
	memset(t->index, 0, sizeof(t->index));
	for (uint32_t i = 0; i < SURVEY_DESTINATIONS_MAX; i++) {
		const struct survey_destination *d = &t->destinations[i].d;
		struct flow f = {
			.kind = d->kind,
			.number = d->number,
			.multicast = d->multicast,
		};

		memcpy(f.to, d->addresses[0], sizeof(f.to));
		if (t->destinations[i].used)
			*find_index_entry(t, &f) = (uint16_t)(i + 1);
	}
	clean_pairs(t);
}

uint32_t survey_find_destination(struct survey_table *t, const struct flow *f)
{
	uint16_t *at = find_index_entry(t, f);
	uint32_t i;

	if (*at)
		return *at - 1;
	if (t->used == SURVEY_DESTINATIONS_MAX) {
		move_lesser_half(t);
		at = find_index_entry(t, f);
	}
	do
		i = t->next++ % SURVEY_DESTINATIONS_MAX;
	while (t->destinations[i].used);
	t->destinations[i].used = true;
	t->destinations[i].d = (struct survey_destination){
		.kind = f->kind,
		.number = f->number,
		.multicast = f->multicast,
		.ipv4 = f->ipv4,
	};
	if (f->multicast) {
		memcpy(t->destinations[i].d.addresses[0], f->to, sizeof(f->to));
		t->destinations[i].d.addresses_cnt = 1;
	}
	t->used++;
	*at = (uint16_t)(i + 1);
	return i;
}

void survey_add_age(struct survey_table *t, struct histogram **at, uint64_t ns)
{
	if (!*at && t->ages_cnt < SURVEY_AGES_MAX) {
		*at = calloc(1, sizeof(**at));
		t->ages_cnt += *at != NULL;
	}
	if (*at)
		histogram_add(*at, ns);
}

void survey_add_pairs(struct survey_table *t, uint32_t stream, uint32_t a, uint32_t b, uint64_t cnt)
{
	uint32_t i = (a * 2654435761U ^ b * 2246822519U ^ stream * 3266489917U) >> 8;

	for (;; i++) {
		struct destination_pair *p = &t->pairs[i % SURVEY_PAIRS_MAX];

		if (p->cnt && (p->a != a || p->b != b || p->stream != stream))
			continue;
		if (!p->cnt && t->pairs_cnt >= SURVEY_PAIRS_MAX / 4 * 3)
			return;
		t->pairs_cnt += !p->cnt;
		*p = (struct destination_pair){ (uint16_t)a, (uint16_t)b, stream, p->cnt + cnt };
		return;
	}
}

void survey_table_free(struct survey_table *t)
{
	for (uint32_t i = 0; t->destinations && i < SURVEY_DESTINATIONS_MAX; i++)
		free_destination(t, &t->destinations[i]);
	free(t->destinations);
	t->destinations = NULL;
}
