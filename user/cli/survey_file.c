// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "diag.h"
#include "numbered.h"
#include "plan.h"
#include "prefixes.h"
#include "replay_print.h"
#include "streams.h"
#include "text.h"
#include "tunnels.h"
#include "units.h"

#define PROGRESS_EVERY 256 /* packets between two looks at the clock */

const char *survey_name(const struct survey_destination *d, char out[SURVEY_NAME_MAX])
{
	static const char *const KINDS[] = { "UDP", "TCP", "IP protocol" };
	char group[INET6_ADDRSTRLEN] = "";

	if (d->kind == SURVEY_ETHERNET) {
		snprintf(out, SURVEY_NAME_MAX, "EtherType 0x%04x", d->number);
		return out;
	}
	if (d->multicast)
		inet_ntop(d->ipv4 ? AF_INET : AF_INET6, d->addresses[0], group, sizeof(group));
	snprintf(out, SURVEY_NAME_MAX, "%s %u%s%s", KINDS[d->kind], d->number, *group ? " to " : "",
		 group);
	return out;
}

/* Returns the number of the stream's realm among shared realms, from 1 on; 0 if it has its own. */
static uint32_t shared_realm(const struct filter_spec *spec, uint32_t n)
{
	uint32_t number = 0, last = UINT32_MAX;

	for (uint32_t i = 0; i < spec->streams_cnt; i++) {
		uint32_t realm = spec->streams[i].stream.realm;
		bool shared =
			(i && spec->streams[i - 1].stream.realm == realm) ||
			(i + 1 < spec->streams_cnt && spec->streams[i + 1].stream.realm == realm);

		number += shared && realm != last;
		last = realm;
		if (i == n)
			return shared ? number : 0;
	}
	return 0;
}

static void append_stream(char *out, const struct filter_spec *spec, uint32_t n)
{
	const struct spec_stream *s = &spec->streams[n];

	text_append(out, SURVEY_OPTIONS_MAX, "%s--profile %s", n ? " " : "", s->stream.name);
	if (s->ports_cnt)
		text_append(out, SURVEY_OPTIONS_MAX, ":%s", FORMAT_PORTS(s->ports, s->ports_cnt));
	for (uint32_t i = 0; i < s->to_cnt; i++)
		text_append(out, SURVEY_OPTIONS_MAX, "%s%s", i ? "," : "@",
			    FORMAT_PREFIX(&s->to[i], i < s->to4_cnt));
	if (shared_realm(spec, n))
		text_append(out, SURVEY_OPTIONS_MAX, "#feed%u", shared_realm(spec, n));
}

/* Appends a number in the form that parse_count() takes. */
static void append_count(char *out, uint64_t n)
{
	if (n % 1000000 == 0)
		text_append(out, SURVEY_OPTIONS_MAX, "%" PRIu64 "M", n / 1000000);
	else if (n % 1000 == 0)
		text_append(out, SURVEY_OPTIONS_MAX, "%" PRIu64 "k", n / 1000);
	else
		text_append(out, SURVEY_OPTIONS_MAX, "%" PRIu64, n);
}

const char *survey_options(const struct survey_filter *f, char out[SURVEY_OPTIONS_MAX])
{
	*out = 0;
	if (!f->spec.streams_cnt)
		return out;
	for (uint32_t i = 0; i < f->spec.streams_cnt; i++)
		append_stream(out, &f->spec, i);
	if (f->spec.tunnels.kinds)
		text_append(out, SURVEY_OPTIONS_MAX, " --tunnels %s",
			    FORMAT_TUNNELS(&f->spec.tunnels, f->spec.tunnels.kinds));
	if (f->spec.paths > 1)
		text_append(out, SURVEY_OPTIONS_MAX, " --paths %u", f->spec.paths);
	if (numbered_alone(&f->spec))
		return out;
	text_append(out, SURVEY_OPTIONS_MAX, " --window %s --capacity ",
		    FORMAT_TIME(f->spec.window_ns));
	append_count(out, f->spec.capacity);
	return out;
}

/* Surveys all packets of the capture. Returns 0, or -errno (logged). */
static int note_all(struct survey *s, struct capture *c)
{
	struct capture_frame f;
	int more;

	while ((more = capture_next(c, &f)) > 0) {
		int err = survey_note(s, &f);

		if (err)
			return diag_err(err, "out of memory");
		if (f.number % PROGRESS_EVERY == 0)
			replay_show_progress(c, f.number);
	}
	return more;
}

/* Replays the file through the filter, as the recommended command does; but not an incomplete file,
 * as its error was logged already. Returns 0, or -errno (logged).
 */
static int replay_paths(const struct options *o, bool is_complete, struct survey_paths *p)
{
	struct replay_spec run = { .cfg = &p->cfg,
				   .engine = ENGINE_USER,
				   .memory = o->memory,
				   .progress = replay_show_progress };
	struct filter_spec spec = p->filter->spec;
	bool given[DEDUP_STREAMS_MAX] = { false };
	struct capture *c;
	int err;

	p->known = !spec.paths;
	if (p->known || !is_complete || !replay_is_file(o->args[0]))
		return 0;
	spec.count_only = spec.several = false;
	spec.forwarded = true;
	streams_choose_names(&spec, given);
	err = plan_local(&spec, &p->cfg) ?: replay_open(o, &c);
	if (err)
		return err;
	err = replay_run(&run, c, &p->result);
	diag_progress_end();
	capture_close(c);
	p->known = !err;
	return err;
}

/* Completes the report, and prints it. Returns 0, or -errno (logged). */
static int print_report(const struct options *o, struct survey_report *report)
{
	int err, shown = 0;

	report->path = o->args[0];
	report->filter.filter = &report->r->filter;
	report->rest.filter = &report->r->rest;
	err = replay_paths(o, report->complete, &report->filter)
		      ?: replay_paths(o, report->complete, &report->rest);
	if (!o->json)
		survey_print_text(report);
	if (o->json || o->html)
		shown = replay_show_figures(o, survey_json(report));
	replay_free(&report->filter.result);
	replay_free(&report->rest.result);
	return err ?: shown;
}

int survey_capture(const struct options *o, struct capture *c)
{
	struct survey_report report = { .c = c };
	struct survey *s;
	int err, printed;

	err = survey_open(o->memory, o->wish.spec.given.tunnels ? &o->wish.spec.tunnels : NULL, &s);
	if (err == -ENOMEM)
		diag_err(err, "out of memory" ADVICE "--memory says how much replay may take");
	if (err)
		return err;
	err = note_all(s, c);
	diag_progress_end();
	report.complete = !err;
	report.r = survey_end(s);
	printed = report.r ? print_report(o, &report) : diag_err(-ENOMEM, "out of memory");
	survey_close(s);
	return err ?: printed;
}
