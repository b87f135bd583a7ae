// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "publish_answer.h"

#include <json-c/json.h>
#include <stdarg.h>
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

static void __attribute__((format(printf, 2, 3)))
refuse(struct publish_answer *out, const char *format, ...)
{
	va_list args;

	out->ok = false;
	va_start(args, format);
	vsnprintf(out->text, sizeof(out->text), format, args);
	va_end(args);
	text_clean(out->text);
}

static const char *string_of(struct json_object *from, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(from, key, &value) ||
	    !json_object_is_type(value, json_type_string))
		return NULL;
	return json_object_get_string(value);
}

static int64_t number_of(struct json_object *from, const char *key)
{
	struct json_object *value;

	if (!json_object_object_get_ex(from, key, &value) ||
	    !json_object_is_type(value, json_type_int))
		return 0;
	return json_object_get_int64(value);
}

static void read_object(struct json_object *from, const char *stream, struct publish_answer *out)
{
	struct json_object *error, *duplicate;
	const char *in, *text;
	bool is_duplicate;

	if (json_object_object_get_ex(from, "error", &error)) {
		text = string_of(error, "description");
		out->code = number_of(error, "code");
		out->is_in_progress = number_of(error, "err_code") == ERR_IN_PROGRESS;
		out->is_too_large = number_of(error, "err_code") == ERR_TOO_LARGE;
		refuse(out, "%s", text && *text ? text : "an error without a text");
		return;
	}
	in = string_of(from, "stream");
	is_duplicate = json_object_object_get_ex(from, "duplicate", &duplicate) &&
		       json_object_get_boolean(duplicate);
	if (!in || number_of(from, "seq") < !is_duplicate) {
		refuse(out, "an answer without stream and sequence number");
		return;
	}
	if (!subject_is_of(stream, in)) {
		refuse(out, "stream %s has taken it", in);
		return;
	}
	out->ok = true;
	out->duplicate = is_duplicate;
	out->is_in_progress = !number_of(from, "seq");
}

void publish_answer_read(const char *bytes, size_t len, const char *stream, struct publish_answer *out)
{
	struct json_tokener *t = len && len <= ANSWER_BYTES_MAX ? json_tokener_new_ex(4) : NULL;
	struct json_object *from = t ? json_tokener_parse_ex(t, bytes, len) : NULL;

	*out = (struct publish_answer){ 0 };
	if (json_object_is_type(from, json_type_object))
		read_object(from, stream, out);
	else
		refuse(out, "an answer that is no JSON object");
	json_object_put(from);
	if (t)
		json_tokener_free(t);
}
