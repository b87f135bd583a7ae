// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "json_out.h"

#include <stdio.h>

json_object *json_text(const char *text)
{
	return text ? json_object_new_string(text) : NULL;
}

void json_print(json_object *o)
{
	puts(json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED));
	json_object_put(o);
}
