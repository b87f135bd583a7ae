// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* A reader of pins that is held up anywhere while the filter is unloaded and, maybe, another one
 * takes its name: it has the one or the other, never the one's key with the other's memory; and
 * `status` says what there is, and never that pins are gone.
 */
#include "open.h"
#include "support.h"

#include <linux/bpf.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#define FILTER_NAME "reopened"
#define OLD_PORT 1001
#define NEW_PORT 1002

/* In the child's exit status. */
enum { OPENED_OLD = 10, OPENED_NEW, OPENED_BOTH, NOT_OPENED };

/* A filter whose config, state, record and memory all say which port it is for. */
static void load(int port)
{
	struct filter f;

	sh("%s load v0 --name " FILTER_NAME " --port %d --capacity 1000", tool(), port);
	assert_int_equal(filter_open(FILTER_NAME, &f), 0);
	f.state->replay_ns = port;
	f.record->ifaces[DEDUP_IFACES_MAX - 1].mode = port;
	*(volatile uint64_t *)&f.blocks[f.config->memory.blocks - 1] = port;
	filter_close(&f);
}

static int open_and_compare(void)
{
	struct filter f;
	uint64_t state, record, memory, config;

	if (filter_open(FILTER_NAME, &f))
		return NOT_OPENED;
	config = f.config->policy.ports[0].lo;
	state = f.state->replay_ns;
	record = f.record->ifaces[DEDUP_IFACES_MAX - 1].mode;
	memory = *(volatile uint64_t *)&f.blocks[f.config->memory.blocks - 1];
	if (config != state || config != record || config != memory)
		return OPENED_BOTH;
	return config == NEW_PORT ? OPENED_NEW : OPENED_OLD;
}

/* Runs read(arg) in a child, which is held up as it begins to open its n-th pin, from 1 on, for as
 * long as meanwhile(arg) takes. False if it opens fewer. *result: the child's exit status.
 */
static bool hold_at(int n, void (*read)(const void *arg), void (*meanwhile)(const void *arg),
		    const void *arg, int *result)
{
	bool held = false;
	pid_t pid = fork();
	int status;

	assert_return_code(pid, errno);
	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		read(arg);
		_exit(126);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	for (;;) {
		struct __ptrace_syscall_info info;

		ptrace(PTRACE_SYSCALL, pid, 0, 0);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFSTOPPED(status))
			break;
		if (held || ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0 ||
		    info.op != PTRACE_SYSCALL_INFO_ENTRY || info.entry.nr != __NR_bpf ||
		    info.entry.args[0] != BPF_OBJ_GET || --n)
			continue;
		meanwhile(arg);
		held = true;
	}
	assert_true(WIFEXITED(status));
	*result = WEXITSTATUS(status);
	return held;
}

static void open_it(const void *arg)
{
	(void)arg;
	_exit(open_and_compare());
}

static void replace_it(const void *arg)
{
	(void)arg;
	sh("%s unload v0", tool());
	load(NEW_PORT);
}

TEST(replaced_while_it_is_opened)
{
	int result, n = 1;

	for (;; n++) {
		load(OLD_PORT);
		if (!hold_at(n, open_it, replace_it, NULL, &result))
			break;
		if (result != OPENED_NEW && result != OPENED_OLD)
			fail_msg("at pin %d: %s", n, result == OPENED_BOTH ? "both" : "neither");
		sh("%s unload v0", tool());
	}
	assert_int_equal(result, OPENED_OLD);
	assert_true(n > 3);
}

/* What `status` is asked for while filters come and go, and what it says where it finds none. */
static const struct question {
	const char *name;
	const char *asked; /* NULL: all filters */
	bool replaced;	   /* by another one; else there is none then */
	const char *none;
} QUESTIONS[] = {
	{ "status-while-it-is-unloaded", NULL, false, "no filter is loaded" },
	{ "status-while-it-is-replaced", NULL, true, "no filter is loaded" },
	{ "status-by-interface-while-it-is-unloaded", "v0", false, "there is no filter v0" },
	{ "status-by-interface-while-it-is-replaced", "v0", true, NULL },
};

static void ask_status(const void *arg)
{
	const struct question *q = arg;
	char command[256];

	/* LeakSanitizer does not work under ptrace. */
	snprintf(command, sizeof(command),
		 "ASAN_OPTIONS=detect_leaks=0 exec %s status %s >/mnt/status 2>&1", tool(),
		 q->asked ?: "");
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
}

static void unload_it(const void *arg)
{
	const struct question *q = arg;

	sh("%s unload v0", tool());
	if (q->replaced)
		load(NEW_PORT);
}

/* It shows a filter, or says that there is none: a failure only if one was asked for. */
static void status_says_what_there_is(void **state)
{
	const struct question *q = *state;
	char said[4096];
	int result, n = 1;
	bool held, shown;

	do {
		load(OLD_PORT);
		held = hold_at(n, ask_status, unload_it, q, &result);
		sh_out(said, sizeof(said), "cat /mnt/status");
		shown = strstr(said, FILTER_NAME ": GSP/1 on UDP port ");
		if (shown ? result : !q->none || !strstr(said, q->none) || result != !!q->asked)
			fail_msg("held at pin %d it ended with %d: %s", n, result, said);
		if (!held || q->replaced)
			sh("%s unload v0", tool());
		n++;
	} while (held);
	assert_true(shown);
	assert_true(n > 3);
}

static int add_interface(void **state)
{
	(void)state;
	sh("mountpoint -q /mnt || mount -t tmpfs -o mode=0700 reopen /mnt");
	sh("ip link add v0 type veth peer name p0");
	return 0;
}

static int remove_interface(void **state)
{
	(void)state;
	sh("%s unload --all; ip link del v0", tool());
	return 0;
}

int main(void)
{
	add_rows(QUESTIONS, status_says_what_there_is, add_interface, remove_interface);
	add_own_tests(add_interface, remove_interface);
	return run_added_tests("reopen");
}
