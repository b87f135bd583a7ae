// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "id_rule.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "diag.h"
#include "server.h"
#include "subject.h"
#include "units.h"

#define BUCKET_STREAM "KV_" ID_RULE_BUCKET
#define MACHINE " machine="

void id_rule_write(const struct id_rule *r, const char *machine, char out[ID_RULE_TEXT_MAX])
{
	snprintf(out, ID_RULE_TEXT_MAX,
		 "format=%d realm=%s profile=%016" PRIx64 " secret=%s shards=%u" MACHINE "%s",
		 MESSAGE_ID_FORMAT, r->realm, r->profile, r->secret, r->shards, machine);
}

void id_rule_subject(const char *stream, const char *name, char out[ID_RULE_SUBJECT_MAX])
{
	char key[SUBJECT_MAX];

	snprintf(key, sizeof(key), "%s", stream);
	for (char *at = key; (at = strpbrk(at, "{}"));)
		*at = '='; /* a brace is not allowed in a key */
	snprintf(out, ID_RULE_SUBJECT_MAX, "$KV." ID_RULE_BUCKET ".%s.%s", key, name);
}

/* In the order of the rule's words. */
static const char *const DIFFERENCES[] = {
	"with ids of another version of this program",
	"with other streams in its realm",
	"with another profile",
	"with another secret (--secret)",
	"with another number of shards (--shards)",
};

const char *id_rule_difference(const struct id_rule *r, const char *theirs, char *machine)
{
	const char *name = strstr(theirs, MACHINE);
	char text[ID_RULE_TEXT_MAX], *ours = text;

	snprintf(machine, PUBLISH_MACHINE_MAX + 1, "%s", name ? name + strlen(MACHINE) : "?");
	id_rule_write(r, "", text);
	for (size_t i = 0; i < sizeof(DIFFERENCES) / sizeof(*DIFFERENCES); i++) {
		size_t len = strcspn(ours, " ") + 1;

		if (strncmp(ours, theirs, len))
			return DIFFERENCES[i];
		ours += len;
		theirs += len;
	}
	return NULL;
}

/* The state of a check of one rule. */
struct checking {
	jsCtx *js;
	const struct publish_options *o;
	const struct id_rule *rule;
	char subject[ID_RULE_SUBJECT_MAX];
	uint64_t seq; /* of the message that has the rule; 0: there is none */
	char theirs[ID_RULE_TEXT_MAX];
};

static int fail(const struct checking *c, natsStatus err, const char *what)
{
	return diag_err(-EAGAIN,
			"whether machines agree on the ids of %s is unknown: bucket " ID_RULE_BUCKET
			" %s: %s",
			c->rule->stream, what,
			err == NATS_TIMEOUT ? "no answer; the account may lack the right"
					    : server_error_text(err));
}

static int create_bucket(const struct checking *c)
{
	kvStore *bucket = NULL;
	natsStatus err;
	kvConfig config;

	if (!c->o->create)
		return diag_err(-EINVAL, "there is no bucket " ID_RULE_BUCKET
					 ", by which machines agree on ids" ADVICE
					 "--create creates it, or nats kv add");
	kvConfig_Init(&config);
	config.Bucket = ID_RULE_BUCKET;
	config.Description = "How machines make the ids of xdp-dedup-publish";
	config.Replicas = c->o->replicas;
	err = js_CreateKeyValue(&bucket, c->js, &config);
	kvStore_Destroy(bucket);
	return err ? fail(c, err, "cannot be created") : 0;
}

/* Reads the rule in the servers, by the bucket's leader: other servers may have an older one. A
 * rule that was deleted is an empty message.
 */
static int read_rule(struct checking *c)
{
	natsMsg *msg = NULL;
	jsErrCode code = 0;
	natsStatus err = js_GetLastMsg(&msg, c->js, BUCKET_STREAM, c->subject, NULL, &code);

	c->seq = 0;
	c->theirs[0] = '\0';
	if (err && code == JSStreamNotFoundErr)
		return create_bucket(c);
	if (err == NATS_NOT_FOUND)
		return 0;
	if (err)
		return fail(c, err, "cannot be read");
	c->seq = natsMsg_GetSequence(msg);
	snprintf(c->theirs, sizeof(c->theirs), "%.*s", natsMsg_GetDataLength(msg),
		 natsMsg_GetData(msg));
	natsMsg_Destroy(msg);
	return 0;
}

/* Writes our rule, unless another machine was faster. */
static int write_rule(struct checking *c)
{
	char ours[ID_RULE_TEXT_MAX];
	jsErrCode code = 0;
	jsPubOptions options;
	natsStatus err;

	id_rule_write(c->rule, c->o->machine, ours);
	jsPubOptions_Init(&options);
	options.ExpectLastSubjectSeq = c->seq;
	options.ExpectNoMessage = !c->seq;
	err = js_Publish(NULL, c->js, c->subject, ours, strlen(ours), &options, &code);
	if (err && code != JSStreamWrongLastSequenceErr)
		return fail(c, err, "cannot be written");
	return read_rule(c);
}

/* With --new-ids, other machines' ids may end once no copy of their events can come any more. */
static int check_silence(const struct checking *c, int64_t last_ns)
{
	int64_t silence_ns = nats_Now() * 1000000 - last_ns;

	if (silence_ns >= (int64_t)c->o->skew_ns)
		return 0;
	return diag_err(
		-EPROTO,
		"stream %s has a message of less than %s ago (--skew): while a machine publishes, ids cannot change",
		c->o->stream, FORMAT_TIME(c->o->skew_ns));
}

int id_rule_check(jsCtx *js, const struct publish_options *o, const struct id_rule *rule,
		  int64_t last_ns, bool may_add)
{
	struct checking c = { .js = js, .o = o, .rule = rule };
	char machine[PUBLISH_MACHINE_MAX + 1];
	const char *difference;
	int err;

	id_rule_subject(o->stream, rule->stream, c.subject);
	err = read_rule(&c);
	if (!err && !*c.theirs && o->check && !o->new_ids)
		return 0;
	if (!err && !*c.theirs)
		err = may_add ? write_rule(&c) : -ENOENT;
	if (err)
		return err;
	difference = id_rule_difference(rule, c.theirs, machine);
	if (difference && o->new_ids) {
		err = check_silence(&c, last_ns) ?: write_rule(&c);
		if (err)
			return err;
		difference = id_rule_difference(rule, c.theirs, machine);
	}
	if (!difference)
		return 0;
	return diag_err(
		-EPROTO,
		"machine %s publishes %s into stream %s %s: this machine publishes none of it until both agree",
		machine, rule->stream, o->stream, difference);
}
