// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "stream_check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "diag.h"
#include "pending.h"
#include "server.h"
#include "units.h"

#define WAIT_MS 5000
#define NS_PER_S 1000000000

/* The state of a check of one JetStream stream. */
struct checking {
	const struct publish_options *o;
	const struct stream_requirements *required;
	jsCtx *js;
	char name[SUBJECT_MAX];
	int first, cnt;	 /* the filter's streams that go to it, in the requirements */
	uint32_t shard;	 /* SUBJECT_ANY_SHARD: it is `*` in subjects */
	int64_t last_ns; /* time of the newest message of all streams; 0: there is none */
	jsStreamInfo *info;
	bool has_traps;
	struct stream_fit *fit;
};

/* Logs the error of a libnats call. Returns -EAGAIN. */
static int fail_nats(const struct checking *c, natsStatus err, const char *what)
{
	return diag_err(-EAGAIN, "stream %s: %s: %s", c->name, what, server_error_text(err));
}

static int create(struct checking *c)
{
	char subjects[STREAMS_MAX][SUBJECT_MAX];
	const char *each[STREAMS_MAX];
	jsStreamConfig config;
	jsErrCode code = 0;
	natsStatus err;

	jsStreamConfig_Init(&config);
	config.Name = c->name;
	config.Description = "Fresh events of xdp-dedup-publish";
	config.Subjects = each;
	config.SubjectsLen = strstr(c->o->subject, SUBJECT_STREAM) ? c->cnt : 1;
	for (int i = 0; i < config.SubjectsLen; i++) {
		subject_write(c->o->subject, c->required->rules[c->first + i].stream, NULL,
			      c->shard, subjects[i]);
		each[i] = subjects[i];
	}
	config.Replicas = c->o->replicas;
	config.Duplicates = c->o->duplicates_ns;
	if (c->o->max_bytes)
		config.MaxBytes = c->o->max_bytes;
	if (c->o->max_age_ns)
		config.MaxAge = c->o->max_age_ns;
	err = js_AddStream(&c->info, c->js, &config, NULL, &code);
	if (err && code == JSStorageResourcesExceededErr)
		return diag_err(
			-EAGAIN,
			"stream %s: cannot be created: the servers have no storage left: free their disks, or raise max_file_store",
			c->name);
	return err ? fail_nats(c, err, "cannot be created") : 0;
}

