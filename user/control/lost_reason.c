// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lost_reason.h"

#include <string.h>

/* `kernel`: the kernel's reason (SKB_DROP_REASON_ in include/net/dropreason.h). Older kernels, and
 * some functions, name none: then the function's name must begin with `where`.
 */
static const struct row {
	const char *kernel, *where;
	struct lost_reason reason;
} ROWS[] = {
	{ "IP_RPFILTER", NULL, { "reverse_path", "the reverse path filter", LOST_WANT_NO } },
	{ "SOCKET_RCVBUFF", NULL, { "no_room", "a socket's buffer was full", LOST_WANT_NO_ROOM } },
	{ "PROTO_MEM", NULL, { "no_room", "UDP's memory was full", LOST_WANT_NO_ROOM } },
	{ "NO_SOCKET", NULL, { "no_socket", "no socket is open on the port", LOST_WANT_NO_SOCKET } },
	{ "IP_INNOROUTES",
	  "ip_rcv_finish_core",
	  { "no_member", "no socket has joined the group there, or there is no route", LOST_WANT_NO } },
	{ "UDP_CSUM", "udp_recvmsg", { "bad_checksum", "the UDP checksum is wrong", LOST_WANT_NO } },
	{ NULL, "udpv6_recvmsg", { "bad_checksum", "the UDP checksum is wrong", LOST_WANT_NO } },
	{ "IP_CSUM", NULL, { "bad_checksum", "the IP checksum is wrong", LOST_WANT_NO } },
	{ "SOCKET_FILTER", NULL, { "socket_filter", "a socket's own filter", LOST_WANT_NO } },
	{ "NETFILTER_DROP", "nf_hook_slow", { "netfilter", "a netfilter rule", LOST_WANT_NO } },
	{ "TC_INGRESS", NULL, { "tc", "a tc filter", LOST_WANT_NO } },
	{ "OTHERHOST", NULL, { "other_host", "it was for another host", LOST_WANT_NO } },
	{ "CPU_BACKLOG",
	  "enqueue_to_backlog",
	  { "backlog", "a CPU's backlog was full", LOST_WANT_NO_ROOM } },
};

static const struct lost_reason OTHER = { "other", "another reason", LOST_WANT_NO };

static bool begins_with(const char *text, const char *begin)
{
	return begin && !strncmp(text, begin, strlen(begin));
}

const struct lost_reason *lost_reason_of(const struct drop *d)
{
	bool named = *d->reason && strcmp(d->reason, "NOT_SPECIFIED") != 0;

	for (size_t i = 0; i < sizeof(ROWS) / sizeof(ROWS[0]); i++) {
		const struct row *r = &ROWS[i];

		if (named ? r->kernel && !strcmp(r->kernel, d->reason)
			  : begins_with(d->where, r->where))
			return &r->reason;
	}
	return &OTHER;
}

bool lost_is_by_xdp(const struct drop *d)
{
	return !strcmp(d->reason, "XDP") || begins_with(d->where, "veth_") ||
	       begins_with(d->where, "do_xdp_generic") ||
	       begins_with(d->where, "netif_receive_generic_xdp");
}
