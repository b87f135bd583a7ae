// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEST_SECONDS 900 /* a whole program; one that hangs is ended */
#define ADDED_MAX 300

static int own_netns = -1;
static struct CMUnitTest added[ADDED_MAX];
static size_t added_cnt;

int run_any_tests(const char *group, const struct CMUnitTest *tests, size_t cnt)
{
	const char *filter = getenv("T");

	if (filter && *filter)
		cmocka_set_test_filter(filter);
	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(TEST_SECONDS);
	return _cmocka_run_group_tests(group, tests, cnt, NULL, NULL);
}

static void skip_test(void **state)
{
	(void)state;
	skip();
}

/* Another process with the sandbox's bpffs: the tool pins nothing where it alone has it. */
static void hold_mounts(void)
{
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static void enter_sandbox(void)
{
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("sysfs", "/sys", "sysfs", 0, NULL) ||
	    mount("bpf", "/sys/fs/bpf", "bpf", 0, "mode=0700")) {
		perror("sandbox");
		exit(1);
	}
	hold_mounts();
	own_netns = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
}

int run_root_tests(const char *group, struct CMUnitTest *tests, size_t cnt)
{
	if (geteuid() == 0)
		enter_sandbox();
	else
		for (size_t i = 0; i < cnt; i++)
			tests[i] = (struct CMUnitTest){ tests[i].name, skip_test, NULL, NULL, NULL };
	return run_any_tests(group, tests, cnt);
}

void add_tests(const struct CMUnitTest *tests, size_t cnt)
{
	if (cnt > ADDED_MAX - added_cnt)
		abort();
	memcpy(added + added_cnt, tests, cnt * sizeof(*tests));
	added_cnt += cnt;
}

void add_test(const char *name, CMUnitTestFunction f, CMFixtureFunction setup,
	      CMFixtureFunction teardown, const void *row)
{
	add_tests(&(struct CMUnitTest){ name, f, setup, teardown, (void *)row }, 1);
}

int run_added_tests(const char *group)
{
	return run_root_tests(group, added, added_cnt);
}

int run_added_any_tests(const char *group)
{
	return run_any_tests(group, added, added_cnt);
}

pid_t netns_start(void)
{
	int ready[2];
	pid_t pid;
	char c;

	assert_return_code(pipe2(ready, O_CLOEXEC), errno);
	pid = fork();
	assert_return_code(pid, errno);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (unshare(CLONE_NEWNET) || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &c, 1), 1);
	close(ready[0]);
	return pid;
}

void netns_stop(pid_t holder)
{
	kill(holder, SIGKILL);
	waitpid(holder, NULL, 0);
}

void netns_enter(pid_t holder)
{
	char path[64];
	int fd = own_netns;

	if (holder) {
		snprintf(path, sizeof(path), "/proc/%d/ns/net", holder);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		assert_return_code(fd, errno);
	}
	assert_return_code(setns(fd, CLONE_NEWNET), errno);
	if (holder)
		close(fd);
}

/* Runs a shell command, with stderr into stdout and no input. */
static int run_shell(char *out, size_t size, const char *command)
{
	size_t len = 0, n;
	char *wrapped;
	char rest[256];
	FILE *pipe;
	int status;

	assert_return_code(asprintf(&wrapped, "{ %s\n} 2>&1 </dev/null", command), ENOMEM);
	pipe = popen(wrapped, "re");
	assert_non_null(pipe);
	while (len + 1 < size && (n = fread(out + len, 1, size - 1 - len, pipe)) > 0)
		len += n;
	out[len] = 0;
	while (fread(rest, 1, sizeof(rest), pipe) > 0)
		;
	status = pclose(pipe);
	free(wrapped);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int sh_out(char *out, size_t size, const char *format, ...)
{
	char *command;
	va_list args;
	int status;

	va_start(args, format);
	assert_return_code(vasprintf(&command, format, args), ENOMEM);
	va_end(args);
	status = run_shell(out, size, command);
	free(command);
	return status;
}

void sh(const char *format, ...)
{
	char out[4096], *command;
	va_list args;
	int status;

	va_start(args, format);
	assert_return_code(vasprintf(&command, format, args), ENOMEM);
	va_end(args);
	status = run_shell(out, sizeof(out), command);
	if (status)
		print_error("exit %d of: %s\n%s\n", status, command, out);
	free(command);
	assert_int_equal(status, 0);
}

const char *tool(void)
{
	return getenv("XDP_DEDUP") ?: "build/san/xdp-dedup";
}

json_object *tool_status(const char *name)
{
	char out[16384];
	json_object *o;

	assert_int_equal(sh_out(out, sizeof(out), "%s status %s --json", tool(), name), 0);
	o = json_tokener_parse(out);
	assert_non_null(o);
	return o;
}

uint64_t tool_counter(const char *name, const char *counter)
{
	json_object *status = tool_status(name), *counters, *value;
	uint64_t n;

	assert_true(json_object_object_get_ex(status, "counters", &counters));
	assert_true(json_object_object_get_ex(counters, counter, &value));
	n = json_object_get_uint64(value);
	json_object_put(status);
	return n;
}

uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}
