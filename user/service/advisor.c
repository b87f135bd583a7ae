// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "advisor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"

struct advised {
	char name[sizeof(((struct reading *)0)->name)];
	struct advice said[ADVICE_MAX];
	int cnt;
};

/* What was logged of the filter of this name, put into the list if it is not there yet. NULL: no
 * memory.
 */
static struct advised *of_name(struct advisor *a, const char *name)
{
	struct advised *more;

	for (int i = 0; i < a->cnt; i++)
		if (!strcmp(a->list[i].name, name))
			return &a->list[i];
	more = reallocarray(a->list, a->cnt + 1, sizeof(*more));
	if (!more)
		return NULL;
	a->list = more;
	more += a->cnt++;
	*more = (struct advised){ 0 };
	snprintf(more->name, sizeof(more->name), "%s", name);
	return more;
}

static void tell(struct advised *f, const struct reading *r)
{
	for (int i = 0; i < r->advice_cnt; i++)
		if (!advice_has(f->said, f->cnt, r->advice[i].key))
			diag_note("%s: %s", r->name, r->advice[i].text);
	for (int i = 0; i < f->cnt; i++)
		if (!advice_has(r->advice, r->advice_cnt, f->said[i].key))
			diag_note("%s: is over: %s", r->name, f->said[i].key);
	memcpy(f->said, r->advice, sizeof(f->said));
	f->cnt = r->advice_cnt;
}

static bool is_read(const struct readings *r, const char *name)
{
	for (int i = 0; i < r->cnt; i++)
		if (!r->list[i]->err && !strcmp(r->list[i]->name, name))
			return true;
	return false;
}

void advisor_tell(struct advisor *a, const struct readings *r)
{
	for (int i = a->cnt - 1; i >= 0; i--)
		if (!is_read(r, a->list[i].name))
			a->list[i] = a->list[--a->cnt];
	for (int i = 0; i < r->cnt; i++) {
		struct advised *f = r->list[i]->has_recent ? of_name(a, r->list[i]->name) : NULL;

		if (f)
			tell(f, r->list[i]);
	}
}

void advisor_free(struct advisor *a)
{
	free(a->list);
	*a = (struct advisor){ 0 };
}
