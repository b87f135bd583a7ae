// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the service orders next, with jobs that the test starts and ends: no job is lost, and none
 * is done that the file no longer asks for.
 */
#include "support.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "reconcile.h"

#define WITH "[filter feed]\ninterfaces = lo\nport = 1\n"
#define SECOND_FILTER "[filter other]\ninterfaces = nowhere0\nport = 1\n"
#define WAITING "[filter feed]\ninterfaces = nowhere0\nport = 1\n"
#define WITHOUT "[service]\nfilters = none\n"
#define FAILED (1 << 8) /* as waitpid() has it */
#define S 1000000000ULL

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

static void configure(struct reconcile *k, const char *text)
{
	FILE *from = fmemopen((void *)text, strlen(text), "r");
	struct config_file config;

	assert_int_equal(config_read_from(from, "conf", &config), 0);
	fclose(from);
	assert_int_equal(reconcile_configure(k, &config), 0);
}

static void begin(struct reconcile *k)
{
	*k = (struct reconcile){ .links = { .fd = -1 }, .start = start };
	memset(&started, 0, sizeof(started));
}

/* The next job is this one, and ends with this status. */
static void does(struct reconcile *k, enum job job, int status, uint64_t now_ns)
{
	int before = started.cnt;

	assert_true(reconcile_next(k, now_ns));
	assert_int_equal(started.cnt, before + 1);
	assert_int_equal(started.job, job);
	reconcile_ended(k, status, now_ns);
}

static void is_idle(struct reconcile *k, uint64_t now_ns)
{
	assert_false(reconcile_next(k, now_ns));
}

/* The filter of WITH runs. */
static void begin_running(struct reconcile *k)
{
	begin(k);
	configure(k, WITH);
	does(k, JOB_ENSURE, 0, S);
	does(k, JOB_REFRESH, 0, S);
}

static void failed_fork_keeps_the_job(void **state)
{
	struct reconcile k;

	(void)state;
	begin(&k);
	configure(&k, WITH);
	started.refuses = true;
	is_idle(&k, S);
	assert_int_equal(reconcile_retry_at(&k), 6 * S);
	started.refuses = false;
	is_idle(&k, 2 * S); /* not at once: there is too little of something */
	does(&k, JOB_ENSURE, 0, 6 * S);
	does(&k, JOB_REFRESH, 0, 6 * S);
	is_idle(&k, 7 * S);
	assert_int_equal(reconcile_retry_at(&k), 0);
	reconcile_save(&k);
	started.refuses = true;
	is_idle(&k, 8 * S);
	started.refuses = false;
	does(&k, JOB_SAVE, 0, 20 * S);
	is_idle(&k, 21 * S);
	reconcile_free(&k);
}

/* The filter would be lost otherwise; what failed before the end is not done any more. */
static void failed_fork_keeps_what_ends(void **state)
{
	struct reconcile k;

	(void)state;
	begin(&k);
	configure(&k, "[service]\nsave = yes\nstate = /mnt\non-exit = unload\n" WITH);
	does(&k, JOB_ENSURE, FAILED, S);
	does(&k, JOB_REFRESH, 0, S);
	reconcile_end(&k);
	started.refuses = true;
	is_idle(&k, 2 * S);
	assert_int_equal(reconcile_retry_at(&k), 7 * S);
	started.refuses = false;
	does(&k, JOB_SAVE, 0, 7 * S);
	does(&k, JOB_UNLOAD, 0, 7 * S);
	is_idle(&k, 8 * S);
	assert_int_equal(reconcile_retry_at(&k), 0);
	assert_false(k.end_failed);
	reconcile_free(&k);
}

/* A filter that has left the file, and whose unload failed: one more try, and the end. */
static void end_waits_for_no_retry(void **state)
{
	struct reconcile k;

	(void)state;
	begin_running(&k);
	configure(&k, WITHOUT);
	does(&k, JOB_UNLOAD, FAILED, 2 * S);
	reconcile_end(&k);
	does(&k, JOB_UNLOAD, FAILED, 3 * S);
	is_idle(&k, 4 * S);
	assert_int_equal(reconcile_retry_at(&k), 0);
	assert_true(k.end_failed);
	reconcile_free(&k);
}

/* An unload would lose its ids. `earlier`: a save fails that began before the end. */
static void what_is_not_saved_stays(void **state)
{
	struct reconcile k;

	(void)state;
	for (int earlier = 0; earlier < 2; earlier++) {
		begin(&k);
		configure(&k, "[service]\nsave = yes\nstate = /mnt\non-exit = unload\n" WITH);
		does(&k, JOB_ENSURE, 0, S);
		does(&k, JOB_REFRESH, 0, S);
		if (earlier) {
			reconcile_save(&k);
			assert_true(reconcile_next(&k, 2 * S));
		}
		reconcile_end(&k);
		if (earlier)
			reconcile_ended(&k, FAILED, 3 * S);
		does(&k, JOB_SAVE, earlier ? 0 : FAILED, 4 * S);
		if (earlier)
			does(&k, JOB_UNLOAD, 0, 5 * S);
		is_idle(&k, 6 * S);
		assert_int_equal(reconcile_retry_at(&k), 0);
		assert_int_equal(k.end_failed, !earlier);
		reconcile_free(&k);
	}
}

