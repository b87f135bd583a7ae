// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A command line of `load`: its words are the input's lines. What is taken can be a filter, or it
 * is reported why not.
 */
#include "fuzz.h"

#include "args.h"
#include "options.h"
#include "plan.h"
#include "stream_options.h"
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

static void check_streams(const struct options *o)
{
	char says[STREAMS_SAYS_MAX];
	const char *refusal = streams_refusal(&o->spec, says);

	must(o->spec.streams_cnt <= DEDUP_STREAMS_MAX);
	must(!refusal || *refusal);
	for (uint32_t i = 0; i < o->spec.streams_cnt; i++) {
		must(stream_name_ok(o->spec.streams[i].stream.name));
		must(o->spec.streams[i].to_cnt <= DEDUP_TO_MAX);
		for (uint32_t j = 0; j < i; j++)
			must(strcmp(o->spec.streams[i].stream.name,
				    o->spec.streams[j].stream.name) != 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct args_command load = LOAD;
	char *argv[WORDS_MAX + 2] = { "load" }, *text = text_of(data, size), *rest = text;
	struct options *o = calloc(1, sizeof(*o));
	int argc = 1;

	must(o);
	load.options = OPTIONS;
	while (rest && argc <= WORDS_MAX)
		argv[argc++] = strsep(&rest, "\n");
	if (!options_parse(o, &load, argc, argv) && !stream_options_check(o))
		check_streams(o);
	free(o);
	free(text);
	return 0;
}
