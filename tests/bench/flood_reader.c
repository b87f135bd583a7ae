// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "flood.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define AT_ONCE 64
#define QUIET_US 50000
/* Room for some 2,000 packets: bursts, but not a lasting overload, which would then not be
 * seen as loss.
 */
#define RCVBUF_BYTES (4 << 20)

struct mailbox {
	struct flood_payload packets[AT_ONCE];
	struct iovec iovs[AT_ONCE];
	struct mmsghdr msgs[AT_ONCE];
	struct xdp_dedup_id ids[AT_ONCE];
	int results[AT_ONCE];
};

static void prepare(struct mailbox *m)
{
	for (int i = 0; i < AT_ONCE; i++) {
		m->iovs[i] = (struct iovec){ &m->packets[i], sizeof(m->packets[i]) };
		m->msgs[i] =
			(struct mmsghdr){ .msg_hdr = { .msg_iov = &m->iovs[i], .msg_iovlen = 1 } };
		m->ids[i] = (struct xdp_dedup_id){ m->packets[i].id, GSP_ID_BYTES };
	}
}

static bool is_ours(const struct flood_reader *r, const struct flood_payload *p, unsigned int len)
{
	if (len != sizeof(*p) || p->seed != r->seed || p->index >= r->events)
		return false;
	for (unsigned int i = 0; i < GSP_ID_BYTES / 8; i++)
		if (p->id[i] != flood_id(p->seed, p->index, i))
			return false;
	return true;
}

static void account(struct flood_reader *r, const struct flood_payload *p, unsigned int len)
{
	uint64_t bit = 1ULL << p->index % 64, *word;

	if (!is_ours(r, p, len)) {
		r->strangers++;
		return;
	}
	word = &r->seen[p->index / 64];
	if (*word & bit)
		r->again++;
	else
		r->distinct++;
	*word |= bit;
}

static void read_some(struct flood_reader *r, struct mailbox *m, int cnt)
{
	if (r->filter)
		xdp_dedup_check_and_add_many(r->filter, m->ids, cnt, m->results);
	for (int i = 0; i < cnt; i++)
		if (r->filter && m->results[i] == 1)
			r->duplicates++;
		else
			account(r, &m->packets[i], m->msgs[i].msg_len);
}

/* What the kernel tells when the reader has ended. */
static void account_for_itself(struct flood_reader *r)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(info);

	r->cpu_ns = flood_thread_ns();
	if (getsockopt(r->fd, SOL_SOCKET, SO_MEMINFO, info, &len))
		r->err = -errno;
	r->lost = info[SK_MEMINFO_DROPS];
}

static void *run_reader(void *arg)
{
	struct flood_reader *r = arg;
	struct mailbox m;

	r->err = flood_pin(0, r->cpu, FLOOD_READER_PRIORITY);
	prepare(&m);
	while (!r->err) {
		int cnt = recvmmsg(r->fd, m.msgs, AT_ONCE, MSG_WAITFORONE, NULL);

		if (cnt > 0)
			read_some(r, &m, cnt);
		else if (errno != EAGAIN && errno != EINTR)
			r->err = -errno;
		if (cnt <= 0 && r->stop)
			break;
	}
	account_for_itself(r);
	return NULL;
}

static int listen_on(uint32_t address)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons(FLOOD_PORT),
				 .sin_addr.s_addr = htonl(address) };
	struct timeval quiet = { .tv_usec = QUIET_US };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), bytes = RCVBUF_BYTES, err;

	if (fd < 0)
		return -errno;
	if (!setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)) &&
	    !setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &quiet, sizeof(quiet)) &&
	    !bind(fd, (struct sockaddr *)&a, sizeof(a)))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

static void clean_up(struct flood_reader *r)
{
	if (r->fd >= 0)
		close(r->fd);
	free(r->seen);
	r->seen = NULL;
}

int flood_reader_start(struct flood_reader *r, uint32_t address)
{
	int err = -ENOMEM;

	r->fd = listen_on(address);
	if (r->fd < 0)
		return r->fd;
	r->stop = false;
	r->err = 0;
	r->distinct = r->again = r->duplicates = r->strangers = r->lost = r->cpu_ns = 0;
	r->seen = calloc(r->events / 64 + 1, sizeof(*r->seen));
	if (r->seen)
		err = -pthread_create(&r->thread, NULL, run_reader, r);
	r->running = !err;
	if (err)
		clean_up(r);
	return err;
}

int flood_reader_stop(struct flood_reader *r)
{
	r->stop = true;
	if (r->running)
		pthread_join(r->thread, NULL);
	r->running = false;
	clean_up(r);
	return r->err;
}
