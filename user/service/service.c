// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* run: the service. An event loop (sd-event) drives the reconcile loop and reports to systemd. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>

#include "clock.h"
#include "config_file.h"
#include "diag.h"
#include "event_loop.h"
#include "exit.h"
#include "instance.h"
#include "reconcile.h"
#include "kernel.h"
#include "metrics.h"
#include "metrics_file.h"
#include "service.h"
#include "want_lost.h"

#define US_PER_S 1000000ULL
#define DEBOUNCE_US 100000 /* the delay until the interfaces are read, as changes come in bursts */
#define REFRESH_US (10 * US_PER_S)
#define STATUS_MAX 2048

struct service {
	const char *path;
	char *name; /* of instance_name() */
	sd_event *events;
	struct reconcile reconcile;
	struct readings readings;
	struct metrics_file metrics;
	struct want_lost lost;
	char status[STATUS_MAX];			    /* as last reported to systemd */
	sd_event_source *debounce, *retry, *save, *refresh; /* timers */
	sd_event_source *job;
	bool is_ready, is_reloading;
	bool is_status_old; /* a job or the interfaces may have changed it since */
};

static int go_on(struct service *s);
static int on_refresh(sd_event_source *source, uint64_t usec, void *arg);

static int on_job_end(sd_event_source *source, const siginfo_t *info, void *arg)
{
	struct service *s = arg;
	/* As waitpid() returns it. */
	int status = info->si_code == CLD_EXITED ? info->si_status << 8 : info->si_status;

	(void)source;
	s->job = sd_event_source_unref(s->job);
	s->is_status_old = true;
	reconcile_ended(&s->reconcile, status, clock_ns(CLOCK_MONOTONIC));
	return go_on(s);
}

static int on_retry(sd_event_source *source, uint64_t usec, void *arg)
{
	(void)source, (void)usec;
	return go_on(arg);
}

static int wait_for_retry(struct service *s)
{
	uint64_t retry_ns = reconcile_retry_at(&s->reconcile), now = clock_ns(CLOCK_MONOTONIC);

	if (!retry_ns)
		return 0;
	return timer_arm(s->events, &s->retry, retry_ns > now ? (retry_ns - now) / 1000 + 1 : 1,
			 on_retry, s);
}

/* Reports to systemd where filters run; at the start and after a reload, also that it is ready. */
static void report_status(struct service *s)
{
	struct links links;

	if (!receivers_links(&links)) { /* else logged */
		reconcile_text(&s->reconcile, &links, s->status, sizeof(s->status));
		links_free(&links);
	}
	sd_notifyf(0, "%sSTATUS=%s", s->is_ready && !s->is_reloading ? "" : "READY=1\n", s->status);
	if (!s->is_ready || s->is_reloading)
		diag_done("%s", s->status);
	s->is_ready = true;
	s->is_reloading = s->is_status_old = false;
	if ((s->reconcile.config.recover || s->lost.monitor) &&
	    !readings_take(&s->readings, &s->reconcile.config))
		want_lost_update(&s->lost, s->reconcile.config.recover);
}

/* Called when no job is due: ends the service if that was requested, else reports the status. */
static int go_idle(struct service *s)
{
	if (s->reconcile.ending && !reconcile_retry_at(&s->reconcile))
		return sd_event_exit(s->events, s->reconcile.end_failed ? EXIT_FAILED : EXIT_DONE);
	if (!s->reconcile.ending && (!s->is_ready || s->is_reloading || s->is_status_old))
		report_status(s);
	return wait_for_retry(s);
}

/* Registers on_job_end() for the job's end; returns 0. If that fails, waits, and returns -errno. */
static int watch_job(struct service *s)
{
	pid_t job = s->reconcile.running;
	int status = EXIT_FAILED << 8;
	int err = sd_event_add_child(s->events, &s->job, job, WEXITED, on_job_end, s);

	if (err >= 0)
		return 0;
	diag_err(err, "cannot watch for the end of a job: %s", strerror(-err));
	while (waitpid(job, &status, 0) < 0 && errno == EINTR)
		;
	reconcile_ended(&s->reconcile, status, clock_ns(CLOCK_MONOTONIC));
	return err;
}