#define SECOND 77777 /* no index that an interface has */

/* A try that fails does not forget which interface has come. */
static void failed_try_keeps_what_has_come(void **state)
{
	struct reconcile k;

	(void)state;
	begin_running(&k);
	k.list[0].ifindices[0] = SECOND; /* it had another index before */
	reconcile_read_links(&k);
	does(&k, JOB_INTERFACES, FAILED, 2 * S);
	assert_int_equal(started.came, 1);
	is_idle(&k, 3 * S);
	does(&k, JOB_INTERFACES, 0, 7 * S);
	assert_int_equal(started.came, 1);
	assert_true(reconcile_reattach(&k, "feed", 8 * S));
	does(&k, JOB_INTERFACES, FAILED, 8 * S);
	assert_int_equal(started.came, 0);
	/* A reload does it, too. */
	configure(&k, WITH);
	does(&k, JOB_ENSURE, 0, 9 * S);
	does(&k, JOB_INTERFACES, 0, 9 * S);
	is_idle(&k, 10 * S);
	assert_int_equal(reconcile_retry_at(&k), 0);
	reconcile_free(&k);
}

/* Interfaces that were added by hand may be there. */
static void attached_anew_without_the_files_interfaces(void **state)
{
	struct reconcile k;

	(void)state;
	begin_running(&k);
	k.list[0].ifindices[0] = 0;
	assert_true(reconcile_reattach(&k, "feed", 2 * S));
	does(&k, JOB_INTERFACES, 0, 2 * S);
	is_idle(&k, 3 * S);
	reconcile_free(&k);
}

/* More often than the saves take: each filter is saved, and other jobs are done. */
static void saves_do_not_starve_others(void **state)
{
	struct reconcile k;

	(void)state;
	begin(&k);
	configure(&k, WITH SECOND_FILTER);
	does(&k, JOB_ENSURE, 0, S);
	reconcile_save(&k);
	assert_true(reconcile_next(&k, 2 * S));
	reconcile_save(&k);
	reconcile_ended(&k, 0, 3 * S);
	assert_string_equal(k.job_name, "feed");
	reconcile_save(&k);
	does(&k, JOB_SAVE, 0, 3 * S);
	assert_string_equal(k.job_name, "other");
	does(&k, JOB_REFRESH, 0, 4 * S);
	is_idle(&k, 5 * S);
	reconcile_save(&k);
	does(&k, JOB_SAVE, 0, 6 * S);
	reconcile_free(&k);
}

/* A filter that waits for its retry does not keep the others from being saved. */
static void saves_go_on_beside_a_retry(void **state)
{
	struct reconcile k;

	(void)state;
	begin(&k);
	configure(&k, WITH SECOND_FILTER);
	does(&k, JOB_ENSURE, FAILED, S);
	does(&k, JOB_REFRESH, 0, S);
	for (int i = 0; i < 2; i++) {
		reconcile_save(&k);
		does(&k, JOB_SAVE, 0, 2 * S);
		assert_string_equal(k.job_name, "other");
		is_idle(&k, 2 * S);
	}
	reconcile_free(&k);
}

static void nothing_is_saved_after_the_end(void **state)
{
	struct reconcile k;

	(void)state;
	begin_running(&k);
	reconcile_end(&k);
	reconcile_save(&k);
	is_idle(&k, 2 * S);
	reconcile_free(&k);
}

static void failed_refresh_is_tried_again(void **state)
{
	struct reconcile k;

	(void)state;
	begin(&k);
	configure(&k, WITH);
	does(&k, JOB_ENSURE, 0, S);
	does(&k, JOB_REFRESH, FAILED, S);
	is_idle(&k, 2 * S);
	assert_int_equal(reconcile_retry_at(&k), 6 * S);
	does(&k, JOB_REFRESH, FAILED, 6 * S);
	assert_int_equal(reconcile_retry_at(&k), 16 * S);
	does(&k, JOB_REFRESH, 0, 16 * S);
	is_idle(&k, 17 * S);
	assert_int_equal(reconcile_retry_at(&k), 0);
	reconcile_free(&k);
}

/* Without descriptors no interface can be read: what is to be done then is done later. */
static void interfaces_that_cannot_be_read_are_read_later(void **state)
{
	struct rlimit files, none;
	struct reconcile k;

	(void)state;
	begin(&k);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	none = (struct rlimit){ 0, files.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	configure(&k, WITH);
	is_idle(&k, S);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &files), 0);
	assert_int_equal(reconcile_retry_at(&k), 6 * S);
	is_idle(&k, 2 * S);
	does(&k, JOB_ENSURE, 0, 6 * S);
	does(&k, JOB_REFRESH, 0, 6 * S);
	is_idle(&k, 7 * S);
	assert_int_equal(reconcile_retry_at(&k), 0);
	reconcile_free(&k);
}

