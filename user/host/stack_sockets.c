// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* UDP sockets, by the kernel's sock_diag, and their programs, by /proc. */
#include <errno.h>
#include <glob.h>
#include <linux/inet_diag.h>
#include <linux/sock_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "integers.h"
#include "netlink.h"
#include "stack.h"

struct dump {
	void (*each)(const struct stack_socket *s, void *arg);
	void *arg;
};

static void read_address(const struct inet_diag_msg *d, struct in6_addr *out)
{
	memset(out, 0, sizeof(*out));
	if (d->idiag_family == AF_INET6) {
		memcpy(out, d->id.idiag_src, sizeof(*out));
	} else if (d->id.idiag_src[0]) {
		out->s6_addr[10] = out->s6_addr[11] = 0xff;
		out->s6_addr32[3] = d->id.idiag_src[0];
	}
}

static int take_socket(const struct nlmsghdr *m, void *arg)
{
	const struct inet_diag_msg *d = mnl_nlmsg_get_payload(m);
	const struct nlattr *a[INET_DIAG_SKMEMINFO + 1] = { NULL };
	const struct dump *to = arg;
	uint32_t memory[SK_MEMINFO_VARS] = { 0 };
	struct stack_socket s;

	netlink_attributes(m, sizeof(*d), a, INET_DIAG_SKMEMINFO);
	if (a[INET_DIAG_SKMEMINFO])
		memcpy(memory, mnl_attr_get_payload(a[INET_DIAG_SKMEMINFO]),
		       lesser(mnl_attr_get_payload_len(a[INET_DIAG_SKMEMINFO]), sizeof(memory)));
	s = (struct stack_socket){ .port = ntohs(d->id.idiag_sport),
				   .ifindex = d->id.idiag_if,
				   .inode = d->idiag_inode,
				   .buffer = memory[SK_MEMINFO_RCVBUF],
				   .dropped = memory[SK_MEMINFO_DROPS] };
	read_address(d, &s.address);
	to->each(&s, to->arg);
	return MNL_CB_OK;
}

int stack_each_socket(void (*each)(const struct stack_socket *s, void *arg), void *arg)
{
	static const uint8_t FAMILIES[] = { AF_INET, AF_INET6 };
	struct dump to = { each, arg };
	int err = 0;

	for (size_t i = 0; i < sizeof(FAMILIES) && !err; i++) {
		union netlink_request q;
		struct inet_diag_req_v2 *request =
			netlink_begin(&q, SOCK_DIAG_BY_FAMILY, NLM_F_DUMP, sizeof(*request));

		*request = (struct inet_diag_req_v2){ .sdiag_family = FAMILIES[i],
						      .sdiag_protocol = IPPROTO_UDP,
						      .idiag_ext = 1 << (INET_DIAG_SKMEMINFO - 1),
						      .idiag_states = UINT32_MAX };
		err = netlink_query(NETLINK_SOCK_DIAG, &q.header, take_socket, &to);
	}
	return err;
}

const char *stack_program_of(uint32_t inode, char buf[STACK_PROGRAM_MAX])
{
	char socket[32], target[64], path[64], name[17];
	glob_t fds = { 0 };

	snprintf(buf, STACK_PROGRAM_MAX, "a program");
	snprintf(socket, sizeof(socket), "socket:[%u]", inode);
	glob("/proc/[0-9]*/fd/*", GLOB_NOSORT, NULL, &fds);
	for (size_t i = 0; i < fds.gl_pathc; i++) {
		ssize_t len = readlink(fds.gl_pathv[i], target, sizeof(target) - 1);
		int pid = atoi(fds.gl_pathv[i] + strlen("/proc/"));
		FILE *f;

		target[len < 0 ? 0 : len] = '\0';
		if (strcmp(target, socket) != 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		f = fopen(path, "re");
		if (f && fscanf(f, "%16[^\n]", name) == 1)
			snprintf(buf, STACK_PROGRAM_MAX, "%s (%d)", name, pid);
		if (f)
			fclose(f);
		break;
	}
	globfree(&fds);
	return buf;
}
