// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "queue_grant.h"

/* In this order in a message. */
enum { FD_SOCKET, FD_MEMORY, FD_ASK, FDS };

int queue_grant_send(const struct queue_grant *g, int to)
{
	const int fds[FDS] = { g->xsk.fd, g->xsk.memory_fd, g->ask_fd };
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(fds))];
	} control = { .head = { .cmsg_len = CMSG_LEN(sizeof(fds)),
				.cmsg_level = SOL_SOCKET,
				.cmsg_type = SCM_RIGHTS } };
	struct iovec bytes = { (void *)&g->facts, sizeof(g->facts) };
	struct msghdr m = { .msg_iov = &bytes,
			    .msg_iovlen = 1,
			    .msg_control = &control,
			    .msg_controllen = sizeof(control) };

	memcpy(CMSG_DATA(&control.head), fds, sizeof(fds));
	return sendmsg(to, &m, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Takes FDS descriptors out of a message; of more, and of fewer, none is kept. Returns how many
 * there were.
 */
static size_t take_fds(struct msghdr *m, int fds[FDS])
{
	size_t cnt = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t here = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		for (size_t i = 0; i < here; i++, cnt++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
			if (cnt < FDS)
				fds[cnt] = fd;
			else
				close(fd);
		}
	}
	for (size_t i = 0; i < cnt && i < FDS && cnt != FDS; i++)
		close(fds[i]);
	return cnt;
}

/* Are these values in their ranges? */
static bool are_facts_sound(const struct queue_grant_facts *facts)
{
	if (facts->format != DEDUP_FORMAT || !facts->parts || facts->parts > QUEUE_GRANT_PARTS_MAX ||
	    !xsk_frames_ok(facts->frames) || facts->streams_cnt > DEDUP_STREAMS_MAX)
		return false;
	for (uint32_t n = 0; n < facts->streams_cnt; n++)
		for (uint32_t i = 0; i < DEDUP_ID_WORDS_MAX; i++)
			if (facts->forms[n].bytes[i] > sizeof(__u64))
				return false;
	return true;
}

/* Makes a grant of what was received; the descriptors are its own in any case. */
static int take_descriptors(struct queue_grant *g, const int fds[FDS])
{
	int err;

	g->ask_fd = fds[FD_ASK];
	err = xsk_adopt(&g->xsk, fds[FD_SOCKET], fds[FD_MEMORY], g->facts.frames);
	if (err)
		return err;
	g->xsk.zerocopy = g->facts.zerocopy;
	return queue_grant_make_copy(g);
}

int queue_grant_receive(int from, struct queue_grant *out)
{
	/* Room for FDS, and by its padding one more. The kernel keeps what there is no room for. */
	char control[CMSG_SPACE(FDS * sizeof(int))] __attribute__((aligned(sizeof(size_t))));
	struct queue_grant g;
	struct iovec bytes = { &g.facts, sizeof(g.facts) };
	struct msghdr m = { .msg_iov = &bytes,
			    .msg_iovlen = 1,
			    .msg_control = control,
			    .msg_controllen = sizeof(control) };
	int fds[FDS], err = 0;
	ssize_t n;
	size_t cnt;

	queue_grant_begin(&g);
	n = recvmsg(from, &m, MSG_CMSG_CLOEXEC);
	if (n < 0)
		return -errno;
	cnt = take_fds(&m, fds);
	if (!n && !cnt)
		return -ENODATA;
	if (cnt != FDS) /* the kernel hands over as many as this process may have */
		return cnt < FDS && m.msg_flags & MSG_CTRUNC ? -EMFILE : -EPROTO;
	if (n != sizeof(g.facts) || m.msg_flags & (MSG_TRUNC | MSG_CTRUNC) ||
	    !are_facts_sound(&g.facts)) {
		for (int i = 0; i < FDS; i++)
			close(fds[i]);
		return -EPROTO;
	}
	err = take_descriptors(&g, fds);
	if (err)
		queue_grant_close(&g);
	else
		*out = g;
	return err;
}
