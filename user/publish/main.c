// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp-dedup-publish: publishes the fresh events of a filter into a NATS JetStream stream. */
#include <json-c/json.h>
#include <stdio.h>
#include <time.h>

#include "args.h"
#include "diag.h"
#include "exit.h"
#include "print.h"
#include "publish_options.h"
#include "publisher.h"
#include "version.h"

static void add_text(struct json_object *to, const char *key, const char *text)
{
	json_object_object_add(to, key, json_object_new_string(text));
}

/* Logs a message as a JSON object, in a line of stderr. */
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

int main(int argc, char **argv)
{
	struct diag_receiver json = { .take = log_message };
	struct publish_options o;
	int status;

	print_as(PUBLISH_PROGRAM);
	if (args_has_help(argc, argv)) {
		publish_options_help(stdout);
		return check_output(EXIT_DONE);
	}
	if (publish_options_read(&o, argc, argv))
		return EXIT_MISUSED;
	if (o.version) {
		puts(PUBLISH_PROGRAM " " XDP_DEDUP_VERSION);
		return check_output(EXIT_DONE);
	}
	if (o.json_log)
		diag_receive(&json);
	status = publisher_run(&o);
	publish_options_free(&o);
	return check_output(status);
}
