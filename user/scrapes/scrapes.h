/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A program's part of answering scrapes of its metrics. Another program without any rights,
 * xdp-dedup-metrics (user/metrics), answers them; it requests the text over a channel (channel.h).
 * The first program opens the listening socket, starts the second one, sends it the text, and
 * starts it again when it has ended. It never waits for it. Neither the second program nor its
 * clients can keep the first one busy: it writes at most SCRAPES_A_SECOND texts.
 */
#ifndef XDP_DEDUP_SCRAPES_H
#define XDP_DEDUP_SCRAPES_H

#include <stdbool.h>
#include <stdio.h>
#include <systemd/sd-event.h>

#include "channel.h"
#include "socket_address.h"

#define SCRAPES_A_SECOND 50
#define SCRAPES_PROGRAM "xdp-dedup-metrics"

/* Opens a listening socket, which nobody answers yet. Returns it, or -errno. *is_absent: no
 * interface has the address yet; connections come once one has it. Logs nothing.
 */
int scrapes_listen(const struct socket_address *a, bool *is_absent);

/* Writes the metrics as they are now. Returns 0, or -errno. */
typedef int (*scrapes_fn)(void *arg, FILE *out, enum metrics_format format);

/* Called by the event loop for each text. */
struct scrapes_writer {
	scrapes_fn write;
	void *arg;
};

struct scrapes;

/* Answers scrapes at this socket by the writer, which the event loop calls. `program`: the path of
 * xdp-dedup-metrics, which is not copied; NULL: where it is installed, beside this process's own
 * program or in its libexec. If the program cannot be started, logs that and tries again later.
 * Returns 0, and the caller closes *out with scrapes_close(), which closes the socket; or -errno
 * (logged), with the socket closed.
 */
int scrapes_open(sd_event *events, int listen_fd, struct scrapes_writer writer, const char *program,
		 struct scrapes **out);

/* Ends the program. NULL is allowed. */
void scrapes_close(struct scrapes *s);

#endif
