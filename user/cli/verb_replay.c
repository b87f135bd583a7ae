// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* replay: passes a capture file through a filter. */
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "clock.h"
#include "diag.h"
#include "kernel.h"
#include "misread.h"
#include "plan.h"
#include "replay_print.h"
#include "verbs.h"

/* The destination of packets whose capture has none, as cooked packets and raw IP. */
static const uint8_t ANY_MAC[6] = { 0x02, 0, 0, 0, 0, 0x01 };

#define PROGRESS_NS 250000000ULL

int replay_open(const struct options *o, struct capture **out)
{
	return capture_open(o->args[0], o->mac_given ? o->mac : ANY_MAC, out);
}

bool replay_is_file(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && !stat(path, &st) && S_ISREG(st.st_mode);
}

void replay_show_progress(const struct capture *c, uint64_t packets)
{
	static uint64_t next_ns;
	uint64_t bytes = capture_file_bytes(c), now_ns = clock_ns(CLOCK_MONOTONIC);

	if (now_ns < next_ns)
		return;
	next_ns = now_ns + PROGRESS_NS;
	if (bytes)
		diag_progress("%llu packets, %d %%", (unsigned long long)packets,
			      (int)(capture_bytes_read(c) * 100 / bytes));
	else
		diag_progress("%llu packets", (unsigned long long)packets);
}

static int refuse_in_survey(const char *option)
{
	return diag_err(
		EXIT_MISUSED,
		"%s needs --profile or --port: without, replay is a survey of all packets, by the built-in profiles",
		option);
}

/* Refuses options that a survey does not use: it finds out a filter's options, and takes only
 * --tunnels. Returns an enum exit_code (logged).
 */
static int check_survey(const struct options *o)
{
	if (o->write_passed || o->write_dropped)
		return refuse_in_survey(o->write_passed ? "--write-passed" : "--write-dropped");
	if (o->wish.files_cnt)
		return refuse_in_survey("--profiles");
	if (o->engine == ENGINE_KERNEL)
		return refuse_in_survey("--engine kernel");
	for (const struct args_option *row = WISH_OPTIONS; row->option; row++)
		if (wish_has(&o->wish, row) && strcmp(row->option, "--tunnels"))
			return refuse_in_survey(row->option);
	return EXIT_DONE;
}

/* Returns an enum exit_code (logged). */
static int check_replay(const struct options *o)
{
	if (o->wish.spec.learn_app)
		return diag_err(EXIT_MISUSED,
				"--learn app: a capture has no application that adds ids");
	if (o->write_passed && o->write_dropped && !strcmp(o->write_passed, o->write_dropped))
		return diag_err(EXIT_MISUSED,
				"--write-passed and --write-dropped %s: they are two files",
				o->write_passed);
	if (plan_check(&o->wish.spec))
		return EXIT_MISUSED;
	if (o->engine == ENGINE_KERNEL && kernel_permits("replay --engine kernel", KERNEL_LOAD))
		return EXIT_FAILED;
	return EXIT_DONE;
}

/* Makes the configuration of the options. Returns 0, or -errno (logged). */
static int plan_replay(const struct options *o, struct dedup_config *cfg)
{
	struct filter_spec spec = o->wish.spec;

	/* Duplicates are found in either case. */
	spec.count_only = false;
	spec.drop_ns = 0;
	spec.forwarded |= !o->mac_given;
	return plan_local(&spec, cfg);
}

static bool is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

/* Opens the file of --write-passed or --write-dropped. Without the option *out stays NULL. */
static int create(const char *path, struct capture_out **out)
{
	return path ? capture_create(path, 262144, CAPTURE_AT_ONCE, out) : 0;
}

/* Finishes the file, which after an error has the packets before it. Discards it unless `begun`. */
static int finish(struct capture_out *out, bool begun)
{
	if (out && begun)
		return capture_finish(out);
	capture_discard(out);
	return 0;
}

/* If streams are misread, tries their other byte order on the capture, unless it cannot be read
 * again. After an error (logged) r->other stays empty.
 */
static void try_other_order(const struct options *o, const struct replay_spec *spec,
			    struct replay_result *r)
{
	struct dedup_config cfg = *spec->cfg;
	struct replay_spec other = *spec;
	struct replay_result result;
	struct capture *c;

	if (!misread_reverse(&cfg, r) || !replay_is_file(o->args[0]) || replay_open(o, &c))
		return;
	other.cfg = &cfg;
	other.passed = other.dropped = NULL;
	if (!replay_run(&other, c, &result))
		misread_compare(&cfg, r, &result);
	for (uint32_t n = 0; n < r->streams_cnt; n++)
		if (misread_is(spec->cfg, r, n))
			r->other.little |= cfg.numbered[n].little;
	replay_free(&result);
	capture_close(c);
	diag_progress_end();
}

static int replay(const struct options *o, const struct dedup_config *cfg, struct capture *c)
{
	struct replay_spec spec = { .cfg = cfg,
				    .engine = o->engine,
				    .mac = o->mac_given ? o->mac : NULL,
				    .memory = o->memory,
				    .progress = replay_show_progress };
	struct replay_result result = { 0 };
	bool complete;
	int err = create(o->write_passed, &spec.passed) ?:
		  create(o->write_dropped, &spec.dropped) ?:
		  replay_run(&spec, c, &result);

	diag_progress_end();
	complete = !err;
	if (complete)
		try_other_order(o, &spec, &result);
	err |= finish(spec.passed, result.streams) | finish(spec.dropped, result.streams);
	/* Packets and text do not go to one file. */
	if (is_stdout(o->write_passed) || is_stdout(o->write_dropped))
		dup2(STDERR_FILENO, STDOUT_FILENO);
	/* After an error, the packets before it count. */
	if (result.streams && !o->json)
		replay_print_text(o->args[0], c, cfg, &result);
	if (result.streams && (o->json || o->html))
		err |= replay_show_figures(o, replay_json(o->args[0], c, cfg, &result, complete));
	replay_free(&result);
	return err;
}

int verb_replay(const struct options *o)
{
	bool is_survey = !o->wish.profiles_cnt && !o->wish.spec.given.port;
	int code = is_survey ? check_survey(o) : check_replay(o), err;
	struct dedup_config cfg;
	struct capture *c;

	if (code != EXIT_DONE)
		return code;
	kernel_output(o->wish.verbose);
	if ((!is_survey && plan_replay(o, &cfg)) || replay_open(o, &c))
		return EXIT_FAILED;
	err = is_survey ? survey_capture(o, c) : replay(o, &cfg, c);
	capture_close(c);
	return err ? EXIT_FAILED : EXIT_DONE;
}
