// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "jobs.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "diag.h"
#include "snapshot_file.h"
#include "kernel.h"
#include "open.h"
#include "plan.h"
#include "stats.h"
#include "verbs.h"

/* A verb in a process of its own, as each takes the lock until its process ends. It ends with this
 * one: else the next job would be made beside it.
 */
static int run_verb(int (*verb)(const struct options *o), const struct options *o)
{
	pid_t job = getpid(), pid;
	int status;

	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		diag_err(0, "cannot start a process: %s", strerror(errno));
		return EXIT_FAILED;
	}
	if (!pid) {
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != job)
			_exit(EXIT_FAILED);
		status = verb(o);
		fflush(NULL);
		_exit(status);
	}
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_FAILED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILED;
}

static int snapshot_path(const struct job_order *order, char path[PATH_MAX])
{
	int len = snprintf(path, PATH_MAX, "%s/%s.image", order->state, order->name);

	return len < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* What the order says of the interfaces, as arguments behind `first` others, over its options. */
static struct options options_of(const struct job_order *order, char **args, int first)
{
	struct options o = *order->options;

	for (int i = 0; i < order->cnt; i++)
		args[first + i] = order->ifnames[i];
	o.args = args;
	o.args_cnt = first + order->cnt;
	o.replace = true;
	return o;
}

static int bring_as_ordered(const struct job_order *order)
{
	char *args[DEDUP_IFACES_MAX];
	struct options o = options_of(order, args, 0);

	o.whole = true;
	return run_verb(verb_load, &o);
}

/* Could the filter that was saved go on as what the file says, by a change of its program at most? */
static bool is_fit(const struct job_order *order, const struct snapshot *snapshot)
{
	struct filter_spec spec = order->options->spec;
	struct dedup_config plan;

	spec.several = order->cnt > 1;
	return snapshot->head.config.format == DEDUP_FORMAT && !plan_silently(&spec, &plan) &&
	       plan_is_same_memory(&snapshot->head.config, &plan);
}

/* Makes the filter of what was saved, before any packet meets it; or, if it is to be another one,
 * gives what was saved to that, as soon as it runs.
 */
static int restore(const struct job_order *order, char *path)
{
	char *args[2 + DEDUP_IFACES_MAX] = { (char *)order->name, path };
	struct options o = options_of(order, args, 2);
	struct snapshot snapshot;
	bool fits;
	int status;

	if (kernel_ready(o.verbose, false) || snapshot_open(path, &snapshot))
		return bring_as_ordered(order); /* logged */
	fits = is_fit(order, &snapshot);
	snapshot_close(&snapshot);
	if (fits) {
		run_verb(verb_restore, &o);
		return bring_as_ordered(order); /* which does nothing if that is what it is */
	}
	status = bring_as_ordered(order);
	o.args_cnt = 2;
	if (status == EXIT_DONE)
		run_verb(verb_restore, &o);
	return status;
}

static bool is_pinned(const char *name)
{
	struct filter f;
	int err = filter_open(name, &f);

	if (!err)
		filter_close(&f);
	return err != -ENOENT;
}

/* Such a filter passes everything, and knows nothing any more. */
static bool has_stopped(const char *name)
{
	struct filter f;
	bool stopped;

	if (kernel_ready(false, false) || filter_open(name, &f))
		return false;
	stopped = stats_stopped(f.config, f.state, kernel_now_ns());
	filter_close(&f);
	return stopped;
}

static int bring(const struct job_order *order)
{
	const struct options all_of_it = { .name = order->name };
	char path[PATH_MAX];

	if (has_stopped(order->name)) {
		diag_note("%s: the window's clock has stopped: it is loaded anew", order->name);
		run_verb(verb_unload, &all_of_it);
	}
	if (is_pinned(order->name) || !order->state || snapshot_path(order, path) ||
	    access(path, F_OK))
		return bring_as_ordered(order);
	return restore(order, path);
}

static int follow(const struct job_order *order)
{
	char *args[DEDUP_IFACES_MAX];
	struct options o = options_of(order, args, 0);

	if (!is_pinned(order->name))
		return bring(order);
	/* What the file says may have been changed by hand: nothing is given but interfaces. */
	o.given = (struct options_given){ 0 };
	o.spec.streams_cnt = 0;
	o.spec.bits = o.spec.hashes = o.spec.index_bits = o.spec.countdown_bits = 0;
	return run_verb(verb_load, &o);
}

/* Opens the filter with its predecessor, if that knows more ids than the filter itself: soon after
 * a restart or a resize. 0, and the caller closes it; or -ENOENT.
 */
static int open_larger_predecessor(const char *name, struct filter *f)
{
	uint64_t seed = kernel_now_ns();

	if (filter_open(name, f))
		return -ENOENT;
	if (!filter_open_before(f) && f->before &&
	    stats_fill_of(f->before, false, seed).ids > stats_fill_of(f, false, seed).ids)
		return 0;
	filter_close(f);
	return -ENOENT;
}

static bool never(void)
{
	return false;
}

/* A snapshot is of one memory: while there are two, of the one that knows more. */
static int save(const struct job_order *order)
{
	static struct snapshot_head head;
	char path[PATH_MAX];
	char *args[] = { (char *)order->name, path };
	struct options o = { .args = args, .args_cnt = 2, .forget = true };
	struct filter f;
	int err;

	if (!is_pinned(order->name))
		return EXIT_DONE;
	if (mkdir(order->state, 0700) && errno != EEXIST) {
		diag_err(0, "cannot make %s: %s", order->state, strerror(errno));
		return EXIT_FAILED;
	}
	if (snapshot_path(order, path)) {
		diag_err(0, "%s is too long", order->state);
		return EXIT_FAILED;
	}
	if (kernel_ready(false, false))
		return EXIT_FAILED;
	if (open_larger_predecessor(order->name, &f))
		return verb_save(&o);
	err = snapshot_save(f.before, path, never, &head);
	filter_close(&f);
	return err ? EXIT_FAILED : EXIT_DONE;
}

static int unload(const struct job_order *order)
{
	const struct options o = { .name = order->name };

	return is_pinned(order->name) ? verb_unload(&o) : EXIT_DONE;
}

static int work(const struct job_order *order)
{
	const struct options none = { 0 };

	switch (order->job) {
	case JOB_BRING:
		return bring(order);
	case JOB_FOLLOW:
		return follow(order);
	case JOB_SAVE:
		return save(order);
	case JOB_UNLOAD:
		return unload(order);
	case JOB_REFRESH:
		return verb_refresh(&none);
	}
	return EXIT_FAILED;
}

pid_t job_start(const struct job_order *order)
{
	sigset_t none;
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return diag_err(-errno, "cannot start a process: %s", strerror(errno));
	if (pid)
		return pid;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	status = work(order);
	fflush(NULL);
	_exit(status);
}