/* Starts the next job that is due, or calls go_idle(). */
static int go_on(struct service *s)
{
	while (reconcile_next(&s->reconcile, clock_ns(CLOCK_MONOTONIC)))
		if (!watch_job(s))
			return 0;
	return go_idle(s);
}

/* Goes on if no job is running; else on_job_end() does so after that job. */
static int do_now(struct service *s)
{
	return s->reconcile.running ? 0 : go_on(s);
}

static int on_debounced(sd_event_source *source, uint64_t usec, void *arg)
{
	struct service *s = arg;

	(void)source, (void)usec;
	s->is_status_old |= reconcile_read_links(&s->reconcile);
	return do_now(s);
}

static int on_links(sd_event_source *source, int fd, uint32_t revents, void *arg)
{
	struct service *s = arg;
	int armed = SD_EVENT_OFF;

	(void)source, (void)fd, (void)revents;
	link_events_drain(&s->reconcile.links);
	if (s->debounce)
		sd_event_source_get_enabled(s->debounce, &armed);
	/* A timer that runs is not restarted: with steady changes it would never expire. */
	return armed == SD_EVENT_OFF
		       ? timer_arm(s->events, &s->debounce, DEBOUNCE_US, on_debounced, s)
		       : 0;
}

static int on_save(sd_event_source *source, uint64_t usec, void *arg)
{
	struct service *s = arg;

	(void)source, (void)usec;
	reconcile_save(&s->reconcile);
	timer_arm(s->events, &s->save, s->reconcile.config.save_every_ns / 1000, on_save, s);
	return do_now(s);
}

/* Reports also what others have changed, such as a program that was detached by hand. */
static void report_changed_status(struct service *s)
{
	char text[STATUS_MAX];

	if (!s->is_ready || s->is_reloading || s->reconcile.running)
		return;
	for (int i = 0; i < s->readings.filters.cnt; i++)
		if (s->readings.filters.list[i]->err && s->readings.filters.list[i]->err != -ENOENT)
			return; /* its interfaces are not known */
	reconcile_text(&s->reconcile, &s->readings.links, text, sizeof(text));
	if (!strcmp(text, s->status))
		return;
	memcpy(s->status, text, sizeof(s->status));
	sd_notifyf(0, "STATUS=%s", text);
}

/* Orders that filters be attached again where a driver has lost the program. */
static void reattach_unseen(struct service *s)
{
	bool any = false;

	for (int i = 0; i < s->readings.filters.cnt; i++) {
		const struct watched *f = s->readings.filters.list[i];

		if (!f->err && *f->watch.unseen)
			any |= reconcile_reattach(&s->reconcile, f->name, clock_ns(CLOCK_MONOTONIC));
	}
	if (any)
		do_now(s);
}

static int on_refresh(sd_event_source *source, uint64_t usec, void *arg)
{
	struct service *s = arg;

	(void)source, (void)usec;
	if (!readings_refresh(&s->readings, &s->reconcile.config)) {
		readings_log_advice(&s->readings);
		report_changed_status(s);
		reattach_unseen(s);
		want_lost_update(&s->lost, s->reconcile.config.recover);
	}
	return timer_arm(s->events, &s->refresh, REFRESH_US, on_refresh, s);
}

/* Writes the metrics. Readings that take long are as of the last refresh. */
static int write_metrics(void *arg, FILE *out)
{
	struct service *s = arg;
	int err = readings_take(&s->readings, &s->reconcile.config);

	want_lost_count(&s->lost);
	s->readings.lost = s->reconcile.config.recover ? &s->lost : NULL;
	return err ?: metrics_write(out, &s->readings);
}

/* Restarts or stops the timer of saves, unless its interval is still before_ns. */
static int arm_save(struct service *s, uint64_t before_ns)
{
	uint64_t every_ns = s->reconcile.config.save_every_ns;

	if (every_ns == before_ns)
		return 0;
	if (every_ns)
		return timer_arm(s->events, &s->save, every_ns / 1000, on_save, s);
	return s->save ? sd_event_source_set_enabled(s->save, SD_EVENT_OFF) : 0;
}

