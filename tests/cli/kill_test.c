// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The tool killed at any moment, under traffic: no event is lost, and what its own
 * messages say puts everything right.
 */
#include "e2e_runner.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hand.h"
#include "loader.h"
#include "pins.h"

#define ARGS_MAX 16
#define STREAM_PPS 2000
#define LOAD "load ve0 ve1 --name both --fpr 1e-9 --port %d-%d"
#define ADVICE "xdp-dedup unload "
#define ADVICES_MAX 3
#define IMAGE "/mnt/image"
#define RESTORE "restore both " IMAGE
#define ADD_ID "add both " ID
#define ID "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"

/* Starts the tool, silent; it stops before its first instruction if it is to be traced. */
static pid_t start(const char *args, bool traced)
{
	char text[256], *argv[ARGS_MAX] = { (char *)tool() };
	int argc = 1;
	pid_t pid;

	snprintf(text, sizeof(text), "%s", args);
	for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
		assert_true(argc < ARGS_MAX - 1);
		argv[argc++] = word;
	}
	/* A traced process cannot look for leaks, which takes tracing too. */
	if (traced)
		setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	pid = fork();
	assert_return_code(pid, errno);
	if (!pid) {
		int null = open("/dev/null", O_RDWR);

		for (int fd = 0; fd <= 2; fd++)
			dup2(null, fd);
		if (traced)
			ptrace(PTRACE_TRACEME, 0, 0, 0);
		execv(argv[0], argv);
		_exit(127);
	}
	unsetenv("ASAN_OPTIONS");
	return pid;
}

/* Does this system call change something that outlives the process? */
static bool changes_bpf(uint64_t cmd)
{
	switch (cmd) {
	case BPF_MAP_UPDATE_ELEM:
	case BPF_MAP_DELETE_ELEM:
	case BPF_MAP_FREEZE:
	case BPF_OBJ_PIN:
	case BPF_PROG_TEST_RUN:
	case BPF_LINK_CREATE:
	case BPF_LINK_UPDATE:
	case BPF_LINK_DETACH:
		return true;
	default:
		return false;
	}
}

static bool changes(pid_t pid, uint64_t nr, const uint64_t *args)
{
	switch (nr) {
	case __NR_bpf:
		return changes_bpf(args[0]);
	case __NR_sendto: /* netlink: its header is length, then type */
		return (ptrace(PTRACE_PEEKDATA, pid, args[1], 0) >> 32 & 0xffff) == RTM_SETLINK;
	case __NR_sendmsg:
	case __NR_flock:
	case __NR_fsync:
	case __NR_pwrite64:
	case __NR_mkdirat:
	case __NR_unlinkat:
	case __NR_renameat2:
	case __NR_linkat:
#ifdef __NR_mkdir /* newer architectures have only the above */
	case __NR_mkdir:
	case __NR_rename:
	case __NR_rmdir:
	case __NR_unlink:
#endif
		return true;
	default:
		return false;
	}
}

/* Runs the tool and kills it as it begins its n-th change (from 1 on), which does not
 * happen any more. False if it ended before.
 */
static bool run_killed_at(const char *args, unsigned int n)
{
	pid_t pid = start(args, true);
	bool killed = false;
	int status, sig = 0;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status)); /* at its exec */
	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
	for (;;) {
		struct __ptrace_syscall_info info;

		ptrace(PTRACE_SYSCALL, pid, 0, sig);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		if (!WIFSTOPPED(status))
			break;
		sig = WSTOPSIG(status) == (SIGTRAP | 0x80) ? 0 : WSTOPSIG(status);
		if (sig || killed || ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof(info), &info) <= 0 ||
		    info.op != PTRACE_SYSCALL_INFO_ENTRY)
			continue;
		if (changes(pid, info.entry.nr, info.entry.args) && !--n) {
			kill(pid, SIGKILL);
			killed = true;
		}
	}
	assert_true(killed ? WIFSIGNALED(status) : WIFEXITED(status));
	return killed;
}

