// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* exec: grants the queues of a filter (user/deliver/queue_grant.h), gives up all rights with
 * --user, and becomes the application that accepts them.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <net/if.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "attachments.h"
#include "deliver.h"
#include "device.h"
#include "diag.h"
#include "here.h"
#include "queue_grant.h"
#include "open.h"
#include "verbs.h"

static int explain_refusal(const struct filter *f, const char *ifname, int err)
{
	if (err == -EOPNOTSUPP && !f->config->policy.deliver)
		return diag_err(err, "%s does not deliver: xdp-dedup set %s --deliver xsk", f->name,
				f->name);
	if (err == -EOPNOTSUPP)
		return diag_err(err,
				"this kernel cannot grant AF_XDP sockets: Linux 6.4 or newer can");
	if (err == -ENOTUNIQ)
		return diag_err(
			err,
			"%s also runs on an interface in another network namespace that has the index of %s, so packets of both would go to one socket",
			f->name, ifname);
	return diag_err(err, "cannot grant a queue of %s: %s", ifname, strerror(-err));
}

#define QUEUES_TEXT_MAX 400

/* Queues for people: "eth0 0-63,70, eth1 0". */
struct queues_text {
	char text[QUEUES_TEXT_MAX], ifname[IF_NAMESIZE]; /* the last interface in it */
	uint32_t next; /* of that interface: one more than the last queue */
	size_t end;    /* behind the first queue of the last range */
};

static void add_queue(struct queues_text *t, const char *ifname, uint32_t queue)
{
	bool same = !strcmp(t->ifname, ifname), goes_on = same && queue == t->next;
	size_t len = goes_on ? t->end : strlen(t->text), left = sizeof(t->text) - len;

	if (goes_on)
		snprintf(t->text + len, left, "-%u", queue);
	else if (same)
		snprintf(t->text + len, left, ",%u", queue);
	else
		snprintf(t->text + len, left, "%s%s %u", len ? ", " : "", ifname, queue);
	if (!goes_on)
		t->end = strlen(t->text);
	snprintf(t->ifname, sizeof(t->ifname), "%s", ifname);
	t->next = queue + 1;
}

/* What is granted over the socket `to`. */
struct granting {
	const struct options *o;
	struct filter *f;
	int to;
	uint32_t cnt;
	struct queues_text granted, left; /* left: there is no room for them */
};

static int grant_queue(struct granting *g, const char *ifname, uint32_t queue)
{
	const struct queue_grant_options options = {
		.ifname = ifname,
		.queue = queue,
		.frames = QUEUE_GRANT_FRAMES_DEFAULT,
		.parts = QUEUE_GRANT_PARTS_MAX,
		.to_another = true,
	};
	struct queue_grant l;
	int err = queue_grant_make(g->f, &options, &l);

	if (err == -ENOSPC) {
		add_queue(&g->left, ifname, queue);
		return 0;
	}
	if (err)
		return explain_refusal(g->f, ifname, err);
	err = queue_grant_send(&l, g->to);
	queue_grant_close(&l);
	if (err)
		return explain_refusal(g->f, ifname, err);
	add_queue(&g->granted, ifname, queue);
	g->cnt++;
	return 0;
}

/* Is this queue to be granted? */
static bool is_asked_for(const struct options *o, uint32_t queue)
{
	for (uint32_t i = 0; i < o->queues_cnt; i++)
		if (queue >= o->queues[i].lo && queue <= o->queues[i].hi)
			return true;
	return !o->queues_cnt;
}

static int grant_interface(struct granting *g, const char *ifname)
{
	uint32_t queues, max;
	int err = 0;

	if (device_queues(ifname, &queues, &max))
		queues = 1; /* the driver does not say: it has at least that one */
	for (uint32_t q = 0; q < queues && !err; q++)
		if (is_asked_for(g->o, q))
			err = grant_queue(g, ifname, q);
	return err;
}

/* 0 if any queue was granted; says which were not. */
static int report_granted(const struct granting *g)
{
	if (g->cnt && *g->left.text)
		diag_note("%u queues are granted, %s; fresh packets of %s go to the stack" ADVICE
			  "--queues says which are granted",
			  g->cnt, g->granted.text, g->left.text);
	if (g->cnt)
		return 0;
	if (*g->left.text)
		return diag_err(-ENOSPC,
				"all %d AF_XDP sockets that %s can have are of other queues than %s",
				DEDUP_SOCKETS_MAX, g->f->name, g->left.text);
	if (g->o->queues_cnt)
		return diag_err(-ENODEV, "--queues names no queue that %s has here", g->f->name);
	return diag_err(-ENODEV, "%s runs on no interface of this network namespace", g->f->name);
}

/* Grants the queues of all of the filter's interfaces that are here, as far as there is room. */
static int grant(const struct options *o, struct filter *f, int to)
{
	struct granting g = { .o = o, .f = f, .to = to };
	char ifname[IF_NAMESIZE];
	int err = 0;

	for (int i = 0; i < DEDUP_IFACES_MAX && !err; i++) {
		const struct dedup_iface *iface = &f->record->ifaces[i];

		if (here_has(iface) && if_indextoname(iface->ifindex, ifname))
			err = grant_interface(&g, ifname);
	}
	return err ?: report_granted(&g);
}

/* As su does it. */
static int set_environment(const struct passwd *who)
{
	return setenv("HOME", who->pw_dir, 1) || setenv("SHELL", who->pw_shell, 1) ||
	       setenv("USER", who->pw_name, 1) || setenv("LOGNAME", who->pw_name, 1);
}

/* Gives up all rights, and every way to get one again. */
static int become(const char *user)
{
	struct passwd *who;

	if (!user)
		return 0;
	who = getpwnam(user);
	if (!who)
		return diag_err(-ENOENT, "--user %s: there is no such user", user);
	if (initgroups(user, who->pw_gid) || setgid(who->pw_gid) || setuid(who->pw_uid) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || set_environment(who))
		return diag_err(-errno, "cannot become %s: %s", user, strerror(errno));
	return 0;
}

static int exec_command(char **command, int from)
{
	char fd[16];

	snprintf(fd, sizeof(fd), "%d", from);
	if (fcntl(from, F_SETFD, 0) || setenv(QUEUE_GRANT_ENVIRONMENT, fd, 1))
		return diag_err(-errno, "cannot hand the queues over: %s", strerror(errno));
	execvp(command[0], command);
	return diag_err(-errno, "cannot run %s: %s", command[0], strerror(errno));
}

int verb_exec(const struct options *o)
{
	struct filter f;
	int pair[2];

	if (attachments_open(o->args[0], &f))
		return EXIT_FAILED;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair))
		return diag_err(EXIT_FAILED, "cannot make a socket: %s", strerror(errno));
	if (grant(o, &f, pair[0]))
		return EXIT_FAILED;
	filter_close(&f);
	close(pair[0]);
	if (become(o->user))
		return EXIT_FAILED;
	o->args[o->args_cnt] = NULL; /* there is room, as argv ends with a NULL */
	exec_command(o->args + 1, pair[1]);
	return EXIT_FAILED;
}
