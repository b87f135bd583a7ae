// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* How an application asks: reads messages, one a line, "ID text", ID in up to 32 bytes as
 * they are, and prints those that neither it nor the packet program has seen.
 *
 *   cc example_main.c $(pkg-config --cflags --libs xdp-dedup) -o example
 *   ./example eth0 < messages
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xdp-dedup.h>

int main(int argc, char **argv)
{
	struct xdp_dedup_filter *filter;
	char *line = NULL;
	size_t size = 0;
	int err;

	if (argc != 2) {
		fprintf(stderr, "usage: %s FILTER\n", argv[0]);
		return 2;
	}
	err = xdp_dedup_open(argv[1], &filter);
	if (err) {
		fprintf(stderr, "cannot open the filter %s: %s\n", argv[1], strerror(-err));
		return 1;
	}
	while (getline(&line, &size, stdin) >= 0) {
		size_t id_len = strcspn(line, " \n");

		/* 1 is a duplicate; an error is none: what cannot be told is taken as new. */
		if (xdp_dedup_check_and_add(filter, line, id_len) != 1)
			fputs(line, stdout);
	}
	free(line);
	xdp_dedup_close(filter);
	return 0;
}
