// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "drop_monitor.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/net_dropmon.h>
#include <linux/sock_diag.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "netlink.h"

#define MESSAGE_MAX (128 * 1024)	/* for a packet of 64 KiB, and its attributes */
#define SOCKET_BYTES (16 * 1024 * 1024) /* for bursts of packets */
#define QUEUE_PACKETS 10000		/* of each CPU, in the kernel: by it a monitor is ours */
#define QUEUE_DEFAULT 1000
#define MESSAGES_AT_ONCE 256   /* of a call, so that it ends also in a flood */
#define GROUP NET_DM_GRP_ALERT /* of its events */
#define MODULE "/sys/module/drop_monitor"

struct drop_monitor {
	struct mnl_socket *socket;
	int family; /* of generic netlink; -errno */
	bool opened;
	uint64_t refused_before, refused; /* by the kernel's queues: when it was opened, and now */
	char message[MESSAGE_MAX];
};

struct configuration {
	bool is_whole; /* whole packets are reported, and not only counts, or their beginnings */
	uint32_t queue;
};

static int take_configuration(const struct nlmsghdr *message, void *arg)
{
	const struct nlattr *a[NET_DM_ATTR_MAX + 1] = { NULL };
	struct configuration *c = arg;

	netlink_attributes(message, GENL_HDRLEN, a, NET_DM_ATTR_MAX);
	c->is_whole = netlink_number(a[NET_DM_ATTR_ALERT_MODE]) == NET_DM_ALERT_MODE_PACKET &&
		      !netlink_number(a[NET_DM_ATTR_TRUNC_LEN]);
	c->queue = netlink_number(a[NET_DM_ATTR_QUEUE_LEN]);
	return MNL_CB_OK;
}

/* Sets *arg, a uint64_t, to how many packets the kernel's queues had no room for. */
static int take_stats(const struct nlmsghdr *message, void *arg)
{
	const struct nlattr *a[NET_DM_ATTR_MAX + 1] = { NULL };
	const struct nlattr *of[NET_DM_ATTR_STATS_MAX + 1] = { NULL };

	netlink_attributes(message, GENL_HDRLEN, a, NET_DM_ATTR_MAX);
	netlink_nested(a[NET_DM_ATTR_STATS], of, NET_DM_ATTR_STATS_MAX);
	*(uint64_t *)arg = netlink_number(of[NET_DM_ATTR_STATS_DROPPED]);
	return MNL_CB_OK;
}

/* Sends a command without an answer. `command` is NET_DM_CMD_START or _STOP. */
static int switch_monitor(const struct drop_monitor *m, uint8_t command)
{
	union netlink_request r;

	netlink_begin_generic(&r, m->family, command);
	mnl_attr_put(&r.header, NET_DM_ATTR_SW_DROPS, 0, NULL);
	return netlink_query(NETLINK_GENERIC, &r.header, NULL, NULL);
}

/* Whole packets, each with a message of its own; or, at the end, what the kernel begins with. */
static int configure(const struct drop_monitor *m, uint8_t mode, uint32_t queue)
{
	union netlink_request r;

	netlink_begin_generic(&r, m->family, NET_DM_CMD_CONFIG);
	mnl_attr_put_u8(&r.header, NET_DM_ATTR_ALERT_MODE, mode);
	mnl_attr_put_u32(&r.header, NET_DM_ATTR_TRUNC_LEN, 0);
	mnl_attr_put_u32(&r.header, NET_DM_ATTR_QUEUE_LEN, queue);
	return netlink_query(NETLINK_GENERIC, &r.header, NULL, NULL);
}

static int read_configuration(const struct drop_monitor *m, struct configuration *out)
{
	union netlink_request r;

	*out = (struct configuration){ 0 };
	netlink_begin_generic(&r, m->family, NET_DM_CMD_CONFIG_GET);
	return netlink_query(NETLINK_GENERIC, &r.header, take_configuration, out);
}

