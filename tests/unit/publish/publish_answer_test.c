// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* JetStream's answers to published messages. */
#include "unit.h"

#include "publish_answer.h"

static const struct row {
	const char *name, *bytes;
	bool ok, duplicate;
	int code;
	const char *text; /* a part of it */
} ROWS[] = {
	{ "stored", "{\"stream\":\"S\",\"seq\":1}", true, false, 0, "" },
	{ "duplicate", "{\"stream\":\"S\", \"seq\":7,\"duplicate\": true}", true, true, 0, "" },
	{ "no-duplicate", "{\"stream\":\"S\",\"seq\":7,\"duplicate\":false}", true, false, 0, "" },
	{ "domain", "{\"stream\":\"S\",\"domain\":\"hub\",\"seq\":7}", true, false, 0, "" },
	{ "large-number", "{\"stream\":\"S\",\"seq\":9007199254740993}", true, false, 0, "" },
	{ "error",
	  "{\"error\":{\"code\":503,\"err_code\":10023,\"description\":\"no room\"},"
	  "\"stream\":\"S\",\"seq\":0}",
	  false, false, 503, "no room" },
	{ "error-wins", "{\"error\":{\"code\":400},\"stream\":\"S\",\"seq\":4}", false, false, 400,
	  "without a text" },
	{ "error-null", "{\"error\":null,\"stream\":\"S\",\"seq\":4}", false, false, 0, "" },
	{ "error-of-an-empty-text", "{\"error\":{\"code\":8,\"description\":\"\"}}", false, false,
	  8, "without a text" },
	{ "error-is-text", "{\"error\":\"x\"}", false, false, 0, "without a text" },
	{ "terminal", "{\"error\":{\"code\":1,\"description\":\"a\\u001b[2J\"}}", false, false, 1,
	  "a?[2J" },
	{ "another-stream", "{\"stream\":\"T\",\"seq\":1}", false, false, 0, "stream T" },
	{ "duplicate-of-another-stream", "{\"stream\":\"T\",\"seq\":7,\"duplicate\":true}", false,
	  false, 0, "stream T" },
	{ "no-stream", "{\"seq\":1}", false, false, 0, "without stream" },
	{ "stream-is-number", "{\"stream\":1,\"seq\":1}", false, false, 0, "stream 1" },
	{ "no-number", "{\"stream\":\"S\"}", false, false, 0, "without stream" },
	{ "zero", "{\"stream\":\"S\",\"seq\":0}", false, false, 0, "without stream" },
	{ "negative", "{\"stream\":\"S\",\"seq\":-1}", false, false, 0, "without stream" },
	{ "number-is-text", "{\"stream\":\"S\",\"seq\":\"x\"}", false, false, 0, "without stream" },
	{ "empty", "", false, false, 0, "no JSON" },
	{ "text", "+OK", false, false, 0, "no JSON" },
	{ "array", "[]", false, false, 0, "no JSON" },
	{ "cut", "{\"stream\":\"S\",\"seq\":1", false, false, 0, "no JSON" },
	{ "deep", "{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":1}}}}}", false, false, 0, "no JSON" },
};

TEST_ROWS(answer, ROWS)
{
	size_t len = strlen(row->bytes);
	char *bytes = memcpy(malloc(len + 1), row->bytes, len); /* without a 0 behind */
	struct publish_answer a;

	publish_answer_read(bytes, len, "S", &a);
	free(bytes);
	assert_int_equal(a.ok, row->ok);
	assert_int_equal(a.duplicate, row->duplicate);
	assert_int_equal(a.code, row->code);
	assert_non_null(strstr(a.text, row->text));
}

/* Answers of these versions of nats-server, from their sources. */
TEST(servers)
{
	static const struct {
		const char *bytes;
		bool ok, is_in_progress, is_too_large;
	} ANSWERS[] = {
		/* 2.9 and newer, of a stored message, and of one that it knows. */
		{ "{\"stream\":\"S-1\", \"seq\":4}", .ok = true },
		{ "{\"stream\":\"S-1\", \"seq\":4,\"duplicate\": true}", .ok = true },
		{ "{\"stream\":\"S-1\", \"domain\":\"hub\", \"seq\":4}", .ok = true },
		/* 2.9 with interest retention; 2.10 in a cluster, of a message that it is storing. */
		{ "{\"stream\":\"S-1\",\"seq\":0,\"duplicate\": true}", .ok = true,
		  .is_in_progress = true },
		/* 2.11 and newer. */
		{ "{\"error\":{\"code\":409,\"err_code\":10158,\"description\":\"duplicate message id is in "
		  "process\"},\"stream\":\"S-1\",\"seq\":0}",
		  .is_in_progress = true },
		{ "{\"error\":{\"code\":400,\"err_code\":10054,\"description\":\"message size exceeds "
		  "maximum allowed\"},\"stream\":\"S-1\",\"seq\":0}",
		  .is_too_large = true },
		{ "{\"error\":{\"code\":400,\"err_code\":10071,\"description\":\"x\"}}", .ok = false },
		{ "{\"stream\":\"T-1\",\"seq\":0,\"duplicate\":true}", .ok = false },
		{ "{\"stream\":\"S-1\",\"seq\":0}", .ok = false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ANSWERS); i++) {
		struct publish_answer a;

		publish_answer_read(ANSWERS[i].bytes, strlen(ANSWERS[i].bytes), "S-{shard}", &a);
		assert_int_equal(a.ok, ANSWERS[i].ok);
		assert_int_equal(a.is_in_progress, ANSWERS[i].is_in_progress);
		assert_int_equal(a.is_too_large, ANSWERS[i].is_too_large);
	}
}

TEST(too_long)
{
	size_t len = 100000;
	char *bytes = calloc(1, len);
	struct publish_answer a;

	memset(bytes, ' ', len);
	memcpy(bytes, ROWS[0].bytes, strlen(ROWS[0].bytes));
	publish_answer_read(bytes, len, "S", &a);
	assert_false(a.ok);
	publish_answer_read(bytes, 65536, "S", &a);
	assert_true(a.ok);
	free(bytes);
}

UNIT_MAIN()
