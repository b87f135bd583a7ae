// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "json_log.h"

#include <json-c/json.h>
#include <stdio.h>
#include <time.h>

#include "diag.h"

static void add_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, json_object_new_string(text));
}

static void log_message(void *to, const struct diag *d)
{
	static const char *const LEVELS[] = {
		[DIAG_ERR] = "error",
		[DIAG_NOTE] = "note",
		[DIAG_DONE] = "info",
	};
	struct json_object *line = json_object_new_object();
	char now[32], message[DIAG_LINE_MAX_BYTES];
	const struct diag finding = { .location = d->location, .finding = d->finding };
	time_t seconds = time(NULL);
	struct tm tm;

	(void)to;
	strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &tm));
	add_text(line, "time", now);
	add_text(line, "level", LEVELS[d->kind]);
	add_text(line, "message", diag_text(&finding, message, sizeof(message)));
	if (d->advice)
		add_text(line, "advice", d->advice);
	fprintf(stderr, "%s\n",
		json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN |
							     JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(line);
}

void json_log_start(void)
{
	static struct diag_receiver receiver = { .take = log_message };

	diag_receive(&receiver);
}
