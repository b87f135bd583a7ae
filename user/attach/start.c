// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "start.h"

#include <errno.h>
#include <string.h>

#include "attachments.h"
#include "detach.h"
#include "diag.h"
#include "fd.h"
#include "iface.h"
#include "kernel.h"
#include "links_exchange.h"
#include "loader.h"
#include "open.h"
#include "pin_dirs.h"
#include "stack.h"
#include "unread.h"

/* Writes the record of the filter in +NAME, and waits until its hand steps. */
static int make_ready(const char *name, const struct placement *where, uint64_t drop_until_ns)
{
	struct dedup_iface ifaces[DEDUP_IFACES_MAX];
	struct filter f;
	int err = filter_open_without_blocks(PIN_STAGING(name), &f);

	if (err)
		return loader_explain(name, err);
	if (drop_until_ns) {
		WRITE_ONCE(f.state->drop_until_ns, drop_until_ns);
		/* The hand may have stepped already, and sets it again only at its next step. */
		WRITE_ONCE(f.state->counting, kernel_now_ns() >= drop_until_ns);
	}
	if (!stack_losses((uint64_t *)f.record->losses.lost))
		f.record->losses.netns = iface_local_netns();
	for (int i = 0; i < where->cnt && !err; i++)
		err = attachments_entry(where->ifnames[i], where, &ifaces[i]);
	err = err ?: attachments_write_record(&f, ifaces, where->cnt, NULL)
	      ?: loader_await_hand(&f, f.state->started_ns);
	filter_close(&f);
	return err;
}

static int attach_program(const char *name)
{
	struct filter f;
	int err = filter_open_without_blocks(name, &f), fd;

	if (err)
		return loader_explain(name, err);
	fd = loader_open_program(name);
	err = fd < 0 ? fd : 0;
	for (int i = 0; i < DEDUP_IFACES_MAX && !err; i++)
		if (f.record->ifaces[i].ifindex)
			err = links_attach(name, &f.record->ifaces[i], fd);
	fd_close(fd);
	filter_close(&f);
	return err;
}

int filter_start(const char *name, const struct placement *where, uint64_t drop_until_ns)
{
	int err = make_ready(name, where, drop_until_ns) ?: pin_dir_publish(name);

	if (err) {
		pin_dir_remove_staging(name);
		return err;
	}
	err = attach_program(name);
	if (err && filter_stop(name))
		diag_err(0,
			 "%s could not be taken back" ADVICE "xdp-dedup unload --name %s removes it",
			 name, name);
	return err;
}

/* Removes the pins, notifies readers of AF_XDP sockets, and waits until they have left. */
static int remove_filter(const char *name)
{
	struct delivery d;
	struct filter f;
	int err;

	delivery_begin(&d);
	if (!filter_open_without_blocks(name, &f)) {
		delivery_open(&f, &d);
		filter_close(&f);
	}
	err = pin_dir_remove(name);
	if (!err)
		unread_end(&d); /* after the pins: else a reader could open the queue again */
	delivery_close(&d);
	return err;
}

int filter_stop(const char *name)
{
	return links_begin_detach(name, NULL) ?:
	       links_begin_detach(PIN_STAGING(name), name) ?:
	       remove_filter(name) ?:
	       detach_finish();
}

/* Keeps links that NAME also has: +NAME may be left over from a committed change. */
int filter_stop_staging(const char *name)
{
	return links_begin_detach(PIN_STAGING(name), name) ?:
	       pin_dir_remove_staging(name) ?:
	       detach_finish();
}
