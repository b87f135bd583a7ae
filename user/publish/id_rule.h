/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Machines that publish into one JetStream stream must make equal ids of an event. How each filter
 * stream's ids are made, its rule, is therefore in the servers, in a KV bucket: the first machine
 * writes it, and the others compare theirs with it.
 */
#pragma once

#include <nats/nats.h>

#include "message_id.h"
#include "publish_options.h"

#define ID_RULE_BUCKET "xdp-dedup"
#define ID_RULE_SUBJECT_MAX 320
#define ID_RULE_TEXT_MAX 256

struct id_rule {
	char stream[32], realm[32];
	uint64_t profile;		      /* of struct xdp_dedup_stream */
	char secret[MESSAGE_SECRET_NAME_MAX]; /* "-": ids of the stream are not hashed */
	uint32_t shards; /* JetStream streams that share its ids; 0: it has one */
};

/* Writes the rule as machines keep it. */
void id_rule_write(const struct id_rule *r, const char *machine, char out[ID_RULE_TEXT_MAX]);

/* Writes the subject under which the bucket has the rule of a filter stream, or of all with `*`,
 * that goes to JetStream streams of this template (subject.h).
 */
void id_rule_subject(const char *stream, const char *name, char out[ID_RULE_SUBJECT_MAX]);

/* Compares the rule with another machine's, as text. Returns NULL if ids are equal, else how they
 * differ: "with ..."; machine[PUBLISH_MACHINE_MAX + 1] is the other machine.
 */
const char *id_rule_difference(const struct id_rule *r, const char *theirs, char *machine);

/* Compares a rule with the one in the servers. With o->new_ids, writes it if they differ and the
 * last message is older than o->skew_ns. last_ns: its time, 0: there is none. Writes it also if
 * there is none and may_add; o->check without o->new_ids needs none. Returns 0; -ENOENT (not
 * logged) if there is none; or (logged) -EPROTO if the rules differ; -EINVAL if there is no bucket,
 * and it is not to be created; -EAGAIN if it is unknown whether they differ.
 */
int id_rule_check(jsCtx *js, const struct publish_options *o, const struct id_rule *rule,
		  int64_t last_ns, bool may_add);
