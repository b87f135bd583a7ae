// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What each path has brought of each sender of the numbered streams. */
#include "status_view.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "accounts.h"
#include "json_out.h"
#include "units.h"

#define SENDERS_SHOWN 8

/* All senders that have an account. */
struct senders {
	struct source_figures *list;
	uint32_t cnt;
};

/* Those that are not redundant come first. */
static int compare_senders(const void *a, const void *b)
{
	const struct source_figures *x = a, *y = b;

	if (x->redundant != y->redundant)
		return x->redundant ? 1 : -1;
	return (x->messages < y->messages) - (x->messages > y->messages);
}

/* An empty list if there is no memory. The caller frees s.list. */
static struct senders read_senders(const struct filter *f)
{
	uint32_t max = f->config->sources.paths ? f->config->sources.sources : 0;
	struct senders s = { NULL, 0 };

	for (uint32_t i = 0; i < max; i++) {
		struct source_figures *more;

		if (s.cnt % 64 == 0) {
			more = realloc(s.list, (s.cnt + 64) * sizeof(*more));
			if (!more)
				break;
			s.list = more;
		}
		s.cnt += accounts_read(f, i, &s.list[s.cnt]);
	}
	if (s.cnt)
		qsort(s.list, s.cnt, sizeof(*s.list), compare_senders);
	return s;
}

/* A buffer for the bytes of a packet that are the source. */
#define SOURCE_TEXT_MAX (2 * sizeof(struct dedup_id) + 1)

static uint32_t source_bytes(const struct dedup_config *c, const struct source_figures *s,
			     uint8_t bytes[SOURCE_TEXT_MAX])
{
	const struct dedup_stream *stream = &c->policy.streams[s->stream];
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < s->words; i++)
		for (uint32_t k = 0; k < stream->loads[i].bytes; k++)
			bytes[cnt++] = ((const uint8_t *)&s->id.word[i])[k];
	return cnt;
}

static const char *source_hex(const struct dedup_config *c, const struct source_figures *s,
			      char text[SOURCE_TEXT_MAX])
{
	uint8_t bytes[SOURCE_TEXT_MAX];
	uint32_t cnt = source_bytes(c, s, bytes);

	text[0] = '\0';
	for (uint32_t i = 0; i < cnt; i++)
		snprintf(text + 2 * i, 3, "%02x", bytes[i]);
	return text;
}

/* As text, if it is one; else in hex. */
static const char *source_text(const struct dedup_config *c, const struct source_figures *s,
			       char text[SOURCE_TEXT_MAX])
{
	uint32_t cnt = source_bytes(c, s, (uint8_t *)text);

	text[cnt] = '\0';
	for (uint32_t i = 0; i < cnt; i++)
		if (!isprint((unsigned char)text[i]))
			return source_hex(c, s, text);
	return cnt ? text : "-";
}

static const char *path_stream(const struct dedup_config *c, const struct path_figures *p)
{
	return p->stream < 0 ? NULL : c->policy.streams[p->stream].name;
}

static double percent(uint64_t part, uint64_t of)
{
	return of ? 100.0 * part / of : 0;
}

/* "<= 1us", or "> 8s". */
static void print_skew(const struct dedup_path *path, double part)
{
	uint64_t ns = accounts_skew_quantile(path, part);

	if (ns == UINT64_MAX)
		printf("> %s", FORMAT_TIME(accounts_skew_ns(DEDUP_SKEWS - 2)));
	else
		printf("<= %s", FORMAT_TIME(ns));
}

/* Says a figure if it is not 0. */
static void print_if_any(const char *what, uint64_t cnt)
{
	if (cnt)
		printf("  %s %" PRIu64, what, cnt);
}

static uint64_t all_first(const struct source_figures *f)
{
	uint64_t cnt = 0;

	for (uint32_t p = 0; p < f->paths_cnt; p++)
		cnt += f->paths[p].counted.first;
	return cnt;
}

