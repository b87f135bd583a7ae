// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "publish_answer.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "subject.h"
#include "text.h"

/* nats-server 2.11 reports this error while it stores a message with this id; 2.10 reports a
 * duplicate without a sequence number.
 */
#define ERR_IN_PROGRESS 10158
#define ERR_TOO_LARGE 10054    /* the message exceeds max_msg_size */
#define ANSWER_BYTES_MAX 65536 /* larger answers are refused; a real one has some 100 bytes */

static int64_t number_of(struct json_object *from, const char *key)
{
	return json_object_get_int64(json_object_object_get(from, key));
}

static const char *text_of(struct json_object *from, const char *key)
{
	return json_object_get_string(json_object_object_get(from, key)) ?: "";
}

static void read_object(struct json_object *from, const char *stream, struct publish_answer *out)
{
	bool is_duplicate = json_object_get_boolean(json_object_object_get(from, "duplicate"));
	struct json_object *error;
	const char *text;

	if (json_object_object_get_ex(from, "error", &error)) {
		text = text_of(error, "description");
		out->code = number_of(error, "code");
		out->is_in_progress = number_of(error, "err_code") == ERR_IN_PROGRESS;
		out->is_too_large = number_of(error, "err_code") == ERR_TOO_LARGE;
		snprintf(out->text, sizeof(out->text), "%s",
			 *text ? text : "an error without a text");
		return;
	}
	text = text_of(from, "stream");
	if (!*text || number_of(from, "seq") < !is_duplicate) {
		strcpy(out->text, "an answer without stream and sequence number");
		return;
	}
	out->ok = subject_is_of(stream, text);
	if (!out->ok)
		snprintf(out->text, sizeof(out->text), "stream %s has taken it", text);
	out->duplicate = out->ok && is_duplicate;
	out->is_in_progress = out->ok && !number_of(from, "seq");
}

void publish_answer_read(const char *bytes, size_t len, const char *stream, struct publish_answer *out)
{
	struct json_tokener *t = len && len <= ANSWER_BYTES_MAX ? json_tokener_new_ex(4) : NULL;
	struct json_object *from = t ? json_tokener_parse_ex(t, bytes, len) : NULL;

	*out = (struct publish_answer){ 0 };
	if (json_object_is_type(from, json_type_object))
		read_object(from, stream, out);
	else
		strcpy(out->text, "an answer that is no JSON object");
	text_clean(out->text);
	json_object_put(from);
	if (t)
		json_tokener_free(t);
}
