// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* watch: shows the senders of numbered streams, and what their paths bring. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "facts.h"
#include "json_out.h"
#include "status_view.h"
#include "terminal.h"
#include "units.h"
#include "watch_view.h"

#define LABEL_MAX 16	/* of a path, with the 0 at the end: the first column of a table */
#define ROW_COLUMNS 67	/* before the bars */
#define FIGURE_MAX 16	/* bytes of a figure */
#define FIGURE_DIGITS 7 /* figures with more digits are rounded */

/* Writes the stream, cut if necessary, and the interface, as in "a eth1". Returns label. */
static const char *path_label(const struct watched *f, const struct path_figures *p,
			      char label[LABEL_MAX])
{
	char buf[IF_NAMESIZE];
	const char *stream = sender_path_stream(f->status.filter.config, p) ?: "-";
	const char *iface = status_iface_name(&f->status, p->ifindex, buf) ?: "gone";
	int left = LABEL_MAX - 2 - (int)strlen(iface);

	snprintf(label, LABEL_MAX, "%.*s %s", left < 4 ? 4 : left, stream, iface);
	return label;
}

/* Writes a number with all digits, unless there are too many. Returns text. */
static const char *figure(uint64_t value, char text[FIGURE_MAX])
{
	int len = snprintf(text, FIGURE_MAX, "%" PRIu64, value % 100000000);

	if (value >= 100000000 || len > FIGURE_DIGITS)
		format_about((double)value, text, FIGURE_MAX);
	return text;
}

#define FIGURE(value) figure(value, (char[FIGURE_MAX]){ 0 })

/* Writes the rate, and the part of first copies; "-" if not known. */
static void format_rates(const struct watched_sender *s, uint32_t path, char rate[UNIT_TEXT_MAX],
			 char first[UNIT_TEXT_MAX])
{
	const struct path_rates *r = &s->paths[path];

	snprintf(rate, UNIT_TEXT_MAX, "-");
	snprintf(first, UNIT_TEXT_MAX, "-");
	if (s->has_rates)
		snprintf(rate, UNIT_TEXT_MAX, "%s/s", FORMAT_ABOUT(r->packets));
	if (s->has_rates && r->first >= 0)
		snprintf(first, UNIT_TEXT_MAX, "%.1f %%", 100 * r->first);
}

static void draw_path(const struct watched *f, const struct watched_sender *s, uint32_t path)
{
	const struct path_figures *p = &s->now.paths[path];
	int group = COLS >= ROW_COLUMNS + DEDUP_SKEWS ? 1 : 2;
	char row[128], label[LABEL_MAX], rate[UNIT_TEXT_MAX], first[UNIT_TEXT_MAX];
	double values[DEDUP_SKEWS] = { 0 };

	format_rates(s, path, rate, first);
	snprintf(row, sizeof(row), " %-15s %9s %7s %8s %7s %7s %5s  ", path_label(f, p, label),
		 rate, first, FIGURE(p->lost), FIGURE(watched_lost_since(s, path)),
		 FIGURE(p->missing), FIGURE(p->counted.out_of_order));
	if (p->silent) {
		terminal_line(A_BOLD, "%ssilent", row);
		return;
	}
	for (int i = 0; i < DEDUP_SKEWS; i++)
		values[i / group] += p->counted.skew[i] - s->base.paths[path].counted.skew[i];
	terminal_bars(values, (DEDUP_SKEWS + group - 1) / group, row);
}

static void draw_sender(const struct watched *f, const struct watched_sender *s)
{
	char text[SENDER_TEXT_MAX], rate[UNIT_TEXT_MAX + 16] = "";

	if (s->has_rates)
		snprintf(rate, sizeof(rate), "%s messages/s, ", FORMAT_ABOUT(s->messages));
	terminal_line(s->now.redundant ? 0 : A_BOLD, " %s: %s%" PRIu64 " %s%s",
		      sender_text(f->status.filter.config, &s->now, text), rate, s->now.lost,
		      sender_lost_as(&s->now), s->now.redundant ? "" : "; NOT REDUNDANT");
}

void watch_senders_draw(const struct watched *f)
{
	int all = 0, left, drawn = 0;

	for (uint32_t i = 0; i < f->senders.cnt; i++)
		all += 1 + (int)f->senders.list[i].now.paths_cnt;
	left = terminal_table(all, "path",
			      "     rate   first     lost   since missing order  skew: 1us-8s");
	for (uint32_t i = 0; i < f->senders.cnt && drawn < left; i++) {
		const struct watched_sender *s = &f->senders.list[i];

		draw_sender(f, s);
		drawn++;
		for (uint32_t p = 0; p < s->now.paths_cnt && drawn < left; p++, drawn++)
			draw_path(f, s, p);
	}
	terminal_table_end(left ? all - drawn : 0);
}

void watch_sender_lines(const struct watched *f)
{
	char text[SENDER_TEXT_MAX], label[LABEL_MAX], rate[UNIT_TEXT_MAX], first[UNIT_TEXT_MAX];

	for (uint32_t i = 0; i < f->senders.cnt; i++) {
		const struct watched_sender *s = &f->senders.list[i];

		sender_text(f->status.filter.config, &s->now, text);
		for (uint32_t p = 0; p < s->now.paths_cnt; p++) {
			const struct path_figures *path = &s->now.paths[p];

			format_rates(s, p, rate, first);
			printf("  %s %-15s %9s  first %7s  lost %" PRIu64 " (%" PRIu64
			       " since)  missing %" PRIu64 "  out of order %" PRIu64 "%s\n",
			       text, path_label(f, path, label), rate, first, path->lost,
			       watched_lost_since(s, p), path->missing,
			       (uint64_t)path->counted.out_of_order, path->silent ? "  silent" : "");
		}
	}
}

static void add_path_rates(json_object *o, const struct watched_sender *s, uint32_t path)
{
	const struct path_rates *r = &s->paths[path];

	WATCH_PATH_FACTS(ADD_FACT)
}

static json_object *json_sender(const struct senders_view *v, const struct watched_sender *s)
{
	json_object *o = sender_json(v, &s->now), *paths = json_object_object_get(o, "paths");

	WATCH_SENDER_FACTS(ADD_FACT)
	for (uint32_t p = 0; p < s->now.paths_cnt; p++)
		add_path_rates(json_object_array_get_idx(paths, p), s, p);
	return o;
}

json_object *watch_senders_json(const struct watched *f)
{
	struct senders_view v = status_senders_view(&f->status);

	return JSON_LIST(i, f->senders.cnt, json_sender(&v, &f->senders.list[i]));
}
