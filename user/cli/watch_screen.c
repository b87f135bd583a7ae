// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* watch on a terminal: draws filters, with the most important figures first. */
#include <string.h>
#include <time.h>

#include "config_streams.h"
#include "terminal.h"
#include "units.h"
#include "watch_view.h"

#define SUMMARY_LINES 7 /* that draw_summary() draws, and one more of a filter that delivers */

static void draw_title(const struct watched *f)
{
	const struct dedup_config *c = f->status.filter.config;
	char clock[16], what[PORTS_TEXT_MAX + 32];
	char title[sizeof(what) + 128];
	time_t now = time(NULL);
	struct tm local;

	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &local));
	if (!dedup_is_gsp(c))
		snprintf(what, sizeof(what), "%u stream%s", c->policy.streams_cnt,
			 c->policy.streams_cnt > 1 ? "s" : "");
	else
		snprintf(what, sizeof(what), "GSP/1 on UDP port %s",
			 FORMAT_PORTS(c->policy.ports, c->policy.ports_cnt));
	snprintf(title, sizeof(title), "%s: %s, duplicates are %s", f->name, what,
		 status_drops(&f->status) ? "dropped" : "counted and passed");
	terminal_title(title, clock);
}

/* Draws the advice, word-wrapped, on at most `most` lines. */
static void draw_advice(const struct watched *f, int most)
{
	for (int i = 0; i < f->advice_cnt; i++) {
		const char *rest = f->advice[i].text;

		for (bool first = true; *rest && most > 0; first = false, most--) {
			int room = COLS > 12 ? COLS - 4 : 8, cut = (int)strlen(rest);

			if (cut > room) {
				for (cut = room; cut > 0 && rest[cut] != ' ';)
					cut--;
				cut = cut ?: room;
			}
			terminal_line(A_BOLD, " %c %.*s", first ? '!' : ' ', cut, rest);
			rest += cut;
			rest += strspn(rest, " ");
		}
	}
}

static void draw_kept_away(const struct watched *f)
{
	const struct watch_rates *r = &f->watch.all;
	const char *all = FORMAT_BYTES(f->status.counters.dropped_bytes);

	terminal_line(0, " %-*s%*s/s, %s/s%s%s%s", TERMINAL_LABEL_COLUMNS, "kept away",
		      TERMINAL_VALUE_COLUMNS - 2, FORMAT_ABOUT(r->dropped),
		      FORMAT_BYTES((uint64_t)r->dropped_bytes), COLS < 50 ? "" : "; ",
		      COLS < 50 ? "" : all, COLS < 50 ? "" : " in all");
}

static void draw_delivered(const struct watched *f)
{
	if (f->status.filter.config->policy.deliver)
		terminal_line(0, " %-*s%*s/s; %s/s to the stack instead", TERMINAL_LABEL_COLUMNS,
			      "delivered", TERMINAL_VALUE_COLUMNS - 2,
			      FORMAT_ABOUT(f->watch.all.delivered),
			      FORMAT_ABOUT(f->watch.all.undelivered));
}

/* Draws fill and window, which a filter does not have if all its streams are numbered. */
static void draw_memory(const struct watched *f)
{
	char text[80];

	if (!streams_any_hashed(f->status.filter.config)) {
		if (f->status.stopped)
			terminal_line(0, " clock has stopped");
		return;
	}
	snprintf(text, sizeof(text), "about %s ids", FORMAT_ABOUT(f->status.fill.ids));
	terminal_bar("fill", status_mean_fill(&f->status), text);
	snprintf(text, sizeof(text), "%s of %s", FORMAT_TIME(monitor_window_ns(f)),
		 FORMAT_TIME(f->status.filter.config->memory.window_ns));
	terminal_bar("window", watched_window(f), f->status.stopped ? "clock has stopped" : text);
}

static void draw_summary(const struct watched *f)
{
	const struct watch *w = &f->watch;
	char text[64], copies[32] = "-";

	terminal_spark("packets", w->all.packets, w->packets, w->history_cnt);
	terminal_spark("duplicates", w->all.duplicates, w->duplicates, w->history_cnt);
	terminal_bar("share", w->all.share, "of what it looks at");
	snprintf(text, sizeof(text), "%s/s new", FORMAT_ABOUT(w->all.fresh));
	if (w->all.copies > 0)
		snprintf(copies, sizeof(copies), "%.1f", w->all.copies);
	terminal_line(0, " %-*s%*s an event; %s", TERMINAL_LABEL_COLUMNS, "copies",
		      TERMINAL_VALUE_COLUMNS, copies, text);
	draw_kept_away(f);
	draw_delivered(f);
	draw_memory(f);
}

