// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* exec: lends all queues of a filter (user/filter/loan.h), gives up all rights, and becomes the
 * application that borrows them.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "attachments.h"
#include "device.h"
#include "here.h"
#include "loan.h"
#include "say.h"
#include "verbs.h"

static int explain(const struct filter *f, const char *ifname, int err)
{
	if (err == -EOPNOTSUPP && !f->config->deliver)
		return say_err(err, "%s does not deliver: xdp-dedup set %s --deliver xsk", f->name,
			       f->name);
	if (err == -EOPNOTSUPP)
		return say_err(err,
			       "this kernel cannot lend AF_XDP sockets: Linux 6.4 or newer can");
	if (err == -ENOTUNIQ)
		return say_err(err,
			       "%s also runs on an interface of the same index as %s in another "
			       "network namespace, from which its packets could not be told",
			       f->name, ifname);
	return say_err(err, "cannot lend a queue of %s: %s", ifname, strerror(-err));
}

static int lend_queue(struct filter *f, const char *ifname, uint32_t queue, int to)
{
	const struct loan_options options = {
		.ifname = ifname,
		.queue = queue,
		.frames = LOAN_FRAMES_DEFAULT,
		.parts = LOAN_PARTS_MAX,
		.to_another = true,
	};
	struct loan l;
	int err = loan_make(f, &options, &l);

	if (err)
		return explain(f, ifname, err);
	err = loan_send(&l, to);
	loan_close(&l);
	return err ? explain(f, ifname, err) : 0;
}

/* Lends the queues of all of its interfaces that are here. */
static int lend(struct filter *f, int to)
{
	uint32_t queues, max, lent = 0;
	char ifname[IF_NAMESIZE];
	int err = 0;

	for (int i = 0; i < DEDUP_IFACES_MAX && !err; i++) {
		const struct dedup_iface *iface = &f->state->ifaces[i];

		if (!here_has(iface) || !if_indextoname(iface->ifindex, ifname))
			continue;
		if (device_queues(ifname, &queues, &max))
			queues = 1; /* the driver does not say: it has at least that one */
		for (uint32_t q = 0; q < queues && !err; q++, lent++)
			err = lend_queue(f, ifname, q, to);
	}
	if (!err && !lent)
		return say_err(-ENODEV, "%s runs on no interface of this network namespace", f->name);
	return err;
}

static int become(const char *user)
{
	struct passwd *who;

	if (!user)
		return 0;
	who = getpwnam(user);
	if (!who)
		return say_err(-ENOENT, "--user %s: there is no such user", user);
	if (initgroups(user, who->pw_gid) || setgid(who->pw_gid) || setuid(who->pw_uid))
		return say_err(-errno, "cannot become %s: %s", user, strerror(errno));
	return 0;
}

static int run(char **command, int from)
{
	char fd[16];

	snprintf(fd, sizeof(fd), "%d", from);
	if (fcntl(from, F_SETFD, 0) || setenv(LOAN_ENVIRONMENT, fd, 1))
		return say_err(-errno, "cannot hand the queues over: %s", strerror(errno));
	execvp(command[0], command);
	return say_err(-errno, "cannot run %s: %s", command[0], strerror(errno));
}

int verb_exec(const struct options *o)
{
	struct filter f;
	int pair[2];

	if (attachments_open(o->args[0], &f))
		return EXIT_FAILED;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair))
		return say_err(EXIT_FAILED, "cannot make a socket: %s", strerror(errno));
	if (lend(&f, pair[0]))
		return EXIT_FAILED;
	filter_close(&f);
	close(pair[0]);
	if (become(o->user))
		return EXIT_FAILED;
	o->args[o->args_cnt] = NULL; /* there is room, as argv ends with a NULL */
	run(o->args + 1, pair[1]);
	return EXIT_FAILED;
}
