// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* `run` as whoever starts it meets it, systemd or a person: what the file says is loaded, stays
 * loaded, and follows the file; whatever becomes of the service, the filter goes on.
 */
#include "cli_runner.h"

#include <sys/un.h>

#include "late_hand.h"

/* $SYSTEMD FILE: takes what is sent to the socket /mnt/notify, as systemd does, and adds it to the
 * file, a line each; until it is killed.
 */
static int take_notes(char **argv)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX, .sun_path = "/mnt/notify" };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
	FILE *to = fopen(argv[2], "we");
	char note[4096];
	ssize_t len;

	unlink(at.sun_path);
	if (fd < 0 || !to || bind(fd, (void *)&at, sizeof(at)))
		return 1;
	setvbuf(to, NULL, _IOLBF, 0);
	while ((len = recv(fd, note, sizeof(note) - 1, 0)) >= 0)
		fprintf(to, "%.*s\n", (int)len, note);
	return 1;
}

int main(int argc, char **argv)
{
	if (argc > 2)
		return strcmp(argv[1], "late") ? take_notes(argv)
					       : !late_hand("feed", strtoull(argv[2], NULL, 10));
	cli_environment();
	cli_helper("SYSTEMD", "notes");
	cli_helper("LATE", "late");
	add_cli_scripts("tests/service/run");
	return run_added_tests("run");
}
