// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* An example of xdp-dedup-receive.h, which tests run. For each fresh event it prints the
 * first bytes of its payload in hex, whichever way it came:
 *
 *   example NAME PORT
 *
 * It has a socket for each queue, and a UDP socket for what finds no room there. It gives up all
 * rights once it has opened its queues. user/lib/USAGE.md says with which rights it is started.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>
#include <xdp-dedup-receive.h>

#define QUEUES_MAX 64
#define BATCH 64

static void print_event(const char *way, const void *payload, size_t len)
{
	const unsigned char *byte = payload;

	printf("%s ", way);
	for (size_t i = 0; i < 16 && i < len; i++)
		printf("%02x", byte[i]);
	puts("");
	fflush(stdout);
}

static int udp_socket(unsigned short port)
{
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(port) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	return fd < 0 || bind(fd, (struct sockaddr *)&any, sizeof(any)) ? -1 : fd;
}

static void read_udp(int fd)
{
	char bytes[65536];
	ssize_t len;

	while ((len = recv(fd, bytes, sizeof(bytes), MSG_DONTWAIT)) >= 0)
		print_event("udp", bytes, len);
}

/* 0, or why it ends. While the interface is down there is nothing to read. */
static int read_queue(struct xdp_dedup_receiver *rx)
{
	struct xdp_dedup_packet packets[BATCH];
	int cnt;

	while ((cnt = xdp_dedup_receive(rx, packets, BATCH)) > 0) {
		for (int i = 0; i < cnt; i++)
			print_event("xsk", packets[i].payload, packets[i].payload_len);
		xdp_dedup_give_back(rx, packets, cnt);
	}
	return cnt == -ENETDOWN ? 0 : cnt;
}

/* Opens the filter's queues, from 0 on. Returns how many. */
static int open_queues(const char *name, struct xdp_dedup_receiver **rx)
{
	struct xdp_dedup_receive_options options = { .size = sizeof(options), .unfinished = true };
	int cnt = 0, err = 0;

	for (; cnt < QUEUES_MAX && !err; cnt += !err) {
		options.queue = cnt;
		err = xdp_dedup_receive_open(name, &options, &rx[cnt]);
	}
	if (!cnt)
		fprintf(stderr, "cannot open a queue of %s: %s\n", name, strerror(-err));
	return cnt;
}

/* Before any thread is started: each has its own. */
static int give_up_rights(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &head, none);
}

int main(int argc, char **argv)
{
	struct xdp_dedup_receiver *rx[QUEUES_MAX];
	struct pollfd fds[QUEUES_MAX + 1];
	int cnt, err = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: %s NAME PORT\n", argv[0]);
		return 2;
	}
	fds[QUEUES_MAX].fd = udp_socket(atoi(argv[2]));
	cnt = open_queues(argv[1], rx);
	if (!cnt || give_up_rights())
		return 1;
	fds[cnt] = (struct pollfd){ .fd = fds[QUEUES_MAX].fd, .events = POLLIN };
	for (int i = 0; i < cnt; i++)
		fds[i] = (struct pollfd){ .fd = xdp_dedup_receive_fd(rx[i]), .events = POLLIN };
	while (!err) {
		poll(fds, cnt + 1, 100);
		read_udp(fds[cnt].fd);
		for (int i = 0; i < cnt && !err; i++)
			err = read_queue(rx[i]);
	}
	for (int i = 0; i < cnt; i++)
		xdp_dedup_receive_close(rx[i]);
	if (err == -ESTALE) /* it was changed or unloaded: its unit starts this again */
		return 3;
	fprintf(stderr, "%s\n", strerror(-err));
	return 1;
}
