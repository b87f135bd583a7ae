// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "subject.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_BYTES 64 /* a longer name of a stream or machine is cut */

static const char *const PLACEHOLDERS[] = { SUBJECT_STREAM, SUBJECT_MACHINE, SUBJECT_SHARD };
#define PLACEHOLDERS_CNT 3

/* Returns the index of the placeholder with which the text begins, and its length; -1 and 1 if it
 * begins with a character.
 */
static int begins_with(const char *text, size_t *len)
{
	for (int i = 0; i < PLACEHOLDERS_CNT && *text == '{'; i++) {
		*len = strlen(PLACEHOLDERS[i]);
		if (!strncmp(text, PLACEHOLDERS[i], *len))
			return i;
	}
	*len = 1;
	return -1;
}

static bool is_word_character(char c)
{
	return isgraph((unsigned char)c) && !strchr(".*>{}", c);
}

/* Returns whether the text has only word characters and placeholders, and fits with any names. A
 * subject also has dots: between words, and around placeholders.
 */
static bool is_template(const char *text, bool is_subject)
{
	bool begins = true; /* a word of the subject */
	size_t most = 1, len;

	for (; *text; text += len) {
		bool is_placeholder = begins_with(text, &len) >= 0,
		     is_dot = is_subject && *text == '.';

		if (is_placeholder && is_subject && (!begins || (text[len] && text[len] != '.')))
			return false;
		if (!is_placeholder && (is_dot ? begins : !is_word_character(*text)))
			return false;
		begins = is_dot;
		most += is_placeholder ? NAME_MAX_BYTES : 1;
	}
	return !begins && most <= SUBJECT_MAX;
}

bool subject_template_ok(const char *text)
{
	return is_template(text, true);
}

bool subject_stream_template_ok(const char *text)
{
	return is_template(text, false) && !strpbrk(text, "/\\") && !strstr(text, SUBJECT_MACHINE);
}

static size_t write_name(const char *name, char *out)
{
	size_t len = strnlen(name, NAME_MAX_BYTES);

	for (size_t i = 0; i < len; i++)
		out[i] = is_word_character(name[i]) ? name[i] : '_';
	return len;
}

void subject_write(const char *text, const char *stream, const char *machine, uint32_t shard,
		   char out[SUBJECT_MAX])
{
	char number[16] = "*";
	const char *values[PLACEHOLDERS_CNT] = { stream, machine, number };
	size_t len;

	for (; *text; text += len) {
		int at = begins_with(text, &len);

		if (at == PLACEHOLDERS_CNT - 1 && shard != SUBJECT_ANY_SHARD)
			snprintf(number, sizeof(number), "%u", shard);
		if (at < 0)
			*out++ = *text;
		else if (values[at] && values[at] != number)
			out += write_name(values[at], out);
		else
			out = stpcpy(out, values[at] ?: "*");
	}
	*out = '\0';
}

uint32_t subject_shard(const char *id, uint32_t shards)
{
	uint32_t hash = 2166136261U;

	for (; shards && *id; id++)
		hash = (hash ^ (unsigned char)*id) * 16777619;
	return shards ? hash % shards : 0;
}

bool subject_is_of(const char *text, const char *name)
{
	size_t before = strcspn(text, "{"), len = strlen(name);
	const char *last = strrchr(text, '}'), *end = last ? last + 1 : "";

	if (!last)
		return !strcmp(text, name);
	return len > before + strlen(end) && !strncmp(text, name, before) &&
	       !strcmp(name + len - strlen(end), end);
}
