/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The connection to the NATS servers. A separate thread connects, checks the stream (stream_check.h),
 * and does both again after the connection was lost, with growing pauses. So these functions do not
 * wait for a server, except server_publish(): at most SERVER_WRITE_MS for a full send buffer. Only
 * the thread that opened the server may call them; any thread may call server_wake().
 */
#ifndef XDP_DEDUP_PUBLISH_SERVER_H
#define XDP_DEDUP_PUBLISH_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "publish_answer.h"
#include "publish_options.h"
#include "stream_check.h"

#define SERVER_WRITE_MS 2000

struct server;

/* Begins to connect. *o outlives *out. Returns 0, and the caller closes *out; or -errno (logged). */
int server_open(const struct publish_options *o, const struct stream_requirements *required,
		struct server **out);
void server_close(struct server *s); /* accepts NULL */

/* Returns a descriptor that becomes readable when server_update() has something new. */
int server_fd(const struct server *s);

enum server_state {
	SERVER_DOWN,	/* there is no connection: nothing can be published */
	SERVER_REFUSED, /* no connection, because another machine makes other ids */
	SERVER_UP,
	SERVER_FAILED, /* the stream does not suit the options: the thread has ended */
};

/* Returns the state now; SERVER_UP after SERVER_DOWN means a new connection. Logs the thread's
 * errors and notes.
 */
enum server_state server_update(struct server *s);

/* Ends an attempt to connect after 10 s, and logs notes of servers that are left. The caller calls
 * it regularly.
 */
void server_check_timeouts(struct server *s);

/* Sets new requirements, and has the stream checked, at once if there is a connection. While the
 * stream does not take all subjects, it is checked every 3 s. If it takes none, or fails another
 * requirement, the connection is closed, and made again once the stream suits.
 */
void server_require(struct server *s, const struct stream_requirements *required);

/* Returns the result of the last check. A new result makes server_fd() readable. */
struct stream_fit server_fit(struct server *s);

/* An answer to the message with this slot and generation (pending.h). */
struct server_answer {
	uint32_t slot, generation;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	struct publish_answer answer;
};

/* Takes the next answer. Returns false if there is none. Few answers do not make server_fd()
 * readable, as each wake-up costs more than a message: the caller also takes them by a timer.
 */
bool server_take(struct server *s, struct server_answer *out);

/* Makes server_fd() readable: needed if the caller leaves answers for the next turn of its loop. */
void server_wake(struct server *s);

struct server_header {
	const char *name, *value;
};

struct server_message {
	const char *subject;
	const void *payload;
	size_t len;
	const struct server_header *headers; /* ends with one without a name */
	uint32_t slot, generation;
};

/* Publishes a message. Returns 0; -EMSGSIZE if it is larger than the server takes; -EAGAIN if it
 * was not sent because there was no connection at the last server_update(), or it was lost since;
 * or -EIO, with text[SERVER_TEXT_MAX], if this message cannot be sent.
 */
int server_publish(struct server *s, const struct server_message *m, char *text);

#endif
