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
	{ "IP_RPFILTER", NULL, { "reverse_path", "the reverse path filter", false } },
	{ "SOCKET_RCVBUFF", NULL, { "no_room", "a socket's buffer was full", true } },
	{ "PROTO_MEM", NULL, { "no_room", "UDP's memory was full", true } },
	{ "NO_SOCKET", NULL, { "no_socket", "no socket is open on the port", true } },
	{ "IP_INNOROUTES",
	  "ip_rcv_finish_core",
	  { "no_member", "no socket has joined the group there, or there is no route", false } },
	{ "UDP_CSUM", "udp_recvmsg", { "bad_checksum", "the UDP checksum is wrong", false } },
	{ NULL, "udpv6_recvmsg", { "bad_checksum", "the UDP checksum is wrong", false } },
	{ "IP_CSUM", NULL, { "bad_checksum", "the IP checksum is wrong", false } },
	{ "SOCKET_FILTER", NULL, { "socket_filter", "a socket's own filter", false } },
	{ "NETFILTER_DROP", "nf_hook_slow", { "netfilter", "a netfilter rule", false } },
	{ "TC_INGRESS", NULL, { "tc", "a tc filter", false } },
	{ "OTHERHOST", NULL, { "other_host", "it was for another host", false } },
	{ "CPU_BACKLOG", "enqueue_to_backlog", { "backlog", "a CPU's backlog was full", true } },
};

static const struct lost_reason OTHER = { "other", "another reason", false };

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
