// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp-dedup-metrics: answers scrapes for the program that starts it, and has no rights at all. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "channel.h"
#include "diag.h"
#include "exit.h"
#include "print.h"
#include "serve.h"
#include "drop_privileges.h"
#include "version.h"

#ifdef __SANITIZE_ADDRESS__
/* The leak check looks at this process by ptrace, which one that is not dumpable does not allow. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

static int is_socket(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISSOCK(st.st_mode);
}

int main(int argc, char **argv)
{
	print_as("xdp-dedup-metrics");
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		puts("xdp-dedup-metrics " XDP_DEDUP_VERSION);
		return check_output(EXIT_DONE);
	}
	if (argc > 1 || !is_socket(CHANNEL_LISTEN_FD) || !is_socket(CHANNEL_FD))
		return diag_err(
			EXIT_MISUSED,
			"is started by xdp-dedup run and xdp-dedup-publish, to answer scrapes; it takes nothing but --version");
	if (drop_privileges(CHANNEL_FD + 1, SERVE_FILES_MAX))
		return EXIT_FAILED;
	return serve(CHANNEL_LISTEN_FD, CHANNEL_FD) ? EXIT_FAILED : EXIT_DONE;
}