/* Kills the tool somewhere within its first max_us. */
static void run_killed_within(const char *args, uint64_t max_us, uint64_t *state)
{
	pid_t pid = start(args, false);

	usleep(random_next(state) % max_us);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static const char *load_args(void)
{
	static char args[128];

	snprintf(args, sizeof(args), LOAD, e2e_port(), e2e_port() + 2);
	return args;
}

/* Runs the tool; returns its exit status. It must not crash. */
static int run(char *out, size_t size, const char *args)
{
	int status = sh_out(out, size, "%s %s", tool(), args);

	if (status > 1 || strstr(out, "Sanitizer")) {
		print_error("exit %d of: %s\n%s\n", status, args, out);
		fail();
	}
	return status;
}

/* Loads, or restores. Where a program is still attached it does what the tool says, interface by
 * interface; of anything else that a killed one left the verb itself gets rid.
 */
static void start_by_advice(const char *verb)
{
	char out[4096], args[128], ifname[64];

	for (int i = 0; run(out, sizeof(out), verb); i++) {
		/* What a restore has begun is as any filter that has got an image. */
		bool is_begun = strstr(out, "both has a predecessor");
		const char *advice = is_begun ? ADVICE "ve0 ve1" : strstr(out, ADVICE);

		if (!advice || i == ADVICES_MAX ||
		    sscanf(advice + strlen(ADVICE), "%63[a-z0-9 ]", ifname) != 1) {
			print_error("no way out of: %s\n", out);
			fail();
		}
		snprintf(args, sizeof(args), "unload %s", ifname);
		if (run(out, sizeof(out), args)) {
			print_error("bad advice: %s: %s\n", args, out);
			fail();
		}
	}
}

static void start_streams(void)
{
	for (int i = 0; i < E2E_LINKS; i++)
		e2e_stream_start(i, STREAM_PPS);
}

static void stop_streams(void)
{
	for (int i = 0; i < E2E_LINKS; i++)
		assert_true(e2e_stream_stop(i) > 0);
}

/* After whatever was killed: this verb works, and an unload leaves nothing. */
static void check_recovery_by(const char *verb)
{
	char out[16384];

	run(out, sizeof(out), "status");
	start_by_advice(verb);
	for (int i = 0; i < E2E_LINKS; i++)
		e2e_assert_works(i);
	e2e_remember();
	e2e_tool("unload ve0 ve1");
	e2e_assert_nothing_left();
}

static void check_recovery(void)
{
	check_recovery_by(load_args());
}

static void test_load_killed_at_each_change(void **state)
{
	unsigned int n = 1;

	(void)state;
	start_streams();
	while (run_killed_at(load_args(), n)) {
		check_recovery();
		n++;
	}
	check_recovery();
	stop_streams();
	print_message("# load was killed at %u points\n", n - 1);
	assert_true(n > 10);
}

static void unload_killed_at_each_change(const char *args)
{
	bool killed = true;
	unsigned int n;

	start_streams();
	for (n = 1; killed; n++) {
		e2e_tool("%s", load_args());
		e2e_remember();
		killed = run_killed_at(args, n);
		check_recovery();
	}
	stop_streams();
	print_message("# %s was killed at %u points\n", args, n - 2);
	assert_true(n > 8);
}

static void test_unload_killed_at_each_change(void **state)
{
	(void)state;
	unload_killed_at_each_change("unload ve0 ve1");
}

/* An unload that was killed is finished by another, unless nothing was left to do. */
static void test_unload_by_name_finishes(void **state)
{
	char out[4096];
	bool killed = true;

	(void)state;
	start_streams();
	for (unsigned int n = 1; killed; n++) {
		e2e_tool("%s", load_args());
		e2e_remember();
		killed = run_killed_at("unload --name both", n);
		if (run(out, sizeof(out), "unload --name both"))
			assert_non_null(strstr(out, "there is no filter both"));
		e2e_assert_nothing_left();
	}
	stop_streams();
}

static void test_killed_at_random(void **state)
{
	static const char *const VERBS[] = { NULL, "unload --name both" };
	uint64_t seed = gossip_now_ns();

	(void)state;
	print_message("# seed %llu\n", (unsigned long long)seed);
	start_streams();
	for (int i = 0; i < 12; i++) {
		const char *args = VERBS[i % ARRAY_SIZE(VERBS)] ?: load_args();

		run_killed_within(args, i % 2 ? 60000 : 300000, &seed);
		if (i % 2) /* the load, and the unload after it, were both killed */
			check_recovery();
	}
	stop_streams();
}

/* What a killed rotate or reset asked for is done all the same; then the hand rests. */
static void wait_for_hand(void)
{
	struct filter f;

	assert_return_code(loader_open_or_say("both", &f), EPROTO);
	for (int ms = 0;
	     ms < PATIENCE_MS && READ_ONCE(f.state->passed) < READ_ONCE(f.state->requested); ms++)
		usleep(1000);
	assert_true(READ_ONCE(f.state->passed) >= READ_ONCE(f.state->requested));
	filter_close(&f);
}

static void test_other_verbs_killed(void **state)
{
	static const char *const VERBS[] = { "rotate both", "reset both", "status both", ADD_ID };
	uint64_t seed = gossip_now_ns();
	char out[16384];

	(void)state;
	print_message("# seed %llu\n", (unsigned long long)seed);
	e2e_tool("%s", load_args());
	e2e_remember();
	start_streams();
	for (int i = 0; i < 60; i++)
		run_killed_within(VERBS[i % ARRAY_SIZE(VERBS)], 60000, &seed);
	wait_for_hand();
	assert_int_equal(run(out, sizeof(out), "rotate both"), 0);
	assert_int_equal(run(out, sizeof(out), "status both"), 0);
	for (int i = 0; i < E2E_LINKS; i++)
		e2e_assert_works(i);
	e2e_tool("unload --name both");
	stop_streams();
	e2e_assert_nothing_left();
}

static void assert_settled(void)
{
	assert_int_equal(access(PIN_ROOT "/+both", F_OK), -1);
	assert_int_equal(access(PIN_ROOT "/+", F_OK), -1);
}

/* The next command, in another network namespace. It may well fail. */
static void refresh_elsewhere(void)
{
	char command[256];

	snprintf(command, sizeof(command), "%s refresh >/dev/null 2>&1 || true", tool());
	e2e_far_sh(command);
}

/* Changes are killed under traffic at one of so many calls, unless the environment has EACH.
 * Without traffic tests/e2e/every_call_test.c kills them at each.
 */
static unsigned int step(unsigned int most)
{
	return getenv("EACH") ? 1 : most;
}

/* The next commands find all in order, or put it so. */
static void assert_next_is_clean(void)
{
	char out[16384];

	assert_int_equal(run(out, sizeof(out), "status both"), 0);
	e2e_tool("refresh both");
	assert_settled();
	for (int i = 0; i < E2E_LINKS; i++)
		e2e_assert_works(i);
}

/* The old program or the new one is whole and in charge at once, also before any other command; the
 * next command ends what was begun. Every step_cnt-th change is tried, from a random one on.
 */
static void change_killed_at_each_change(const char *args, unsigned int step_cnt)
{
	unsigned int n, first = 1 + gossip_now_ns() % step_cnt;
	bool killed = true;

	e2e_tool("%s", load_args());
	start_streams();
	for (n = first; killed; n += step_cnt) {
		killed = run_killed_at(args, n);
		for (int i = 0; i < E2E_LINKS; i++)
			e2e_assert_works(i);
		/* Where its interfaces are not, nothing can be ended, and must not be taken away. */
		if (n % 5 == 0)
			refresh_elsewhere();
		for (int i = 0; i < E2E_LINKS && n % 5 == 0; i++)
			e2e_assert_works(i);
		assert_next_is_clean();
	}
	stop_streams();
	print_message("# %s was killed at %u points\n", args, (n - first) / step_cnt - 1);
	assert_true(n > 15);
	e2e_remember();
	e2e_tool("unload ve0 ve1");
	e2e_assert_nothing_left();
}

static void test_set_killed_at_each_change(void **state)
{
	(void)state;
	change_killed_at_each_change("set both --ihave pass", step(8));
}

static void test_resize_killed_at_each_change(void **state)
{
	(void)state;
	change_killed_at_each_change("resize both --forget --capacity 2M", step(8));
}

/* An upgrade: by the tool of the next format, which is also the one that goes on. */
static void test_upgrade_killed_at_each_change(void **state)
{
	unsigned int step_cnt = step(6), n, first = 1 + gossip_now_ns() % step_cnt;
	bool killed = true;

	(void)state;
	start_streams();
	for (n = first; killed; n += step_cnt) {
		e2e_tool("%s", load_args());
		use_tool(next_tool());
		killed = run_killed_at("load --replace --name both", n);
		for (int i = 0; i < E2E_LINKS; i++)
			e2e_assert_works(i);
		assert_next_is_clean();
		e2e_remember();
		e2e_tool("unload ve0 ve1");
		e2e_assert_nothing_left();
		use_tool(NULL);
	}
	stop_streams();
	print_message("# killed at %u points\n", (n - first) / step_cnt - 1);
	assert_true(n > 15);
}

static void test_interfaces_killed_at_each_change(void **state)
{
	unsigned int step_cnt = step(8), first = 1 + gossip_now_ns() % step_cnt;
	char out[16384];
	bool killed = true;

	(void)state;
	e2e_tool("load ve0 --name both --fpr 1e-9 --port %d-%d", e2e_port(), e2e_port() + 2);
	start_streams();
	for (unsigned int n = first; killed; n += step_cnt) {
		killed = run_killed_at("set both --add ve1", n);
		e2e_assert_works(0);
		if (run(out, sizeof(out), "set both --remove ve1"))
			assert_non_null(strstr(out, "does not run on ve1"));
		assert_settled();
		e2e_assert_works(0);
		e2e_assert_unfiltered(1);
	}
	stop_streams();
	e2e_tool("unload ve0");
}

/* Leaves an image of a filter on both interfaces, and nothing else. */
static void make_image(void)
{
	sh("mountpoint -q /mnt || mount -t tmpfs tmpfs /mnt; rm -f " IMAGE);
	e2e_tool("%s", load_args());
	e2e_tool("add both " ID);
	e2e_tool("save both " IMAGE);
	e2e_tool("unload ve0 ve1");
}

/* The image is what it was before, or whole; the filter stays as it is. One run may have a change
 * less than another, so it is done when five have ended by themselves.
 */
static void test_save_killed_at_each_change(void **state)
{
	unsigned int n, whole = 0, old = 0, after = 0;
	bool killed, replaced;
	char out[4096];

	(void)state;
	make_image();
	e2e_tool("%s", load_args());
	start_streams();
	for (n = 1; whole < 5; n += killed) {
		sh("echo old >" IMAGE);
		killed = run_killed_at("save both " IMAGE, n);
		e2e_assert_works(n % E2E_LINKS);
		replaced = sh_out(out, sizeof(out), "grep -qx old " IMAGE);
		old += killed && !replaced;
		after += killed && replaced;
		whole += !killed;
		if (replaced) {
			e2e_tool("unload ve0 ve1");
			e2e_tool("restore both " IMAGE);
			e2e_tool("set both --action drop");
			e2e_tool("unload ve0 ve1");
			e2e_tool("%s", load_args());
		}
	}
	stop_streams();
	print_message("# save was killed at %u points, %u of them before the image was there\n",
		      old + after, old);
	assert_true(old > 3);
	assert_true(after > 0);
	/* What it had written had no name, but while it was put in the place of the old one. */
	sh("[ $(ls " IMAGE ".* | wc -l) -le 2 ]");
	e2e_tool("unload ve0 ve1");
}

static void test_restore_killed_at_each_change(void **state)
{
	unsigned int n, step_cnt = step(8), first = 1 + gossip_now_ns() % step_cnt;
	bool killed = true;

	(void)state;
	make_image();
	start_streams();
	for (n = first; killed; n += step_cnt) {
		killed = run_killed_at(RESTORE, n);
		if (killed)
			check_recovery_by(RESTORE);
	}
	e2e_tool("test both " ID);
	for (int i = 0; i < E2E_LINKS; i++)
		e2e_assert_works(i);
	e2e_remember();
	e2e_tool("unload ve0 ve1");
	stop_streams();
	e2e_assert_nothing_left();
	print_message("# restore was killed at %u points\n", (n - first) / step_cnt - 1);
	assert_true(n > 15);
}

static void test_restore_into_killed_at_each_change(void **state)
{
	(void)state;
	make_image();
	change_killed_at_each_change(RESTORE " --forget", step(8));
}

#define KILL(name)                                                \
	{                                                         \
#name, test_##name, e2e_setup, e2e_teardown, NULL \
	}

int main(void)
{
	struct CMUnitTest tests[] = {
		KILL(load_killed_at_each_change),
		KILL(unload_killed_at_each_change),
		KILL(unload_by_name_finishes),
		KILL(killed_at_random),
		KILL(other_verbs_killed),
		KILL(set_killed_at_each_change),
		KILL(resize_killed_at_each_change),
		KILL(upgrade_killed_at_each_change),
		KILL(interfaces_killed_at_each_change),
		KILL(save_killed_at_each_change),
		KILL(restore_killed_at_each_change),
		KILL(restore_into_killed_at_each_change),
	};

	return run_root_tests("kill", tests, ARRAY_SIZE(tests));
}
