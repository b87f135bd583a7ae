// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lost_packets.h"

#include <errno.h>
#include <string.h>

#include "clock.h"
#include "device.h"
#include "diag.h"
#include "stack.h"

#define SECOND_NS 1000000000

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
	struct lost_wants *wants = &l->wants[p->reason->want];
	uint64_t second = clock_ns(CLOCK_MONOTONIC) / SECOND_NS;

	if (!p->reason->want || p->id.reason >= 0 || !learns_first(f->config, p->id.stream))
		return;
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
