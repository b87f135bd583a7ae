// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp-dedup-publish: publishes the fresh events of a filter into a NATS JetStream stream. */
#include <stdio.h>

#include "args.h"
#include "exit.h"
#include "print.h"
#include "publish_options.h"
#include "publisher.h"
#include "version.h"

int main(int argc, char **argv)
{
	struct publish_options o;
	int status;

	print_as(PUBLISH_PROGRAM);
	if (args_has_help(argc, argv)) {
		publish_options_help(stdout);
		return check_output(EXIT_DONE);
	}
	if (publish_options_read(&o, argc, argv))
		return EXIT_MISUSED;
	if (o.version) {
		puts(PUBLISH_PROGRAM " " XDP_DEDUP_VERSION);
		return check_output(EXIT_DONE);
	}
	status = publisher_run(&o);
	publish_options_free(&o);
	return check_output(status);
}
