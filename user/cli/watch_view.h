/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The forms of `watch`. Each shows a filter's state (status.h) and its rates (watch.h). */
#pragma once

#include <json-c/json.h>

#include "monitor.h"

/* Returns monitor_window_ns() as a part of a window, 0 to 1. */
double watched_window(const struct watched *f);

/* Without a terminal (watch_lines.c): print the heads of the columns; a filter's line; or a JSON
 * object on one line. The filter's rates must be known. names: a line begins with the filter's
 * name.
 */
void watch_lines_head(bool names);
void watch_line(const struct watched *f, bool names);
void watch_json(const struct watched *r);

/* Show the senders of a filter with accounts (watch_senders.c), in each of the three forms: draw a
 * table; print a line for each path; make a list, which the caller frees with json_object_put().
 */
void watch_senders_draw(const struct watched *f);
void watch_sender_lines(const struct watched *f);
json_object *watch_senders_json(const struct watched *f);

/* Draws the filters on the terminal (terminal.h), in its present size, and the one at the index
 * `selected` in full. note: for the last line; "": none.
 */
void watch_screen_draw(const struct monitor *m, int selected, const char *note);
