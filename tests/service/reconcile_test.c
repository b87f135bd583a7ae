// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the service orders next, with jobs that the test starts and ends: no job is lost, and none
 * is done that the file no longer asks for.
 */
#include "unit.h"

#include <sys/resource.h>

#include "reconcile.h"

#define WITH "[filter feed]\ninterfaces = lo\nport = 1\n"
#define SECOND_FILTER "[filter other]\ninterfaces = nowhere0\nport = 1\n"
#define WAITING "[filter feed]\ninterfaces = nowhere0\nport = 1\n"
#define WITHOUT "[service]\nfilters = none\n"
#define SAVED "[service]\nsave = yes\nstate = /mnt\non-exit = unload\n"
#define FAILED (1 << 8) /* as waitpid() has it */
#define S 1000000000ULL

static struct reconcile k = { .links = { .fd = -1 } };
static struct {
	enum job job;  /* the last one that was started */
	int cnt, came; /* came: interfaces that it is to be attached to */
	bool refuses;
} started;

static pid_t start(const struct job_order *order)
{
	if (started.refuses)
		return -EAGAIN;
	started.job = order->job;
	started.came = order->wish.where.cnt;
	started.cnt++;
	return 1;
}

static void configure(const char *text)
{
	FILE *from = fmemopen((void *)text, strlen(text), "r");
	struct config_file config;

	assert_int_equal(config_read_from(from, "conf", &config), 0);
	fclose(from);
	assert_int_equal(reconcile_configure(&k, &config), 0);
}

static int end(void **state)
{
	(void)state;
	reconcile_free(&k);
	return 0;
}

/* Nothing runs, and the file says this. */
static void begin(const char *text)
{
	end(NULL);
	unsetenv("STATE_DIRECTORY");
	k = (struct reconcile){ .links = { .fd = -1 }, .start = start };
	memset(&started, 0, sizeof(started));
	configure(text);
}

/* The next job is this one, and ends with this status. */
static void does(enum job job, int status, uint64_t now_ns)
{
	int before = started.cnt;

	assert_true(reconcile_next(&k, now_ns));
	assert_int_equal(started.cnt, before + 1);
	assert_int_equal(started.job, job);
	reconcile_ended(&k, status, now_ns);
}

static void is_idle(uint64_t now_ns)
{
	assert_false(reconcile_next(&k, now_ns));
}

/* There is no job until then. */
static void waits(uint64_t now_ns, uint64_t until_ns)
{
	is_idle(now_ns);
	assert_int_equal(reconcile_retry_at(&k), until_ns);
}

/* There is no job, nor will there be. */
static void rests(uint64_t now_ns)
{
	waits(now_ns, 0);
}

/* The filter of WITH runs. */
static void begin_running(void)
{
	begin(WITH);
	does(JOB_ENSURE, 0, S);
	does(JOB_REFRESH, 0, S);
}

TEST(failed_fork_keeps_the_job)
{
	begin(WITH);
	started.refuses = true;
	waits(S, 6 * S);
	started.refuses = false;
	is_idle(2 * S); /* not at once: there is too little of something */
	does(JOB_ENSURE, 0, 6 * S);
	does(JOB_REFRESH, 0, 6 * S);
	rests(7 * S);
	reconcile_save(&k);
	started.refuses = true;
	is_idle(8 * S);
	started.refuses = false;
	does(JOB_SAVE, 0, 20 * S);
	is_idle(21 * S);
}

/* The filter would be lost otherwise; what failed before the end is not done any more. */
TEST(failed_fork_keeps_what_ends)
{
	begin(SAVED WITH);
	does(JOB_ENSURE, FAILED, S);
	does(JOB_REFRESH, 0, S);
	reconcile_end(&k);
	started.refuses = true;
	waits(2 * S, 7 * S);
	started.refuses = false;
	does(JOB_SAVE, 0, 7 * S);
	does(JOB_UNLOAD, 0, 7 * S);
	rests(8 * S);
	assert_false(k.end_failed);
}

/* A filter that has left the file, and whose unload failed: one more try, and the end. */
TEST(end_waits_for_no_retry)
{
	begin_running();
	configure(WITHOUT);
	does(JOB_UNLOAD, FAILED, 2 * S);
	reconcile_end(&k);
	does(JOB_UNLOAD, FAILED, 3 * S);
	rests(4 * S);
	assert_true(k.end_failed);
}

/* An unload would lose its ids. `earlier`: a save fails that began before the end. */
TEST(what_is_not_saved_stays)
{
	for (int earlier = 0; earlier < 2; earlier++) {
		begin(SAVED WITH);
		does(JOB_ENSURE, 0, S);
		does(JOB_REFRESH, 0, S);
		if (earlier) {
			reconcile_save(&k);
			assert_true(reconcile_next(&k, 2 * S));
		}
		reconcile_end(&k);
		if (earlier)
			reconcile_ended(&k, FAILED, 3 * S);
		does(JOB_SAVE, earlier ? 0 : FAILED, 4 * S);
		if (earlier)
			does(JOB_UNLOAD, 0, 5 * S);
		rests(6 * S);
		assert_int_equal(k.end_failed, !earlier);
	}
}

#define SECOND 77777 /* no index that an interface has */

