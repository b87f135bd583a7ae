// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "calls.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <seccomp.h>

#include "diag.h"

#define CNT(a) (sizeof(a) / sizeof((a)[0]))

/* Those that libmicrohttpd makes of connections that there are, in any of its versions, and what
 * the C library needs to go on and to end.
 */
static const int CALLS[] = {
	SCMP_SYS(accept4),	SCMP_SYS(recvfrom),	 SCMP_SYS(recvmsg),
	SCMP_SYS(read),		SCMP_SYS(write),	 SCMP_SYS(writev),
	SCMP_SYS(pread64),	SCMP_SYS(sendfile),	 SCMP_SYS(sendfile64),
	SCMP_SYS(shutdown),	SCMP_SYS(close),	 SCMP_SYS(epoll_ctl),
	SCMP_SYS(epoll_wait),	SCMP_SYS(epoll_pwait),	 SCMP_SYS(poll),
	SCMP_SYS(ppoll),	SCMP_SYS(ppoll_time64),	 SCMP_SYS(fstat),
	SCMP_SYS(fstat64),	SCMP_SYS(newfstatat),	 SCMP_SYS(statx),
	SCMP_SYS(lseek),	SCMP_SYS(brk),		 SCMP_SYS(munmap),
	SCMP_SYS(mremap),	SCMP_SYS(madvise),	 SCMP_SYS(futex),
	SCMP_SYS(getrandom),	SCMP_SYS(clock_gettime), SCMP_SYS(clock_gettime64),
	SCMP_SYS(gettimeofday), SCMP_SYS(time),		 SCMP_SYS(rt_sigreturn),
	SCMP_SYS(exit),		SCMP_SYS(exit_group),	 SCMP_SYS(restart_syscall),
};

/* Those that, by an argument, also do something else. */
static const struct {
	struct scmp_arg_cmp arguments[2];
	unsigned int cnt;
	int call;
} ARGUMENTS[] = {
	/* With an address and MSG_FASTOPEN they connect, which Landlock does not mind. */
	{ { SCMP_A4(SCMP_CMP_EQ, 0) }, 1, SCMP_SYS(sendto) },
	{ { SCMP_A2(SCMP_CMP_MASKED_EQ, MSG_FASTOPEN, 0) }, 1, SCMP_SYS(sendmsg) },
	{ { SCMP_A1(SCMP_CMP_EQ, IPPROTO_TCP), SCMP_A2(SCMP_CMP_EQ, TCP_NODELAY) },
	  2,
	  SCMP_SYS(setsockopt) },
	{ { SCMP_A1(SCMP_CMP_EQ, IPPROTO_TCP), SCMP_A2(SCMP_CMP_EQ, TCP_CORK) },
	  2,
	  SCMP_SYS(setsockopt) },
	{ { SCMP_A1(SCMP_CMP_EQ, F_DUPFD_CLOEXEC) }, 1, SCMP_SYS(fcntl) },
	{ { SCMP_A1(SCMP_CMP_EQ, F_DUPFD_CLOEXEC) }, 1, SCMP_SYS(fcntl64) },
	{ { SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0) }, 1, SCMP_SYS(mmap) },
	{ { SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0) }, 1, SCMP_SYS(mmap2) },
	{ { SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0) }, 1, SCMP_SYS(mprotect) },
};

int calls_limit(void)
{
	scmp_filter_ctx list = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int err = list ? 0 : -ENOMEM;

	for (size_t i = 0; i < CNT(CALLS) && !err; i++)
		err = seccomp_rule_add(list, SCMP_ACT_ALLOW, CALLS[i], 0);
	for (size_t i = 0; i < CNT(ARGUMENTS) && !err; i++)
		err = seccomp_rule_add_array(list, SCMP_ACT_ALLOW, ARGUMENTS[i].call,
					     ARGUMENTS[i].cnt, ARGUMENTS[i].arguments);
	if (!err)
		err = seccomp_load(list);
	seccomp_release(list);
	return err ? diag_err(err, "cannot limit its system calls: %s", strerror(-err)) : 0;
}
