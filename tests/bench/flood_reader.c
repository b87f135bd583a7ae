// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "flood.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define AT_ONCE 64
#define QUIET_US 50000
/* Room for some 2,000 packets: bursts, but not a lasting overload, which would then not be
 * seen as loss.
 */
#define RCVBUF_BYTES (4 << 20)

struct mailbox {
	/* What was read, wherever it lies. */
	const void *at[AT_ONCE];
	uint32_t lens[AT_ONCE];
	struct xdp_dedup_id ids[AT_ONCE];
	int results[AT_ONCE];

	/* Of the UDP socket; of the others. */
	struct flood_payload packets[AT_ONCE];
	struct iovec iovs[AT_ONCE];
	struct mmsghdr msgs[AT_ONCE];
	struct xdp_dedup_packet given[AT_ONCE];
	struct flood_frame frames[AT_ONCE];
};

static void prepare(struct mailbox *m)
{
	for (int i = 0; i < AT_ONCE; i++) {
		m->iovs[i] = (struct iovec){ &m->packets[i], sizeof(m->packets[i]) };
		m->msgs[i] =
			(struct mmsghdr){ .msg_hdr = { .msg_iov = &m->iovs[i], .msg_iovlen = 1 } };
	}
}

static bool is_ours(const struct flood_reader *r, const struct flood_payload *p)
{
	if (p->seed != r->seed || p->index >= r->events)
		return false;
	for (unsigned int i = 0; i < GSP_ID_BYTES / 8; i++)
		if (p->id[i] != flood_id(p->seed, p->index, i))
			return false;
	return true;
}

static void account(struct flood_reader *r, const void *payload, uint32_t len)
{
	struct flood_payload p; /* but its body; in a frame it is not aligned */
	uint64_t bit, *word;

	if (len != sizeof(p)) {
		r->strangers++;
		return;
	}
	memcpy(&p, payload, offsetof(struct flood_payload, body));
	if (!is_ours(r, &p)) {
		r->strangers++;
		return;
	}
	bit = 1ULL << p.index % 64;
	word = &r->seen[p.index / 64];
	if (*word & bit)
		r->again++;
	else
		r->distinct++;
	*word |= bit;
}

static void put(struct mailbox *m, int i, const void *payload, uint32_t len)
{
	m->at[i] = payload;
	m->lens[i] = len;
	if (len >= offsetof(struct flood_payload, id) + GSP_ID_BYTES)
		m->ids[i] = (struct xdp_dedup_id){
			(const uint8_t *)payload + offsetof(struct flood_payload, id), GSP_ID_BYTES
		};
	else
		m->ids[i] = (struct xdp_dedup_id){ "", 1 };
}

/* What was put there. */
static void read_some(struct flood_reader *r, struct mailbox *m, int cnt)
{
	if (r->filter)
		xdp_dedup_check_and_add_many(r->filter, m->ids, cnt, m->results);
	for (int i = 0; i < cnt; i++)
		if (r->filter && m->results[i] == 1)
			r->duplicates++;
		else
			account(r, m->at[i], m->lens[i]);
}

/* These return how many packets they read, or -errno. */
static int read_udp(struct flood_reader *r, struct mailbox *m, int flags)
{
	int cnt = recvmmsg(r->fd, m->msgs, AT_ONCE, flags, NULL);

	if (cnt < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	for (int i = 0; i < cnt; i++)
		put(m, i, &m->packets[i], m->msgs[i].msg_len);
	read_some(r, m, cnt);
	return cnt;
}

static int read_receiver(struct flood_reader *r, struct mailbox *m)
{
	int cnt = xdp_dedup_receive(r->receiver, m->given, AT_ONCE);

	if (cnt <= 0)
		return cnt;
	for (int i = 0; i < cnt; i++)
		put(m, i, m->given[i].payload, m->given[i].payload_len);
	read_some(r, m, cnt);
	xdp_dedup_give_back(r->receiver, m->given, cnt);
	return cnt;
}

static int read_xsk(struct flood_reader *r, struct mailbox *m)
{
	int cnt = (int)flood_xsk_receive(r->xsk, m->frames, AT_ONCE);

	if (!cnt)
		return 0;
	for (int i = 0; i < cnt; i++) {
		const struct flood_frame *f = &m->frames[i];

		put(m, i, f->data + FLOOD_HEADERS,
		    f->len < FLOOD_HEADERS ? 0 : f->len - FLOOD_HEADERS);
	}
	read_some(r, m, cnt);
	flood_xsk_give_back(r->xsk, m->frames, cnt);
	return cnt;
}

/* Looks at the UDP socket each time: poll() alone would not let softirqs run, and a reader with
 * priority would keep NAPI from a burst's rest. 0: nothing came for a while.
 */
static int read_both(struct flood_reader *r, struct mailbox *m)
{
	int xsk_fd = r->xsk ? r->xsk->fd : xdp_dedup_receive_fd(r->receiver);
	struct pollfd fds[] = { { xsk_fd, POLLIN, 0 }, { r->fd, POLLIN, 0 } };
	int cnt = r->xsk ? read_xsk(r, m) : read_receiver(r, m), by_udp;

	if (cnt < 0)
		return cnt;
	r->by_xsk += cnt;
	by_udp = read_udp(r, m, MSG_DONTWAIT);
	if (by_udp < 0 || cnt == AT_ONCE || by_udp == AT_ONCE)
		return by_udp < 0 ? by_udp : 1;
	return poll(fds, 2, QUIET_US / 1000) > 0;
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
		int cnt = r->xsk || r->receiver ? read_both(r, &m) : read_udp(r, &m, MSG_WAITFORONE);

		if (cnt < 0)
			r->err = cnt;
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
	r->distinct = r->again = r->duplicates = r->strangers = r->by_xsk = r->lost = r->cpu_ns = 0;
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
