// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "diag.h"
#include "numbered.h"
#include "prefixes.h"
#include "replay_print.h"
#include "survey_print.h"
#include "text.h"
#include "units.h"

#define PROGRESS_EVERY 256 /* packets: it looks at the time */

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

/* Which of the realms that several streams share is this stream's? From 1 on; 0: it has its own. */
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

/* As parse_count() takes it. */
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
	if (f->spec.paths > 1)
		text_append(out, SURVEY_OPTIONS_MAX, " --paths %u", f->spec.paths);
	if (numbered_alone(&f->spec))
		return out;
	text_append(out, SURVEY_OPTIONS_MAX, " --window %s --capacity ",
		    FORMAT_TIME(f->spec.window_ns));
	append_count(out, f->spec.capacity);
	return out;
}

/* All of the capture. 0, or -errno (logged). */
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

int survey_capture(const struct options *o, struct capture *c)
{
	const struct survey_result *r;
	struct survey *s;
	int err;

	if (survey_open(o->memory, &s))
		return diag_err(-ENOMEM,
				"out of memory" ADVICE "--memory says how much replay may take");
	err = note_all(s, c);
	diag_progress_end();
	r = survey_end(s);
	if (!r)
		err = diag_err(-ENOMEM, "out of memory");
	else if (o->json)
		survey_print_json(o->args[0], c, r, !err);
	else
		survey_print_text(o->args[0], c, r);
	survey_close(s);
	return err;
}
