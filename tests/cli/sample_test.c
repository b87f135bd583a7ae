// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `sample`: what it shows and writes of packets that come in, and how it ends. */
#include "cli_runner.h"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>

#include "slow_path.h"
#include "open.h"
#include "packet.h"
#include "protocol_packets.h"

/* Helpers of scripts: this program, run with one of these as its first argument. */

static int packet_socket(const char *ifname)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET,
				  .sll_protocol = htons(ETH_P_ALL),
				  .sll_ifindex = (int)if_nametoindex(ifname) };
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	return fd < 0 || bind(fd, (void *)&to, sizeof(to)) ? -errno : fd;
}

/* $SEND IFNAME FIRST CNT [BODY [PORT [TYPE]]]: EVENTs with the ids ff...FIRST and on, or what else
 * of GSP/1 has this type; to a port above 9000 RTP packets with these sequence numbers.
 */
static int send_frames(int argc, char **argv)
{
	int fd = packet_socket(argv[2]), first = atoi(argv[3]), cnt = atoi(argv[4]);
	uint32_t body = argc > 5 ? atoi(argv[5]) : 0;
	int port = argc > 6 ? atoi(argv[6]) : GOSSIP_PORT;
	uint8_t type = argc > 7 ? atoi(argv[7]) : GSP_EVENT;
	static struct frame f;

	if (fd < 0)
		return 1;
	for (int i = first; i < first + cnt; i++) {
		struct id id;

		memset(&id, 0xff, sizeof(id));
		id.bytes[GSP_ID_BYTES - 2] = i >> 8;
		id.bytes[GSP_ID_BYTES - 1] = i;
		if (port > 9000)
			protocol_frame(&f, &(struct protocol_packet){ .protocol = RTP,
								      .sequence = i,
								      .port = port,
								      .body = body });
		else
			frame_build(&f, &(struct frame_plan){ .type = type, .body = body }, &id);
		while (send(fd, f.data, f.len, 0) < 0)
			if (errno != ENOBUFS)
				return 1;
	}
	return 0;
}

static bool takes_slow_path(const char *name)
{
	struct filter f;
	bool is;

	if (filter_open(name, &f))
		exit(3);
	is = READ_ONCE(f.state->stale_at) & DEDUP_SLOW_PATH;
	filter_close(&f);
	return is;
}

/* $SLOW_PATH NAME: do packets take the slow path? */
static int ask_slow_path(char **argv)
{
	return takes_slow_path(argv[2]) ? 0 : 1;
}

/* $OVER NAME: its time to drop is over. */
static int end_drops(char **argv)
{
	struct filter f;

	if (filter_open(argv[2], &f))
		return 1;
	WRITE_ONCE(f.state->drop_until_ns, READ_ONCE(f.state->last_ns));
	filter_close(&f);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 4 && !strcmp(argv[1], "SEND"))
		return send_frames(argc, argv);
	if (argc == 3 && !strcmp(argv[1], "SLOW_PATH"))
		return ask_slow_path(argv);
	if (argc == 3 && !strcmp(argv[1], "OVER"))
		return end_drops(argv);
	cli_environment();
	cli_helper("SEND", "SEND");
	cli_helper("SLOW_PATH", "SLOW_PATH");
	cli_helper("OVER", "OVER");
	add_cli_scripts("tests/cli/sample");
	return run_added_tests("sample");
}
