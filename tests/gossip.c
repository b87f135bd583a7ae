// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "gossip.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000ULL
#define BURST_NS 1000000ULL	 /* a paced sender sends so much at once */
#define CATCH_UP_NS 20000000ULL	 /* and makes up for so much that it overslept */
#define RCVBUF_BYTES (512 << 20) /* doubled by the kernel, which calls that the limit */
#define QUIET_POLL_MS 20

uint64_t gossip_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

/* SplitMix64's output function. */
static uint64_t mix(uint64_t z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

void gossip_id(uint64_t seed, uint32_t index, uint8_t id[GSP_ID_BYTES])
{
	uint64_t state = mix(seed + 0x9e3779b97f4a7c15) + (uint64_t)index * 4 * 0x9e3779b97f4a7c15;

	for (int i = 0; i < GSP_ID_BYTES / 8; i++) {
		uint64_t word = mix(state += 0x9e3779b97f4a7c15);

		memcpy(id + 8 * i, &word, 8);
	}
}

static int compare_keys(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint32_t *gossip_shuffle(uint32_t events, uint32_t copies, uint32_t spread, uint64_t seed)
{
	size_t cnt = (size_t)events * copies;
	uint64_t *keys = malloc(cnt * sizeof(*keys));
	uint32_t *order = malloc(cnt * sizeof(*order));

	if (!keys || !order) {
		free(keys);
		free(order);
		return NULL;
	}
	/* When it is sent, then which it is. */
	for (size_t i = 0; i < cnt; i++) {
		uint64_t late = mix(seed + i * 0x9e3779b97f4a7c15) % ((uint64_t)spread + 1);

		keys[i] = (i / copies + late) << 32 | i / copies;
	}
	qsort(keys, cnt, sizeof(*keys), compare_keys);
	for (size_t i = 0; i < cnt; i++)
		order[i] = (uint32_t)keys[i];
	free(keys);
	return order;
}

/* Returns the address' size, 0 if it is none. */
static socklen_t parse_address(const char *text, uint16_t port, struct sockaddr_storage *out)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)out;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;

	memset(out, 0, sizeof(*out));
	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		return sizeof(*v4);
	}
	if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
		v6->sin6_family = AF_INET6;
		v6->sin6_port = htons(port);
		return sizeof(*v6);
	}
	return 0;
}

