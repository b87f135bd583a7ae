/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* watch: its forms. Each shows the same: what a filter is, now (status.h), and what comes (watch.h). */
#ifndef XDP_DEDUP_WATCH_VIEW_H
#define XDP_DEDUP_WATCH_VIEW_H

#include "monitor.h"

/* For how long ids are remembered now, at most a window; and as a part of that, 0 to 1. */
uint64_t watched_window_ns(const struct watched *f);
double watched_window(const struct watched *f);

/* How full its memory is, 0 to 1: as `fill` of `status --json`. */
double watched_fill(const struct watched *f);

/* Without a terminal (watch_lines.c): the columns' names, and a line of them; or an object, on one
 * line. Nothing of a filter whose rates are not known yet. With `names` a line begins with the
 * filter's.
 */
void watch_lines_head(bool names);
void watch_line(const struct watched *f, bool names);
void watch_json(const struct watched *f);

/* On a terminal (watch_screen.c). 0; -ENOTTY: it is none, or one that cannot move its cursor. */
int watch_screen_open(void);
void watch_screen_close(void); /* also if it is not open */

/* Draws the filters, the one at the index `selected` in full, at the size that the terminal has
 * now. `note` is for the last line; "": none.
 */
void watch_screen_draw(const struct monitor *m, int selected, const char *note);

enum watch_key { WATCH_KEY_NONE, WATCH_KEY_QUIT, WATCH_KEY_UP, WATCH_KEY_DOWN, WATCH_KEY_REDRAW };

/* Waits for a key at most so long, or until a signal. */
enum watch_key watch_screen_key(int timeout_ms);

#endif
