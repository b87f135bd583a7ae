/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The connection to the NATS servers. A thread of its own connects, checks the stream
 * (stream_check.h), and does so again after the connection was lost, with growing pauses. So
 * nothing here waits for a server, but for a send buffer that is full: for SERVER_WRITE_MS at most.
 * Every function but server_wake() is for one thread, the one that opened it.
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

/* Begins to connect; *o lives longer. Returns 0, and the caller closes *out; or -errno
 * (logged).
 */
int server_open(const struct publish_options *o, const struct stream_wish *want, struct server **out);
void server_close(struct server *s); /* NULL is fine */

/* A descriptor that is readable if there is something new: server_look(). */
int server_fd(const struct server *s);

enum server_state {
	SERVER_DOWN, /* there is no connection: nothing can be published */
	SERVER_UP,
	SERVER_FAILED, /* the stream does not suit the options: the thread has ended */
};

/* Says how it is now; SERVER_UP after SERVER_DOWN means a new connection. Logs what the
 * thread has to say.
 */
enum server_state server_look(struct server *s);

/* Gives up a connection that has not come about within 10 s, and logs what is left of what
 * servers have said. Called now and then.
 */
void server_hurry(struct server *s);

/* Has the stream checked for another wish, at once if there is a connection. While it does not take
 * all subjects, it is checked again every 3 s. If it takes none, or suits no more otherwise, the
 * connection is given up, and made again once it suits.
 */
void server_want(struct server *s, const struct stream_wish *want);

/* The outcome of the last check. A new one makes server_fd() readable. */
struct stream_fit server_fit(struct server *s);

/* An answer to the message with this slot and generation (pending.h). */
struct server_answer {
	uint32_t slot, generation;
	struct publish_answer answer;
};

/* Takes the next answer. False: there is none. */
bool server_take(struct server *s, struct server_answer *out);

/* Makes server_fd() readable. Needed after server_take() has left answers, so that the event loop
 * comes back for them.
 */
void server_wake(struct server *s);

struct server_header {
	const char *name, *value;
};

struct server_message {
	const char *subject;
	const void *payload;
	size_t len;
	const struct server_header *headers; /* up to one without a name */
	uint32_t slot, generation;
};

/* Publishes a message. Returns 0; -EMSGSIZE if it is larger than the server takes; -EAGAIN if it was
 * not sent, as it was not up at the last server_look(), or has gone down; or -EIO, with
 * text[SERVER_TEXT_MAX], if this message cannot be sent.
 */
int server_publish(struct server *s, const struct server_message *m, char *text);

#endif
