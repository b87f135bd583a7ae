/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The forms of `watch`. Each shows what a filter is now (status.h), and what comes (watch.h). */
#ifndef XDP_DEDUP_WATCH_VIEW_H
#define XDP_DEDUP_WATCH_VIEW_H

#include <json-c/json.h>

#include "monitor.h"

/* monitor_window_ns() as a part of a window, 0 to 1. */
double watched_window(const struct watched *f);

/* Without a terminal (watch_lines.c): prints the names of the columns; a line of them; or a JSON
 * object on one line. The filter's rates must be known. With `names` a line begins with the name of
 * the filter.
 */
void watch_lines_head(bool names);
void watch_line(const struct watched *f, bool names);
void watch_json(const struct watched *r);

/* The senders of a filter with accounts (watch_senders.c), in each of the three forms: draws a
 * table; prints a line for each path; makes a list, which the caller frees with json_object_put().
 */
void watch_senders_draw(const struct watched *f);
void watch_sender_lines(const struct watched *f);
json_object *watch_senders_json(const struct watched *f);

/* Draws the filters on the terminal (terminal.h), the one at the index `selected` in full, at its
 * size now. `note` is for the last line; "": none.
 */
void watch_screen_draw(const struct monitor *m, int selected, const char *note);

#endif
