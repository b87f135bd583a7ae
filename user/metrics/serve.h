/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The HTTP server (libmicrohttpd): one thread, which waits for nobody. Scrapes that come while the
 * service writes the text share the next one. A connection serves one request.
 */
#ifndef XDP_DEDUP_SERVE_H
#define XDP_DEDUP_SERVE_H

#define SERVE_CONNECTIONS_MAX 600
#define SERVE_GUESTS_MAX 500 /* beyond these the oldest is ended for each that comes */
#define SERVE_FILES_MAX (2 * SERVE_CONNECTIONS_MAX + 40)
#define SERVE_ANSWER_MS 5000	  /* so long a scrape waits for the service; then 503 */
#define SERVE_CONNECTION_MS 15000 /* a connection that takes longer is ended, whatever it does */
#define SERVE_SAME_MS 50	  /* a text is given again for so long */

/* Answers HTTP requests at the socket that listens, by asking over the channel (channel.h), until
 * that is closed: 0. From its start on the process makes no other system calls than that takes
 * (calls.h). -errno (logged) if it cannot.
 */
int serve(int listen_fd, int channel);

#endif
