// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stream_options.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config_streams.h"
#include "diag.h"
#include "prefixes.h"
#include "units.h"

/* The parts of [STREAM=]NAME[:PORTS[@DESTINATIONS]][#REALM]; NULL: it is not there. */
struct wish {
	struct given_text given; /* as the user gave it */
	char *stream, *name, *ports, *to, *realm;
};

/* What is wrong with a wish, at the place where it was given. -EINVAL */
__attribute__((format(printf, 2, 3))) static int refuse(const struct wish *w, const char *format, ...)
{
	struct diag_location before = diag_at(w->given.location);
	char why[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	diag_err(0, "%sprofile %s: %s", w->given.location.path ? "" : "--", w->given.text, why);
	diag_at(before);
	return -EINVAL;
}

static int log_file_error(const struct given_text *file, int err, const struct profile_error *wrong)
{
	const char *key = file->location.path ? "profiles: " : "", *path = file->text;

	if (wrong->line)
		return diag_err(err, "%s%s:%u:%u: %s", key, path, wrong->line, wrong->column,
				wrong->says);
	if (err == -EFBIG)
		return diag_err(err, "%s%s has more than %d bytes: no file of profiles", key, path,
				PROFILES_FILE_MAX);
	return diag_err(err, "%scannot read %s: %s", key, path, strerror(-err));
}

int stream_options_file(struct profiles *p, const struct given_text *file)
{
	struct diag_location before = diag_at(file->location);
	struct profile_error wrong;
	int err = profiles_add_file(p, file->text, &wrong);

	if (err)
		log_file_error(file, err, &wrong);
	diag_at(before);
	return err;
}

int stream_options_profiles(const struct options *o, struct profiles *out)
{
	int err = profiles_add_builtin(out);

	if (err)
		return diag_err(err, "out of memory");
	for (int i = 0; i < o->files_cnt && !err; i++)
		err = stream_options_file(out, &o->files[i]);
	return err;
}

/* Ends the text at its first `sign`; what is behind it, or NULL. */
static char *cut(char *text, char sign)
{
	char *at = strchr(text, sign);

	if (at)
		*at++ = 0;
	return at;
}

/* Splits `copy`, which *w then points into. Addresses have colons, too: so from behind. */
static void split(char *copy, struct wish *w)
{
	w->realm = cut(copy, '#');
	w->to = cut(copy, '@');
	w->ports = cut(copy, ':');
	w->name = cut(copy, '=');
	w->stream = w->name ? copy : NULL;
	w->name = w->name ?: copy;
	if (w->ports && !*w->ports && w->to)
		w->ports = NULL;
}

static int set_ports(const struct wish *w, const struct profile *p, struct spec_stream *s)
{
	int err;

	s->ports_cnt = p->ports_cnt;
	memcpy(s->ports, p->ports, sizeof(s->ports));
	if (!w->ports)
		return 0;
	if (p->stream.layer != DEDUP_UDP)
		return refuse(w, "%s has no ports, as its layer is not udp", w->name);
	err = parse_ports(w->ports, s->ports, &s->ports_cnt);
	if (err == -E2BIG)
		return refuse(w, "at most %d ports or ranges", DEDUP_PORTS_MAX);
	if (err)
		return refuse(w, "give UDP ports from 1 to 65535, as in %s:8001,9000-9010", w->name);
	return 0;
}

/* Those of --to where the stream names none. */
static int set_to(const struct options *o, const struct wish *w, const struct profile *p,
		  struct spec_stream *s)
{
	int err;

	if (!w->to && p->stream.layer != DEDUP_ETHERNET) {
		s->to_cnt = o->spec.to_cnt;
		s->to4_cnt = o->spec.to4_cnt;
		memcpy(s->to, o->spec.to, sizeof(s->to));
	}
	if (!w->to)
		return 0;
	if (p->stream.layer == DEDUP_ETHERNET)
		return refuse(w, "%s has no destinations, as its layer is ethernet", w->name);
	err = parse_prefixes(w->to, s->to, &s->to_cnt, &s->to4_cnt);
	if (err == -E2BIG)
		return refuse(w, "at most %d destinations", DEDUP_TO_MAX);
	if (err)
		return refuse(w, "after @ come addresses or prefixes, as in 192.0.2.1,2001:db8::/64");
	return 0;
}

/* The strictest of all profiles is what fits all of them. */
static void take_limits(struct options *o, const struct profile *p)
{
	if (p->window_ns && (!o->window_ns || p->window_ns < o->window_ns))
		o->window_ns = p->window_ns;
	if (p->fpr > 0 && (o->fpr <= 0 || p->fpr < o->fpr))
		o->fpr = p->fpr;
}

static int set_stream(struct options *o, const struct profiles *all, const struct wish *w,
		      struct spec_stream *s)
{
	const struct profile *p = profiles_find(all, w->name);

	if (!p)
		return refuse(w, "there is no profile %s; xdp-dedup profile list has all", w->name);
	if (w->stream && !stream_name_ok(w->stream))
		return refuse(
			w,
			"a stream's name has 1 to %d letters, digits, - and _, the first one no - or _",
			DEDUP_STREAM_NAME - 1);
	if (w->realm && !stream_name_ok(w->realm))
		return refuse(
			w,
			"after # comes a realm's name: 1 to %d letters, digits, - and _, the first one no - or _",
			DEDUP_STREAM_NAME - 1);
	*s = (struct spec_stream){
		.stream = p->stream,
		.needs_to = p->needs_to,
		.needs_app = p->needs_app,
	};
	take_limits(o, p);
	return set_ports(w, p, s) ?: set_to(o, w, p, s);
}

static bool is_taken(const struct filter_spec *spec, uint32_t but, const char *name, bool *given)
{
	for (uint32_t i = 0; i < spec->streams_cnt; i++)
		if (i != but && given[i] && !strcmp(spec->streams[i].stream.name, name))
			return true;
	return false;
}

/* Streams without a name of their own have their profile's, the second one with -2 and so on. */
static int name_streams(struct filter_spec *spec, const struct wish *wishes)
{
	bool given[DEDUP_STREAMS_MAX] = { 0 };

	for (uint32_t i = 0; i < spec->streams_cnt; i++) {
		char *name = spec->streams[i].stream.name;

		if (!wishes[i].stream)
			continue;
		memset(name, 0, DEDUP_STREAM_NAME);
		memcpy(name, wishes[i].stream, strlen(wishes[i].stream));
		if (is_taken(spec, i, name, given))
			return refuse(&wishes[i], "there is a stream %s already", name);
		given[i] = true;
	}
	for (uint32_t i = 0; i < spec->streams_cnt; i++) {
		char *name = spec->streams[i].stream.name, number[8];
		size_t len = strlen(name);

		if (given[i])
			continue;
		for (int n = 2; is_taken(spec, i, name, given); n++) {
			int digits = snprintf(number, sizeof(number), "-%d", n);

			if (len > DEDUP_STREAM_NAME - 1 - (size_t)digits)
				len = DEDUP_STREAM_NAME - 1 - (size_t)digits;
			memset(name + len, 0, DEDUP_STREAM_NAME - len);
			memcpy(name + len, number, digits);
		}
		given[i] = true;
	}
	return 0;
}

/* Realms go by the number of their first stream. */
static void join_realms(struct filter_spec *spec, const struct wish *wishes)
{
	for (uint32_t i = 0; i < spec->streams_cnt; i++) {
		uint32_t first = 0;

		while (first < i && (!wishes[i].realm || !wishes[first].realm ||
				     strcmp(wishes[i].realm, wishes[first].realm)))
			first++;
		spec->streams[i].stream.realm = first;
	}
}

/* --port beside --profile is a stream of GSP/1, the first one. */
static int set_port_stream(struct options *o, const struct profiles *all, struct wish *w)
{
	static char gsp[] = "gsp";
	struct spec_stream *s = &o->spec.streams[0];

	*w = (struct wish){ .given = { gsp, diag_location() }, .name = gsp };
	if (set_stream(o, all, w, s))
		return -EINVAL;
	memcpy(s->ports, o->spec.ports, sizeof(s->ports));
	s->ports_cnt = o->spec.ports_cnt;
	o->spec.streams_cnt = 1;
	return 0;
}

static int set_streams(struct options *o, const struct profiles *all, struct wish *wishes,
		       char **copies)
{
	struct filter_spec *spec = &o->spec;

	if (spec->ports_cnt && set_port_stream(o, all, &wishes[0]))
		return -EINVAL;
	for (int i = 0; i < o->profiles_cnt; i++) {
		struct wish *w = &wishes[spec->streams_cnt];

		if (spec->streams_cnt == DEDUP_STREAMS_MAX)
			return diag_err(-EINVAL, "a filter has at most %d streams, with --port's",
					DEDUP_STREAMS_MAX);
		copies[i] = strdup(o->profiles[i].text);
		if (!copies[i])
			return diag_err(-ENOMEM, "out of memory");
		w->given = o->profiles[i];
		split(copies[i], w);
		if (set_stream(o, all, w, &spec->streams[spec->streams_cnt]))
			return -EINVAL;
		spec->streams_cnt++;
	}
	join_realms(spec, wishes);
	return name_streams(spec, wishes);
}

int stream_options_set(struct options *o)
{
	struct wish wishes[DEDUP_STREAMS_MAX] = { 0 };
	char *copies[DEDUP_STREAMS_MAX] = { 0 };
	struct profiles all = { 0 };
	int err;

	if (!o->profiles_cnt)
		return 0;
	err = stream_options_profiles(o, &all);
	if (!err)
		err = set_streams(o, &all, wishes, copies);
	for (int i = 0; i < DEDUP_STREAMS_MAX; i++)
		free(copies[i]);
	profiles_free(&all);
	return err;
}

static struct spec_stream *stream_named(struct filter_spec *spec, const char *name, size_t len)
{
	for (uint32_t i = 0; i < spec->streams_cnt; i++) {
		const char *has = spec->streams[i].stream.name;

		if (strlen(has) == len && !memcmp(has, name, len))
			return &spec->streams[i];
	}
	return NULL;
}

int stream_options_deliver(const struct options *o, struct filter_spec *spec)
{
	const char *name = o->deliver;

	if (!o->given.deliver)
		return 0;
	spec->deliver = o->spec.deliver;
	for (uint32_t i = 0; i < spec->streams_cnt; i++)
		spec->streams[i].deliver = false;
	while (name) {
		size_t len = strcspn(name, ",");
		struct spec_stream *s = stream_named(spec, name, len);

		if (s)
			s->deliver = true;
		else if (!spec->streams_cnt && !strcmp(name, STREAM_GSP))
			spec->deliver = true;
		else
			return diag_err(-EINVAL, "--deliver xsk:%s: there is no stream %.*s",
					o->deliver, (int)len, name);
		name = name[len] ? name + len + 1 : NULL;
	}
	return 0;
}

int stream_options_check(const struct options *o)
{
	if (o->deliver && !o->spec.streams_cnt && !o->spec.deliver && !o->replace)
		return diag_err(-EINVAL, "--deliver xsk:%s: the only stream is %s", o->deliver,
				STREAM_GSP);
	for (uint32_t i = 0; i < o->spec.streams_cnt; i++) {
		const struct spec_stream *s = &o->spec.streams[i];
		const char *name = s->stream.name;

		if (s->stream.layer == DEDUP_UDP && !s->ports_cnt)
			return diag_err(-EINVAL,
					"the stream %s lacks UDP ports, as in --profile %s:8001",
					name, name);
		if (s->needs_to && !s->to_cnt)
			return diag_err(
				-EINVAL,
				"the stream %s lacks destinations, as in --profile %s:PORTS@ADDRESS: its profile says why they are needed",
				name, name);
		if (s->needs_app && !o->spec.learn_app)
			return diag_err(-EINVAL,
					"the stream %s needs --learn app: its profile says why",
					name);
	}
	return 0;
}
