/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A terminal, by ncurses: its keys; and lines, graphs and tables, drawn from the top down until no
 * line is left. The last line is for keys and notes.
 */
#ifndef XDP_DEDUP_TERMINAL_H
#define XDP_DEDUP_TERMINAL_H

#include <curses.h>

#define TERMINAL_LABEL_COLUMNS 11 /* a line begins with a label and a value */
#define TERMINAL_VALUE_COLUMNS 8

/* Takes the terminal of this process. Returns 0; -ENOTTY if there is none, or one that cannot move
 * its cursor.
 */
int terminal_open(void);
void terminal_close(void); /* also if it is not open */

enum terminal_key {
	TERMINAL_KEY_NONE,
	TERMINAL_KEY_QUIT,
	TERMINAL_KEY_UP,
	TERMINAL_KEY_DOWN,
	TERMINAL_KEY_REDRAW
};

/* Waits for a key at most so long, or until a signal. */
enum terminal_key terminal_key(int timeout_ms);

/* Begins a picture of the size that the terminal has now: LINES, COLS. */
void terminal_begin(void);

/* Draws the last line, and shows the picture. */
void terminal_end(const char *foot);

/* Returns how many lines are left, but for the last one. */
int terminal_lines_left(void);

/* Draws a line, cut at the terminal's width. Only ASCII. */
__attribute__((format(printf, 2, 3))) void terminal_line(attr_t attributes, const char *format, ...);

/* Draws a line, and behind it cnt values as bars, each up to a line high: the highest one fills it.
 * What has no room is cut.
 */
void terminal_bars(const double *values, int cnt, const char *text);

/* Draws a line in reverse, with `right` at its right end if the terminal is wide enough. */
void terminal_title(const char *left, const char *right);

/* Draws a part (0 to 1) as a bar, with a text behind it if the terminal is wide enough. */
void terminal_bar(const char *label, double part, const char *text);

/* Draws a history of cnt values a second, the newest one on the right, which is `value`. */
void terminal_spark(const char *label, double value, const double *history, int cnt);

/* Draws a table's head if it and one row have room. Returns how many of cnt rows have room then,
 * with one less if a line is to tell how many more there are.
 */
int terminal_table(int cnt, const char *name, const char *columns);
void terminal_table_end(int more); /* draws that line, if `more` is above 0 */

#endif
