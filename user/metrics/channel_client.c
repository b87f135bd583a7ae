// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "channel_client.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

int channel_client_ask(struct channel_client *a, enum metrics_format format, uint64_t now_ms)
{
	const unsigned char byte = format;

	if (a->asked_ms[format])
		return 0;
	if (send(a->channel, &byte, sizeof(byte), MSG_DONTWAIT | MSG_NOSIGNAL) != sizeof(byte))
		return -errno;
	a->asked_ms[format] = now_ms;
	return 0;
}

int channel_client_take(struct channel_client *a, struct channel_answer *answer, int *fd)
{
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec part = { .iov_base = answer, .iov_len = sizeof(*answer) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = &control,
				  .msg_controllen = sizeof(control.room) };
	ssize_t n = recvmsg(a->channel, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *c;

	*fd = -1;
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	if (!n)
		return -EPIPE;
	c = CMSG_FIRSTHDR(&message);
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS &&
	    c->cmsg_len == CMSG_LEN(sizeof(*fd)))
		memcpy(fd, CMSG_DATA(c), sizeof(*fd));
	if (n != sizeof(*answer) || answer->format >= METRICS_FORMATS)
		return -EPROTO;
	a->asked_ms[answer->format] = 0;
	return 1;
}
