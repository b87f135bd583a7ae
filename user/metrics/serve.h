/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The HTTP server (libmicrohttpd): one thread, which never blocks on a client. A connection serves
 * one request.
 */
#pragma once

#define SERVE_CONNECTIONS_MAX 600
#define SERVE_OPEN_MAX 500	  /* with more, each new connection ends an old one */
#define SERVE_CONNECTION_MS 15000 /* an older connection is ended */

/* Serves the files of this directory (files.h) at a listening socket, which it closes:
 * /metrics/NAME is NAME.prom, and /metrics is the service's file. 503 if the file is stale, 404 if
 * there is none. Notifies systemd when it is ready. Returns 0 after SIGTERM or SIGINT; or -errno
 * (logged).
 */
int serve(int listen_fd, const char *directory);