/* Reads the file and applies it. If the file is wrong, nothing changes. Returns 0, or -errno. */
static int configure_service(struct service *s)
{
	uint64_t save_every_ns = s->reconcile.config.save_every_ns;
	struct config_file next;
	int err = config_read(s->path, &next);

	if (err)
		return err;
	err = reconcile_configure(&s->reconcile, &next);
	if (err) {
		config_free(&next);
		return err;
	}
	metrics_file_configure(&s->metrics, s->reconcile.config.metrics, s->name,
			       s->reconcile.config.metrics_every_ns);
	return arm_save(s, save_every_ns);
}

static int on_reload(sd_event_source *source, const struct signalfd_siginfo *si, void *arg)
{
	struct service *s = arg;

	(void)source, (void)si;
	if (s->reconcile.ending)
		return 0;
	sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%llu",
		   (unsigned long long)(clock_ns(CLOCK_MONOTONIC) / 1000));
	s->is_reloading = true;
	if (configure_service(s))
		diag_err(0, "%s is not heeded: all stays as it was", s->path);
	return do_now(s);
}

static int on_end(sd_event_source *source, const struct signalfd_siginfo *si, void *arg)
{
	struct service *s = arg;

	(void)source, (void)si;
	if (s->reconcile.ending)
		return sd_event_exit(s->events, EXIT_FAILED); /* a second signal ends it at once */
	sd_notify(0, "STOPPING=1");
	reconcile_end(&s->reconcile);
	return do_now(s);
}

static int prepare_service(struct service *s)
{
	static const struct loop_signal SIGNALS[] = {
		{ SIGHUP, on_reload }, { SIGTERM, on_end }, { SIGINT, on_end }, { 0 }
	};
	sigset_t children;
	int err;

	sigemptyset(&children);
	sigaddset(&children, SIGCHLD); /* for on_job_end() */
	sigprocmask(SIG_BLOCK, &children, NULL);
	err = loop_open(&s->events, SIGNALS, s);
	s->reconcile.readings = &s->readings;
	s->metrics = (struct metrics_file){ .events = s->events, .write = write_metrics, .arg = s };
	s->lost = (struct want_lost){ .events = s->events, .readings = &s->readings };
	drop_monitor_end_left();
	if (err >= 0)
		err = sd_event_add_io(s->events, NULL, s->reconcile.links.fd, EPOLLIN, on_links, s);
	if (err >= 0)
		err = timer_arm(s->events, &s->refresh, US_PER_S, on_refresh, s);
	return err < 0 ? diag_err(err, "cannot wait for events: %s", strerror(-err)) : 0;
}

static void free_service(struct service *s)
{
	sd_event_source_unref(s->job);
	sd_event_source_unref(s->debounce);
	sd_event_source_unref(s->retry);
	sd_event_source_unref(s->save);
	sd_event_source_unref(s->refresh);
	metrics_file_close(&s->metrics);
	want_lost_close(&s->lost);
	readings_free(&s->readings);
	reconcile_free(&s->reconcile);
	sd_event_unref(s->events);
	free(s->name);
}

/* Returns whether the file is wrong or missing: then a restart of the service would not help. */
static bool is_misused(int err)
{
	return err == -EINVAL || err == -EFBIG || err == -ENOENT || err == -ENOTDIR ||
	       err == -EISDIR || err == -EACCES;
}

static int run_service(struct service *s)
{
	int err = link_events_open(&s->reconcile.links) ?: prepare_service(s);

	if (err)
		return EXIT_FAILED;
	err = configure_service(s);
	if (err)
		return is_misused(err) ? EXIT_MISUSED : EXIT_FAILED;
	if (go_on(s) < 0)
		return EXIT_FAILED;
	err = sd_event_loop(s->events);
	return err < 0 ? diag_err(EXIT_FAILED, "cannot wait for events: %s", strerror(-err)) : err;
}

int service_run(const char *path, bool replace, bool verbose)
{
	struct service s = {
		.path = path,
		.reconcile = { .links = { .fd = -1 }, .replace = replace, .verbose = verbose }
	};
	int status = EXIT_FAILED;

	if (kernel_ready(verbose, true))
		return EXIT_FAILED;
	s.name = instance_name(path);
	if (s.name && !instance_lock(s.name, path))
		status = run_service(&s);
	free_service(&s);
	return status;
}
