// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "config_values.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

/* Gives `copy` to *v, which frees it. Returns copy; NULL (logged): no memory. */
static char *own(struct config_values *v, char *copy)
{
	char **more = copy ? reallocarray(v->texts, v->cnt + 1, sizeof(*more)) : NULL;

	if (!more) {
		free(copy);
		diag_err(0, "out of memory");
		return NULL;
	}
	v->texts = more;
	return more[v->cnt++] = copy;
}

char *config_values_keep(struct config_values *v, const char *text)
{
	return own(v, strdup(text));
}

int config_values_set(struct config_values *v, const struct args_option *rows,
		      const struct args_option *row, void *to, const char *text)
{
	const char *key = row->option + strspn(row->option, "-");
	const char **given = &v->given[row - rows];
	char *joined;

	if (row->key == ARGS_KEY_ONCE && *given)
		return diag_err(-EINVAL, "%s is there already", key);
	if (row->key == ARGS_KEY_JOINED && *given)
		text = own(v, asprintf(&joined, "%s,%s", *given, text) < 0 ? NULL : joined);
	else
		text = config_values_keep(v, text);
	*given = text;
	return text ? args_set(row, to, key, text) : -ENOMEM;
}

void config_values_begin(struct config_values *v)
{
	memset(v->given, 0, sizeof(v->given));
}

void config_values_free(struct config_values *v)
{
	for (int i = 0; i < v->cnt; i++)
		free(v->texts[i]);
	free(v->texts);
	*v = (struct config_values){ 0 };
}
