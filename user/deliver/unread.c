// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "unread.h"

#include <string.h>

#include "delivery.h"
#include "diag.h"
#include "kernel.h"
#include "open_filter.h"

void unread_want(const struct filter *from, struct filter *f)
{
	struct delivery_unread u;
	struct delivery d;
	int err = from->config->policy.deliver ? delivery_open(from, &d) : 0;

	if (err)
		diag_note("cannot look at what readers of %s have left: %s", f->name, strerror(-err));
	if (err || !from->config->policy.deliver)
		return;
	kernel_wait_for_packets();
	delivery_want_unread(&d, f, &u);
	delivery_await_readers(&d, f);
	delivery_close(&d);
	if (u.wanted)
		diag_note("%u packets of %s were left by readers that have ended: their next copies pass",
			  u.wanted, f->name);
	if (u.lost)
		diag_note("%u packets of %s were left by readers that have ended, and their next copies are dropped: too many ids are wanted",
			  u.lost, f->name);
	if (u.held_lost)
		diag_note("%u packets of %s are in sockets of readers that run, and are lost if these are killed before they have read them: too many ids are wanted",
			  u.held_lost, f->name);
}
