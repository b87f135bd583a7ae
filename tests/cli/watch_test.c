// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `watch` in a real terminal, tmux's, and without one; and the advice that it and `status` give. */
#include "cli_runner.h"

#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>

#include "open.h"
#include "packet.h"
#include "totals.h"

/* Helpers of scripts: this program, run with one of these as its first argument. */

/* $FLOW IFNAME MS COUNT: every so many ms an event, in four copies; so many events. */
static int flow(char **argv)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET,
				  .sll_ifindex = (int)if_nametoindex(argv[2]) };
	int fd = socket(AF_PACKET, SOCK_RAW, 0), ms = atoi(argv[3]);
	static struct frame f;

	if (fd < 0 || bind(fd, (void *)&to, sizeof(to)))
		return 1;
	for (int i = 0; i < atoi(argv[4]); i++) {
		struct id id = { .bytes = { 1, i, i >> 8, i >> 16, getpid(), getpid() >> 8 } };

		frame_build(&f, &(struct frame_plan){ .type = GSP_EVENT, .body = 200 }, &id);
		for (int copy = 0; copy < 4; copy++)
			while (send(fd, f.data, f.len, 0) < 0)
				if (errno != ENOBUFS)
					return 1;
		usleep(ms * 1000);
	}
	return 0;
}

/* $CPUS NAME: are the counters of all CPUs together those of the filter? Prints how many have any. */
static int compare_cpus(char **argv)
{
	struct filter_counters all, sum = { 0 }, *each;
	struct filter f;
	int cpus, busy = 0;

	if (filter_open(argv[2], &f) || filter_counters(&f, &all) ||
	    filter_cpu_counters(&f, &each, &cpus))
		return 1;
	for (int i = 0; i < cpus; i++) {
#define X(name, help) sum.name += each[i].name;
		DEDUP_COUNTERS(X)
#undef X
		sum.credit += each[i].credit;
		sum.dropped_bytes += each[i].dropped_bytes;
		busy += each[i].rx > 0;
	}
	free(each);
	filter_close(&f);
	printf("%d\n", busy);
	return memcmp(&all, &sum, sizeof(all)) ? 2 : 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "FLOW"))
		return flow(argv);
	if (argc == 3 && !strcmp(argv[1], "CPUS"))
		return compare_cpus(argv);
	cli_environment();
	cli_helper("FLOW", "FLOW");
	cli_helper("CPUS", "CPUS");
	add_cli_scripts("tests/cli/watch");
	return run_added_tests("watch");
}
