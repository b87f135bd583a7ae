// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Opening a filter with libxdp-dedup: what is refused, whom to, and that an open one needs
 * neither rights nor the kernel.
 */
#include "lib_runner.h"
#include "pins.h"

#include <linux/capability.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "xdp-dedup-streams.h"

#define NO_ROOT 65534
#define POOL 100

static struct id pool[POOL];

TEST(open_refuses)
{
	static const char *const NAMES[] = { "none", "",
					     ".",    "..",
					     "a/b",  "../xdp-dedup/lib",
					     "a.b",  "0123456789012345678901234567890123" };
	struct xdp_dedup_filter *f = (void *)1;

	lib_load("");
	for (size_t i = 0; i < ARRAY_SIZE(NAMES); i++)
		assert_int_equal(xdp_dedup_open(NAMES[i], &f), -ENOENT);
	sh("mkdir %s/empty", PIN_ROOT);
	assert_int_equal(xdp_dedup_open("empty", &f), -EPROTO);
	sh("rmdir %s/empty", PIN_ROOT);
	assert_ptr_equal(f, (void *)1);
	xdp_dedup_close(NULL);
}

TEST(open_refuses_what_is_not_whole)
{
	struct xdp_dedup_filter *f = (void *)1;

	for (int pin = PIN_FILTER; pin <= PIN_WANTED; pin++) {
		lib_load("--layout flat");
		sh("rm %s/" LIB_NAME "/%s", PIN_ROOT, PINS[pin]);
		assert_int_equal(xdp_dedup_open(LIB_NAME, &f), -EPROTO);
		sh("bpftool map create %s/" LIB_NAME
		   "/%s type array key 4 value 4 entries 1 name other",
		   PIN_ROOT, PINS[pin]);
		assert_int_equal(xdp_dedup_open(LIB_NAME, &f), -EPROTO);
	}
	assert_ptr_equal(f, (void *)1);
}

/* Runs fn in a child process of its own; what it returns must be 0. */
static pid_t start_child(int (*fn)(void))
{
	pid_t pid = fork();

	assert_return_code(pid, errno);
	if (!pid)
		syscall(SYS_exit, fn());
	return pid;
}

static void assert_ends_well(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status)
		fail_msg("child: status %x", status);
}

static void assert_child(int (*fn)(void))
{
	assert_ends_well(start_child(fn));
}

/* Becomes nobody, without capabilities. */
static int drop_root(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };

	if (syscall(SYS_setresgid, NO_ROOT, NO_ROOT, NO_ROOT) ||
	    syscall(SYS_setresuid, NO_ROOT, NO_ROOT, NO_ROOT) || syscall(SYS_capset, &header, data))
		return -errno;
	return 0;
}

/* Return 0 if opening fails as it should. */

static int nobody_may_not(void)
{
	struct xdp_dedup_filter *f;
	int err = drop_root() ?: xdp_dedup_open(LIB_NAME, &f);

	return err != -EACCES && err != -EPERM;
}

static int owner_may(void)
{
	struct xdp_dedup_filter *f;

	return drop_root() ?: xdp_dedup_open(LIB_NAME, &f);
}

TEST(open_wants_rights)
{
	lib_load("");
	assert_child(nobody_may_not);
	sh("chmod 755 /sys/fs/bpf %s %s/" LIB_NAME, PIN_ROOT, PIN_ROOT);
	assert_child(nobody_may_not); /* the way to the pins is open, but not they */
	sh("chmod 700 %s/" LIB_NAME "; chown -R %d %s/" LIB_NAME, PIN_ROOT, NO_ROOT, PIN_ROOT);
	assert_child(owner_may);
	sh("chmod 700 %s; rm -r %s/" LIB_NAME "\n" /* which ends the link a little later */
	   "while ip link show ve0 | grep -q prog/xdp; do sleep 0.01; done",
	   PIN_ROOT, PIN_ROOT);
}

/* Rights are for opening only. */
static int use_as_nobody(void)
{
	struct id id = id_fresh();
	struct xdp_dedup_stats s;

	if (drop_root())
		return 1;
	if (lib_seen(&id) || lib_seen(&id) != 1 || lib_asked(&id) != 1)
		return 2;
	if (lib_wanted(&id) != 1)
		return 3;
	if (xdp_dedup_stats(lib.f, &s, sizeof(s))) /* a sample, which may miss the bits of one id */
		return 4;
	return xdp_dedup_stats_exact(lib.f, &s, sizeof(s)) || s.set_bits == 0 ? 5 : 0;
}

