// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* replay: a capture file through a filter. */
#include <string.h>

#include "kernel.h"
#include "plan.h"
#include "replay_print.h"
#include "say.h"
#include "stream_options.h"
#include "survey_print.h"
#include "verbs.h"

/* What the packets of a file are for, if it does not say: cooked ones, and raw IP. */
static const uint8_t ANY_MAC[6] = { 0x02, 0, 0, 0, 0, 0x01 };

static void show_progress(const struct capture *c, uint64_t packets, void *arg)
{
	uint64_t bytes = capture_file_bytes(c);

	(void)arg;
	if (bytes)
		say_progress("%llu packets, %d %%", (unsigned long long)packets,
			     (int)(capture_bytes_read(c) * 100 / bytes));
	else
		say_progress("%llu packets", (unsigned long long)packets);
}

/* Makes the configuration of the options. An EXIT code other than EXIT_DONE is said. */
static int plan(const struct options *o, struct dedup_config *cfg)
{
	struct filter_spec spec = o->spec;

	if (spec.learn_app) {
		say_err(0, "--learn app: a capture has no application that adds ids");
		return EXIT_MISUSED;
	}
	/* Duplicates are told from others in either case. */
	spec.count_only = false;
	spec.drop_ns = 0;
	spec.forwarded |= !o->has_mac;
	return plan_here(&spec, cfg) ? EXIT_FAILED : EXIT_DONE;
}

/* Opens a file of --write-passed or --write-dropped; *out stays NULL without. */
static int create(const char *path, struct capture_out **out)
{
	return path ? capture_create(path, 262144, CAPTURE_AT_ONCE, out) : 0;
}

static int replay(const struct options *o, const struct dedup_config *cfg, struct capture *c)
{
	struct replay_spec spec = { .cfg = cfg,
				    .engine = o->engine,
				    .mac = o->has_mac ? o->mac : NULL,
				    .memory = o->memory,
				    .progress = show_progress };
	struct replay_result result = { 0 };
	int err = create(o->write_passed, &spec.passed);

	if (!err)
		err = create(o->write_dropped, &spec.dropped);
	if (!err)
		err = replay_run(&spec, c, &result);
	say_progress_end();
	/* What was read until an error counts. */
	if (result.streams && o->json)
		replay_print_json(o->args[0], c, cfg, &result, !err);
	else if (result.streams)
		replay_print_text(o->args[0], c, cfg, &result);
	if (spec.passed)
		err |= capture_finish(spec.passed);
	if (spec.dropped)
		err |= capture_finish(spec.dropped);
	replay_free(&result);
	return err;
}

int verb_replay(const struct options *o)
{
	struct dedup_config cfg;
	struct capture *c;
	int code, err;

	if (!o->profiles_cnt && !o->spec.ports_cnt)
		return survey_file(o);
	code = plan(o, &cfg);
	if (code != EXIT_DONE)
		return code;
	kernel_output(o->verbose);
	if (capture_open(o->args[0], o->has_mac ? o->mac : ANY_MAC, &c))
		return EXIT_FAILED;
	err = replay(o, &cfg, c);
	capture_close(c);
	return err ? EXIT_FAILED : EXIT_DONE;
}
