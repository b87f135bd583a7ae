// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "subject.h"

#include <ctype.h>
#include <string.h>

#define NAME_MAX_BYTES 64 /* a longer name of a stream or machine is cut */

/* Words that are replaced by names. */
static const char *const PLACEHOLDERS[] = { "{stream}", "{machine}" };
#define PLACEHOLDERS_CNT 2

/* Returns the index of the placeholder that this word is; -1 if it is none. */
static int placeholder_of(const char *word, size_t len)
{
	for (int i = 0; i < PLACEHOLDERS_CNT; i++)
		if (len == strlen(PLACEHOLDERS[i]) && !strncmp(word, PLACEHOLDERS[i], len))
			return i;
	return -1;
}

static bool is_word_character(char c)
{
	return isgraph((unsigned char)c) && !strchr(".*>{}", c);
}

static bool is_word(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!is_word_character(word[i]))
			return false;
	return len > 0;
}

bool subject_template_ok(const char *text)
{
	size_t most = 0;

	for (;; text++) {
		size_t len = strcspn(text, ".");
		bool is_placeholder = placeholder_of(text, len) >= 0;

		if (!is_placeholder && !is_word(text, len))
			return false;
		most += (is_placeholder ? NAME_MAX_BYTES : len) + 1;
		text += len;
		if (!*text)
			return most <= SUBJECT_MAX;
	}
}

static size_t write_name(const char *name, char *out)
{
	size_t len = strnlen(name, NAME_MAX_BYTES);

	for (size_t i = 0; i < len; i++)
		out[i] = is_word_character(name[i]) ? name[i] : '_';
	return len;
}

void subject_write(const char *text, const char *stream, const char *machine, char out[SUBJECT_MAX])
{
	const char *names[PLACEHOLDERS_CNT] = { stream, machine };

	for (;; text++) {
		size_t len = strcspn(text, ".");
		int place = placeholder_of(text, len);

		if (place < 0)
			out = (char *)memcpy(out, text, len) + len;
		else if (names[place])
			out += write_name(names[place], out);
		else
			*out++ = '*';
		text += len;
		*out++ = *text;
		if (!*text)
			return;
	}
}
