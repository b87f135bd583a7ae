// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "link_events.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>

#include "diag.h"
#include "receivers.h"

static struct mnl_socket *subscribe(void)
{
	struct mnl_socket *s = mnl_socket_open2(NETLINK_ROUTE, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (s && !mnl_socket_bind(s, RTMGRP_LINK, MNL_SOCKET_AUTOPID))
		return s;
	diag_err(0, "cannot listen to changes of interfaces: %s", strerror(errno));
	if (s)
		mnl_socket_close(s);
	return NULL;
}

int link_events_open(struct link_events *e)
{
	bool changed;
	int err;

	*e = (struct link_events){ .socket = subscribe(), .fd = -1 };
	if (!e->socket)
		return -EIO;
	e->fd = mnl_socket_get_fd(e->socket);
	err = link_events_read(e, &changed);
	if (err)
		link_events_close(e);
	return err;
}

void link_events_close(struct link_events *e)
{
	links_free(&e->now);
	if (e->socket)
		mnl_socket_close(e->socket);
	e->socket = NULL;
	e->fd = -1;
}

void link_events_drain(const struct link_events *e)
{
	char ignored[8192];

	/* ENOBUFS: messages were lost; the next ones, if any, are still there. */
	while (recv(e->fd, ignored, sizeof(ignored), 0) >= 0 || errno == EINTR || errno == ENOBUFS)
		;
}

static bool is_same_link(const struct link *a, const struct link *b)
{
	return a->index == b->index && a->has_mac == b->has_mac &&
	       !memcmp(a->mac, b->mac, sizeof(a->mac)) && !strcmp(a->name, b->name);
}

/* Compares by position, as the kernel's order changes only if the interfaces do. */
static bool are_same(const struct links *a, const struct links *b)
{
	bool same = a->cnt == b->cnt;

	for (int i = 0; i < a->cnt && same; i++)
		same = is_same_link(&a->list[i], &b->list[i]);
	return same;
}

int link_events_read(struct link_events *e, bool *changed)
{
	struct links next;
	int err = receivers_links(&next);

	*changed = false;
	if (err)
		return err;
	*changed = !are_same(&e->now, &next);
	links_free(&e->now);
	e->now = next;
	return 0;
}

uint32_t link_events_index(const struct link_events *e, const char *ifname)
{
	uint32_t index;

	for (int i = 0; i < e->now.cnt; i++)
		if (!strcmp(e->now.list[i].name, ifname))
			return e->now.list[i].index;
	index = if_nametoindex(ifname); /* also finds alternative names */
	for (int i = 0; i < e->now.cnt; i++)
		if (e->now.list[i].index == index)
			return index;
	return 0;
}
