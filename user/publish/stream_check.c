// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stream_check.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "server_options.h"
#include "units.h"

#define WAIT_MS 5000

/* The state of a check. */
struct checking {
	const struct publish_options *o;
	const struct stream_requirements *required;
	jsCtx *js;
	jsStreamInfo *info;
	uint32_t untaken;
	char *text;
};

__attribute__((format(printf, 3, 4))) static int fail(struct checking *c, int err,
						      const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(c->text, SERVER_TEXT_MAX, format, args);
	va_end(args);
	return err;
}

/* Writes the error of a libnats call to c->text. Returns -EAGAIN. */
static int fail_nats(struct checking *c, natsStatus err, const char *what)
{
	return fail(c, -EAGAIN, "stream %s: %s: %s", c->o->stream, what, server_error_text(err));
}

static int create(struct checking *c)
{
	const char *subjects[STREAM_SUBJECTS_MAX];
	jsStreamConfig config;
	jsErrCode code = 0;
	natsStatus err;

	jsStreamConfig_Init(&config);
	config.Name = c->o->stream;
	config.Description = "Fresh events of xdp-dedup-publish";
	for (int i = 0; i < c->required->subjects_cnt; i++)
		subjects[i] = c->required->subjects[i];
	config.Subjects = subjects;
	config.SubjectsLen = c->required->subjects_cnt;
	config.Replicas = c->o->replicas;
	config.Storage = c->o->in_memory ? js_MemoryStorage : js_FileStorage;
	config.Duplicates = c->o->duplicates_ns;
	if (c->o->max_bytes)
		config.MaxBytes = c->o->max_bytes;
	if (c->o->max_age_ns)
		config.MaxAge = c->o->max_age_ns;
	err = js_AddStream(&c->info, c->js, &config, NULL, &code);
	return err ? fail_nats(c, err, "cannot be created") : 0;
}

/* Reads the stream's configuration and state; with --create, creates a missing stream. */
static int read_info(struct checking *c)
{
	jsErrCode code = 0;
	natsStatus err = js_GetStreamInfo(&c->info, c->js, c->o->stream, NULL, &code);

	if (!err)
		return 0;
	if (err == NATS_NO_RESPONDERS)
		return fail(c, -EAGAIN, "stream %s: these servers have no JetStream", c->o->stream);
	if (err == NATS_TIMEOUT)
		return fail(c, -EAGAIN,
			    "stream %s: no answer within %d s; the account may lack the right to ask for it",
			    c->o->stream, WAIT_MS / 1000);
	if (err != NATS_NOT_FOUND)
		return fail_nats(c, err, "cannot be looked up");
	if (c->o->create)
		return create(c);
	return fail(c, -EINVAL, "there is no stream %s; --create creates it", c->o->stream);
}

/* Returns whether the stream's subject covers ours. Compares word by word; ours may have a `*`. */
static bool covers(const char *its, const char *ours)
{
	for (;;) {
		size_t a = strcspn(its, "."), b = strcspn(ours, ".");

		if (a == 1 && *its == '>')
			return true;
		if (!(a == 1 && *its == '*') && (a != b || strncmp(its, ours, a)))
			return false;
		if (!its[a] || !ours[b])
			return !its[a] && !ours[b];
		its += a + 1;
		ours += b + 1;
	}
}

static bool is_taken(const jsStreamConfig *config, const char *subject)
{
	for (int i = 0; i < config->SubjectsLen; i++)
		if (covers(config->Subjects[i], subject))
			return true;
	return false;
}

static int check_subjects(struct checking *c)
{
	int taken = 0;

	for (int i = c->required->subjects_cnt - 1; i >= 0; i--) {
		if (is_taken(c->info->Config, c->required->subjects[i])) {
			taken++;
			continue;
		}
		c->untaken |= 1U << i;
		fail(c, 0, "stream %s does not take the subject %s", c->o->stream,
		     c->required->subjects[i]);
	}
	return c->untaken && !taken ? -EINVAL : 0;
}

static int check_config(struct checking *c)
{
	const jsStreamConfig *config = c->info->Config;

	if (!config)
		return fail(c, -EAGAIN, "stream %s: the answer has no configuration", c->o->stream);
	if (config->NoAck)
		return fail(c, -EINVAL, "stream %s acknowledges nothing (no_ack)", c->o->stream);
	if (config->Duplicates <= 0 || (uint64_t)config->Duplicates < c->o->skew_ns)
		return fail(
			c, -EINVAL,
			"stream %s knows ids for %s only, and another machine may publish an event %s later (--skew): make the stream's duplicate window longer",
			c->o->stream, FORMAT_TIME(config->Duplicates < 0 ? 0 : config->Duplicates),
			FORMAT_TIME(c->o->skew_ns));
	return check_subjects(c);
}

int stream_check(natsConnection *nc, const struct publish_options *o,
		 const struct stream_requirements *required, struct stream_fit *out, char *text)
{
	struct checking c = { .o = o, .required = required, .text = text };
	jsOptions options;
	int err;

	jsOptions_Init(&options);
	options.Wait = WAIT_MS;
	if (natsConnection_JetStream(&c.js, nc, &options))
		return fail(&c, -EAGAIN, "out of memory");
	err = read_info(&c) ?: check_config(&c)
		       ?: id_rules_check(c.js, o, required->rules, required->rules_cnt,
					 c.info->State.LastTime, text);
	if (!err)
		*out = (struct stream_fit){ required->serial, c.untaken, c.info->Config->Duplicates };
	jsStreamInfo_Destroy(c.info);
	jsCtx_Destroy(c.js);
	return err;
}