static void draw_ifaces(const struct watched *f)
{
	int cnt = terminal_table(f->status.ifaces_cnt, "interface", "   received  how");

	for (int i = 0; i < cnt; i++) {
		const struct status_iface *iface = &f->status.ifaces[i];
		bool attached = iface->state == IFACE_ATTACHED;
		double rate = f->watch.ifaces[i];

		terminal_line(0, " %-15s %9s/s  %s%s", iface->name,
			      rate >= 0 && f->watch.seconds ? FORMAT_ABOUT(rate) : "-",
			      attached ? attach_mode_name(iface->mode)
				       : iface_state_name(iface->state),
			      attached && iface->shared ? ", shared" : "");
	}
	terminal_table_end(cnt ? f->status.ifaces_cnt - cnt : 0);
}

static void draw_rates(const char *name, const struct watch_rates *r)
{
	char copies[32] = "-";

	if (r->copies > 0)
		snprintf(copies, sizeof(copies), "%.1f", r->copies);
	terminal_line(0, " %-15s %9s/s %9s/s %6.1f %% %7s", name, FORMAT_ABOUT(r->packets),
		      FORMAT_ABOUT(r->fresh), 100 * r->share, copies);
}

#define RATES_COLUMNS "    packets         new    dups   copies"

static void draw_streams(const struct watched *f)
{
	int all = f->watch.last.streams_cnt > 1 ? f->watch.last.streams_cnt : 0;
	int cnt = terminal_table(all, "stream", RATES_COLUMNS);

	for (int i = 0; i < cnt; i++)
		draw_rates(f->status.filter.config->policy.streams[i].name, &f->watch.streams[i]);
	terminal_table_end(cnt ? all - cnt : 0);
}

/* Draws the CPUs that have had packets. */
static void draw_cpus(const struct watched *f)
{
	const struct watch *w = &f->watch;
	const struct watch_rates *cpus = w->cpus;
	int all = 0, left;

	for (int i = 0; i < w->last.cpus_cnt && cpus; i++)
		all += w->last.cpus[i].rx > 0;
	left = terminal_table(all, "CPU", RATES_COLUMNS);
	if (!left || !cpus)
		return;
	all -= left;
	for (int i = 0; i < w->last.cpus_cnt && left; i++) {
		char name[16];

		if (!w->last.cpus[i].rx)
			continue;
		snprintf(name, sizeof(name), "%d", i);
		draw_rates(name, &cpus[i]);
		left--;
	}
	terminal_table_end(all);
}

/* Draws the list of filters on a quarter of the lines, so that the selected filter is visible. */
static void draw_list(const struct monitor *m, int selected)
{
	int room = LINES / 4 > 1 ? LINES / 4 : 1, first = selected - room / 2;

	if (first > m->cnt - room)
		first = m->cnt - room;
	if (first < 0)
		first = 0;
	for (int i = first; i < m->cnt && i < first + room; i++) {
		const struct watch_rates *r = &m->list[i]->watch.all;

		terminal_line(i == selected ? A_BOLD : 0, "%c%-16s %9s/s %6.1f %% duplicates",
			      i == selected ? '>' : ' ', m->list[i]->name, FORMAT_ABOUT(r->packets),
			      100 * r->share);
	}
}

static void draw_foot(int cnt, int selected, const char *note)
{
	char text[512];

	if (*note)
		snprintf(text, sizeof(text), " %s", note);
	else if (cnt > 1)
		snprintf(text, sizeof(text), " q: end   up, down: filter %d of %d", selected + 1,
			 cnt);
	else
		snprintf(text, sizeof(text), " q: end");
	terminal_end(text);
}

void watch_screen_draw(const struct monitor *m, int selected, const char *note)
{
	terminal_begin();
	if (m->cnt) {
		const struct watched *f = m->list[selected];
		int spare;

		draw_title(f);
		if (m->cnt > 1)
			draw_list(m, selected);
		spare = terminal_lines_left() - SUMMARY_LINES -
			!!f->status.filter.config->policy.deliver;
		draw_advice(f, spare < 1 ? 1 : spare < LINES / 4 ? spare : LINES / 4);
		draw_summary(f);
		watch_senders_draw(f);
		draw_ifaces(f);
		draw_streams(f);
		draw_cpus(f);
	} else {
		terminal_line(0, " no filter is loaded");
	}
	draw_foot(m->cnt, selected, note);
}
