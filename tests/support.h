/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the tests share: running by name, a sandbox to be root in, the tool. */
#ifndef XDP_DEDUP_TESTS_SUPPORT_H
#define XDP_DEDUP_TESTS_SUPPORT_H

/* cmocka wants these four first, in this order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <json-c/json.h>
#include <sys/types.h>

/* For what comes for sure: on a busy machine a grace period for sleepable programs took 8 s. */
#define PATIENCE_MS 30000

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Runs a table of tests, or those whose name matches the environment's T ('*' and
 * '?' as in file names). For main's return.
 */
int run_any_tests(const char *group, const struct CMUnitTest *tests, size_t cnt);

/* The same for tests that need root: without it each counts as skipped. With it they
 * run in a sandbox: network and mount namespaces of their own, with an empty bpffs, so
 * that whatever a test leaves, or a killed one, is gone with the process.
 */
int run_root_tests(const char *group, struct CMUnitTest *tests, size_t cnt);

/* Tests for run_added_tests(), in this order: one; those of a table; one for each row of a
 * table, which has the row's name and the row as its state.
 */
void add_test(const char *name, CMUnitTestFunction f, CMFixtureFunction setup,
	      CMFixtureFunction teardown, const void *row);
void add_tests(const struct CMUnitTest *tests, size_t cnt);
#define add_rows(rows, f, setup, teardown)                     \
	for (size_t row_ = 0; row_ < ARRAY_SIZE(rows); row_++) \
	add_test((rows)[row_].name, f, setup, teardown, &(rows)[row_])

/* As run_root_tests(), and as run_any_tests(). */
int run_added_tests(const char *group);
int run_added_any_tests(const char *group);

/* Another network namespace, held by a process that ends with this one. */
pid_t netns_start(void);
void netns_stop(pid_t holder);

/* Moves this process into that namespace; 0 stands for the sandbox's own. */
void netns_enter(pid_t holder);

/* A shell command that must succeed, e.g. "ip link add ...". */
__attribute__((format(printf, 1, 2))) void sh(const char *format, ...);

/* A shell command; returns its exit status (128 + signal if killed) and what it wrote
 * to stdout and stderr, merged, cut at the buffer's end.
 */
__attribute__((format(printf, 3, 4))) int sh_out(char *out, size_t size, const char *format, ...);

/* The tool under test, as built with sanitizers: for shell commands. */
const char *tool(void);

/* `xdp-dedup status NAME --json`, parsed; the caller puts it. Fails the test otherwise. */
json_object *tool_status(const char *name);
uint64_t tool_counter(const char *name, const char *counter);

/* Repeatable pseudo-random numbers (SplitMix64). */
uint64_t random_next(uint64_t *state);

#endif
