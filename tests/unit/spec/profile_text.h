/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text of profiles, for the tests that parse some. */
#pragma once

#include <stdio.h>
#include <string.h>

#include "profile.h"

/* The first lines of a profile, for each layer; and an id. */
#define A "[profile a]\nlayer = udp\n"
#define IP "[profile a]\nlayer = ip\n"
#define ETH "[profile a]\nlayer = ethernet\n"
#define ID "id = payload+0:8\n"

/* Returns what profiles_parse() returns, and prints its error into `says`: LINE:COLUMN: TEXT. */
static int parse_as(struct profiles *p, const char *text, enum profile_origin origin, char *says,
		    size_t size)
{
	struct profile_error err = { 0 };
	int result = profiles_parse(p, text, strlen(text), origin, &err);

	snprintf(says, size, "%u:%u: %s", err.line, err.column, err.says);
	return result;
}
