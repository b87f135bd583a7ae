// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* profile: lists and shows profiles, and checks a file of profiles. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "json_out.h"
#include "print.h"
#include "profile.h"
#include "text.h"
#include "verbs.h"

static json_object *json_of(const struct profile *p)
{
	json_object *o = json_object_new_object();

	ADD("name", json_text(p->stream.name));
	ADD("use", *p->use ? json_text(p->use) : NULL);
	ADD("about", json_text(p->about));
	ADD("layer", json_text(PROFILE_LAYERS[p->stream.layer]));
	ADD("words", json_u64(p->stream.words));
	ADD("sequence_bits", json_u64(p->numbered.width));
	ADD("window_ns", p->window_ns ? json_u64(p->window_ns) : NULL);
	ADD("fpr", p->fpr > 0 ? json_double(p->fpr) : NULL);
	ADD("needs_destination", json_bool(p->needs_to));
	ADD("needs_learn_app", json_bool(p->needs_app));
	ADD("builtin", json_bool(p->origin == PROFILE_BUILTIN));
	return o;
}

/* Sorts by field of use, then by name. */
static int compare(const void *a, const void *b)
{
	const struct profile *x = a, *y = b;

	return strcmp(x->use, y->use) ?: strcmp(x->stream.name, y->stream.name);
}

static int list_json(const struct profiles *all)
{
	json_object *o = json_object_new_object();

	ADD("profiles", JSON_LIST(i, all->cnt, json_of(&all->list[i])));
	json_print(o);
	return EXIT_DONE;
}

static int list_profiles(const struct profiles *all)
{
	for (size_t i = 0; i < all->cnt; i++) {
		print_clean("%-16s %-12s %s", all->list[i].stream.name,
			    *all->list[i].use ? all->list[i].use : "-", all->list[i].about);
		puts("");
	}
	return EXIT_DONE;
}

static int show_profile(const struct profiles *all, const char *name)
{
	const struct profile *p = profiles_find(all, name);

	if (!p)
		return diag_err(EXIT_FAILED,
				"there is no profile %s" ADVICE "xdp-dedup profile list has all",
				name);
	text_clean_lines(p->text);
	fputs(p->text, stdout);
	return EXIT_DONE;
}

static int check_profiles(struct profiles *all, const char *path)
{
	const struct given_text file = { .text = path };

	if (wish_profiles_file(all, &file))
		return EXIT_FAILED;
	for (size_t i = 0; i < all->cnt; i++) {
		const struct profile *p = &all->list[i];

		if (p->origin != PROFILE_GIVEN)
			continue;
		printf("%s: OK: layer %s, %u gate%s, ", p->stream.name,
		       PROFILE_LAYERS[p->stream.layer], p->stream.gates_cnt,
		       p->stream.gates_cnt == 1 ? "" : "s");
		if (p->numbered.width)
			printf("a number of %u bits, a source of %u word%s\n", p->numbered.width,
			       p->stream.words - 1, p->stream.words == 2 ? "" : "s");
		else
			printf("an id of %u word%s\n", p->stream.words,
			       p->stream.words == 1 ? "" : "s");
	}
	return EXIT_DONE;
}

static int run_profile_verb(const struct options *o, struct profiles *all)
{
	if (!strcmp(o->args[0], "check"))
		return check_profiles(all, o->args[1]);
	if (o->args_cnt == 2)
		return show_profile(all, o->args[1]);
	qsort(all->list, all->cnt, sizeof(*all->list), compare);
	return o->json ? list_json(all) : list_profiles(all);
}

/* Returns whether the arguments are those of list, show NAME or check FILE. */
static bool is_usage_known(const struct options *o)
{
	const char *what = o->args[0];

	if (o->args_cnt == 1)
		return !strcmp(what, "list");
	return !o->json && (!strcmp(what, "show") || !strcmp(what, "check"));
}

int verb_profile(const struct options *o)
{
	struct profiles all = { 0 };
	int status = EXIT_FAILED;

	if (!is_usage_known(o))
		return diag_err(EXIT_MISUSED, "usage: xdp-dedup profile " PROFILE_USAGE);
	if (!wish_profiles(&o->wish, &all))
		status = run_profile_verb(o, &all);
	profiles_free(&all);
	return status;
}