TEST(kind_needs_no_rights_when_open)
{
	assert_child(use_as_nobody);
}

/* No system call an id: a child that may make none but read, write and exit. */
static int strict_calls(void)
{
	struct xdp_dedup_id ids[100];
	int results[100], wrong = 0;

	for (int i = 0; i < 100; i++)
		ids[i] = (struct xdp_dedup_id){ pool[i].bytes, 32 };
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT))
		return 1;
	for (int i = 0; i < 100; i++) {
		wrong += xdp_dedup_check_and_add_many(lib.f, ids, 100, results) != (i ? 100 : 0);
		for (int j = 0; j < 25; j++) {
			wrong += lib_asked(&pool[j]) != 1 || lib_seen(&pool[j]) != 1;
			wrong += lib_added(&pool[j]) != 1;
		}
	}
	for (int i = 0; i < 100; i++) /* at last: it may take others out too */
		xdp_dedup_remove(lib.f, pool[i].bytes, 32);
	return wrong ? 2 : 0;
}

TEST(kind_calls_nothing)
{
	for (int i = 0; i < POOL; i++)
		pool[i] = id_fresh();
	assert_child(strict_calls);
}

/* Stops until the parent has changed the filter. */
static void await_change(void)
{
	kill(getpid(), SIGSTOP);
}

/* Asks for the id of a datagram with this event. */
static int id_of_event(const struct id *id)
{
	const struct sockaddr_in from = { .sin_family = AF_INET, .sin_addr = { htonl(0x0a000001) } };
	uint8_t payload[8 + sizeof(id->bytes)] = "GSP1\1\1";
	const struct xdp_dedup_datagram d = { .payload = payload,
					      .payload_len = sizeof(payload),
					      .from = (const struct sockaddr *)&from };
	struct xdp_dedup_identity out;

	memcpy(payload + 8, id->bytes, sizeof(id->bytes));
	return xdp_dedup_id_of(lib.f, &d, &out, sizeof(out));
}

/* A filter that was opened with rights goes on after `set`, and returns -ESTALE after `resize`. */
static int follow_as_nobody(void)
{
	struct id fresh = id_fresh();
	struct xdp_dedup_stream stream;
	struct xdp_dedup_counters c;
	int err[2];

	if (drop_root())
		return 1;
	await_change(); /* set */
	if (lib_asked(&pool[0]) != 1 || lib_seen(&fresh) || lib_asked(&fresh) != 1)
		return 2;
	err[0] = xdp_dedup_counters(lib.f, &c, sizeof(c));
	err[1] = xdp_dedup_streams(lib.f, &stream, sizeof(stream), 1);
	for (int i = 0; i < 2; i++)
		if (err[i] != -EACCES && err[i] != -EPERM)
			return 3;
	if (id_of_event(&fresh) != 1)
		return 4;
	await_change(); /* resize */
	if (lib_asked(&pool[0]) != -ESTALE || lib_seen(&fresh) != -ESTALE ||
	    lib_wanted(&fresh) != -ESTALE || id_of_event(&fresh) == 1 ||
	    xdp_dedup_streams(lib.f, &stream, sizeof(stream), 1) != -ESTALE)
		return 5;
	return xdp_dedup_counters(lib.f, &c, sizeof(c)) == -ESTALE ? 0 : 6;
}

TEST(changes_want_rights)
{
	static const char *const CHANGES[] = { "set " LIB_NAME " --action count",
					       "resize " LIB_NAME " --capacity 30k" };
	int status;
	pid_t pid;

	lib_load("");
	pool[0] = id_fresh();
	assert_int_equal(lib_added(&pool[0]), 0);
	pid = start_child(follow_as_nobody);
	for (size_t i = 0; i < ARRAY_SIZE(CHANGES); i++) {
		assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
		assert_true(WIFSTOPPED(status));
		e2e_tool("%s", CHANGES[i]);
		kill(pid, SIGCONT);
	}
	assert_ends_well(pid);
}

LIB_MAIN()