/* `option`: NETLINK_ADD_MEMBERSHIP or NETLINK_DROP_MEMBERSHIP. */
static int set_membership(const struct drop_monitor *m, int option)
{
	int group = GROUP;

	return mnl_socket_setsockopt(m->socket, option, &group, sizeof(group)) ? -errno : 0;
}

int drop_monitor_turn_on(const struct drop_monitor *m)
{
	int err = set_membership(m, NETLINK_ADD_MEMBERSHIP);
	struct configuration c;
	bool is_on;

	err = err ?: configure(m, NET_DM_ALERT_MODE_PACKET, QUEUE_PACKETS);
	is_on = err == -EBUSY; /* at least for hardware drops */
	if (!err || is_on)
		err = switch_monitor(m, NET_DM_CMD_START);
	if (err != -EAGAIN && (err || !is_on))
		return err;
	err = read_configuration(m, &c);
	return err ?: c.is_whole ? 0 : -EBUSY;
}

/* Returns the inode of a socket that listens to the monitor; 0 if there is none. */
static uint32_t listener(void)
{
	FILE *f = fopen("/proc/net/netlink", "re");
	unsigned int protocol, groups, inode, found = 0;
	char line[256];

	while (f && !found && fgets(line, sizeof(line), f))
		/* sk Eth Pid Groups Rmem Wmem Dump Locks Drops Inode */
		if (sscanf(line, "%*s %u %*u %x %*d %*d %*d %*d %*u %u", &protocol, &groups,
			   &inode) == 3 &&
		    protocol == NETLINK_GENERIC && groups >> (GROUP - 1) & 1)
			found = inode;
	if (f)
		fclose(f);
	return found;
}

