/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Prints the results of replay, and of its survey, for people and for programs, to stdout. */
#pragma once

#include "json_out.h"
#include "options.h"
#include "replay.h"
#include "senders_view.h"
#include "survey.h"

#define REPLAY_TOP 5 /* sources that are shown */

/* Print the results of a replay. path, c: the capture. complete: it was read to its end. */
void replay_print_text(const char *path, const struct capture *c, const struct dedup_config *cfg,
		       const struct replay_result *r);

/* Makes an object of the results. The caller frees it. */
json_object *replay_json(const char *path, const struct capture *c, const struct dedup_config *cfg,
			 const struct replay_result *r, bool complete);

/* Prints the results as JSON with --json, and writes their page with --html. Frees them. Returns 0;
 * or -errno (logged) if the page could not be written.
 */
int replay_show_figures(const struct options *o, json_object *figures);

/* Make parts of the results of a replay or a survey. */
json_object *replay_json_timeline(const struct timeline *t);
json_object *replay_json_ages(const struct histogram *a); /* by doublings: [[up to ns, count], ...] */
json_object *replay_json_sources(struct sources *s);

/* Returns a view of at most `max` senders of numbered streams. Its list belongs to *r. */
struct senders_view replay_senders(const struct capture *c, const struct dedup_config *cfg,
				   const struct replay_result *r, uint32_t max);

/* What was read of a capture, and which packets were left out. */
struct replay_head {
	uint64_t packets, bytes, first_ns, last_ns;
	uint64_t foreign, outgoing; /* as in struct replay_result */
};

/* Prints the first lines of a report for people. */
void replay_print_head(const char *path, const struct replay_head *head);

/* Opens the capture that the options name. Returns what capture_open() does. */
int replay_open(const struct options *o, struct capture **out);

/* Returns false for a pipe, which cannot be read again. */
bool replay_is_file(const char *path);

/* Shows on a terminal how much of the capture has been read. */
void replay_show_progress(const struct capture *c, uint64_t packets);

/* Without a profile: the survey of a capture. */

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
