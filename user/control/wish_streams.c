// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "prefixes.h"
#include "profile.h"
#include "streams.h"
#include "text.h"
#include "units.h"
#include "wish.h"

/* The parts of [STREAM=]NAME[:PORTS[@DESTINATIONS]][#REALM]; NULL: not given. */
struct stream_text {
	struct given_text given; /* as the user gave it */
	char *stream, *name, *ports, *to, *realm;
};

/* Logs an error of this text, with its location. Returns -EINVAL. */
__attribute__((format(printf, 2, 3))) static int refuse_stream_text(const struct stream_text *t,
								    const char *format, ...)
{
	struct diag_location before = diag_at(t->given.location);
	char why[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(why, sizeof(why), format, args);
	va_end(args);
	diag_err(0, "%sprofile %s: %s", t->given.location.path ? "" : "--", t->given.text, why);
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

int wish_profiles_file(struct profiles *p, const struct given_text *file)
{
	struct diag_location before = diag_at(file->location);
	struct profile_error wrong;
	int err = profiles_add_file(p, file->text, PROFILE_GIVEN, &wrong);

	if (err)
		log_file_error(file, err, &wrong);
	diag_at(before);
	return err;
}

int wish_profiles(const struct wish *w, struct profiles *out)
{
	char path[PATH_MAX];
	const struct given_text host = { .text = path };
	struct profile_error wrong;
	int err = profiles_add_builtin(out);

	if (err)
		return err;
	err = profiles_add_host(out, path, &wrong);
	if (err)
		return log_file_error(&host, err, &wrong);
	for (int i = 0; i < w->files_cnt && !err; i++)
		err = wish_profiles_file(out, &w->files[i]);
	return err;
}

/* Ends the text at its first `sign`. Returns the text after that, or NULL. */
static char *cut(char *text, char sign)
{
	char *at = strchr(text, sign);

	if (at)
		*at++ = 0;
	return at;
}

/* Splits `copy`, to which *t points then. Begins at the end, as addresses have colons, too. */
static void split_stream_text(char *copy, struct stream_text *t)
{
	t->realm = cut(copy, '#');
	t->to = cut(copy, '@');
	t->ports = cut(copy, ':');
	t->name = cut(copy, '=');
	t->stream = t->name ? copy : NULL;
	t->name = t->name ?: copy;
	if (t->ports && !*t->ports && t->to)
		t->ports = NULL;
}

static int set_stream_ports(const struct stream_text *t, const struct profile *p,
			    struct spec_stream *s)
{
	int err;

	if (!t->ports) {
		s->ports_cnt = p->ports_cnt;
		memcpy(s->ports, p->ports, sizeof(s->ports));
		return 0;
	}
	if (p->stream.layer != DEDUP_UDP)
		return refuse_stream_text(t, "%s has no ports, as its layer is not udp", t->name);
	err = parse_ports(t->ports, s->ports, &s->ports_cnt);
	if (err == -E2BIG)
		return refuse_stream_text(t, "at most %d ports or ranges", DEDUP_PORTS_MAX);
	if (err)
		return refuse_stream_text(
			t, "give UDP ports from 1 to 65535, as in %s:8001,9000-9010", t->name);
	return 0;
}

/* Sets the stream's destinations: its own, or else those of --to, which `asked` has. */
static int set_to(const struct spec_stream *asked, const struct stream_text *t,
		  const struct profile *p, struct spec_stream *s)
{
	int err;

	if (p->stream.layer == DEDUP_ETHERNET)
		return t->to ? refuse_stream_text(t,
						  "%s has no destinations, as its layer is ethernet",
						  t->name)
			     : 0;
	if (!t->to) {
		s->to_cnt = asked->to_cnt;
		s->to4_cnt = asked->to4_cnt;
		memcpy(s->to, asked->to, sizeof(s->to));
		return 0;
	}
	err = parse_prefixes(t->to, s->to, &s->to_cnt, &s->to4_cnt);
	if (err == -E2BIG)
		return refuse_stream_text(t, "at most %d destinations", DEDUP_TO_MAX);
	if (err)
		return refuse_stream_text(
			t, "after @ come addresses or prefixes, as in 192.0.2.1,2001:db8::/64");
	return 0;
}

/* Takes the profile's limits if they are stricter: only these fit all profiles. */
static void take_limits(struct wish *w, const struct profile *p)
{
	if (p->window_ns && (!w->fitting_window_ns || p->window_ns < w->fitting_window_ns))
		w->fitting_window_ns = p->window_ns;
	if (p->fpr > 0 && (w->fitting_fpr <= 0 || p->fpr < w->fitting_fpr))
		w->fitting_fpr = p->fpr;
}

static int set_stream(struct wish *w, const struct profiles *all, const struct spec_stream *asked,
		      const struct stream_text *t, struct spec_stream *s)
{
	const struct profile *p = profiles_find(all, t->name);

	if (!p)
		return refuse_stream_text(
			t, "there is no profile %s; xdp-dedup profile list has all", t->name);
	if (t->stream && !stream_name_ok(t->stream))
		return refuse_stream_text(
			t,
			"a stream's name has 1 to %d letters, digits, - and _, the first one no - or _",
			DEDUP_STREAM_NAME - 1);
	if (t->realm && !stream_name_ok(t->realm))
		return refuse_stream_text(
			t,
			"after # comes a realm's name: 1 to %d letters, digits, - and _, the first one no - or _",
			DEDUP_STREAM_NAME - 1);
	*s = (struct spec_stream){
		.stream = p->stream,
		.numbered = p->numbered,
		.tunnels = p->tunnels,
		.needs_to = p->needs_to,
		.needs_app = p->needs_app,
	};
	take_limits(w, p);
	return set_stream_ports(t, p, s) ?: set_to(asked, t, p, s);
}

static int name_streams(struct filter_spec *spec, const struct stream_text *texts)
{
	bool given[DEDUP_STREAMS_MAX] = { 0 };

	for (uint32_t i = 0; i < spec->streams_cnt; i++) {
		char *name = spec->streams[i].stream.name;

		if (!texts[i].stream)
			continue;
		memset(name, 0, DEDUP_STREAM_NAME);
		memcpy(name, texts[i].stream, strlen(texts[i].stream));
		if (streams_has_name(spec, i, name, given))
			return refuse_stream_text(&texts[i], "there is a stream %s already", name);
		given[i] = true;
		spec->streams[i].named = true;
	}
	streams_choose_names(spec, given);
	return 0;
}

/* Numbers each realm by its first stream. */
static void join_realms(struct filter_spec *spec, const struct stream_text *texts)
{
	for (uint32_t i = 0; i < spec->streams_cnt; i++) {
		uint32_t first = 0;

		while (first < i && (!texts[i].realm || !texts[first].realm ||
				     strcmp(texts[i].realm, texts[first].realm)))
			first++;
		spec->streams[i].stream.realm = first;
	}
}

static int set_streams(struct wish *w, const struct profiles *all, struct stream_text *texts,
		       char **copies)
{
	struct filter_spec *spec = &w->spec;
	const struct spec_stream asked = spec->streams[0];

	/* With --port, the first stream stays the one of GSP/1. */
	spec->streams_cnt = w->spec.given.port;
	for (int i = 0; i < w->profiles_cnt; i++) {
		struct stream_text *t = &texts[spec->streams_cnt];

		if (spec->streams_cnt == DEDUP_STREAMS_MAX)
			return diag_err(-EINVAL, "a filter has at most %d streams, with --port's",
					DEDUP_STREAMS_MAX);
		copies[i] = strdup(w->profiles[i].text);
		if (!copies[i])
			return diag_err(-ENOMEM, "out of memory");
		t->given = w->profiles[i];
		split_stream_text(copies[i], t);
		if (set_stream(w, all, &asked, t, &spec->streams[spec->streams_cnt]))
			return -EINVAL;
		spec->streams_cnt++;
	}
	join_realms(spec, texts);
	return name_streams(spec, texts);
}

int wish_streams_set(struct wish *w)
{
	struct stream_text texts[DEDUP_STREAMS_MAX] = { 0 };
	char *copies[DEDUP_STREAMS_MAX] = { 0 };
	struct profiles all = { 0 };
	int err;

	err = wish_profiles(w, &all) ?: set_streams(w, &all, texts, copies);
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

int wish_streams_deliver(const struct wish *w, struct filter_spec *spec)
{
	const char *name = w->deliver;

	if (!w->spec.given.deliver)
		return 0;
	spec->deliver = w->spec.deliver;
	for (uint32_t i = 0; i < spec->streams_cnt; i++)
		spec->streams[i].deliver = false;
	while (name) {
		size_t len = strcspn(name, ",");
		struct spec_stream *s = stream_named(spec, name, len);

		if (!s || s->deliver)
			return diag_err(-EINVAL, "--deliver xsk:%s: %s %.*s", w->deliver,
					s ? "named twice:" : "there is no stream", (int)len, name);
		s->deliver = true;
		name = name[len] ? name + len + 1 : NULL;
	}
	return 0;
}

/* Returns a stream that has the destinations of --to, as it names none itself; or NULL. */
static const struct spec_stream *find_stream_of_to(const struct wish *w)
{
	for (int i = 0; i < w->profiles_cnt; i++) {
		const struct spec_stream *s = &w->spec.streams[w->spec.given.port + i];

		if (!strchr(w->profiles[i].text, '@') && s->stream.layer != DEDUP_ETHERNET)
			return s;
	}
	return w->spec.given.port || !w->profiles_cnt ? &w->spec.streams[0] : NULL;
}

const char *wish_streams_text(const struct wish *w, char buf[WISH_STREAMS_TEXT_MAX])
{
	const struct spec_stream *first = w->spec.streams,
				 *to = w->spec.given.to ? find_stream_of_to(w) : NULL;

	*buf = 0;
	if (w->spec.given.port)
		text_append(buf, WISH_STREAMS_TEXT_MAX, " --port %s",
			    FORMAT_PORTS(first->ports, first->ports_cnt));
	for (int i = 0; i < w->files_cnt; i++)
		text_append(buf, WISH_STREAMS_TEXT_MAX, " --profiles %s", w->files[i].text);
	for (int i = 0; i < w->profiles_cnt; i++)
		text_append(buf, WISH_STREAMS_TEXT_MAX, " --profile %s", w->profiles[i].text);
	for (uint32_t i = 0; to && i < to->to_cnt; i++)
		text_append(buf, WISH_STREAMS_TEXT_MAX, "%s%s", i ? "," : " --to ",
			    FORMAT_PREFIX(&to->to[i], i < to->to4_cnt));
	return buf;
}

int wish_streams_check_needs(const struct filter_spec *spec)
{
	for (uint32_t i = 0; i < spec->streams_cnt; i++) {
		const struct spec_stream *s = &spec->streams[i];
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
		if (s->needs_app && !spec->learn_app)
			return diag_err(-EINVAL,
					"the stream %s needs --learn app: its profile says why",
					name);
	}
	return 0;
}

int wish_streams_check(const struct wish *w)
{
	if (!w->profiles_cnt && w->deliver && !w->spec.deliver && !w->replace)
		return diag_err(-EINVAL, "--deliver xsk:%s: the only stream is %s", w->deliver,
				STREAM_GSP);
	return w->profiles_cnt ? wish_streams_check_needs(&w->spec) : 0;
}
