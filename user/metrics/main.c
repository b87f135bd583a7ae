// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* xdp-dedup-metrics: serves the metrics that other programs write into files, over HTTP. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-daemon.h>

#include "args.h"
#include "diag.h"
#include "exit.h"
#include "fd.h"
#include "print.h"
#include "serve.h"
#include "socket_address.h"
#include "version.h"

#define PROGRAM "xdp-dedup-metrics"
#define BACKLOG 4096 /* connections that wait for accept() */

struct options {
	const char *listen, *directory;
	struct socket_address address; /* of `listen` */
	bool version;
};

static const char *parse_listen(void *to, const char *text)
{
	struct options *o = to;

	o->listen = text;
	if (socket_address_read(text, &o->address))
		return "give a port, or an address and a port, as in 9947, 127.0.0.1:9947 or [::1]:9947";
	return NULL;
}

#define FIELD(member) ARGS_FIELD(struct options, member)

static const struct args_option OPTIONS[] = {
	{ "--listen", "[ADDRESS:]PORT", 0, ARGS_OWN, FIELD(listen), .parse = parse_listen,
	  .help = "where metrics are served (127.0.0.1:9947); a socket that systemd\n"
		  "passes is used instead" },
	{ "--directory", "DIR", 0, ARGS_STRING, FIELD(directory), .min = 1,
	  .expects = "give a directory", .help = "where the files NAME.prom are (/run/xdp-dedup)" },
	{ "--version", NULL, 0, ARGS_FLAG, FIELD(version), .help = "print the version" },
	{ 0 },
};

static const struct args_command METRICS = {
	.name = "metrics",
	.command = PROGRAM,
	.usage = "[options]",
	.help = "serve the metrics of xdp-dedup and xdp-dedup-publish for Prometheus",
	.options = OPTIONS,
};

/* Returns a socket that listens; or -errno (logged). */
static int listen_at(const struct options *o)
{
	int fd = socket(o->address.addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int one = 1, err;

	/* SO_REUSEADDR: a restart need not wait for earlier connections in TIME_WAIT. */
	if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) &&
	    !bind(fd, (const struct sockaddr *)&o->address.addr, o->address.len) &&
	    !listen(fd, BACKLOG))
		return fd;
	err = -errno;
	fd_close(fd);
	return diag_err(err,
			"cannot listen at %s: %s" ADVICE
			"give another address or port by --listen, or end the program that has it",
			o->listen, strerror(-err));
}

/* Opens the listening socket: systemd's, or one at --listen. Returns an exit status. */
static int open_socket(const struct options *o, int *ret_fd)
{
	int cnt = sd_listen_fds(true), fd = SD_LISTEN_FDS_START;

	if (cnt < 0 || cnt > 1 || (cnt == 1 && sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, true) <= 0))
		return diag_err(EXIT_MISUSED,
				"systemd does not pass exactly one socket that listens for streams" ADVICE
				"give the socket unit one line ListenStream=");
	*ret_fd = cnt == 1 ? fd : listen_at(o);
	return *ret_fd < 0 ? EXIT_FAILED : EXIT_DONE;
}

int main(int argc, char **argv)
{
	struct options o = { .directory = "/run/xdp-dedup" };
	int fd = -1, status;

	print_as(PROGRAM);
	parse_listen(&o, "127.0.0.1:9947");
	if (args_has_help(argc, argv)) {
		args_write_help(stdout, &METRICS);
		fputs("\nExit status: 0 after SIGTERM or SIGINT, 1 failed, 2 misused.\n", stdout);
		return check_output(EXIT_DONE);
	}
	if (args_parse(&METRICS, &o, argc, argv) < 0)
		return EXIT_MISUSED;
	if (o.version) {
		puts(PROGRAM " " XDP_DEDUP_VERSION);
		return check_output(EXIT_DONE);
	}
	status = open_socket(&o, &fd);
	if (status == EXIT_DONE && serve(fd, o.directory))
		status = EXIT_FAILED;
	return check_output(status);
}
