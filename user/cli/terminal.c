// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "terminal.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "units.h"
#include "watch.h"

#define TEXT_COLUMNS 20 /* for a text after a graph, if the terminal is wide enough for both */
#define GRAPH_MIN 10
#define STEPS 8

/* Heights from 0 to STEPS, and a bar's filled and empty part. */
static const struct glyphs {
	const char *spark[STEPS + 1], *filled, *empty;
} UTF8 = { { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" }, "█", "░" },
  ASCII = { { " ", "_", ".", "-", "=", "+", "*", "%", "#" }, "#", "." };

static SCREEN *screen;
static const struct glyphs *glyphs;
static int next_line; /* the next line to draw */

int terminal_open(void)
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
		terminal_close();
		return -ENOTTY;
	}
	cbreak();
	noecho();
	nodelay(stdscr, true);
	keypad(stdscr, true);
	curs_set(0);
	return 0;
}

void terminal_close(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
}

enum terminal_key terminal_key(int timeout_ms)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	int ready = poll(&in, 1, timeout_ms);

	if (ready > 0 && !(in.revents & POLLIN))
		return TERMINAL_KEY_QUIT; /* the terminal is gone */
	switch (getch()) {
	case 'q':
	case 'Q':
		return TERMINAL_KEY_QUIT;
	case 'k':
	case KEY_UP:
		return TERMINAL_KEY_UP;
	case 'j':
	case KEY_DOWN:
		return TERMINAL_KEY_DOWN;
	case KEY_RESIZE:
		return TERMINAL_KEY_REDRAW;
	case 'L' - '@': /* Ctrl-L: removes what other programs have written there */
		clearok(stdscr, true);
		return TERMINAL_KEY_REDRAW;
	default:
		return TERMINAL_KEY_NONE;
	}
}

void terminal_begin(void)
{
	erase();
	next_line = 0;
}

void terminal_end(const char *foot)
{
	attron(A_DIM);
	mvaddnstr(LINES - 1, 0, foot, COLS - 1);
	attroff(A_DIM);
	refresh();
}

int terminal_lines_left(void)
{
	return LINES - 1 - next_line;
}

void terminal_line(attr_t attributes, const char *format, ...)
{
	char text[512];
	va_list args;

	if (terminal_lines_left() <= 0)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	attron(attributes);
	mvaddnstr(next_line++, 0, text, COLS);
	attroff(attributes);
}

void terminal_bars(const double *values, int cnt, const char *text)
{
	int heights[WATCH_HISTORY];

	if (terminal_lines_left() <= 0)
		return;
	terminal_line(0, "%s", text);
	if (getcury(stdscr) != next_line - 1) /* the text fills the line */
		return;
	if (cnt > COLS - getcurx(stdscr))
		cnt = COLS - getcurx(stdscr);
	cnt = watch_spark(values, cnt, STEPS, cnt, heights);
	for (int i = 0; i < cnt; i++)
		addstr(glyphs->spark[heights[i]]);
}

void terminal_title(const char *left, const char *right)
{
	terminal_line(A_REVERSE, " %s %*s", left, COLS, "");
	if (COLS >= 60)
		mvprintw(next_line - 1, COLS - 2 - (int)strlen(right), " %s ", right);
	mvchgat(next_line - 1, 0, -1, A_REVERSE, 0, NULL);
}

/* Begins a line with a label and a value. Returns how many columns a graph has: 0 if the terminal
 * is too narrow for one, -1 if there is no room for the line. *after: the column of the text after
 * the graph; 0 if that has no room.
 */
static int begin_graph(const char *label, const char *value, int *after)
{
	int from = TERMINAL_LABEL_COLUMNS + TERMINAL_VALUE_COLUMNS + 2, columns = COLS - from;

	*after = 0;
	if (terminal_lines_left() <= 0)
		return -1;
	mvprintw(next_line, 0, " %-*.*s%*s", TERMINAL_LABEL_COLUMNS, COLS > 1 ? COLS - 1 : 1, label,
		 TERMINAL_VALUE_COLUMNS, value);
	if (columns >= WATCH_HISTORY / 2 + TEXT_COLUMNS + 1) {
		columns -= TEXT_COLUMNS + 1;
		columns = columns > WATCH_HISTORY ? WATCH_HISTORY : columns;
		*after = from + columns + 1;
	}
	move(next_line++, from);
	return columns < GRAPH_MIN ? 0 : columns > WATCH_HISTORY ? WATCH_HISTORY : columns;
}

/* Draws the text after a graph, on the line that was drawn last. */
static void draw_after_graph(int column, const char *text)
{
	if (column && column < COLS)
		mvaddnstr(next_line - 1, column, text, COLS - column);
}

void terminal_bar(const char *label, double part, const char *text)
{
	char value[32];
	int after, columns, filled;

	snprintf(value, sizeof(value), "%.1f %%", 100 * part);
	columns = begin_graph(label, value, &after);
	filled = (int)(part * columns + 0.5);
	for (int i = 0; i < columns; i++)
		addstr(i < filled ? glyphs->filled : glyphs->empty);
	draw_after_graph(after, text);
}

void terminal_spark(const char *label, double value, const double *history, int cnt)
{
	char most_text[64], rate[48];
	int heights[WATCH_HISTORY], after, columns;
	double most = 0;

	snprintf(rate, sizeof(rate), "%s/s", FORMAT_ABOUT(value));
	columns = begin_graph(label, rate, &after);
	if (columns <= 0)
		return;
	cnt = watch_spark(history, cnt, STEPS, columns, heights);
	for (int i = cnt; i < columns; i++)
		addstr(glyphs->spark[0]);
	for (int i = 0; i < cnt; i++)
		addstr(glyphs->spark[heights[i]]);
	for (int i = 0; i < cnt; i++)
		most = history[i] > most ? history[i] : most;
	snprintf(most_text, sizeof(most_text), "at most %s/s", FORMAT_ABOUT(most));
	draw_after_graph(after, most_text);
}

int terminal_table(int cnt, const char *name, const char *columns)
{
	if (terminal_lines_left() < 3 || !cnt)
		return 0;
	terminal_line(0, "%s", "");
	terminal_line(A_UNDERLINE, " %-15s %s", name, columns);
	return cnt <= terminal_lines_left() ? cnt : terminal_lines_left() - 1;
}

void terminal_table_end(int more)
{
	if (more > 0)
		terminal_line(A_DIM, " and %d more", more);
}
