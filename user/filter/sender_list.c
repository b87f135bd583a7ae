// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sender_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ENTRIES_STEP 256

/* A sender to sort. Its figures take 3 kB, so they are kept only for the senders in the list. */
struct entry {
	uint32_t source;
	bool redundant;
	uint64_t messages;
};

struct entries {
	struct entry *list;
	uint32_t cnt;
};

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->redundant != y->redundant)
		return x->redundant ? 1 : -1;
	return (x->messages < y->messages) - (x->messages > y->messages);
}

static int add_entry(struct entries *e, uint32_t source, const struct source_figures *s)
{
	if (e->cnt % ENTRIES_STEP == 0) {
		struct entry *more = reallocarray(e->list, e->cnt + ENTRIES_STEP, sizeof(*more));

		if (!more)
			return -ENOMEM;
		e->list = more;
	}
	e->list[e->cnt++] = (struct entry){ source, s->redundant, s->messages };
	return 0;
}

/* Reads all senders, and sorts them for the list. Returns 0 or -ENOMEM. */
static int read_entries(const struct filter *f, struct entries *e)
{
	uint32_t max = f->config->sources.paths ? f->config->sources.sources : 0;
	struct source_figures s;
	int err = 0;

	for (uint32_t i = 0; i < max && !err; i++)
		if (accounts_read(f, i, &s))
			err = add_entry(e, i, &s);
	if (e->cnt)
		qsort(e->list, e->cnt, sizeof(*e->list), compare_entries);
	return err;
}

int sender_list_read(const struct filter *f, uint32_t max, struct sender_list *ret_list)
{
	struct sender_list s = { .list = NULL };
	struct entries e = { .list = NULL };
	int err = read_entries(f, &e);

	*ret_list = s;
	if (max > e.cnt)
		max = e.cnt;
	if (!err && max) {
		s.list = calloc(max, sizeof(*s.list));
		err = s.list ? 0 : -ENOMEM;
	}
	for (uint32_t i = 0; i < max && !err; i++)
		s.cnt += accounts_read(f, e.list[i].source, &s.list[s.cnt]);
	s.left_out = e.cnt - max;
	free(e.list);
	if (!err)
		*ret_list = s;
	return err;
}

void sender_list_free(struct sender_list *s)
{
	free(s->list);
	*s = (struct sender_list){ .list = NULL };
}

static uint32_t source_bytes(const struct dedup_config *c, const struct source_figures *s,
			     uint8_t bytes[SENDER_TEXT_MAX])
{
	const struct dedup_stream *stream = &c->policy.streams[s->stream];
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < s->words; i++)
		for (uint32_t k = 0; k < stream->loads[i].bytes; k++)
			bytes[cnt++] = ((const uint8_t *)&s->id.word[i])[k];
	return cnt;
}

/* Returns the upper bits of the source's numbers, if these are longer than DEDUP_WIDTH_MAX. */
static uint64_t upper_bits(const struct dedup_config *c, const struct source_figures *s)
{
	return c->numbered[s->stream].width > DEDUP_WIDTH_MAX ? s->id.word[s->words] : 0;
}

const char *sender_hex(const struct dedup_config *c, const struct source_figures *s,
		       char text[SENDER_TEXT_MAX])
{
	uint8_t bytes[SENDER_TEXT_MAX];
	uint32_t cnt = source_bytes(c, s, bytes);
	uint64_t upper = upper_bits(c, s);

	text[0] = '\0';
	for (uint32_t i = 0; i < cnt; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	if (upper)
		snprintf(text + 2 * cnt, 18, "+%jx", (uintmax_t)upper);
	return text;
}

const char *sender_text(const struct dedup_config *c, const struct source_figures *s,
			char text[SENDER_TEXT_MAX])
{
	uint32_t cnt = source_bytes(c, s, (uint8_t *)text);

	text[cnt] = '\0';
	for (uint32_t i = 0; i < cnt; i++)
		if (!isprint((unsigned char)text[i]))
			return sender_hex(c, s, text);
	if (upper_bits(c, s))
		return sender_hex(c, s, text);
	return cnt ? text : strcpy(text, "-");
}

const char *sender_path_stream(const struct dedup_config *c, const struct path_figures *p)
{
	return p->stream < 0 ? NULL : c->policy.streams[p->stream].name;
}

uint64_t sender_first_all(const struct source_figures *s)
{
	uint64_t cnt = 0;

	for (uint32_t p = 0; p < s->paths_cnt; p++)
		cnt += s->paths[p].counted.first;
	return cnt;
}
