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

/* A filter that is whole: `whole`. A command that leaves it so if it fails, which it says in a
 * line; and if it does not, has unloaded it (then it is loaded again): `unloads_or_keeps`.
 */
static const char WORDS[] =
	"whole() { runs v0; got $XD status v0; has \"interfaces  v0 (native)\"\n"
	"	lacks stopped; [ $(ls $PINS/v0 | wc -l) = 13 ]; }\n"
	"output_why() { [ $(wc -l </mnt/e) = 1 ]; grep '^xdp-dedup: ' /mnt/e; }\n"
	"unloads_or_keeps() {\n"
	"	if \"$@\" 2>/mnt/e; then idle v0; clean; " LOAD "; else whole; output_why; fi; }\n"
	"fails_and_keeps() { if \"$@\" 2>/mnt/e; then false; else whole; output_why; fi; }\n";

/* PROG_LOAD, OBJ_PIN, OBJ_GET, OBJ_GET_INFO_BY_FD, LINK_UPDATE; EPERM, ENOMEM, EMFILE, or, where it
 * would take too long, those of the environment's ERRORS.
 */
#define ERRORS "for err in ${ERRORS:-1 12 24}; do\n"
#define EACH "for cmd in 5 6 7 15 29; do " ERRORS
#define DONE "\ndone; done\n"

static const struct cli_script SCRIPTS[] = {
	{ "unload-an-interface",
	  LOAD "\n" EACH "unloads_or_keeps $WITHOUT $cmd $err $XD unload v0" DONE },
	{ "unload-a-name",
	  LOAD "\n" EACH "unloads_or_keeps $WITHOUT $cmd $err $XD unload --name v0" DONE },
	{ "unload-all", LOAD "\n" EACH "unloads_or_keeps $WITHOUT $cmd $err $XD unload --all" DONE },
	{ "load-of-a-taken-name",
	  LOAD "\nfor cmd in 7 15; do " ERRORS "fails_and_keeps $WITHOUT $cmd $err " LOAD "\n"
	       "fails_and_keeps $WITHOUT $cmd $err $XD load p0 --port 80 "
	       "--name v0; idle p0" DONE },
	/* The next command detaches. */
	{ "detach",
	  LOAD "; fails 'cannot detach a program that passes all' $WITHOUT 34 12 $XD unload v0\n"
	       "runs v0; got $XD status; has 'no filter'; $XD refresh; idle v0; clean\n" },
	{ "link", "for err in 12 24; do fails 'cannot attach to v0' $WITHOUT 28 $err " LOAD "\n"
		  "clean; done; " LOAD "; $XD unload v0\n" },
	/* GET_FD_BY_ID of programs, maps, BTF and links, and GET_NEXT_ID of programs and links,
	 * need CAP_SYS_ADMIN: nothing is looked up so, but what is shared.
	 */
	{ "ids-are-not-looked-up",
	  "for cmd in 11 13 14 30 31; do X=\"$WITHOUT $cmd 1 $XD\"; $X load v0 p0 --name v0 --port 80\n"
	  "$X add v0 " ID_A "; $X test p0 " ID_A "; got $X status; lacks unknown; $X save v0 /mnt/s\n"
	  "$X set v0 --ihave pass; $X resize v0 --capacity 20k; $X refresh; $X unload p0\n"
	  "$X load --replace v0; timeout 1 $X sample v0 || [ $? = 124 ]; $X unload v0; $X restore v0 /mnt/s v0\n"
	  "$X unload --all; idle v0; idle p0; clean; done\n" },
	{ "too-few-descriptors",
	  LOAD "\nexport ASAN_OPTIONS=detect_leaks=0\n"
	       "for n in 4 5 6 7 8 9 10 11 12 13 14; do for v in v0 --all; do\n"
	       "unloads_or_keeps sh -c 'ulimit -n $0; exec \"$@\"' $n $XD unload $v" DONE },
	{ "too-few-descriptors-to-look", /* 137: it goes on for ever */
	  LOAD "\nexport ASAN_OPTIONS=detect_leaks=0\n"
	       "for n in 4 5 6 7 8 9 10 11 12 13 14; do for verb in status rotate; do\n"
	       "timeout -s KILL 20 sh -c 'ulimit -n $0; exec \"$@\"' $n $XD $verb v0 \\\n"
	       "	>/dev/null 2>&1 || [ $? != 137 ]" DONE },
	{ "interface-that-cannot-be-looked-up",
	  "for err in 1 12 24; do\n"
	  "fails 'cannot look for the interface v0' $WITHOUT index $err " LOAD "; clean; " LOAD "\n"
	  "fails_and_keeps $WITHOUT index $err $XD unload v0\n"
	  "$XD unload v0; " LOAD " --name x\n"
	  "fails 'cannot look for the interface v0' $WITHOUT index $err $XD rotate v0\n"
	  "$XD unload v0; done\n" },
	/* With readers of zero-copy sockets, detaching does harm; 2: the kernel never tells. */
	{ "sockets-that-cannot-be-listed",
	  "for err in 1 12 24 105; do " LOAD "; got $WITHOUT sockets $err $XD unload v0\n"
	  "has 'note: v0 keeps a program that passes all packets, as applications may have zero-'\n"
	  "runs v0; fails 'applications have zero-copy sockets on v0, of a filter' $WITHOUT sockets $err " LOAD
	  "\n" LOAD "; $XD unload v0; idle v0; done\n" LOAD
	  "; got $WITHOUT sockets 2 $XD unload v0; is ''; idle v0; clean\n" },
	{ "directories-that-cannot-be-listed",
	  LOAD "\nexport ASAN_OPTIONS=detect_leaks=0; for v in v0 '--name v0' --all; do\n"
	       "fails_and_keeps $WITHOUT list 12 $XD unload $v; done\n"
	       "fails_and_keeps $WITHOUT list 12 " LOAD "\n"
	       "fails_and_keeps $WITHOUT list 12 $XD load p0 --port 80 --name v0; idle p0\n" },
	/* v0 is neither free nor is its name, whatever check can find out. */
	{ "check-of-what-cannot-be-looked-at",
	  LOAD "\n" EACH "$WITHOUT $cmd $err $XD check v0 --json >/mnt/j 2>/mnt/e || :\n"
	       "[ ! -s /mnt/e ]; jq -e '[.checks[] | select(.verdict == \"ok\").check] |\n"
	       "	(index(\"programs\") or index(\"name\")) | not' /mnt/j; whole" DONE },
	{ "status-of-what-cannot-be-looked-at", LOAD
	  "; for err in 1 12; do exits 1 $WITHOUT 15 $err $XD status v0; lacks detached\n"
	  "exits 1 $WITHOUT 7 $err $XD status v0; lacks detached; done; got $XD status v0; has '(native)'\n" },
};

int main(int argc, char **argv)
{
	if (argc > 4 && !strcmp(argv[1], "--without"))
		return run_without(argv + 2);
	cli_environment();
	cli_helper("WITHOUT", "--without");
	cli_words = WORDS;
	if (tries(1, 3) == 1)
		setenv("ERRORS", "12", 0);
	add_rows(SCRIPTS, cli_run_script, cli_setup, cli_teardown);
	return run_added_tests("untold");
}
