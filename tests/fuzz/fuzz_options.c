// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A command line of `load`: its words are the input's lines. What is taken can be a filter, or it
 * is reported why not.
 */
#include "fuzz.h"

#include "args.h"
#include "options.h"
#include "plan.h"
#include "profile.h"
#include "streams.h"

#define WORDS_MAX 40

static const struct args_command LOAD = {
	.name = "load",
	.command = "xdp-dedup load",
	.usage = "",
	.help = "",
	.takes = (OPT_LOAD | OPT_REPLAY) & ~OPT_PROFILES, /* which reads files */
	.args_max = WORDS_MAX,
};

static void check_streams(const struct wish *w)
{
	char says[STREAMS_SAYS_MAX];
	const char *refusal = streams_refusal(&w->spec, says);

	must(w->spec.streams_cnt && w->spec.streams_cnt <= DEDUP_STREAMS_MAX);
	must(!refusal || *refusal);
	for (uint32_t i = 0; i < w->spec.streams_cnt; i++) {
		must(stream_name_ok(w->spec.streams[i].stream.name));
		must(w->spec.streams[i].to_cnt <= DEDUP_TO_MAX);
		for (uint32_t j = 0; j < i; j++)
			must(strcmp(w->spec.streams[i].stream.name,
				    w->spec.streams[j].stream.name) != 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct args_command load = LOAD;
	char *argv[WORDS_MAX + 2] = { "load" }, *text = text_of(data, size), *rest = text;
	struct options *o = calloc(1, sizeof(*o));
	int argc = 1;

	must(o);
	load.options = options_table();
	while (rest && argc <= WORDS_MAX)
		argv[argc++] = strsep(&rest, "\n");
	if (!options_parse(o, &load, argc, argv) && !wish_streams_check(&o->wish))
		check_streams(&o->wish);
	free(o);
	free(text);
	return 0;
}
