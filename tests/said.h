/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Commands as users of the tool give them, and what they said: as text, or as JSON. Commands
 * are shell text, in which $XD is the tool, and $PINS holds a directory per filter.
 */
#ifndef XDP_DEDUP_TESTS_SAID_H
#define XDP_DEDUP_TESTS_SAID_H

#include "support.h"

#define SAID_MAX 65536

/* Ids, as commands take them. */
#define ZEROS "00000000000000000000000000000000000000000000000000000000000000" /* 31 bytes */
#define ID_A ZEROS "aB"
#define ID_B ZEROS "bb"

/* By the last command, stdout and stderr merged; cut at its end. */
extern char said[SAID_MAX];

/* Gives commands $XD and $PINS; for main. */
void name_tool(void);

/* Runs the command, which must exit with this status. */
void assert_run(int status, const char *command);

/* `said` has these words in it; and is one line of the tool's, nothing else. */
__attribute__((format(printf, 1, 2))) void assert_says(const char *format, ...);
void assert_one_line(const char *words);

/* Runs a command that must succeed and say one object; the caller puts it. */
json_object *json_of(const char *command);

/* Of an object that must have this key; what is pointed to lives as long as the object. */
json_object *member(json_object *o, const char *key);
double number(json_object *o, const char *key);
const char *text(json_object *o, const char *key);

/* The key's number is off by at most this part of the value; by rounding. */
void assert_near(json_object *o, const char *key, double value, double part);
void assert_number(json_object *o, const char *key, double value);

#endif
