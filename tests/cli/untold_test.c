// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the tool cannot find out it never takes for "no": with any call of bpf() refused, with
 * too few descriptors, a live filter stays whole unless the tool says that it is unloaded.
 */
#include "cli_runner.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <linux/sockios.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* System calls that are told by one argument. */
static const struct refusal {
	const char *name;
	int nr, arg, value;
} REFUSALS[] = {
	{ "index", __NR_ioctl, 1, SIOCGIFINDEX }, /* of an interface, by its name */
	{ "list", __NR_getdents64, 2, 32768 },	  /* a directory, as libc does it */
	{ "sockets", __NR_socket, 2, NETLINK_SOCK_DIAG },
};

/* $WITHOUT CMD ERRNO COMMAND... runs a command to which bpf(CMD) fails so, or a refusal by name. */
static int run_without(char **args)
{
	struct refusal r = { NULL, __NR_bpf, 0, atoi(args[0]) };

	for (size_t i = 0; i < ARRAY_SIZE(REFUSALS); i++)
		if (!strcmp(args[0], REFUSALS[i].name))
			r = REFUSALS[i];
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, r.nr, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args) + r.arg * sizeof(__u64)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, r.value, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | atoi(args[1])),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { ARRAY_SIZE(filter), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		return 126;
	execvp(args[2], args + 2);
	return 127;
}

int main(int argc, char **argv)
{
	if (argc > 4 && !strcmp(argv[1], "--without"))
		return run_without(argv + 2);
	cli_environment();
	cli_helper("WITHOUT", "--without");
	if (tries(1, 3) == 1)
		setenv("ERRORS", "12", 0);
	add_cli_scripts("tests/cli/untold");
	return run_added_tests("untold");
}
