// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

size_t text_character(const char *text)
{
	const unsigned char *t = (const unsigned char *)text;
	size_t len = t[0] < 0x80   ? 1
		     : t[0] < 0xc2 ? 0
		     : t[0] < 0xe0 ? 2
		     : t[0] < 0xf0 ? 3
		     : t[0] < 0xf5 ? 4
				   : 0;

	for (size_t i = 1; i < len; i++)
		if ((t[i] & 0xc0) != 0x80)
			return 0;
	if ((t[0] == 0xe0 && t[1] < 0xa0) || (t[0] == 0xed && t[1] > 0x9f) ||
	    (t[0] == 0xf0 && t[1] < 0x90) || (t[0] == 0xf4 && t[1] > 0x8f))
		return 0;
	return len;
}

bool text_is_control(const char *text, size_t len)
{
	const unsigned char *t = (const unsigned char *)text;

	return len == 1 ? t[0] < ' ' || t[0] == 0x7f : len == 2 && t[0] == 0xc2 && t[1] < 0xa0;
}

void text_clean(char *text)
{
	while (*text) {
		size_t len = text_character(text);

		if (!len || text_is_control(text, len)) {
			len = len ?: 1;
			memset(text, '?', len);
		}
		text += len;
	}
}

void text_clean_lines(char *text)
{
	while (*text) {
		char *end = text + strcspn(text, "\n\t"), kept = *end;

		*end = '\0';
		text_clean(text);
		*end = kept;
		text = end + (kept != '\0');
	}
}

void text_append(char *text, size_t size, const char *format, ...)
{
	size_t len = strlen(text);
	va_list args;

	va_start(args, format);
	vsnprintf(text + len, size - len, format, args);
	va_end(args);
}
