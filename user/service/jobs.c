// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "jobs.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "control.h"
#include "diag.h"
#include "dirs.h"
#include "snapshot_file.h"
#include "kernel.h"
#include "open.h"
#include "plan.h"
#include "stats.h"

#define STILL_MS 3000 /* longer than a busy machine delays a CPU's timers */
#define CHECK_MS 100

/* Returns whether the file's filter can use the saved memory, with at most another program. */
static bool is_fit(const struct wish *w, const struct snapshot *snapshot)
{
	struct filter_spec spec = w->spec;
	struct dedup_config plan;

	spec.several = w->where.cnt > 1;
	return snapshot->head.config.format == DEDUP_FORMAT && !plan_silently(&spec, &plan) &&
	       plan_is_same_memory(&snapshot->head.config, &plan);
}

/* Keeps the end of --for for a filter that is loaded again, unless the file has an action. */
static void keep_drop_time(struct wish *w, const struct dedup_config *old, uint64_t until_ns)
{
	if (w->spec.given.action || !old->asked.drop_ns)
		return;
	w->spec.drop_ns = old->asked.drop_ns;
	w->drop_until_ns = until_ns;
}

static void keep_saved_drop_time(struct wish *w, const struct snapshot_head *h)
{
	struct snapshot_moment now;

	if (!snapshot_moment_now(&now))
		keep_drop_time(w, &h->config,
			       snapshot_drop_until(h, now.hand_ns,
						   snapshot_elapsed(&h->moment, &now)));
}

/* Loads the filter with its saved memory before it sees a packet, if the memory fits. Else loads
 * the file's filter, and restores the saved ids as its predecessor as soon as it runs.
 */
static int restore_or_load(struct wish *w)
{
	struct wish running = *w;
	struct snapshot snapshot;
	bool fits;
	int status;

	if (kernel_ready(false, false) || snapshot_open(w->file, &snapshot))
		return control_load(w); /* logged */
	fits = is_fit(w, &snapshot);
	keep_saved_drop_time(w, &snapshot.head);
	snapshot_close(&snapshot);
	if (fits) {
		control_restore(w);
		return control_load(w); /* does nothing if the restored filter is as in the file */
	}
	status = control_load(w);
	running.where.cnt = 0;
	if (status == EXIT_DONE)
		control_restore(&running);
	return status;
}

static bool is_pinned(const char *name)
{
	struct filter f;
	int err = filter_open_without_blocks(name, &f);

	if (!err)
		filter_close(&f);
	return err != -ENOENT;
}

/* Returns whether the hand has not stepped for so long that ids pass. *last_ns: its last step. */
static bool is_stale(struct wish *w, uint64_t *last_ns)
{
	struct filter f;
	bool stale;

	if (filter_open_without_blocks(w->name, &f))
		return false;
	*last_ns = READ_ONCE(f.state->last_ns);
	stale = stats_stopped(f.config, f.state, kernel_now_ns());
	keep_drop_time(w, f.config, READ_ONCE(f.state->drop_until_ns));
	filter_close(&f);
	return stale;
}

/* Returns whether the hand has stopped: then all ids pass, and none in the memory is valid. A hand
 * that is only late steps again soon, so it has stopped if it has not stepped for STILL_MS.
 */
static bool has_stopped(struct wish *w)
{
	uint64_t first_ns, last_ns;
	bool stopped;

	if (kernel_ready(false, false))
		return false;
	stopped = is_stale(w, &first_ns);
	for (int ms = 0; stopped && ms < STILL_MS; ms += CHECK_MS) {
		usleep(CHECK_MS * 1000);
		stopped = is_stale(w, &last_ns) && last_ns == first_ns;
	}
	return stopped;
}

static int ensure(struct wish *w)
{
	const struct wish unload_all = { .name = w->name, .verbose = w->verbose };

	w->replace = w->whole = w->force = true;
	if (has_stopped(w)) {
		diag_note("%s: the window's clock has stopped: it is loaded anew", w->name);
		control_unload(&unload_all);
	}
	if (is_pinned(w->name) || !w->file || !path_exists(w->file))
		return control_load(w);
	return restore_or_load(w);
}

/* Returns a request for only these interfaces, as a user may have changed the other settings. */
static struct wish wish_of_interfaces(const struct wish *w)
{
	return (struct wish){
		.name = w->name, .where = w->where, .replace = true, .stays = true, .verbose = w->verbose
	};
}

static int ensure_interfaces(const struct wish *w)
{
	struct wish only = wish_of_interfaces(w);

	return is_pinned(w->name) ? control_load(&only) : EXIT_DONE;
}

/* True soon after a restart or a resize. */
static bool predecessor_knows_more(struct filter *f)
{
	uint64_t seed = kernel_now_ns();

	return !filter_open_predecessor(f) && f->predecessor &&
	       stats_fill_of(f->predecessor, false, seed).ids > stats_fill_of(f, false, seed).ids;
}

/* Saves one memory, as a snapshot has only one: the predecessor's, if that knows more ids. */
static int save(struct wish *w, const char *state)
{
	static struct snapshot_head head;
	bool saves_predecessor;
	struct filter f;
	int err = 0;

	if (!w->file)
		return diag_err(EXIT_FAILED, "%s is too long", state);
	if (mkdir(state, 0700) && errno != EEXIST)
		return diag_err(EXIT_FAILED, "cannot make %s: %s", state, strerror(errno));
	if (kernel_ready(false, false))
		return EXIT_FAILED;
	w->forget = true;
	if (filter_open(w->name, &f))
		return control_save(w); /* fails too, and logs why */
	saves_predecessor = predecessor_knows_more(&f);
	if (saves_predecessor) {
		f.predecessor->record = f.record; /* a predecessor has no record */
		err = snapshot_save(f.predecessor, w->file, NULL, &head);
		f.predecessor->record = NULL;
	}
	filter_close(&f);
	return saves_predecessor ? (err ? EXIT_FAILED : EXIT_DONE) : control_save(w);
}

static int do_job(const struct job_order *order)
{
	struct wish w = order->wish;
	char snapshot[PATH_MAX];

	w.file = NULL;
	if (order->state &&
	    snprintf(snapshot, PATH_MAX, "%s/%s.image", order->state, w.name) < PATH_MAX)
		w.file = snapshot;
	switch (order->job) {
	case JOB_ENSURE:
		return ensure(&w);
	case JOB_INTERFACES:
		return ensure_interfaces(&w);
	case JOB_SAVE:
		return is_pinned(w.name) ? save(&w, order->state) : EXIT_DONE;
	case JOB_UNLOAD:
		return is_pinned(w.name) ? control_unload(&w) : EXIT_DONE;
	case JOB_REFRESH:
		return control_refresh(&w);
	}
	return EXIT_FAILED;
}

int job_attach_now(const struct job_order *order)
{
	struct wish only = wish_of_interfaces(&order->wish);

	return control_attach_returned(&only);
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
	/* A job opens what it needs. Inherited sockets would stay open until the job ends. */
	syscall(SYS_close_range, STDERR_FILENO + 1, ~0U, 0);
	status = do_job(order);
	fflush(NULL);
	_exit(status);
}
