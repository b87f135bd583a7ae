// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* watch on a terminal, by ncurses. Lines are drawn from the top down until none is left, so the
 * most important come first.
 */
#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "config_streams.h"
#include "units.h"
#include "watch_view.h"

#define LABEL_COLUMNS 11
#define VALUE_COLUMNS 8
#define TEXT_COLUMNS 20 /* behind a graph, where the terminal is this much wider than it needs */
#define GRAPH_MIN 10
#define SUMMARY_LINES 7
#define STEPS 8
#define S 1000000000ULL

/* Heights from 0 to STEPS, a bar's filled and empty part, and what begins a line of advice. */
static const struct glyphs {
	const char *spark[STEPS + 1], *filled, *empty;
} UTF8 = { { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" }, "█", "░" },
  ASCII = { { " ", "_", ".", "-", "=", "+", "*", "%", "#" }, "#", "." };

static SCREEN *screen;
static const struct glyphs *glyphs;
static int next_line; /* the next one to be drawn */

int watch_screen_open(void)
{
	const char *term = getenv("TERM"), *moves;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !term || !*term)
		return -ENOTTY;
	setlocale(LC_CTYPE, "");
	glyphs = strcmp(nl_langinfo(CODESET), "UTF-8") ? &ASCII : &UTF8;
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return -ENOTTY;
	moves = tigetstr("cup");
	if (!moves || moves == (char *)-1) {
		watch_screen_close();
		return -ENOTTY;
	}
	cbreak();
	noecho();
	nodelay(stdscr, true);
	keypad(stdscr, true);
	curs_set(0);
	return 0;
}

void watch_screen_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

enum watch_key watch_screen_key(int timeout_ms)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	int ready = poll(&in, 1, timeout_ms);

	if (ready > 0 && !(in.revents & POLLIN))
		return WATCH_KEY_QUIT; /* the terminal has gone */
	switch (getch()) {
	case 'q':
	case 'Q':
		return WATCH_KEY_QUIT;
	case 'k':
	case KEY_UP:
		return WATCH_KEY_UP;
	case 'j':
	case KEY_DOWN:
		return WATCH_KEY_DOWN;
	case KEY_RESIZE:
		return WATCH_KEY_REDRAW;
	case 'L' - '@': /* Ctrl-L: what others have written there goes */
		clearok(stdscr, true);
		return WATCH_KEY_REDRAW;
	default:
		return WATCH_KEY_NONE;
	}
}

/* The last line is for keys and notes. */
static int lines_left(void)
{
	return LINES - 1 - next_line;
}

/* A line, cut at the terminal's width. Only ASCII. */
__attribute__((format(printf, 2, 3))) static void line(attr_t attributes, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (lines_left() <= 0)
		return;
	attron(attributes);
	mvaddnstr(next_line++, 0, text, COLS);
	attroff(attributes);
}

/* Begins a line with a name and a value; how many columns are left for a graph: 0 if it is too
 * narrow for one, or -1 if there is no such line. `behind` gets the column of what follows that, 0:
 * there is no room.
 */
static int begin_graph(const char *label, const char *value, int *behind)
{
	int from = LABEL_COLUMNS + VALUE_COLUMNS + 2, columns = COLS - from;

	*behind = 0;
	if (lines_left() <= 0)
		return -1;
	mvprintw(next_line, 0, " %-*.*s%*s", LABEL_COLUMNS, COLS > 1 ? COLS - 1 : 1, label,
		 VALUE_COLUMNS, value);
	if (columns >= WATCH_HISTORY / 2 + TEXT_COLUMNS + 1) {
		columns -= TEXT_COLUMNS + 1;
		columns = columns > WATCH_HISTORY ? WATCH_HISTORY : columns;
		*behind = from + columns + 1;
	}
	move(next_line++, from);
	return columns < GRAPH_MIN ? 0 : columns > WATCH_HISTORY ? WATCH_HISTORY : columns;
}

/* The text behind a graph on the line that was drawn last. */
static void behind_graph(int column, const char *text)
{
	if (column && column < COLS)
		mvaddnstr(next_line - 1, column, text, COLS - column);
}

static void bar(const char *label, double part, const char *text)
{
	char value[32];
	int behind, columns, filled;

	snprintf(value, sizeof(value), "%.1f %%", 100 * part);
	columns = begin_graph(label, value, &behind);
	filled = (int)(part * columns + 0.5);
	for (int i = 0; i < columns; i++)
		addstr(i < filled ? glyphs->filled : glyphs->empty);
	behind_graph(behind, text);
}

