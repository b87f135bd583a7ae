// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "advisor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "loader.h"
#include "say.h"
#include "status.h"
#include "watch.h"

struct advised {
	char name[sizeof(BESIDE) + NAME_MAX_LEN];
	struct watch watch; /* of its counters alone */
	struct advice said[ADVICE_MAX];
	int said_cnt;
	bool seen;
};

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

static void tell(struct advised *f, const struct status *s)
{
	struct advice before[ADVICE_MAX];
	int before_cnt = f->said_cnt;

	memcpy(before, f->said, sizeof(before));
	f->said_cnt = status_advice(s, &f->watch.recent, f->said);
	for (int i = 0; i < f->said_cnt; i++)
		if (!advice_has(before, before_cnt, f->said[i].key))
			say_note("%s: %s", f->name, f->said[i].text);
	for (int i = 0; i < before_cnt; i++)
		if (!advice_has(f->said, f->said_cnt, before[i].key))
			say_note("%s: is over: %s", f->name, before[i].key);
}

static void look_at(struct advised *f, const struct status *s)
{
	static struct watch_reading r;

	r = (struct watch_reading){ .now_ns = clock_ns(CLOCK_MONOTONIC), .all = s->counters };
	watch_take(&f->watch, &r);
	if (f->watch.seconds > 0)
		tell(f, s);
}

/* One that is not there any more is not read, and forgotten then. */
static void look_at_name(struct advisor *a, const char *name)
{
	struct advised *f = of_name(a, name);
	struct status *s = calloc(1, sizeof(*s));
	struct filter open;
	int err = f && s ? filter_open(name, &open) : -ENOMEM;

	if (f)
		f->seen = err != -ENOENT;
	if (err && err != -ENOENT)
		loader_explain(name, err);
	if (!err) {
		if (!status_collect(&open, false, s))
			look_at(f, s);
		status_free(s);
	}
	free(s);
}

static void forget(struct advisor *a, int i)
{
	watch_free(&a->list[i].watch);
	a->list[i] = a->list[--a->cnt];
}

void advisor_look(struct advisor *a)
{
	char **names;

	if (loader_names(&names))
		return;
	for (int i = 0; i < a->cnt; i++)
		a->list[i].seen = false;
	for (char **n = names; *n; n++)
		look_at_name(a, *n);
	for (int i = a->cnt - 1; i >= 0; i--)
		if (!a->list[i].seen)
			forget(a, i);
	loader_free_names(names);
}

void advisor_free(struct advisor *a)
{
	while (a->cnt)
		forget(a, a->cnt - 1);
	free(a->list);
	a->list = NULL;
}
