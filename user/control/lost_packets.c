// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lost_packets.h"

#include <errno.h>
#include <string.h>

#include "clock.h"
#include "device.h"
#include "diag.h"
#include "stack.h"

#define SECOND_NS 1000000000

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

int lost_monitor_open(const char *what, bool force, struct drop_monitor **out)
{
	uint32_t listener;
	int err = drop_monitor_open(force, out, &listener);

	switch (err) {
	case 0:
		return 0;
	case -ENOENT:
		return diag_err(err,
				"cannot %s: there is no drop monitor here: the kernel lacks it "
				"(CONFIG_NET_DROP_MONITOR), or this is not the initial network "
				"namespace" ADVICE "`status` has the figures",
				what);
	case -EBUSY:
		return diag_err(err,
				"cannot %s: %s has the kernel's drop monitor on, without whole "
				"packets" ADVICE "end that, or take over by lost --force",
				what, listener ? STACK_PROGRAM_OF(listener) : "a program");
	case -EPERM:
	case -EACCES:
		return diag_err(err,
				"cannot %s: the kernel's drop monitor needs CAP_NET_ADMIN and "
				"CAP_SYS_ADMIN",
				what);
	}
	return diag_err(err, "cannot %s: the kernel's drop monitor: %s", what, strerror(-err));
}

const struct attachment *lost_interface(const struct attachments *at, const struct links *links,
					const struct drop *d)
{
	for (int i = 0; i < at->cnt; i++) {
		const struct attachment *a = &at->list[i];

		if (a->local &&
		    (a->ifindex == d->ifindex || links_is_on(links, d->ifindex, a->ifindex)))
			return a;
	}
	return NULL;
}

bool lost_packet_read(const struct drop *d, const struct attachment *at, struct lost_packet *out)
{
	if (lost_is_by_xdp(d) || !at)
		return false;
	out->at = at;
	out->reason = lost_reason_of(d);
	program_identify(d->frame, d->have, &out->id);
	/* An IHAVE has many ids. */
	return out->id.reason < 0 || out->id.reason == DEDUP_REASON_ihave_new;
}

/* Does the packet path learn ids of stream n before the stack gets their packets? Else the next
 * copy passes anyway.
 */
static bool learns_first(const struct dedup_config *c, uint32_t n)
{
	return !c->asked.learn_app && !(c->policy.deliver >> n & 1);
}

void lost_packets_want(struct lost_packets *l, struct filter *f, const struct lost_packet *p)
{
	uint64_t second = clock_ns(CLOCK_MONOTONIC) / SECOND_NS;
	struct lost_wants *wants;

	if (!p->reason->want || p->id.reason >= 0 || !learns_first(f->config, p->id.stream))
		return;
	wants = &l->wants[p->reason->want - 1];
	if (second != wants->second) {
		wants->second = second;
		wants->left = LOST_WANTS_IN_A_SECOND;
	}
	if (!wants->left || want_ring_add(&wants->ring, f, &p->id.id, p->id.stream) < 0)
		l->unwanted++;
	else
		l->wanted++;
	wants->left -= !!wants->left;
}

bool lost_is_costly(const char *ifname, enum attach_mode mode)
{
	char driver[DEVICE_DRIVER_MAX];

	return mode == MODE_SKB || device_driver(ifname, driver) || !strcmp(driver, "veth");
}

const char *lost_costly_interface(const struct links *links)
{
	for (int i = 0; i < links->cnt; i++) {
		const struct link *l = &links->list[i];
		bool is_skb = l->xdp_ids[LINK_XDP_SKB];

		if (link_runs_xdp(l, 0) && lost_is_costly(l->name, is_skb ? MODE_SKB : MODE_NATIVE))
			return l->name;
	}
	return NULL;
}
