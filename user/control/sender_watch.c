// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sender_watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool has_grown(const struct dedup_path *from, const struct dedup_path *to)
{
	return to->packets >= from->packets && to->received >= from->received &&
	       to->first >= from->first;
}

/* Returns whether both are of one account, which has only grown. */
static bool goes_on(const struct source_figures *from, const struct source_figures *to)
{
	if (to->paths_cnt < from->paths_cnt || to->restarts < from->restarts ||
	    to->others < from->others || to->since_ns != from->since_ns)
		return false;
	for (uint32_t p = 0; p < from->paths_cnt; p++)
		if (to->paths[p].ifindex != from->paths[p].ifindex ||
		    !has_grown(&from->paths[p].counted, &to->paths[p].counted))
			return false;
	return true;
}

static void raise_to(uint64_t *value, uint64_t least)
{
	if (*value < least)
		*value = least;
}

/* Keeps earlier figures that were higher: under a flood `lost` may be too low (accounts_read()). */
static void keep_counted(const struct source_figures *from, struct source_figures *to)
{
	raise_to(&to->messages, from->messages);
	raise_to(&to->lost, from->lost);
	for (uint32_t p = 0; p < from->paths_cnt; p++) {
		raise_to(&to->paths[p].messages, from->paths[p].messages);
		raise_to(&to->paths[p].lost, from->paths[p].lost);
	}
}

static void take_rates(struct watched_sender *next, const struct source_figures *from, double seconds)
{
	const struct source_figures *to = &next->now;
	double all = (double)(sender_first_all(to) - sender_first_all(from));

	next->has_rates = true;
	next->messages = (to->messages - from->messages) / seconds;
	for (uint32_t p = 0; p < to->paths_cnt; p++) {
		const struct dedup_path *was = &from->paths[p].counted, *is = &to->paths[p].counted;

		next->paths[p] = (struct path_rates){
			.packets = (is->packets - was->packets) / seconds,
			.received = (is->received - was->received) / seconds,
			.first = all > 0 ? (is->first - was->first) / all : -1,
		};
	}
}

void watched_sender_take(struct watched_sender *next, const struct watched_sender *before,
			 bool is_new, double seconds)
{
	static const struct source_figures NONE;

	next->has_rates = false;
	if (before && goes_on(&before->now, &next->now)) {
		next->base = before->base;
		keep_counted(&before->now, &next->now);
		if (seconds > 0)
			take_rates(next, &before->now, seconds);
		return;
	}
	next->base = before || is_new ? NONE : next->now;
	if (seconds > 0 && (before || is_new))
		take_rates(next, &NONE, seconds);
}

static const struct watched_sender *find_sender(const struct sender_watch *f,
						const struct watched_sender *like)
{
	for (uint32_t i = 0; i < f->cnt; i++)
		if (!strcmp(f->list[i].source, like->source) &&
		    !strcmp(f->list[i].stream, like->stream))
			return &f->list[i];
	return NULL;
}

static void name_sender(struct watched_sender *f, const struct dedup_config *c)
{
	sender_hex(c, &f->now, f->source);
	snprintf(f->stream, sizeof(f->stream), "%s", c->policy.streams[f->now.stream].name);
}

int sender_watch_take(struct sender_watch *f, const struct filter *filter, double seconds)
{
	bool knew_all = f->is_read && !f->left_out;
	struct sender_watch next = { .is_read = true };
	struct sender_list s;
	int err = sender_list_read(filter, SENDERS_WATCHED_MAX, &s);

	next.list = !err && s.cnt ? calloc(s.cnt, sizeof(*next.list)) : NULL;
	if (!err && s.cnt && !next.list)
		err = -ENOMEM;
	next.left_out = s.left_out;
	for (uint32_t i = 0; i < s.cnt && !err; i++) {
		struct watched_sender *sender = &next.list[next.cnt];

		sender->now = s.list[i];
		name_sender(sender, filter->config);
		if (find_sender(&next, sender)) { /* the profile's fields do not tell the two apart */
			next.left_out++;
			continue;
		}
		watched_sender_take(sender, find_sender(f, sender), knew_all, seconds);
		next.cnt++;
	}
	sender_list_free(&s);
	if (err)
		return err;
	sender_watch_free(f);
	*f = next;
	return 0;
}

void sender_watch_update(struct sender_watch *f, const struct filter *filter)
{
	for (uint32_t i = 0; i < f->cnt; i++) {
		struct watched_sender next = { .now = { 0 } };

		if (!accounts_read(filter, f->list[i].now.source, &next.now))
			continue;
		name_sender(&next, filter->config);
		if (strcmp(next.source, f->list[i].source) || strcmp(next.stream, f->list[i].stream))
			continue; /* another sender has its slot now */
		watched_sender_take(&next, &f->list[i], false, 0);
		f->list[i].now = next.now;
		f->list[i].base = next.base;
	}
}

void sender_watch_free(struct sender_watch *f)
{
	free(f->list);
	*f = (struct sender_watch){ .list = NULL };
}

uint64_t watched_lost_since(const struct watched_sender *f, uint32_t path)
{
	return f->now.paths[path].lost - f->base.paths[path].lost;
}
