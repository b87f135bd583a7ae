// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "subject.h"

#include <ctype.h>
#include <string.h>

#define NAME_MAX_BYTES 64 /* of a stream or a machine; more is cut */

/* Words that stand for names. */
static const char *const PLACES[] = { "{stream}", "{machine}" };
#define PLACES_CNT 2

/* Returns which of them the word of this length is; -1: none. */
static int place_of(const char *word, size_t len)
{
	for (int i = 0; i < PLACES_CNT; i++)
		if (len == strlen(PLACES[i]) && !strncmp(word, PLACES[i], len))
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
		bool is_place = place_of(text, len) >= 0;

		if (!is_place && !is_word(text, len))
			return false;
		most += (is_place ? NAME_MAX_BYTES : len) + 1;
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
	const char *names[PLACES_CNT] = { stream, machine };

	for (;; text++) {
		size_t len = strcspn(text, ".");
		int place = place_of(text, len);

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
