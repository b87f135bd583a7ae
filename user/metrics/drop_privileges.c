// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "drop_privileges.h"

#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include "diag.h"

#define NOBODY 65534
#define MEMORY_BYTES (256 << 20)

/* Forbids, as far as this kernel's Landlock can, to open, make or run any path, to bind or connect
 * a TCP address, to signal other processes, and to reach them by abstract Unix sockets. Linux 5.13
 * is the first with Landlock, if it is turned on. struct landlock_ruleset_attr is not used: in
 * headers it has as many fields as their kernel had.
 */
static void lock_by_landlock(void)
{
	static const struct {
		int version; /* from this one on */
		uint64_t files, net, scopes;
	} KNOWN[] = {
		{ 6, 0xffff, 3, 3 }, { 5, 0xffff, 3, 0 }, { 4, 0x7fff, 3, 0 },
		{ 3, 0x7fff, 0, 0 }, { 2, 0x3fff, 0, 0 }, { 1, 0x1fff, 0, 0 },
	};
	int version = (int)syscall(SYS_landlock_create_ruleset, NULL, 0, 1), rules;
	size_t i = 0;

	if (version < 1)
		return;
	while (KNOWN[i].version > version)
		i++;
	rules = (int)syscall(SYS_landlock_create_ruleset, &KNOWN[i].files,
			     sizeof(KNOWN[i]) - offsetof(typeof(KNOWN[i]), files), 0);
	if (rules < 0)
		return;
	syscall(SYS_landlock_restrict_self, rules, 0);
	close(rules);
}

/* Lowers a limit to this, if it is not below already. */
static void limit(int resource, rlim_t most)
{
	struct rlimit now;

	if (getrlimit(resource, &now))
		return;
	if (now.rlim_max > most)
		now.rlim_max = most;
	now.rlim_cur = now.rlim_max;
	setrlimit(resource, &now);
}

static void lower_limits(unsigned int files)
{
	signal(SIGXFSZ, SIG_IGN); /* a message that stderr, a file, does not take is lost */
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NPROC, 0);
	limit(RLIMIT_FSIZE, 0);
	limit(RLIMIT_MEMLOCK, 0);
	limit(RLIMIT_MSGQUEUE, 0);
	limit(RLIMIT_NOFILE, files);
#ifndef __SANITIZE_ADDRESS__ /* which takes terabytes of addresses */
	limit(RLIMIT_AS, MEMORY_BYTES);
#endif
}

static void drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	syscall(SYS_capset, &header, none); /* the ambient ones go with them */
}

static bool has_capability(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct has[_LINUX_CAPABILITY_U32S_3];
	unsigned int any = 0;

	if (syscall(SYS_capget, &header, has))
		return true;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		any |= has[i].effective | has[i].permitted | has[i].inheritable;
	return any;
}

static bool is_root(void)
{
	uid_t real, effective, saved;
	gid_t group, effective_group, saved_group;

	return getresuid(&real, &effective, &saved) || !real || !effective || !saved ||
	       getresgid(&group, &effective_group, &saved_group) || !group || !effective_group ||
	       !saved_group;
}

int drop_privileges(unsigned int keep, unsigned int files)
{
	syscall(SYS_close_range, keep, ~0U, 0);
	/* While it still has the rights that this needs. */
	unshare(CLONE_NEWNET);
	unshare(CLONE_NEWIPC);
	for (unsigned long cap = 0; !prctl(PR_CAPBSET_DROP, cap, 0, 0, 0); cap++)
		;
	setgroups(0, NULL);
	if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY))
		errno = 0; /* looked at below */
	drop_capabilities();
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return diag_err(-EPERM, "cannot give up new privileges: %s", strerror(errno));
	lock_by_landlock();
	if (is_root() || getgroups(0, NULL) > 0)
		return diag_err(
			-EPERM,
			"is still root, or in groups, and does not go on: to become nobody needs CAP_SETUID and CAP_SETGID");
	if (has_capability())
		return diag_err(-EPERM, "still has capabilities, and does not go on");
	lower_limits(files);
	return 0;
}
