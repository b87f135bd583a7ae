/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Makes text from outside safe to print, and appends to text. No side effects. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Returns the length of the UTF-8 character (RFC 3629) that the text begins with; 0 if it is none. */
size_t text_character(const char *text);

/* Is the character of `len` bytes a control character of Unicode: 0 to 1f, 7f to 9f? */
bool text_is_control(const char *text, size_t len);

/* Replaces each byte that could control a terminal, or is not UTF-8, by '?'. */
void text_clean(char *text);

/* Does text_clean(), but keeps line ends and tabs. */
void text_clean_lines(char *text);

/* Appends to the text in a buffer of `size` bytes; truncates what has no room. */
__attribute__((format(printf, 3, 4))) void text_append(char *text, size_t size, const char *format,
						       ...);
