// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t proc_number(const char *path, const char *key)
{
	FILE *f = fopen(path, "re");
	size_t len = strlen(key);
	uint64_t number = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, len)) {
			number = strtoull(line + len, NULL, 10);
			break;
		}
	if (f)
		fclose(f);
	return number;
}