/* A history: the newest value on the right. */
static void spark(const char *label, double value, const double *history, int cnt)
{
	char text[32], most_text[64], rate[48];
	int heights[WATCH_HISTORY], behind, columns;
	double most = 0;

	snprintf(rate, sizeof(rate), "%s/s", format_about(value, text, sizeof(text)));
	columns = begin_graph(label, rate, &behind);
	if (columns <= 0)
		return;
	cnt = watch_spark(history, cnt, STEPS, columns, heights);
	for (int i = cnt; i < columns; i++)
		addstr(glyphs->spark[0]);
	for (int i = 0; i < cnt; i++)
		addstr(glyphs->spark[heights[i]]);
	for (int i = 0; i < cnt; i++)
		most = history[i] > most ? history[i] : most;
	snprintf(most_text, sizeof(most_text), "at most %s/s",
		 format_about(most, text, sizeof(text)));
	behind_graph(behind, most_text);
}

static void draw_title(const struct watched *f)
{
	const struct dedup_config *c = f->status.filter.config;
	char ports[PORTS_TEXT_MAX], clock[16], what[PORTS_TEXT_MAX + 32];
	time_t now = time(NULL);
	struct tm local;

	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &local));
	if (!c->policy.gsp_alone)
		snprintf(what, sizeof(what), "%u stream%s", c->policy.streams_cnt,
			 c->policy.streams_cnt > 1 ? "s" : "");
	else
		snprintf(what, sizeof(what), "GSP/1 on UDP port %s",
			 format_ports(c->policy.ports, c->policy.ports_cnt, ports, sizeof(ports)));
	line(A_REVERSE, " %s: %s, duplicates are %s %*s", f->name, what,
	     status_drops(&f->status) ? "dropped" : "counted and passed", COLS, "");
	if (COLS >= 60)
		mvprintw(next_line - 1, COLS - 10, " %s ", clock);
	mvchgat(next_line - 1, 0, -1, A_REVERSE, 0, NULL);
}

/* Advice, word-wrapped, on at most `most` lines. */
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
			line(A_BOLD, " %c %.*s", first ? '!' : ' ', cut, rest);
			rest += cut;
			rest += strspn(rest, " ");
		}
	}
}

static void draw_saved(const struct watched *f)
{
	const struct watch_rates *r = &f->watch.all;
	char packets[32], bytes[32], all[32];

	format_bytes(f->status.counters.dropped_bytes, all, sizeof(all));
	line(0, " %-*s%*s/s, %s/s%s%s%s", LABEL_COLUMNS, "saved", VALUE_COLUMNS - 2,
	     format_about(r->dropped, packets, sizeof(packets)),
	     format_bytes((uint64_t)r->dropped_bytes, bytes, sizeof(bytes)), COLS < 50 ? "" : "; ",
	     COLS < 50 ? "" : all, COLS < 50 ? "" : " in all");
}

static void draw_delivered(const struct watched *f)
{
	char xsk[32], stack[32];

	if (f->status.filter.config->policy.deliver)
		line(0, " %-*s%*s/s; %s/s to the stack instead", LABEL_COLUMNS, "delivered",
		     VALUE_COLUMNS - 2, format_about(f->watch.all.delivered, xsk, sizeof(xsk)),
		     format_about(f->watch.all.undelivered, stack, sizeof(stack)));
}

static void draw_window(const struct watched *f)
{
	char text[80], now[32], window[32];

	snprintf(text, sizeof(text), "%s of %s", format_time(watched_window_ns(f), now, sizeof(now)),
		 format_time(f->status.filter.config->memory.window_ns, window, sizeof(window)));
	bar("window", watched_window(f), f->status.stopped ? "clock has stopped" : text);
}

/* How many lines draw_summary() draws. */
static int summary_lines(const struct watched *f)
{
	return SUMMARY_LINES + (f->status.filter.config->policy.deliver ? 1 : 0);
}

static void draw_summary(const struct watched *f)
{
	const struct watch *w = &f->watch;
	char text[64], number[32], copies[32] = "-";

	spark("packets", w->all.packets, w->packets, w->history_cnt);
	spark("duplicates", w->all.duplicates, w->duplicates, w->history_cnt);
	bar("share", w->all.share, "of what it looks at");
	snprintf(text, sizeof(text), "%s/s new", format_about(w->all.fresh, number, sizeof(number)));
	if (w->all.copies > 0)
		snprintf(copies, sizeof(copies), "%.1f", w->all.copies);
	line(0, " %-*s%*s an event; %s", LABEL_COLUMNS, "copies", VALUE_COLUMNS, copies, text);
	draw_saved(f);
	draw_delivered(f);
	snprintf(text, sizeof(text), "about %s ids",
		 format_about(f->status.fill.ids, number, sizeof(number)));
	bar("fill", watched_fill(f), text);
	draw_window(f);
}

