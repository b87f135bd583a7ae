// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* profile: which protocols there are, what their profiles say, and whether a user's own are right. */
#include <stdio.h>
#include <string.h>

#include "profile.h"
#include "say.h"
#include "stream_options.h"
#include "verbs.h"

static int list(const struct profiles *all)
{
	for (size_t i = 0; i < all->cnt; i++)
		printf("%-16s %s\n", all->list[i].stream.name, all->list[i].about);
	return EXIT_DONE;
}

static int show(const struct profiles *all, const char *name)
{
	const struct profile *p = profiles_find(all, name);

	if (!p) {
		say_err(0, "there is no profile %s; xdp-dedup profile list has all", name);
		return EXIT_FAILED;
	}
	fputs(p->text, stdout);
	return EXIT_DONE;
}

static int check(struct profiles *all, const char *path)
{
	static const char *const LAYERS[] = { "udp", "ip", "ethernet" };

	if (stream_options_file(all, path))
		return EXIT_FAILED;
	for (size_t i = 0; i < all->cnt; i++) {
		const struct profile *p = &all->list[i];

		if (p->builtin)
			continue;
		printf("%s: OK: layer %s, %u gate%s, an id of %u word%s\n", p->stream.name,
		       LAYERS[p->stream.layer], p->stream.gates_cnt,
		       p->stream.gates_cnt == 1 ? "" : "s", p->stream.words,
		       p->stream.words == 1 ? "" : "s");
	}
	return EXIT_DONE;
}

static int run(const struct options *o, struct profiles *all)
{
	if (!strcmp(o->args[0], "check"))
		return check(all, o->args[1]);
	return o->args_cnt == 1 ? list(all) : show(all, o->args[1]);
}

/* Is it one of list, show NAME, check FILE? */
static bool is_known(const struct options *o)
{
	const char *what = o->args[0];

	if (o->args_cnt == 1)
		return !strcmp(what, "list");
	return !strcmp(what, "show") || !strcmp(what, "check");
}

int verb_profile(const struct options *o)
{
	struct profiles all = { 0 };
	int status = EXIT_FAILED;

	if (!is_known(o)) {
		say_err(0, "usage: xdp-dedup profile " PROFILE_USAGE);
		return EXIT_MISUSED;
	}
	if (!stream_options_profiles(o, &all))
		status = run(o, &all);
	profiles_free(&all);
	return status;
}
