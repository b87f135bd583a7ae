/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The HTTP server (libmicrohttpd): one thread, which waits for nobody. A connection serves one
 * request.
 */
#ifndef XDP_DEDUP_SERVE_H
#define XDP_DEDUP_SERVE_H

#define SERVE_CONNECTIONS_MAX 600
#define SERVE_GUESTS_MAX 500	  /* beyond these the oldest is ended for each that comes */
#define SERVE_CONNECTION_MS 15000 /* a connection that takes longer is ended, whatever it does */

/* Answers HTTP requests with the files of this directory (files.h), at the socket that listens,
 * which it closes: /metrics/NAME is NAME.prom, and /metrics the service's. 503 if the file is
 * stale, 404 if there is none. Tells systemd that it is ready. Returns 0 after SIGTERM or SIGINT;
 * or -errno (logged).
 */
int serve(int listen_fd, const char *directory);

#endif
