// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "publish_answer.h"

#include <json-c/json.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

/* An id that was proposed to the servers of the stream, and is not stored by all of them yet: this
 * error of nats-server 2.11, or in 2.10 a duplicate without a number.
 */
#define ERR_UNDER_WAY 10158
#define ANSWER_BYTES_MAX 65536 /* of any answer; a real one has some 100 */

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
		out->is_under_way = number_of(error, "err_code") == ERR_UNDER_WAY;
		refuse(out, "%s", text && *text ? text : "an error without a text");
		return;
	}
	in = string_of(from, "stream");
	is_duplicate = json_object_object_get_ex(from, "duplicate", &duplicate) &&
		       json_object_get_boolean(duplicate);
	if (in && !strcmp(in, stream) && is_duplicate && !number_of(from, "seq")) {
		out->is_under_way = true;
		refuse(out, "the id is just being stored");
		return;
	}
	if (!in || number_of(from, "seq") < 1) {
		refuse(out, "an answer without stream and sequence number");
		return;
	}
	if (strcmp(in, stream)) {
		refuse(out, "stream %s has taken it", in);
		return;
	}
	out->ok = true;
	out->duplicate = is_duplicate;
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