/* Reads the stream's configuration and state; with --create, creates a missing stream. */
static int read_info(struct checking *c)
{
	jsErrCode code = 0;
	natsStatus err = js_GetStreamInfo(&c->info, c->js, c->name, NULL, &code);

	if (!err)
		return 0;
	if (err == NATS_NO_RESPONDERS)
		return diag_err(
			-EAGAIN,
			"stream %s: these servers have no JetStream: enable it, or if it was turned off as a disk was full, free that and start the server again",
			c->name);
	if (err == NATS_TIMEOUT)
		return diag_err(
			-EAGAIN,
			"stream %s: no answer within %d s; the account may lack the right to ask for it",
			c->name, WAIT_MS / 1000);
	if (err != NATS_NOT_FOUND)
		return fail_nats(c, err, "cannot be looked up");
	if (c->o->create)
		return create(c);
	return diag_err(-EINVAL, "there is no stream %s; --create creates it", c->name);
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

/* Notes which subjects the stream does not take. */
static void check_subjects(struct checking *c)
{
	const jsStreamConfig *config = c->info->Config;
	char subject[SUBJECT_MAX];

	for (int i = c->first; i < c->first + c->cnt; i++) {
		int n = 0;

		subject_write(c->o->subject, c->required->rules[i].stream, NULL, c->shard, subject);
		while (n < config->SubjectsLen && !covers(config->Subjects[n], subject))
			n++;
		if (n < config->SubjectsLen)
			continue;
		c->fit->untaken |= 1U << i;
		diag_err(0, "stream %s does not take the subject %s" ADVICE "nats stream edit",
			 c->name, subject);
	}
}

/* Refuses a stream from which stored events vanish, or in which events would come twice. */
static int check_config(struct checking *c)
{
	const jsStreamConfig *config = c->info->Config;

	if (!config)
		return diag_err(-EAGAIN, "stream %s: the answer has no configuration", c->name);
	if (config->NoAck)
		return diag_err(-EINVAL, "stream %s acknowledges nothing (no_ack)", c->name);
	if (config->Retention != js_LimitsPolicy)
		return diag_err(
			-EINVAL,
			"stream %s has %s retention, and forgets ids of messages that are read: use one with limits retention",
			c->name, config->Retention == js_WorkQueuePolicy ? "workqueue" : "interest");
	if (config->Duplicates <= 0 || (uint64_t)config->Duplicates < c->o->skew_ns)
		return diag_err(
			-EINVAL,
			"stream %s knows ids for %s only, and another machine may publish an event %s later (--skew): make the stream's duplicate window longer",
			c->name, FORMAT_TIME(config->Duplicates < 0 ? 0 : config->Duplicates),
			FORMAT_TIME(c->o->skew_ns));
	check_subjects(c);
	return 0;
}

/* Notes properties of a stream that let it forget ids, or lose events: a server that starts again
 * finds ids in the messages that are left. Messages that max_age removed do not count as missing.
 * Returns whether there are any.
 */
static bool note_traps(const struct checking *c)
{
	const jsStreamConfig *config = c->info->Config;
	const jsStreamState *state = &c->info->State;
	int64_t oldest = state->Msgs ? state->FirstTime : state->LastTime;
	bool lacks_young = state->FirstSeq > 1 && oldest > nats_Now() * 1000000 - config->Duplicates;
	bool has_holes = state->Msgs < state->LastSeq + 1 - state->FirstSeq;
	bool is_full = (config->MaxMsgs > 0 && state->Msgs >= (uint64_t)config->MaxMsgs) ||
		       (config->MaxBytes > 0 &&
			state->Bytes >= (uint64_t)(config->MaxBytes - config->MaxBytes / 8));
	const struct {
		bool is_there;
		const char *text;
	} traps[] = {
		{ config->Storage == js_MemoryStorage,
		  "is in memory: if its servers end, its events are lost, and may come twice; use a stream that is in files" },
		{ lacks_young && (is_full || config->MaxAge <= 0),
		  "no longer has all messages of its duplicate window: after a restart of its servers events may come twice; raise max_msgs and max_bytes, and do not purge it" },
		{ config->MaxMsgsPerSubject > 0 && (has_holes || lacks_young),
		  "has max_msgs_per_subject, and removes messages within its duplicate window: after a restart of its servers events may come twice; remove this limit" },
		{ config->MaxAge > 0 && config->Duplicates > config->MaxAge,
		  "has a max_age shorter than its duplicate window: after a restart of its servers events may come twice; raise max_age" },
		{ config->MaxMsgSize > 0 && INTAKE_PAYLOAD_MAX > config->MaxMsgSize,
		  "has a max_msg_size smaller than an event can be: larger events are left out; remove this limit" },
	};
	bool found = false;

	for (size_t i = 0; i < sizeof(traps) / sizeof(*traps); i++) {
		if (traps[i].is_there)
			diag_note("stream %s %s", c->name, traps[i].text);
		found |= traps[i].is_there;
	}
	return found;
}

/* Checks the stream, and adds the result to c->fit. Returns as stream_check() does. */
static int check_one(struct checking *c)
{
	int err;

	subject_write(c->o->stream, c->required->rules[c->first].stream, NULL, c->shard, c->name);
	err = read_info(c);
	if (!err && c->info->State.LastTime > c->last_ns)
		c->last_ns = c->info->State.LastTime;
	err = err ?: check_config(c);
	if (!err && (uint64_t)c->info->Config->Duplicates < c->fit->window_ns)
		c->fit->window_ns = c->info->Config->Duplicates;
	if (!err && !c->has_traps) /* of one stream: many may have the same */
		c->has_traps = note_traps(c);
	if (err == -EINVAL)
		c->fit->untaken |= ((1U << c->cnt) - 1) << c->first;
	jsStreamInfo_Destroy(c->info);
	c->info = NULL;
	return err == -EAGAIN ? err : 0;
}

/* Returns the streams that share their ids with this one: if it is refused, so are they. */
static uint32_t realm_of(const struct stream_requirements *required, int n)
{
	uint32_t same = 0;

	for (int i = 0; i < required->rules_cnt; i++)
		same |= (uint32_t)!strcmp(required->rules[i].realm, required->rules[n].realm) << i;
	return same;
}

/* Compares the rules of ids that are not `checked` yet. With `adds` also adds missing ones, unless
 * a stream is refused: a machine with another secret must not begin other streams with it. Returns
 * as stream_check() does.
 */
static int compare_rules(struct checking *c, uint32_t *checked, bool adds)
{
	for (int n = 0; n < c->required->rules_cnt; n++) {
		const struct id_rule *rule = &c->required->rules[n];
		int err;

		if (*checked >> n & 1)
			continue;
		err = id_rule_check(c->js, c->o, rule, c->last_ns, adds && !c->fit->refused);
		if (err == -ENOENT && !adds)
			continue;
		if (err == -ENOENT)
			diag_err(0,
				 "no machine publishes %s yet: this one does not begin it before others agree on its other streams",
				 rule->stream);
		else if (err && err != -EPROTO)
			return err;
		if (err)
			c->fit->refused |= realm_of(c->required, n);
		*checked |= 1U << n;
	}
	return 0;
}

int stream_check(natsConnection *nc, const struct publish_options *o,
		 const struct stream_requirements *required, struct stream_fit *out)
{
	bool has_shards = strstr(o->stream, SUBJECT_SHARD),
	     has_each = strstr(o->stream, SUBJECT_STREAM);
	struct stream_fit fit = { .serial = required->serial, .window_ns = INT64_MAX };
	struct checking c = { .o = o, .required = required, .fit = &fit };
	uint32_t shards = has_shards ? o->shards : 1, all = (1U << required->rules_cnt) - 1;
	uint64_t span_ns = pending_retry_span_ns(o->retries, o->ack_timeout_ns);
	uint32_t checked;
	jsOptions options;
	int err = 0;

	c.cnt = has_each ? 1 : required->rules_cnt;
	jsOptions_Init(&options);
	options.Wait = WAIT_MS;
	if (natsConnection_JetStream(&c.js, nc, &options))
		err = diag_err(-EAGAIN, "out of memory");
	for (c.first = 0; !err && c.first < required->rules_cnt; c.first += c.cnt)
		for (uint32_t i = 0; !err && i < shards; i++) {
			c.shard = has_shards ? i : SUBJECT_ANY_SHARD;
			err = check_one(&c);
		}
	if (!err && fit.untaken && fit.untaken == all)
		err = -EINVAL;
	else if (!err && span_ns > fit.window_ns)
		diag_note("stream %s knows ids for %s, and the retries of an event take longer: the event may be there twice; make the stream's duplicate window at least %jus, or lower --retries or --ack-timeout",
			  o->stream, FORMAT_TIME(fit.window_ns), (uintmax_t)(span_ns / NS_PER_S + 1));
	checked = fit.untaken;
	err = err ?: compare_rules(&c, &checked, false) ?: compare_rules(&c, &checked, true);
	fit.untaken |= fit.refused;
	fit.takes_none = fit.refused && fit.untaken == all;
	jsCtx_Destroy(c.js);
	if (!err)
		*out = fit;
	return err;
}
