// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "publish_streams.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

#define DIGEST_BYTES 8 /* after the segments of an id */

static const char *realm_of(const struct publish_streams *s, int n)
{
	const char *first = s->listed[n].name;

	for (int i = 0; i < s->cnt; i++)
		if (s->listed[i].realm == s->listed[n].realm && strcmp(s->listed[i].name, first) < 0)
			first = s->listed[i].name;
	return first;
}

/* Sets s->now[n]: reuses an unchanged stream, else adds one, with its filter open. Returns 0 or
 * -errno.
 */
static int set_stream(struct publish_streams *s, int n)
{
	const struct xdp_dedup_stream *is = &s->listed[n];
	struct publish_stream *one = s->all;
	const char *realm = realm_of(s, n);
	char name[128];
	int err;

	while (one && (memcmp(&one->is, is, sizeof(*is)) || strcmp(one->realm, realm)))
		one = one->next;
	s->now[n] = one;
	if (one)
		return 0;
	one = calloc(1, sizeof(*one));
	if (!one)
		return -ENOMEM;
	one->is = *is;
	snprintf(one->realm, sizeof(one->realm), "%.*s", (int)sizeof(one->realm) - 1, realm);
	snprintf(name, sizeof(name), "%s/%.*s", s->options->filter, (int)sizeof(is->name) - 1,
		 is->name);
	err = xdp_dedup_open(name, &one->filter);
	if (err) {
		free(one);
		return err;
	}
	one->is_published = !message_id_obstacle(is) && (s->secret.mac || !message_id_is_hashed(is));
	one->next = s->all;
	s->all = s->now[n] = one;
	return 0;
}

static bool is_now(const struct publish_streams *s, const struct publish_stream *one)
{
	for (int i = 0; i < s->cnt; i++)
		if (s->now[i] == one)
			return true;
	return false;
}

/* Frees former streams to which no event points. */
static void free_former_streams(struct publish_streams *s)
{
	struct publish_stream **at = &s->all;

	while (*at) {
		struct publish_stream *one = *at;

		if (one->held || is_now(s, one)) {
			at = &one->next;
			continue;
		}
		*at = one->next;
		xdp_dedup_close(one->filter);
		free(one);
	}
}

/* Sets what the JetStream streams must take, and how ids are made. */
static void set_requirements(struct publish_streams *s)
{
	struct stream_requirements *required = &s->requirements;

	required->rules_cnt = 0;
	required->serial++;
	for (int i = 0; i < s->cnt; i++) {
		struct publish_stream *one = s->now[i];
		struct id_rule *r = &required->rules[required->rules_cnt];

		if (!one->is_published)
			continue;
		*r = (struct id_rule){
			.profile = one->is.profile,
			.shards = strstr(s->options->stream, SUBJECT_SHARD) ? s->options->shards : 0,
		};
		memcpy(r->stream, one->is.name, sizeof(r->stream));
		memcpy(r->realm, one->realm, sizeof(r->realm));
		strcpy(r->secret, message_id_is_hashed(&one->is) ? s->secret.name : "-");
		one->required_n = required->rules_cnt++;
	}
}

int publish_streams_refresh(struct publish_streams *s)
{
	struct xdp_dedup_stream listed[STREAMS_MAX] = { 0 };
	int cnt = xdp_dedup_streams(s->filter, listed, sizeof(*listed), STREAMS_MAX);

	if (cnt < 0)
		return cnt;
	s->change = listed[0].change;
	for (int i = 0; i < cnt; i++)
		listed[i].change = 0; /* a change of the filter may leave the stream as it was */
	if (cnt == s->cnt && !memcmp(listed, s->listed, sizeof(listed)))
		return 0;
	memcpy(s->listed, listed, sizeof(listed));
	s->cnt = cnt;
	for (int i = 0; i < cnt; i++) {
		int err = set_stream(s, i);

		if (err) {
			s->cnt = 0; /* so the next call tries again */
			s->change = 0;
			return err;
		}
	}
	free_former_streams(s);
	set_requirements(s);
	return 1;
}

/* Logs once what may be lost if packets teach the filter, and not stored events. */
static void report_learning(struct publish_streams *s)
{
	bool had_told = s->told_learning, numbered = false;

	s->told_learning = !s->listed[0].app_learns;
	if (had_told || !s->told_learning)
		return;
	for (int i = 0; i < s->cnt; i++)
		numbered |= s->listed[i].number_bytes != 0;
	diag_note("filter %s learns ids before events are stored: what comes while this program is down, finds a socket full, or cannot be stored, is lost with its later copies" ADVICE
		  "xdp-dedup %s %s --%s lets %s pass",
		  s->options->filter, numbered ? "lost" : "set", s->options->filter,
		  numbered ? "want" : "learn app",
		  numbered ? "the next copies of lost packets" : "copies of what is not stored");
}

int publish_streams_report(struct publish_streams *s)
{
	int published = 0;

	for (int i = 0; i < s->cnt; i++) {
		const struct publish_stream *one = s->now[i];
		const char *obstacle = message_id_obstacle(&one->is);

		published += one->is_published;
		if (obstacle)
			diag_note("%s/%s is not published: %s", s->options->filter, one->is.name,
				  obstacle);
		else if (!one->is_published)
			diag_note("%s/%s is not published: its ids are hashed" ADVICE
				  "--secret gives the secret that all machines share",
				  s->options->filter, one->is.name);
	}
	if (published)
		report_learning(s);
	return published;
}

bool publish_streams_learns(const struct publish_streams *s, const struct publish_stream *one)
{
	return !one->is.number_bytes && is_now(s, one);
}

struct publish_stream *publish_streams_of(const struct publish_streams *s,
					  const struct xdp_dedup_identity *id)
{
	struct publish_stream *one = id->stream < (uint32_t)s->cnt ? s->now[id->stream] : NULL;
	uint32_t digest = one && one->is.digest != XDP_DEDUP_DIGEST_NONE ? DIGEST_BYTES : 0;

	return one && one->is_published && id->len == one->is.bytes + digest ? one : NULL;
}

static int open_filter(struct publish_streams *s)
{
	int err = xdp_dedup_open(s->options->filter, &s->filter);

	if (err == -ENOENT)
		return diag_err(err, "there is no filter %s" ADVICE "xdp-dedup status lists them",
				s->options->filter);
	if (err == -ENODEV)
		return diag_err(err, "no BPF file system is mounted at /sys/fs/bpf" ADVICE
				     "`ip netns exec` hides it, nsenter --net does not");
	if (err)
		return diag_err(err, "filter %s: %s", s->options->filter, strerror(-err));
	return 0;
}

int publish_streams_open(struct publish_streams *s, const struct publish_options *o)
{
	int err, changed = 0;

	*s = (struct publish_streams){ .options = o };
	err = o->secret_path ? message_secret_read(o->secret_path, &s->secret) : 0;
	err = err ?: open_filter(s);
	if (!err)
		changed = publish_streams_refresh(s);
	if (changed < 0)
		err = diag_err(changed, "filter %s cannot be read: %s", o->filter,
			       strerror(-changed));
	if (!err && !publish_streams_report(s))
		err = diag_err(-EINVAL, "filter %s has no stream that can be published", o->filter);
	if (err)
		publish_streams_close(s);
	return err;
}

void publish_streams_close(struct publish_streams *s)
{
	s->cnt = 0;
	free_former_streams(s);
	xdp_dedup_close(s->filter);
	s->filter = NULL;
	message_secret_free(&s->secret);
}