/* A datagram socket, connected or bound to that address. Returns it, or -errno. */
static int open_socket(const char *address, uint16_t port,
		       int (*join)(int, const struct sockaddr *, socklen_t))
{
	struct sockaddr_storage a;
	socklen_t len = parse_address(address, port, &a);
	int fd, err;

	if (!len)
		return -EINVAL;
	fd = socket(a.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (join(fd, (struct sockaddr *)&a, len)) {
		err = -errno;
		close(fd);
		return err;
	}
	return fd;
}

int gossip_sender_open(struct gossip_sender *s, const char *address, uint16_t port, uint64_t seed)
{
	int fd = open_socket(address, port, connect), on = 1, err;

	*s = (struct gossip_sender){ .fd = fd, .seed = seed };
	if (fd < 0)
		return fd;
	/* Else a full interface drops what it cannot take and says nothing. */
	err = setsockopt(fd, IPPROTO_IP, IP_RECVERR, &on, sizeof(on));
	if (!err && strchr(address, ':'))
		err = setsockopt(fd, IPPROTO_IPV6, IPV6_RECVERR, &on, sizeof(on));
	if (!err)
		return 0;
	err = -errno;
	gossip_sender_close(s);
	return err;
}

void gossip_sender_close(struct gossip_sender *s)
{
	if (s->running) {
		s->stop = true;
		gossip_sender_wait(s);
	}
	if (s->fd > 0)
		close(s->fd);
	s->fd = -1;
}

/* Hands these messages to the kernel, all of them. */
static int send_batch(struct gossip_sender *s, struct mmsghdr *msgs, unsigned int cnt)
{
	unsigned int done = 0;

	while (done < cnt && !s->stop) {
		int n = sendmmsg(s->fd, msgs + done, cnt - done, 0);

		if (n > 0)
			done += n;
		else if (errno == ENOBUFS)
			usleep(50); /* the interface's ring is full */
		else if (errno != ECONNREFUSED && errno != EINTR && errno != EHOSTUNREACH)
			return -errno; /* those tell of earlier packets */
	}
	s->sent += done;
	return 0;
}

/* How many to send now; sleeps until it is time for them. */
static size_t pace(struct gossip_sender *s, size_t left)
{
	size_t n = left < GOSSIP_BATCH ? left : GOSSIP_BATCH;
	uint64_t gap_ns, now_ns, burst;

	if (!s->rate_pps)
		return n;
	gap_ns = NS_PER_S / s->rate_pps;
	burst = BURST_NS / gap_ns + 1;
	if (n > burst)
		n = burst;
	now_ns = gossip_now_ns();
	if (s->next_ns + CATCH_UP_NS < now_ns)
		s->next_ns = now_ns;
	if (s->next_ns > now_ns) {
		struct timespec t = { s->next_ns / NS_PER_S, s->next_ns % NS_PER_S };

		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	}
	s->next_ns += n * gap_ns;
	return n;
}

/* Sends cnt events, of these indices, or from `first` on. */
static int send_events(struct gossip_sender *s, const uint32_t *order, uint32_t first, size_t cnt)
{
	struct gossip_packet packets[GOSSIP_BATCH] = { 0 };
	struct mmsghdr msgs[GOSSIP_BATCH] = { 0 };
	struct iovec iov[GOSSIP_BATCH];

	for (int i = 0; i < GOSSIP_BATCH; i++) {
		packets[i].header = (struct gsp_header){ htonl(GSP_MAGIC), GSP_EVENT, 1, 0 };
		packets[i].seed = s->seed;
		iov[i] = (struct iovec){ &packets[i], sizeof(packets[i]) };
		msgs[i].msg_hdr = (struct msghdr){ .msg_iov = &iov[i], .msg_iovlen = 1 };
	}
	for (size_t done = 0, n; done < cnt && !s->stop; done += n) {
		uint64_t now_ns;
		int err;

		n = pace(s, cnt - done);
		now_ns = gossip_now_ns();
		for (size_t i = 0; i < n; i++) {
			packets[i].index = order ? order[done + i] : first + done + i;
			packets[i].sent_ns = now_ns;
			gossip_id(s->seed, packets[i].index, packets[i].id);
		}
		err = send_batch(s, msgs, n);
		if (err)
			return err;
	}
	return 0;
}

int gossip_send(struct gossip_sender *s, const uint32_t *order, size_t cnt)
{
	return send_events(s, order, 0, cnt);
}

static void *sender_thread(void *arg)
{
	struct gossip_sender *s = arg;

	s->err = send_events(s, s->order, 0, s->cnt);
	return NULL;
}

int gossip_sender_start(struct gossip_sender *s, const uint32_t *order, size_t cnt)
{
	int err;

	s->order = order;
	s->cnt = cnt;
	s->stop = false;
	err = pthread_create(&s->thread, NULL, sender_thread, s);
	s->running = !err;
	return -err;
}

int gossip_sender_wait(struct gossip_sender *s)
{
	if (s->running)
		pthread_join(s->thread, NULL);
	s->running = false;
	return s->err;
}

int gossip_receiver_open(struct gossip_receiver *r, const char *address, uint16_t port,
			 uint64_t seed, uint32_t events)
{
	int bytes = RCVBUF_BYTES, err;

	*r = (struct gossip_receiver){ .seed = seed, .events = events };
	r->fd = open_socket(address, port, bind);
	if (r->fd < 0)
		return r->fd;
	if (setsockopt(r->fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes))) {
		err = -errno;
		gossip_receiver_close(r);
		return err;
	}
	r->copies = calloc(events, sizeof(*r->copies));
	if (!r->copies) {
		gossip_receiver_close(r);
		return -ENOMEM;
	}
	return 0;
}

