/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Reads keys from a terminal, and draws lines, graphs and tables, from the top down until no line
 * is left, by ncurses. The last line is for keys and notes.
 */
#pragma once

#include <curses.h>

#define TERMINAL_LABEL_COLUMNS 11 /* a line begins with a label and a value */
#define TERMINAL_VALUE_COLUMNS 8

/* Takes over the terminal of this process. Returns 0; -ENOTTY if there is none, or if it cannot
 * move its cursor. terminal_close() may be called without it.
 */
int terminal_open(void);
void terminal_close(void);

enum terminal_key {
	TERMINAL_KEY_NONE,
	TERMINAL_KEY_QUIT,
	TERMINAL_KEY_UP,
	TERMINAL_KEY_DOWN,
	TERMINAL_KEY_REDRAW
};

/* Waits for a key, at most for this time, or until a signal. Returns the key. */
enum terminal_key terminal_key(int timeout_ms);

/* Begins a picture in the present size of the terminal: LINES, COLS. */
void terminal_begin(void);

/* Draws the last line, and shows the picture. */
void terminal_end(const char *foot);

/* Returns how many lines are left, without the last line. */
int terminal_lines_left(void);

/* Draws a line of ASCII text, cut at the terminal's width. */
__attribute__((format(printf, 2, 3))) void terminal_line(attr_t attributes, const char *format, ...);

/* Draws a line with a text and then cnt values as bars. The highest bar fills the line's height.
 * Bars that have no room are left out.
 */
void terminal_bars(const double *values, int cnt, const char *text);

/* Draws a line in reverse, with `right` at its right end if the terminal is wide enough. */
void terminal_title(const char *left, const char *right);

/* Draws a part (0 to 1) as a bar, with a text after it if the terminal is wide enough. */
void terminal_bar(const char *label, double part, const char *text);

/* Draws a history of cnt rates a second, with the newest one, `value`, on the right. */
void terminal_spark(const char *label, double value, const double *history, int cnt);

/* Draws a table's head if it and one row have room. Returns how many of cnt rows have room then; if
 * not all have, keeps a line for terminal_table_end(), which tells how many more there are.
 */
int terminal_table(int cnt, const char *name, const char *columns);
void terminal_table_end(int more); /* draws nothing if `more` is 0 */
