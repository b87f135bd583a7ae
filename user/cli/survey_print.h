/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* replay without a profile: prints the survey of a capture to stdout. */
#ifndef XDP_DEDUP_SURVEY_PRINT_H
#define XDP_DEDUP_SURVEY_PRINT_H

#include "json_out.h"
#include "options.h"
#include "replay.h"
#include "survey.h"

#define SURVEY_OPTIONS_MAX 4096

/* Surveys the capture, and prints the result as text or, with o->json, as JSON. Returns 0; or
 * -errno (logged): then the result is of the packets before the error.
 */
int survey_capture(const struct options *o, struct capture *c);

/* A recommended filter, and what each path brings of its numbered streams. */
struct survey_paths {
	const struct survey_filter *filter;
	bool known; /* it has no numbered streams with paths, or the file was replayed through it */
	struct dedup_config cfg;
	struct replay_result result;
};

struct survey_report {
	const char *path;
	const struct capture *c;
	const struct survey_result *r;
	bool complete; /* the capture was read to its end */
	struct survey_paths filter, rest;
};

/* Show the frames in tunnels, by kind: print lines for people; make an array for programs. */
void survey_print_tunnels(const struct survey_result *r);
json_object *survey_json_tunnels(const struct survey_result *r);

/* Prints why the filter opens tunnels, if it does. */
void survey_print_tunnels_note(const struct survey_result *r);

/* By enum survey_why: why a profile is the best one or not, for programs and for people. */
extern const struct survey_reason {
	const char *key, *text;
} SURVEY_REASONS[];

void survey_print_text(const struct survey_report *report);

/* Makes an object of the survey. The caller frees it. */
json_object *survey_json(const struct survey_report *report);

/* Writes the options of `load` and `replay` that make this filter, without --action; "" if there is
 * no filter. Returns out.
 */
const char *survey_options(const struct survey_filter *f, char out[SURVEY_OPTIONS_MAX]);

/* Writes a name as "UDP 26400 to 233.252.0.1", "TCP 443" or "EtherType 0x0806". Returns out. */
#define SURVEY_NAME_MAX 96
const char *survey_name(const struct survey_destination *d, char out[SURVEY_NAME_MAX]);

#endif