/* A try that fails does not forget which interface has come. */
TEST(failed_try_keeps_what_has_come)
{
	begin_running();
	k.list[0].ifindices[0] = SECOND; /* it had another index before */
	reconcile_read_links(&k);
	does(JOB_INTERFACES, FAILED, 2 * S);
	assert_int_equal(started.came, 1);
	is_idle(3 * S);
	does(JOB_INTERFACES, 0, 7 * S);
	assert_int_equal(started.came, 1);
	assert_true(reconcile_reattach(&k, "feed", 8 * S));
	does(JOB_INTERFACES, FAILED, 8 * S);
	assert_int_equal(started.came, 0);
	/* A reload does it, too. */
	configure(WITH);
	does(JOB_ENSURE, 0, 9 * S);
	does(JOB_INTERFACES, 0, 9 * S);
	rests(10 * S);
}

/* Interfaces that were added by hand may be there. */
TEST(attached_anew_without_the_files_interfaces)
{
	begin_running();
	k.list[0].ifindices[0] = 0;
	assert_true(reconcile_reattach(&k, "feed", 2 * S));
	does(JOB_INTERFACES, 0, 2 * S);
	is_idle(3 * S);
}

/* More often than the saves take: each filter is saved, and other jobs are done. */
TEST(saves_do_not_starve_others)
{
	begin(WITH SECOND_FILTER);
	does(JOB_ENSURE, 0, S);
	reconcile_save(&k);
	assert_true(reconcile_next(&k, 2 * S));
	reconcile_save(&k);
	reconcile_ended(&k, 0, 3 * S);
	assert_string_equal(k.job_name, "feed");
	reconcile_save(&k);
	does(JOB_SAVE, 0, 3 * S);
	assert_string_equal(k.job_name, "other");
	does(JOB_REFRESH, 0, 4 * S);
	is_idle(5 * S);
	reconcile_save(&k);
	does(JOB_SAVE, 0, 6 * S);
}

/* A filter that waits for its retry does not keep the others from being saved. */
TEST(saves_go_on_beside_a_retry)
{
	begin(WITH SECOND_FILTER);
	does(JOB_ENSURE, FAILED, S);
	does(JOB_REFRESH, 0, S);
	for (int i = 0; i < 2; i++) {
		reconcile_save(&k);
		does(JOB_SAVE, 0, 2 * S);
		assert_string_equal(k.job_name, "other");
		is_idle(2 * S);
	}
}

TEST(nothing_is_saved_after_the_end)
{
	begin_running();
	reconcile_end(&k);
	reconcile_save(&k);
	is_idle(2 * S);
}

TEST(failed_refresh_is_tried_again)
{
	begin(WITH);
	does(JOB_ENSURE, 0, S);
	does(JOB_REFRESH, FAILED, S);
	waits(2 * S, 6 * S);
	does(JOB_REFRESH, FAILED, 6 * S);
	assert_int_equal(reconcile_retry_at(&k), 16 * S);
	does(JOB_REFRESH, 0, 16 * S);
	rests(17 * S);
}

/* Without descriptors no interface can be read: what is to be done then is done later. */
TEST(interfaces_that_cannot_be_read_are_read_later)
{
	struct rlimit files, none;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	none = (struct rlimit){ 0, files.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	begin(WITH);
	is_idle(S);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
	assert_int_equal(reconcile_retry_at(&k), 6 * S);
	is_idle(2 * S);
	does(JOB_ENSURE, 0, 6 * S);
	does(JOB_REFRESH, 0, 6 * S);
	rests(7 * S);
}

/* Again only after a minute, in which another cause would show. */
TEST(attached_anew_once_a_minute)
{
	begin_running();
	assert_false(reconcile_reattach(&k, "other", 2 * S));
	assert_true(reconcile_reattach(&k, "feed", 2 * S));
	does(JOB_INTERFACES, 0, 2 * S);
	assert_false(reconcile_reattach(&k, "feed", 61 * S));
	is_idle(61 * S);
	assert_true(reconcile_reattach(&k, "feed", 62 * S));
	does(JOB_INTERFACES, 0, 62 * S);
	configure(WITHOUT);
	assert_false(reconcile_reattach(&k, "feed", 200 * S));
}

/* Its unload fails, before or after it is in the file again: it is brought, and stays. */
TEST(removed_and_put_back)
{
	for (int running = 0; running < 2; running++) {
		begin_running();
		configure(WITHOUT);
		if (running) {
			assert_true(reconcile_next(&k, 2 * S));
			assert_int_equal(started.job, JOB_UNLOAD);
			configure(WITH);
			reconcile_ended(&k, FAILED, 3 * S);
		} else {
			does(JOB_UNLOAD, FAILED, 2 * S);
			configure(WITH);
		}
		does(JOB_ENSURE, 0, 4 * S);
		rests(100 * S);
	}
}

/* Jobs of the filter that failed, or that wait for its interface, are dropped. */
TEST(removed_before_it_was_there)
{
	for (int there = 0; there < 2; there++) {
		begin(there ? WITH : WAITING);
		if (there)
			does(JOB_ENSURE, FAILED, S);
		does(JOB_REFRESH, 0, S);
		is_idle(S);
		configure(WITHOUT);
		does(JOB_UNLOAD, FAILED, 2 * S); /* at once */
		does(JOB_UNLOAD, 0, 60 * S);
		is_idle(100 * S);
		assert_int_equal(k.cnt, 0);
	}
}

TEST(text_says_what_runs)
{
	const struct links none = { .cnt = 0 };
	char text[200];

	begin("[filter feed]\ninterfaces = lo nowhere0\nport = 1\n");
	reconcile_text(&k, &none, text, sizeof(text));
	assert_string_equal(text, "feed: does not run on lo waits for nowhere0");
}

UNIT_MAIN_WITH(NULL, end)
