// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "listener.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "diag.h"
#include "timer.h"

#define RETRY_US 10000000
#define INSTEAD_EVERY 30 /* tries, one in 10 s */

static void forget(char **text)
{
	free(*text);
	*text = NULL;
}

static void stop(struct listener *l)
{
	scrapes_close(l->scrapes);
	l->scrapes = NULL;
	forget(&l->at);
}

/* Both families have it at one place. */
static in_port_t port_of(const struct socket_address *a)
{
	return ((const struct sockaddr_in *)&a->addr)->sin_port;
}

static bool is_same_port(const char *at, const struct socket_address *a)
{
	struct socket_address old;

	return at && !socket_address_read(at, &old) && port_of(&old) == port_of(a);
}

/* 0 or -errno. What is at l->at ends once the new socket listens. */
static int open_at(struct listener *l, const char *where, const struct socket_address *a, bool may_log)
{
	bool is_absent = false;
	int fd = scrapes_listen(a, &is_absent);
	char *at;

	if (fd < 0)
		return fd;
	at = strdup(where);
	if (!at) {
		close(fd);
		return -ENOMEM;
	}
	stop(l);
	if (scrapes_open(l->events, fd, (struct scrapes_writer){ l->write, l->arg }, NULL,
			 &l->scrapes)) {
		free(at);
		return -EIO; /* logged */
	}
	l->at = at;
	if (may_log && !socket_address_is_local(a))
		diag_note("metrics = %s: other hosts can read them, without authentication", where);
	if (may_log && is_absent)
		diag_note("metrics = %s: no interface has this address yet; scrapes are answered there once one has",
			  where);
	return 0;
}

/* The old socket may be in the way: as 127.0.0.1 is in that of 0.0.0.0. It is opened again if that
 * was not it.
 */
static int open_instead(struct listener *l, const char *where, const struct socket_address *a)
{
	char *before = strdup(l->at);
	struct socket_address old;
	int err;

	if (!before)
		return -ENOMEM;
	stop(l);
	err = open_at(l, where, a, true);
	if (err && !socket_address_read(before, &old))
		open_at(l, before, &old, false);
	free(before);
	return err;
}

static void log_failure(const struct listener *l, int err, bool is_in_the_way)
{
	diag_err(0, "cannot listen for scrapes at %s: %s; it is tried again every %s%s%s",
		 l->wanted, strerror(-err), is_in_the_way ? "5 min" : "10 s",
		 l->at ? ", and meanwhile they are answered at " : "", l->at ?: "");
}

/* Returns 0 once the socket listens at the address, or -errno. */
static int listen_at(struct listener *l, const struct socket_address *a, bool *is_in_the_way)
{
	int err = open_at(l, l->wanted, a, true);

	*is_in_the_way = err == -EADDRINUSE && is_same_port(l->at, a);
	/* Not each time: it cuts off clients that the old socket answers. */
	if (*is_in_the_way && l->tries++ % INSTEAD_EVERY == 0)
		err = open_instead(l, l->wanted, a);
	return err;
}

static int on_retry(sd_event_source *source, uint64_t usec, void *arg);

/* Listens at l->wanted, or arms the timer. */
static void try_wanted(struct listener *l, const struct socket_address *a)
{
	bool is_in_the_way;
	int err = listen_at(l, a, &is_in_the_way);

	if (!err) {
		forget(&l->wanted);
		return;
	}
	if (!l->was_logged)
		log_failure(l, err, is_in_the_way);
	l->was_logged = true;
	err = timer_arm(l->events, &l->retry, l->retry_us ?: RETRY_US, on_retry, l);
	if (err < 0)
		diag_err(err, "metrics = %s: cannot be tried again: %s", l->wanted, strerror(-err));
}

static int on_retry(sd_event_source *source, uint64_t usec, void *arg)
{
	struct listener *l = arg;
	struct socket_address a;

	(void)source, (void)usec;
	if (l->wanted && !socket_address_read(l->wanted, &a))
		try_wanted(l, &a);
	return 0;
}

/* Sets l->wanted. Returns 0 or -ENOMEM (logged). */
static int want(struct listener *l, const char *where)
{
	char *copy;

	if (l->wanted && !strcmp(l->wanted, where))
		return 0;
	copy = strdup(where);
	if (!copy)
		return diag_err(-ENOMEM, "metrics = %s: out of memory", where);
	forget(&l->wanted);
	l->wanted = copy;
	l->was_logged = false;
	l->tries = 0;
	return 0;
}

void listener_configure(struct listener *l, const char *where)
{
	struct socket_address a;

	if (where && l->at && !strcmp(where, l->at)) {
		forget(&l->wanted);
		return;
	}
	if (!where || socket_address_read(where, &a)) {
		listener_close(l);
		return;
	}
	if (!want(l, where))
		try_wanted(l, &a);
}

void listener_close(struct listener *l)
{
	stop(l);
	forget(&l->wanted);
	l->retry = sd_event_source_disable_unref(l->retry);
}
