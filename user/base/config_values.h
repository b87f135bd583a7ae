/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Values of keys in a configuration file. Fields of the program's struct point to them. */
#pragma once

#include "args.h"

/* All zero before the first value. */
struct config_values {
	char **texts; /* all values of the file */
	int cnt;
	const char *given[ARGS_OPTIONS_MAX]; /* by row: its value in this section; NULL: none */
};

/* Returns a copy of the text, which lives until config_values_free(); NULL (logged): no memory. */
char *config_values_keep(struct config_values *v, const char *text);

/* Sets the field of *to for a key of this section; row: of `rows`. A value of a key that joins its
 * values follows the others. Returns 0, or -errno (logged).
 */
int config_values_set(struct config_values *v, const struct args_option *rows,
		      const struct args_option *row, void *to, const char *text);

/* Begins a section: no key is given yet. */
void config_values_begin(struct config_values *v);

void config_values_free(struct config_values *v);
