// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "json_out.h"

#include "text.h"

/* Writes JSON. Escapes all controls in strings, of which json-c escapes only those below ' ', and
 * the character `also`, unless it is 0.
 */
static void write_json(FILE *to, json_object *o, int flags, char also)
{
	const char *text = json_object_to_json_string_ext(o, flags);

	while (*text) {
		size_t len = text_character(text);

		if (!len)
			fputs("\\ufffd", to);
		else if ((also && *text == also) || (*text != '\n' && text_is_control(text, len)))
			fprintf(to, "\\u00%02x", (unsigned char)text[len - 1]);
		else
			fwrite(text, 1, len, to);
		text += len ?: 1;
	}
	putc('\n', to);
}

void json_print(json_object *o)
{
	write_json(stdout, o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED, 0);
	json_object_put(o);
}

void json_print_line(FILE *to, json_object *o)
{
	write_json(to, o, JSON_C_TO_STRING_PLAIN, 0);
	json_object_put(o);
}

void json_print_in_page(FILE *to, json_object *o)
{
	write_json(to, o, JSON_C_TO_STRING_PLAIN, '<');
}
