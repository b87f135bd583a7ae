// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Subjects of messages, and names of JetStream streams, from templates. */
#include "unit.h"

#include "subject.h"

#define PART "wwwwwwwwwwwwwwww"
#define LONG_WORD PART PART PART PART
#define LONG_WORDS LONG_WORD LONG_WORD LONG_WORD

static const struct {
	const char *text;
	const char *subject; /* "": the text; NULL: it is refused as a subject */
	bool is_stream;	     /* it is a template of a stream's name, too */
} TEMPLATES[] = {
	{ "gossip", "", true },
	{ "a.b.c", "", false },
	{ "gossip.{stream}", "gossip.discv4", false },
	{ "{machine}.x", "eu-1.x", false },
	{ "{machine}", "eu-1", false },
	{ "a.{shard}", "a.7", false },
	{ "{stream}.{machine}.{shard}", "discv4.eu-1.7", false },
	{ "{stream}", "discv4", true },
	{ "EVENTS-{stream}-{shard}", NULL, true },
	{ "{shard}x", NULL, true },
	{ "a/b", "", false },
	{ "a\\b", "", false },
	{ LONG_WORDS "wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww", "", true },
	{ "", NULL, false },
	{ "a..b", NULL, false },
	{ ".a", NULL, false },
	{ "a.", NULL, false },
	{ "a b", NULL, false },
	{ "a.*", NULL, false },
	{ "a.>", NULL, false },
	{ "a.{host}", NULL, false },
	{ "a.x{stream}", NULL, false },
	{ "a.{stream", NULL, false },
	{ "a\n", NULL, false },
	{ LONG_WORDS LONG_WORD, NULL, false },
	{ LONG_WORDS ".{stream}", NULL, false },
};

TEST(templates)
{
	for (size_t i = 0; i < ARRAY_SIZE(TEMPLATES); i++) {
		const char *text = TEMPLATES[i].text, *want = TEMPLATES[i].subject;
		char out[SUBJECT_MAX];

		if (subject_template_ok(text) != (want != NULL) ||
		    subject_stream_template_ok(text) != TEMPLATES[i].is_stream)
			fail_msg("%s", text);
		if (!want)
			continue;
		subject_write(text, "discv4", "eu-1", 7, out);
		assert_string_equal(out, *want ? want : text);
	}
}

TEST(names)
{
	char out[SUBJECT_MAX], longest[101];

	subject_write("a.{stream}.{machine}", "x y.z*", "{>}\x80", 0, out);
	assert_string_equal(out, "a.x_y_z_.____");
	subject_write("a.{stream}.{machine}.{shard}", "x", NULL, SUBJECT_ANY_SHARD, out);
	assert_string_equal(out, "a.x.*.*");
	subject_write("E-{stream}{shard}", "x", NULL, 12, out);
	assert_string_equal(out, "E-x12");
	memset(longest, 'n', 100);
	longest[100] = '\0';
	subject_write("{stream}.{machine}", longest, longest, 0, out);
	assert_int_equal(strlen(out), 64 + 1 + 64);
}

/* FNV-1a, by its published test vectors: another version must not spread ids in another way. */
TEST(shards)
{
	uint32_t counts[5] = { 0 };
	char id[16];

	assert_int_equal(subject_shard("", UINT32_MAX), 0x811c9dc5);
	assert_int_equal(subject_shard("a", UINT32_MAX), 0xe40c292c);
	assert_int_equal(subject_shard("foobar", UINT32_MAX), 0xbf9cf968);
	assert_int_equal(subject_shard("foobar", 0), 0);
	for (int i = 0; i < 5000; i++) {
		snprintf(id, sizeof(id), "%08x", i);
		counts[subject_shard(id, 5)]++;
	}
	for (int i = 0; i < 5; i++)
		assert_in_range(counts[i], 850, 1150);
}

TEST(names_of_a_template)
{
	static const struct {
		const char *text, *name;
		bool is;
	} NAMES[] = {
		{ "S", "S", true },
		{ "S", "Sx", false },
		{ "S-{shard}", "S-1", true },
		{ "S-{shard}", "S-", false },
		{ "S-{shard}", "T-1", false },
		{ "{shard}-S", "1-S", true },
		{ "{shard}-S", "1-T", false },
		{ "A{stream}-{shard}B", "A1B", true },
		{ "AB{shard}BA", "ABA", false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(NAMES); i++)
		assert_int_equal(subject_is_of(NAMES[i].text, NAMES[i].name), NAMES[i].is);
}

UNIT_MAIN()
