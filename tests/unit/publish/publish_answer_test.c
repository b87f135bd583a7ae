// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* JetStream's answers to published messages. */
#include "unit.h"

#include "publish_answer.h"

static const struct row {
	const char *name, *bytes;
	struct publish_answer is; /* its text: a part of the text */
} ROWS[] = {
	/* As nats-server answers, by its sources: 2.9 and newer, of a stored message, and of one
	 * that it knows.
	 */
	{ "stored", "{\"stream\":\"S-1\", \"seq\":4}", { .ok = true } },
	{ "duplicate",
	  "{\"stream\":\"S-1\", \"seq\":7,\"duplicate\": true}",
	  { .ok = true, .duplicate = true } },
	{ "domain", "{\"stream\":\"S-1\", \"domain\":\"hub\", \"seq\":7}", { .ok = true } },
	{ "error",
	  "{\"error\":{\"code\":503,\"err_code\":10023,\"description\":\"no room\"},"
	  "\"stream\":\"S-1\",\"seq\":0}",
	  { .code = 503, .text = "no room" } },
	/* 2.9 with interest retention; 2.10 in a cluster, of a message that it is storing. */
	{ "in-progress-2.10",
	  "{\"stream\":\"S-1\",\"seq\":0,\"duplicate\": true}",
	  { .ok = true, .duplicate = true, .is_in_progress = true } },
	/* 2.11 and newer. */
	{ "in-progress-2.11",
	  "{\"error\":{\"code\":409,\"err_code\":10158,\"description\":\"duplicate message id is in "
	  "process\"},\"stream\":\"S-1\",\"seq\":0}",
	  { .code = 409, .text = "in process", .is_in_progress = true } },
	{ "too-large",
	  "{\"error\":{\"code\":400,\"err_code\":10054,\"description\":\"message size exceeds "
	  "maximum allowed\"},\"stream\":\"S-1\",\"seq\":0}",
	  { .code = 400, .text = "size", .is_too_large = true } },
	{ "wrong-sequence",
	  "{\"error\":{\"code\":400,\"err_code\":10071,\"description\":\"x\"}}",
	  { .code = 400 } },
	/* As it does not. */
	{ "no-duplicate", "{\"stream\":\"S-1\",\"seq\":7,\"duplicate\":false}", { .ok = true } },
	{ "large-number", "{\"stream\":\"S-1\",\"seq\":9007199254740993}", { .ok = true } },
	{ "error-wins",
	  "{\"error\":{\"code\":400},\"stream\":\"S-1\",\"seq\":4}",
	  { .code = 400, .text = "without a text" } },
	{ "error-null", "{\"error\":null,\"stream\":\"S-1\",\"seq\":4}", { 0 } },
	{ "error-of-an-empty-text",
	  "{\"error\":{\"code\":8,\"description\":\"\"}}",
	  { .code = 8, .text = "without a text" } },
	{ "error-is-text", "{\"error\":\"x\"}", { .text = "without a text" } },
	{ "terminal",
	  "{\"error\":{\"code\":1,\"description\":\"a\\u001b[2J\"}}",
	  { .code = 1, .text = "a?[2J" } },
	{ "another-stream", "{\"stream\":\"T-1\",\"seq\":1}", { .text = "stream T-1" } },
	{ "duplicate-of-another-stream",
	  "{\"stream\":\"T-1\",\"seq\":0,\"duplicate\":true}",
	  { .text = "stream T-1" } },
	{ "no-stream", "{\"seq\":1}", { .text = "without stream" } },
	{ "stream-is-number", "{\"stream\":1,\"seq\":1}", { .text = "stream 1" } },
	{ "no-number", "{\"stream\":\"S-1\"}", { .text = "without stream" } },
	{ "zero", "{\"stream\":\"S-1\",\"seq\":0}", { .text = "without stream" } },
	{ "negative", "{\"stream\":\"S-1\",\"seq\":-1}", { .text = "without stream" } },
	{ "number-is-text", "{\"stream\":\"S-1\",\"seq\":\"x\"}", { .text = "without stream" } },
	{ "empty", "", { .text = "no JSON" } },
	{ "text", "+OK", { .text = "no JSON" } },
	{ "array", "[]", { .text = "no JSON" } },
	{ "cut", "{\"stream\":\"S-1\",\"seq\":1", { .text = "no JSON" } },
	{ "deep", "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":1}}}}}", { .text = "no JSON" } },
};

TEST_ROWS(answer, ROWS)
{
	size_t len = strlen(row->bytes);
	char *bytes = memcpy(malloc(len + 1), row->bytes, len); /* without a 0 behind */
	struct publish_answer a;

	publish_answer_read(bytes, len, "S-{shard}", &a);
	free(bytes);
	assert_int_equal(a.ok, row->is.ok);
	assert_int_equal(a.duplicate, row->is.duplicate);
	assert_int_equal(a.is_in_progress, row->is.is_in_progress);
	assert_int_equal(a.is_too_large, row->is.is_too_large);
	assert_int_equal(a.code, row->is.code);
	assert_non_null(strstr(a.text, row->is.text));
}

TEST(too_long)
{
	size_t len = 100000;
	char *bytes = calloc(1, len);
	struct publish_answer a;

	memset(bytes, ' ', len);
	memcpy(bytes, ROWS[0].bytes, strlen(ROWS[0].bytes));
	publish_answer_read(bytes, len, "S-1", &a);
	assert_false(a.ok);
	publish_answer_read(bytes, 65536, "S-1", &a);
	assert_true(a.ok);
	free(bytes);
}

UNIT_MAIN()
