// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "start.h"

#include <errno.h>
#include <string.h>

#include "attachments.h"
#include "delivery.h"
#include "detach.h"
#include "diag.h"
#include "fd.h"
#include "iface_link.h"
#include "links_exchange.h"
#include "loader.h"
#include "open.h"
#include "pin_dirs.h"
#include "share.h"

/* Makes the filter in +NAME ready to judge packets. */
static int make_ready(const char *name, const struct placement *where, uint64_t drop_until_ns)
{
	struct dedup_iface ifaces[DEDUP_IFACES_MAX];
	struct filter f;
	int err = filter_open_staged(name, &f);

	if (err)
		return loader_explain(name, err);
	if (drop_until_ns) /* first: by its next step the hand knows whether that is over */
		WRITE_ONCE(f.state->drop_until_ns, drop_until_ns);
	for (int i = 0; i < where->cnt && !err; i++)
		err = attachments_entry(where->ifnames[i], where, &ifaces[i]);
	err = err ?: attachments_write_record(&f, ifaces, where->cnt, NULL) ?: loader_await_hand(&f);
	filter_close(&f);
	return err;
}

static int attach_program(const char *name)
{
	struct xdp_dedup *skel;
	struct filter f;
	int err = filter_open(name, &f), fd;

	if (err)
		return loader_explain(name, err);
	err = loader_program_open(name, &skel);
	if (err)
		goto out;
	fd = loader_load_program(name, skel);
	err = fd < 0 ? fd : 0;
	for (int i = 0; i < DEDUP_IFACES_MAX && !err; i++)
		if (f.record->ifaces[i].ifindex)
			err = links_attach(name, &f.record->ifaces[i], fd);
	loader_program_close(skel);
out:
	filter_close(&f);
	return err;
}

int filter_start(const char *name, const struct placement *where, uint64_t drop_until_ns)
{
	int err = make_ready(name, where, drop_until_ns);

	if (err) {
		pin_dir_remove_staging(name);
		return err;
	}
	err = pin_dir_publish(name) ?: attach_program(name);
	if (err && filter_stop(name))
		diag_err(0,
			 "%s could not be taken back" ADVICE "xdp-dedup unload --name %s removes it",
			 name, name);
	return err;
}

/* Detaches the program in this directory from shared interfaces of this network namespace. */
static int take_shared_off(const char *directory)
{
	struct links links;
	struct identity id;
	int err = filter_identity(directory, &id) ?: links_read(&links);

	if (err)
		return diag_err(err, "cannot tell where %s runs: %s", directory, strerror(-err));
	for (int i = 0; i < links.cnt && id.config_id; i++) {
		const struct link *l = &links.list[i];
		int failed = link_has_xdp(l) ? share_detach(l->name, (int)l->index, id.config_id) : 0;

		if (failed)
			err = failed;
	}
	links_free(&links);
	return err;
}

/* Has the filter shared interfaces? True also if it cannot be opened. */
static bool may_be_shared(const char *directory)
{
	bool may = false;
	struct filter f;

	if (filter_open_directory(directory, &f))
		return true;
	for (int i = 0; i < DEDUP_IFACES_MAX && !may; i++)
		may = f.record->ifaces[i].shared;
	filter_close(&f);
	return may;
}

/* keeper: as links_take_off() has it. */
static int take_off(const char *directory, const char *keeper)
{
	return links_take_off(directory, keeper)
		       ?: may_be_shared(directory) ? take_shared_off(directory)
						   : 0;
}

/* Links of +NAME that NAME has, too, stay: +NAME may be left of a change that is made. */
static int take_staging_off(const char *name)
{
	char staging[PATH_MAX];

	pin_dir_staging(staging, name);
	return take_off(staging, name);
}

/* Removes the pins, and lets readers leave. */
static int remove_filter(const char *name)
{
	struct delivery d;
	struct filter f;
	int err;

	delivery_begin(&d);
	if (!filter_open(name, &f)) {
		delivery_open(&f, &d);
		filter_close(&f);
	}
	err = pin_dir_remove(name);
	if (!err) {
		delivery_end(&d); /* last: earlier, a reader could open the queue again */
		delivery_await_readers(&d, NULL);
	}
	delivery_close(&d);
	return err;
}

int filter_stop(const char *name)
{
	return take_off(name, NULL) ?: take_staging_off(name) ?: remove_filter(name) ?: detach_finish();
}

int filter_stop_staging(const char *name)
{
	return take_staging_off(name) ?: pin_dir_remove_staging(name) ?: detach_finish();
}
