// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the IP stack loses behind a filter. Each script first shows the loss: of 20 messages in two
 * copies, of which B's come first, none arrives, or few do. Then it shows that `check` says so,
 * that the remedy it names helps, and that then `check` says nothing.
 */
#include "cli_runner.h"

#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sys/time.h>

#include "protocol_packets.h"
#include "udp.h"

#define PORT 5568
#define GROUP "239.255.0.1"
#define GROUP6 "ff05::1"
#define MESSAGES_MAX 256

/* $RX OPTION... receives until there is /mnt/sent and nothing waits; prints how many different
 * messages came. The options are below, and `late`: reads nothing before there is /mnt/sent.
 */
static int set_option(int fd, const char *word)
{
	const char *value = strchr(word, '=') + 1;
	int bytes = atoi(value);
	struct ipv6_mreq group = { .ipv6mr_interface = if_nametoindex(value) };

	if (!strncmp(word, "join=", 5))
		return udp_join(fd, GROUP, value);
	if (!strncmp(word, "device=", 7))
		return setsockopt(fd, SOL_SOCKET, SO_BINDTODEVICE, value, strlen(value));
	if (!strncmp(word, "buffer=", 7))
		return setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	if (!strncmp(word, "force=", 6))
		return setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	inet_pton(AF_INET6, GROUP6, &group.ipv6mr_multiaddr);
	return setsockopt(fd, IPPROTO_IPV6, IPV6_JOIN_GROUP, &group, sizeof(group));
}

static bool is_sent(void)
{
	return !access("/mnt/sent", F_OK);
}

static int count_messages(int fd)
{
	bool seen[MESSAGES_MAX] = { false }, was_sent;
	uint32_t number;
	int cnt = 0;

	do {
		was_sent = is_sent();
		while (recv(fd, &number, sizeof(number), 0) > 0) {
			cnt += !seen[ntohl(number) % MESSAGES_MAX];
			seen[ntohl(number) % MESSAGES_MAX] = true;
		}
	} while (!was_sent);
	return cnt;
}

static int receive(char **options)
{
	int fd = udp_receiver(strncmp(*options, "join6=", 6) ? "0.0.0.0" : "::", PORT);
	struct timeval wait = { .tv_usec = 100000 };
	bool late = false;

	for (char **word = options; *word; word++)
		if (!strcmp(*word, "late"))
			late = true;
		else if (set_option(fd, *word))
			return fprintf(stderr, "%s: %s\n", *word, strerror(errno));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));
	close(creat("/mnt/ready", 0600));
	while (late && !is_sent())
		usleep(10000);
	printf("%d\n", count_messages(fd));
	return 0;
}

static void make_message(struct frame *f, uint32_t n, uint64_t time, bool tagged)
{
	static const uint8_t FROM[] = { 10, 9, 0, 1 }, TO_MAC[] = { 1, 0, 0x5e, 127, 0, 1 };
	struct protocol_packet p = { .protocol = DATAGRAM, .port = PORT, .body = 12 };

	inet_pton(AF_INET, GROUP, p.to);
	memcpy(p.to_mac, TO_MAC, sizeof(TO_MAC));
	if (tagged) {
		p.tags[0] = 0x8100;
		p.tci[0] = 10;
	}
	protocol_frame(f, &p);
	memcpy(f->data + f->ip + 12, FROM, sizeof(FROM));
	ipv4_sum(f);
	frame_put(f, f->gsp, 4, n);
	frame_put(f, f->gsp + 4, 8, time);
}

/* $TX INTERFACE TIME COUNT [tag] sends the messages of this time to the group; "tag": in VLAN 10. */
static int send_messages(char **words)
{
	struct sockaddr_ll by = { .sll_family = AF_PACKET };
	int fd = socket(AF_PACKET, SOCK_RAW, 0);
	struct frame f;

	by.sll_ifindex = (int)if_nametoindex(words[0]);
	if (bind(fd, (void *)&by, sizeof(by)))
		return 1;
	for (int n = 0; n < atoi(words[2]); n++) {
		make_message(&f, (uint32_t)n, strtoull(words[1], NULL, 10), words[3]);
		if (send(fd, f.data, f.len, 0) != f.len)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2)
		return strcmp(argv[1], "receive") ? send_messages(argv + 2) : receive(argv + 2);
	cli_environment();
	cli_helper("RX", "receive");
	cli_helper("TX", "send");
	add_cli_scripts("tests/cli/behind");
	return run_added_tests("behind");
}