/* Again only after a minute, in which another cause would show. */
static void attached_anew_once_a_minute(void **state)
{
	struct reconcile k;

	(void)state;
	begin_running(&k);
	assert_false(reconcile_reattach(&k, "other", 2 * S));
	assert_true(reconcile_reattach(&k, "feed", 2 * S));
	does(&k, JOB_INTERFACES, 0, 2 * S);
	assert_false(reconcile_reattach(&k, "feed", 61 * S));
	is_idle(&k, 61 * S);
	assert_true(reconcile_reattach(&k, "feed", 62 * S));
	does(&k, JOB_INTERFACES, 0, 62 * S);
	configure(&k, WITHOUT);
	assert_false(reconcile_reattach(&k, "feed", 200 * S));
	reconcile_free(&k);
}

static void failed_fork_keeps_a_refresh(void **state)
{
	struct reconcile k;

	(void)state;
	begin(&k);
	configure(&k, WITH);
	does(&k, JOB_ENSURE, 0, S);
	started.refuses = true;
	is_idle(&k, S);
	assert_int_equal(reconcile_retry_at(&k), 6 * S);
	started.refuses = false;
	is_idle(&k, 2 * S);
	does(&k, JOB_REFRESH, 0, 6 * S);
	is_idle(&k, 7 * S);
	assert_int_equal(reconcile_retry_at(&k), 0);
	reconcile_free(&k);
}

/* Its unload fails, before or after it is in the file again: it is brought, and stays. */
static void removed_and_put_back(void **state)
{
	struct reconcile k;

	for (int running = 0; running < 2; running++) {
		(void)state;
		begin_running(&k);
		configure(&k, WITHOUT);
		if (running) {
			assert_true(reconcile_next(&k, 2 * S));
			assert_int_equal(started.job, JOB_UNLOAD);
			configure(&k, WITH);
			reconcile_ended(&k, FAILED, 3 * S);
		} else {
			does(&k, JOB_UNLOAD, FAILED, 2 * S);
			configure(&k, WITH);
		}
		does(&k, JOB_ENSURE, 0, 4 * S);
		is_idle(&k, 100 * S);
		assert_int_equal(reconcile_retry_at(&k), 0);
		reconcile_free(&k);
	}
}

static void removed_and_its_unload_fails(void **state)
{
	struct reconcile k;

	(void)state;
	begin_running(&k);
	configure(&k, WITHOUT);
	does(&k, JOB_UNLOAD, FAILED, 2 * S);
	is_idle(&k, 3 * S);
	does(&k, JOB_UNLOAD, 0, 7 * S);
	is_idle(&k, 100 * S);
	assert_int_equal(k.cnt, 0);
	reconcile_free(&k);
}

/* Jobs of the filter that failed, or that wait for its interface, are dropped. */
static void removed_before_it_was_there(void **state)
{
	struct reconcile k;

	(void)state;
	for (int there = 0; there < 2; there++) {
		begin(&k);
		configure(&k, there ? WITH : WAITING);
		if (there)
			does(&k, JOB_ENSURE, FAILED, S);
		does(&k, JOB_REFRESH, 0, S);
		is_idle(&k, S);
		configure(&k, WITHOUT);
		does(&k, JOB_UNLOAD, FAILED, 2 * S); /* at once */
		does(&k, JOB_UNLOAD, 0, 60 * S);
		is_idle(&k, 100 * S);
		assert_int_equal(k.cnt, 0);
		reconcile_free(&k);
	}
}

static void text_says_what_runs(void **state)
{
	const struct links none = { .cnt = 0 };
	char text[200];
	struct reconcile k;

	(void)state;
	begin(&k);
	configure(&k, "[filter feed]\ninterfaces = lo nowhere0\nport = 1\n");
	reconcile_text(&k, &none, text, sizeof(text));
	assert_string_equal(text, "feed: does not run on lo waits for nowhere0");
	reconcile_free(&k);
}

int main(void)
{
	static const struct CMUnitTest TESTS[] = {
		cmocka_unit_test(failed_fork_keeps_the_job),
		cmocka_unit_test(failed_fork_keeps_what_ends),
		cmocka_unit_test(failed_fork_keeps_a_refresh),
		cmocka_unit_test(end_waits_for_no_retry),
		cmocka_unit_test(what_is_not_saved_stays),
		cmocka_unit_test(failed_try_keeps_what_has_come),
		cmocka_unit_test(attached_anew_without_the_files_interfaces),
		cmocka_unit_test(saves_do_not_starve_others),
		cmocka_unit_test(saves_go_on_beside_a_retry),
		cmocka_unit_test(nothing_is_saved_after_the_end),
		cmocka_unit_test(failed_refresh_is_tried_again),
		cmocka_unit_test(interfaces_that_cannot_be_read_are_read_later),
		cmocka_unit_test(attached_anew_once_a_minute),
		cmocka_unit_test(removed_and_put_back),
		cmocka_unit_test(removed_and_its_unload_fails),
		cmocka_unit_test(removed_before_it_was_there),
		cmocka_unit_test(text_says_what_runs),
	};

	unsetenv("STATE_DIRECTORY");
	return run_any_tests("reconcile", TESTS, ARRAY_SIZE(TESTS));
}
