/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* replay without a profile: the survey of a capture, on stdout. */
#ifndef XDP_DEDUP_SURVEY_PRINT_H
#define XDP_DEDUP_SURVEY_PRINT_H

#include "json_out.h"
#include "options.h"
#include "replay.h"
#include "survey.h"

#define SURVEY_OPTIONS_MAX 4096

/* Surveys the capture and prints, as o->json says. 0, or -errno (logged): what was read until
 * then counts.
 */
int survey_capture(const struct options *o, struct capture *c);

/* A recommended filter, and what each path brings of its numbered streams. */
struct survey_paths {
	const struct survey_filter *filter;
	bool known; /* if it has numbered streams: the file could be replayed through it */
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

/* The frames in tunnels of each kind that there are: lines for people; an array for programs. */
void survey_print_tunnels(const struct survey_result *r);
json_object *survey_json_tunnels(const struct survey_result *r);

/* Says why the filter opens tunnels, if it does. */
void survey_print_tunnels_note(const struct survey_result *r);

/* Why a profile is the best one, or is not, by enum survey_why: for programs, and for people. */
extern const struct survey_reason {
	const char *key, *says;
} SURVEY_REASONS[];

void survey_print_text(const struct survey_report *report);
void survey_print_json(const struct survey_report *report);

/* The options of `load`, and of `replay`, that make this filter, but for --action; "" if there is
 * none. Returns out.
 */
const char *survey_options(const struct survey_filter *f, char out[SURVEY_OPTIONS_MAX]);

/* "UDP 26400 to 233.252.0.1", "TCP 443", "IP protocol 112", "EtherType 0x0806". Returns out. */
#define SURVEY_NAME_MAX 96
const char *survey_name(const struct survey_destination *d, char out[SURVEY_NAME_MAX]);

#endif