static int open_socket(struct drop_monitor *m)
{
	int bytes = SOCKET_BYTES, fd;

	m->socket = mnl_socket_open2(NETLINK_GENERIC, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (!m->socket || mnl_socket_bind(m->socket, 0, MNL_SOCKET_AUTOPID))
		return -errno;
	fd = mnl_socket_get_fd(m->socket);
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	return 0;
}

/* Reads how many packets the kernel's queues had no room for. If that fails, the last number stays. */
static int read_refused(struct drop_monitor *m)
{
	union netlink_request r;

	netlink_begin_generic(&r, m->family, NET_DM_CMD_STATS_GET);
	return netlink_query(NETLINK_GENERIC, &r.header, take_stats, &m->refused);
}

int drop_monitor_open(bool force, struct drop_monitor **out, uint32_t *ret_listener)
{
	struct drop_monitor *m = calloc(1, sizeof(*m));
	int err;

	if (!m)
		return -ENOMEM;
	m->family = netlink_family("NET_DM"); /* the kernel loads its module if necessary */
	err = m->family < 0 ? m->family : 0;
	/* If it is on and nobody listens, a process that was killed has left it on. */
	*ret_listener = err ? 0 : listener();
	err = err ?: open_socket(m);
	if (!err && (force || !*ret_listener))
		switch_monitor(m, NET_DM_CMD_STOP);
	err = err ?: drop_monitor_turn_on(m);
	m->opened = !err;
	err = err ?: read_refused(m);
	m->refused_before = m->refused;
	if (err)
		drop_monitor_close(m);
	else
		*out = m;
	return err;
}

int drop_monitor_fd(const struct drop_monitor *m)
{
	return mnl_socket_get_fd(m->socket);
}

uint32_t drop_monitor_missed(struct drop_monitor *m)
{
	uint32_t memory[SK_MEMINFO_VARS] = { 0 };
	socklen_t size = sizeof(memory);

	getsockopt(drop_monitor_fd(m), SOL_SOCKET, SO_MEMINFO, memory, &size);
	read_refused(m);
	return memory[SK_MEMINFO_DROPS] + (uint32_t)(m->refused - m->refused_before);
}

bool drop_monitor_parse(const void *message, uint32_t len, struct drop *out)
{
	const struct nlattr *a[NET_DM_ATTR_MAX + 1] = { NULL };
	const struct nlattr *port[NET_DM_ATTR_PORT_MAX + 1] = { NULL };
	const struct nlmsghdr *header = message;
	const struct genlmsghdr *g;

	*out = (struct drop){ 0 };
	/* Attributes end at a multiple of 4, to which libmnl rounds up. */
	if (!mnl_nlmsg_ok(header, (int)len) || mnl_nlmsg_get_payload_len(header) < sizeof(*g) ||
	    header->nlmsg_len % MNL_ALIGNTO)
		return false;
	g = mnl_nlmsg_get_payload(header);
	if (g->cmd != NET_DM_CMD_PACKET_ALERT)
		return false;
	netlink_attributes(header, GENL_HDRLEN, a, NET_DM_ATTR_MAX);
	netlink_nested(a[NET_DM_ATTR_IN_PORT], port, NET_DM_ATTR_PORT_MAX);
	netlink_text(a[NET_DM_ATTR_SYMBOL], out->where, sizeof(out->where));
	netlink_text(a[NET_DM_ATTR_REASON], out->reason, sizeof(out->reason));
	out->ifindex = netlink_number(port[NET_DM_ATTR_PORT_NETDEV_IFINDEX]);
	out->time_ns = netlink_number(a[NET_DM_ATTR_TIMESTAMP]);
	out->len = netlink_number(a[NET_DM_ATTR_ORIG_LEN]);
	if (!a[NET_DM_ATTR_PAYLOAD])
		return false;
	out->frame = mnl_attr_get_payload(a[NET_DM_ATTR_PAYLOAD]);
	out->have = mnl_attr_get_payload_len(a[NET_DM_ATTR_PAYLOAD]);
	if (out->len < out->have)
		out->len = out->have;
	return out->have;
}

/* Stops it, unless somebody listens. */
static void turn_off(const struct drop_monitor *m)
{
	if (!listener() && !switch_monitor(m, NET_DM_CMD_STOP))
		configure(m, NET_DM_ALERT_MODE_SUMMARY, QUEUE_DEFAULT);
}

void drop_monitor_turn_off(const struct drop_monitor *m)
{
	set_membership(m, NETLINK_DROP_MEMBERSHIP);
	turn_off(m);
}

int drop_monitor_poll(struct drop_monitor *m, int timeout_ms,
		      int (*each)(void *arg, const struct drop *drop), void *arg)
{
	struct pollfd events = { .fd = drop_monitor_fd(m), .events = POLLIN };
	struct drop drop;

	if (poll(&events, 1, timeout_ms) < 0)
		return errno == EINTR ? 0 : -errno;
	for (int i = 0; i < MESSAGES_AT_ONCE; i++) {
		ssize_t len = recv(events.fd, m->message, sizeof(m->message), 0);
		int result;

		if (len < 0 && errno == ENOBUFS)
			continue; /* drop_monitor_missed() has the number */
		if (len < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
		if (!drop_monitor_parse(m->message, (uint32_t)len, &drop))
			continue;
		result = each(arg, &drop);
		if (result)
			return result;
	}
	return 0;
}

void drop_monitor_close(struct drop_monitor *m)
{
	if (m->socket) {
		/* A child of fork() may still have the socket. */
		set_membership(m, NETLINK_DROP_MEMBERSHIP);
		mnl_socket_close(m->socket);
	}
	if (m->opened)
		turn_off(m);
	free(m);
}

void drop_monitor_end_left(void)
{
	struct drop_monitor *m = access(MODULE, F_OK) ? NULL : calloc(1, sizeof(*m));
	struct configuration c;

	if (m && (m->family = netlink_family("NET_DM")) >= 0 && !read_configuration(m, &c) &&
	    c.is_whole && c.queue == QUEUE_PACKETS)
		turn_off(m);
	free(m);
}