static void print_path(const struct status *s, const struct source_figures *f,
		       const struct path_figures *p)
{
	char room[IF_NAMESIZE];
	const char *name = status_iface_name(s, p->ifindex, room);

	printf("    %-10s %-8s first %5.1f %%  lost %" PRIu64 " (%.3g %%)",
	       path_stream(s->filter.config, p) ?: "-", name ?: "gone",
	       percent(p->counted.first, all_first(f)), p->lost, percent(p->lost, p->messages));
	print_if_any("missing", p->missing);
	print_if_any("out of order", p->counted.out_of_order);
	print_if_any("late", p->counted.late);
	if (accounts_skew_quantile(&p->counted, 0.5)) {
		printf("  skew ");
		print_skew(&p->counted, 0.5);
		printf(", 99 %% ");
		print_skew(&p->counted, 0.99);
	}
	puts(p->silent ? "  silent" : "");
}

void status_print_senders(const struct status *s)
{
	struct senders senders = read_senders(&s->filter);
	char text[SOURCE_TEXT_MAX];

	for (uint32_t i = 0; i < senders.cnt && i < SENDERS_SHOWN; i++) {
		const struct source_figures *f = &senders.list[i];

		printf("  sender      %s: %" PRIu64 " messages, %" PRIu64 " lost on all paths%s\n",
		       source_text(s->filter.config, f, text), f->messages, f->lost,
		       f->redundant ? "" : "; NOT REDUNDANT");
		for (uint32_t p = 0; p < f->paths_cnt; p++)
			print_path(s, f, &f->paths[p]);
	}
	if (senders.cnt > SENDERS_SHOWN)
		printf("  and %u more senders: --json has all\n", senders.cnt - SENDERS_SHOWN);
	free(senders.list);
}

static json_object *skew_json(const struct dedup_path *path)
{
	json_object *list = json_object_new_array();

	for (int i = 0; i < DEDUP_SKEWS; i++)
		json_object_array_add(list, json_u64(path->skew[i]));
	return list;
}

static json_object *path_json(const struct status *s, const struct path_figures *p)
{
	json_object *o = json_object_new_object();
	char room[IF_NAMESIZE];

	ADD("stream", json_text(path_stream(s->filter.config, p)));
	ADD("interface", json_text(status_iface_name(s, p->ifindex, room)));
	ADD("ifindex", json_u64(p->ifindex));
	ADD("packets", json_u64(p->counted.packets));
	ADD("messages", json_u64(p->messages));
	ADD("received", json_u64(p->counted.received));
	ADD("first", json_u64(p->counted.first));
	ADD("lost", json_u64(p->lost));
	ADD("missing", json_u64(p->missing));
	ADD("behind", json_u64(p->behind));
	ADD("out_of_order", json_u64(p->counted.out_of_order));
	ADD("repeated", json_u64(p->counted.repeated));
	ADD("late", json_u64(p->counted.late));
	ADD("far", json_u64(p->counted.far));
	ADD("silent", json_bool(p->silent));
	ADD("skew", skew_json(&p->counted));
	return o;
}

static json_object *sender_json(const struct status *s, const struct source_figures *f)
{
	json_object *o = json_object_new_object(), *list = json_object_new_array();
	char text[SOURCE_TEXT_MAX];

	ADD("stream", json_text(s->filter.config->policy.streams[f->stream].name));
	ADD("source", json_text(source_hex(s->filter.config, f, text)));
	ADD("messages", json_u64(f->messages));
	ADD("lost", json_u64(f->lost));
	ADD("missing", json_u64(f->missing));
	ADD("restarts", json_u64(f->restarts));
	ADD("other_packets", json_u64(f->others));
	ADD("redundant", json_bool(f->redundant));
	for (uint32_t p = 0; p < f->paths_cnt; p++)
		json_object_array_add(list, path_json(s, &f->paths[p]));
	ADD("paths", list);
	return o;
}

json_object *status_senders_json(const struct status *s)
{
	struct senders senders = read_senders(&s->filter);
	json_object *list = json_object_new_array();

	for (uint32_t i = 0; i < senders.cnt; i++)
		json_object_array_add(list, sender_json(s, &senders.list[i]));
	free(senders.list);
	return list;
}
