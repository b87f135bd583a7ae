// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Checks of the requested filter, on all of its interfaces. */
#include <errno.h>
#include <string.h>

#include "deliver.h"
#include "device.h"
#include "diag.h"
#include "check_context.h"
#include "kernel.h"
#include "plan.h"
#include "receivers.h"
#include "tunnel_devices.h"
#include "tunnels.h"
#include "units.h"

int check_size(struct check_context *q)
{
	const struct dedup_config *plan = q->subject->plan;
	char promise[PLAN_PROMISE_MAX];
	struct dedup_config unused;

	if (plan) {
		check_number(q, "capacity_ids", plan->memory.capacity);
		check_number(q, "window_ns", plan->memory.window_ns);
		check_found(q, "%s", plan_promise(plan, promise));
	}
	return plan_local(q->subject->spec, &unused);
}

int check_memory(struct check_context *q)
{
	const struct dedup_config *cfg = q->subject->plan;
	uint64_t need = plan_bytes(cfg) + plan_delivery_bytes(cfg),
		 available = kernel_memory_available();
	const char *need_text = FORMAT_BYTES(need), *available_text = FORMAT_BYTES(available);

	check_number(q, "filter_bytes", need);
	if (!available)
		return check_unknown(q, "the filter takes %s; how much is free cannot be told",
				     need_text);
	check_number(q, "available_bytes", available);
	check_found(q, "the filter takes %s, %s are free; a limit of locked memory does not count",
		    need_text, available_text);
	if (need <= available)
		return 0;
	return diag_err(-ENOMEM,
			"the filter takes %s, and %s of memory are free" ADVICE
			"lower --capacity%s or raise --fpr",
			need_text, available_text, cfg->sources.sources ? " or --sources," : "");
}

/* Returns the number of RX queues of all interfaces whose drivers report it. */
static uint32_t count_queues(const struct placement *where)
{
	uint32_t cnt = 0, now, max;

	for (int i = 0; i < where->cnt; i++)
		if (!device_queues(where->ifnames[i], &now, &max))
			cnt += now;
	return cnt;
}

int check_delivery(struct check_context *q)
{
	uint64_t bytes = plan_delivery_bytes(q->subject->plan);
	uint32_t queues = count_queues(q->subject->where);

	if (!q->subject->plan->policy.deliver)
		return check_found(q, "fresh packets go to the stack");
	check_number(q, "delivery_bytes", bytes);
	check_found(q, "this kernel has AF_XDP sockets; the maps for them take %s",
		    FORMAT_BYTES(bytes));
	if (queues > DEDUP_SOCKETS_MAX)
		diag_note("there are %u RX queues, and %d of them can have AF_XDP sockets: fresh packets of the others go to the stack" ADVICE
			  "ethtool -L makes them fewer",
			  queues, DEDUP_SOCKETS_MAX);
	return kernel_check_delivery();
}

/* A window that is too long for a profile may drop fresh packets, as when numbers wrap. */
int check_window(struct check_context *q)
{
	const struct checks_subject *s = q->subject;
	const char *window = FORMAT_TIME(s->spec->window_ns);
	const char *fits = FORMAT_TIME(s->fitting_window_ns);

	if (s->fitting_window_ns)
		check_number(q, "fitting_window_ns", s->fitting_window_ns);
	check_found(q,
		    s->fitting_window_ns ? "a window of %s fits the profiles: up to %s"
					 : "a window of %s",
		    window, fits);
	if (s->fitting_window_ns && s->spec->window_ns > s->fitting_window_ns)
		diag_note("a window of %s is longer than fits these profiles, %s" ADVICE
			  "xdp-dedup profile show says why",
			  window, fits);
	return 0;
}

int check_stacking(struct check_context *q)
{
	check_found(q, q->subject->where->cnt > 1 ? "none of them is on top of another"
						  : "one interface");
	return receivers_check_above(q->subject->where, q->subject->links)
		       ?: receivers_check_stacking(q->subject->where, q->subject->links)
		       ?: tunnel_devices_check(q->subject->where, tunnels_kinds(q->subject->spec),
					       q->subject->links);
}

int check_tags(struct check_context *q)
{
	int matter = receivers_note_tags(q->subject->spec, q->subject->where);

	return check_found(q, matter ? "VLAN tags are left in the frames"
				     : "the filter does not go by VLAN tags");
}

int check_ports(struct check_context *q)
{
	check_found(q, "no stream has several ports");
	receivers_note_ports(q->subject->spec);
	return 0;
}

int check_forwarding(struct check_context *q)
{
	int matters =
		receivers_note_forwarding(q->subject->spec, q->subject->where, q->subject->links);

	check_found(q, matters ? "this host forwards no packets"
			       : "options choose which packets count");
	return matters < 0 ? CHECK_IS_UNKNOWN : 0;
}