void gossip_receiver_close(struct gossip_receiver *r)
{
	if (r->running)
		gossip_receiver_stop(r, 0);
	if (r->fd > 0)
		close(r->fd);
	free(r->copies);
	r->copies = NULL;
	r->fd = -1;
}

static void account(struct gossip_receiver *r, const struct gossip_packet *p, size_t len,
		    uint64_t now_ns)
{
	uint8_t id[GSP_ID_BYTES];

	r->packets++;
	if (len != sizeof(*p) || p->header.magic != htonl(GSP_MAGIC) || p->seed != r->seed ||
	    p->index >= r->events) {
		r->strangers++;
		return;
	}
	gossip_id(p->seed, p->index, id);
	if (memcmp(id, p->id, sizeof(id))) {
		r->strangers++;
		return;
	}
	if (!r->copies[p->index])
		r->distinct++;
	if (r->copies[p->index] < UINT16_MAX)
		r->copies[p->index]++;
	if (r->on_event)
		r->on_event(r->ctx, p, now_ns);
}

int gossip_receive(struct gossip_receiver *r, int timeout_ms)
{
	struct pollfd poll_fd = { .fd = r->fd, .events = POLLIN };
	struct gossip_packet packets[GOSSIP_BATCH];
	struct mmsghdr msgs[GOSSIP_BATCH] = { 0 };
	struct iovec iov[GOSSIP_BATCH];
	int n, total = 0;

	for (int i = 0; i < GOSSIP_BATCH; i++) {
		iov[i] = (struct iovec){ &packets[i], sizeof(packets[i]) };
		msgs[i].msg_hdr = (struct msghdr){ .msg_iov = &iov[i], .msg_iovlen = 1 };
	}
	if (timeout_ms && poll(&poll_fd, 1, timeout_ms) < 0 && errno != EINTR)
		return -errno;
	do {
		uint64_t now_ns;

		n = recvmmsg(r->fd, msgs, GOSSIP_BATCH, MSG_DONTWAIT, NULL);
		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? total : -errno;
		now_ns = gossip_now_ns();
		for (int i = 0; i < n; i++)
			account(r, &packets[i], msgs[i].msg_len, now_ns);
		total += n;
	} while (n == GOSSIP_BATCH);
	return total;
}

static void *receiver_thread(void *arg)
{
	struct gossip_receiver *r = arg;
	struct rusage used;

	while (!r->stop && r->err >= 0)
		r->err = gossip_receive(r, QUIET_POLL_MS);
	if (r->err > 0)
		r->err = 0;
	getrusage(RUSAGE_THREAD, &used);
	r->cpu_ns = (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * NS_PER_S +
		    (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000ULL;
	return NULL;
}

int gossip_receiver_start(struct gossip_receiver *r)
{
	int err;

	r->stop = false;
	err = pthread_create(&r->thread, NULL, receiver_thread, r);
	r->running = !err;
	return -err;
}

int gossip_receiver_stop(struct gossip_receiver *r, int quiet_ms)
{
	uint64_t packets;

	if (!r->running)
		return r->err;
	do {
		packets = r->packets;
		usleep(quiet_ms * 1000);
	} while (packets != r->packets);
	r->stop = true;
	pthread_join(r->thread, NULL);
	r->running = false;
	return r->err;
}

int64_t gossip_receiver_lost(const struct gossip_receiver *r)
{
	uint32_t info[SK_MEMINFO_VARS] = { 0 };
	socklen_t len = sizeof(info);

	if (getsockopt(r->fd, SOL_SOCKET, SO_MEMINFO, info, &len))
		return -errno;
	return info[SK_MEMINFO_DROPS];
}

uint32_t gossip_delivered(const struct gossip_receiver *r, uint16_t n)
{
	uint32_t cnt = 0;

	for (uint32_t i = 0; i < r->events; i++)
		cnt += r->copies[i] == n;
	return cnt;
}
