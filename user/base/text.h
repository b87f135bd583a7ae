/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text from outside, before it is shown; and text that grows. Pure. */
#ifndef XDP_DEDUP_TEXT_H
#define XDP_DEDUP_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the UTF-8 character that the text begins with; 0 if it is none (RFC 3629). */
size_t text_character(const char *text);

/* Is the character, of `len` bytes, one of Unicode's controls: 0 to 1f, 7f to 9f? */
bool text_is_control(const char *text, size_t len);

/* Puts a '?' in place of each byte that could control a terminal, or is not UTF-8. */
void text_clean(char *text);

/* Does text_clean(), but keeps line ends and tabs. */
void text_clean_lines(char *text);

/* Appends to the text, in a buffer of `size` bytes, as much as it has room for. */
__attribute__((format(printf, 3, 4))) void text_append(char *text, size_t size, const char *format,
						       ...);

#endif
