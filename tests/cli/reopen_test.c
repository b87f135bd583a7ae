// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A reader of pins that is held up anywhere while the filter is unloaded and another one takes
 * its name: it has the one or the other, never the one's key with the other's memory.
 */
#include "support.h"

#include <errno.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pins.h"

#define FILTER_NAME "reopened"
#define OLD_PORT 1001
#define NEW_PORT 1002

/* In the child's exit status. */
enum { OPENED_OLD = 10, OPENED_NEW, OPENED_BOTH, NOT_OPENED };

/* A filter whose config, state and memory all say which port it is for. */
static void load(int port)
{
	struct filter f;

	sh("%s load v0 --name " FILTER_NAME " --port %d --capacity 1000", tool(), port);
	assert_int_equal(filter_open(FILTER_NAME, &f), 0);
	f.state->ifaces[DEDUP_IFACES_MAX - 1].pad = port;
	*(volatile uint64_t *)&f.blocks[f.config->blocks - 1] = port;
	filter_close(&f);
}

static int open_and_compare(void)
{
	struct filter f;
	uint64_t state, memory, config;

	if (filter_open(FILTER_NAME, &f))
		return NOT_OPENED;
	config = f.config->ports[0].lo;
	state = f.state->ifaces[DEDUP_IFACES_MAX - 1].pad;
	memory = *(volatile uint64_t *)&f.blocks[f.config->blocks - 1];
	if (config != state || config != memory)
		return OPENED_BOTH;
	return config == NEW_PORT ? OPENED_NEW : OPENED_OLD;
}

/* Opens the filter in a child, which is held up as it begins to open its n-th pin, from 1 on,
 * for as long as it takes to replace the filter. False if it opens fewer.
 */
static bool replace_at(int n, int *result)
{
	bool replaced = false;
	pid_t pid = fork();
	int status;

	assert_return_code(pid, errno);
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(open_and_compare());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	for (;;) {
		struct __ptrace_syscall_info info;

		ptrace(PTRACE_SYSCALL, pid, 0, 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFSTOPPED(status))
			break;
		if (replaced || ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0 ||
		    info.op != PTRACE_SYSCALL_INFO_ENTRY || info.entry.nr != __NR_bpf ||
		    info.entry.args[0] != BPF_OBJ_GET || --n)
			continue;
		sh("%s unload v0", tool());
		load(NEW_PORT);
		replaced = true;
	}
	assert_true(WIFEXITED(status));
	*result = WEXITSTATUS(status);
	return replaced;
}

static void replaced_while_it_is_opened(void **state)
{
	int result, n = 1;

	(void)state;
	sh("ip link add v0 type veth peer name p0");
	for (;; n++) {
		load(OLD_PORT);
		if (!replace_at(n, &result))
			break;
		if (result != OPENED_NEW && result != OPENED_OLD)
			fail_msg("at pin %d: %s", n, result == OPENED_BOTH ? "both" : "neither");
		sh("%s unload v0", tool());
	}
	assert_int_equal(result, OPENED_OLD);
	assert_true(n > 3);
	sh("%s unload v0; ip link del v0", tool());
}

int main(void)
{
	struct CMUnitTest tests[] = { cmocka_unit_test(replaced_while_it_is_opened) };

	return run_root_tests("reopen", tests, ARRAY_SIZE(tests));
}