/* A table's head, if it and one row have room; then so many rows have, with one less if that is to
 * say that there are more.
 */
static int begin_table(int cnt, const char *name, const char *columns)
{
	if (lines_left() < 3 || !cnt)
		return 0;
	line(0, "%s", "");
	line(A_UNDERLINE, " %-15s %s", name, columns);
	return cnt <= lines_left() ? cnt : lines_left() - 1;
}

static void end_table(int more)
{
	if (more > 0)
		line(A_DIM, " and %d more", more);
}

static void draw_ifaces(const struct watched *f)
{
	int cnt = begin_table(f->status.ifaces_cnt, "interface", "   received  how");

	for (int i = 0; i < cnt; i++) {
		const struct status_iface *iface = &f->status.ifaces[i];
		bool attached = iface->state == IFACE_ATTACHED;
		double rate = f->watch.ifaces[i];
		char number[32] = "-";

		if (rate >= 0 && f->watch.seconds)
			format_about(rate, number, sizeof(number));
		line(0, " %-15s %9s/s  %s%s", iface->name, number,
		     attached ? attach_mode_name(iface->mode) : iface_state_name(iface->state),
		     attached && iface->dispatcher ? ", through the dispatcher" : "");
	}
	end_table(cnt ? f->status.ifaces_cnt - cnt : 0);
}

static void draw_rates(const char *name, const struct watch_rates *r)
{
	char packets[32], fresh[32], copies[32] = "-";

	if (r->copies > 0)
		snprintf(copies, sizeof(copies), "%.1f", r->copies);
	line(0, " %-15s %9s/s %9s/s %6.1f %% %7s", name,
	     format_about(r->packets, packets, sizeof(packets)),
	     format_about(r->fresh, fresh, sizeof(fresh)), 100 * r->share, copies);
}

#define RATES_COLUMNS "    packets         new    dups   copies"

static void draw_streams(const struct watched *f)
{
	int all = f->watch.last.streams_cnt > 1 ? f->watch.last.streams_cnt : 0;
	int cnt = begin_table(all, "stream", RATES_COLUMNS);

	for (int i = 0; i < cnt; i++)
		draw_rates(f->status.filter.config->policy.streams[i].name, &f->watch.streams[i]);
	end_table(cnt ? all - cnt : 0);
}

/* Those that have had packets. */
static void draw_cpus(const struct watched *f)
{
	const struct watch *w = &f->watch;
	int all = 0, left;

	for (int i = 0; i < w->last.cpus_cnt && w->cpus; i++)
		all += w->last.cpus[i].rx > 0;
	left = begin_table(all, "CPU", RATES_COLUMNS);
	if (!left)
		return;
	all -= left;
	for (int i = 0; i < w->last.cpus_cnt && left; i++) {
		char name[16];

		if (!w->last.cpus[i].rx)
			continue;
		snprintf(name, sizeof(name), "%d", i);
		draw_rates(name, &w->cpus[i]);
		left--;
	}
	end_table(all);
}

/* As many as a quarter of the lines has room for, the selected one among them. */
static void draw_list(const struct monitor *m, int selected)
{
	int room = LINES / 4 > 1 ? LINES / 4 : 1, first = selected - room / 2;

	if (first > m->cnt - room)
		first = m->cnt - room;
	if (first < 0)
		first = 0;
	for (int i = first; i < m->cnt && i < first + room; i++) {
		const struct watch_rates *r = &m->list[i]->watch.all;
		char number[32];

		line(i == selected ? A_BOLD : 0, "%c%-16s %9s/s %6.1f %% duplicates",
		     i == selected ? '>' : ' ', m->list[i]->name,
		     format_about(r->packets, number, sizeof(number)), 100 * r->share);
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
	attron(A_DIM);
	mvaddnstr(LINES - 1, 0, text, COLS - 1);
	attroff(A_DIM);
}

void watch_screen_draw(const struct monitor *m, int selected, const char *note)
{
	erase();
	next_line = 0;
	if (m->cnt) {
		const struct watched *f = m->list[selected];
		int spare;

		draw_title(f);
		if (m->cnt > 1)
			draw_list(m, selected);
		spare = lines_left() - summary_lines(f);
		draw_advice(f, spare < 1 ? 1 : spare < LINES / 4 ? spare : LINES / 4);
		draw_summary(f);
		draw_ifaces(f);
		draw_streams(f);
		draw_cpus(f);
	} else {
		line(0, " no filter is loaded");
	}
	draw_foot(m->cnt, selected, note);
	refresh();
}
