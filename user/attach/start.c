// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "start.h"

#include "attachments.h"
#include "delivery.h"
#include "diag.h"
#include "live.h"
#include "loader.h"
#include "open.h"
#include "pin_dirs.h"

/* Makes the filter in +NAME ready to judge packets. */
static int make_ready(const char *name, const struct placement *where, uint64_t drop_until_ns)
{
	struct filter f;
	int err = filter_open_staged(name, &f);

	if (err)
		return loader_explain(name, err);
	if (drop_until_ns) /* first: by its next step the hand knows whether that is over */
		WRITE_ONCE(f.state->drop_until_ns, drop_until_ns);
	err = attachments_write_record(&f, where) ?: loader_await_hand(&f);
	filter_close(&f);
	return err;
}

static int attach_program(const char *name, const struct placement *where)
{
	struct xdp_dedup *prog;
	int err = loader_program_open(name, &prog);

	if (err)
		return err;
	err = attach_all(prog, where) ?: loader_pin_program(name, attach_prog_fd(prog));
	loader_program_close(prog);
	return err;
}

int filter_remove(const char *name)
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

/* Detaches the program and removes the filter. If it cannot be detached, it goes on filtering with
 * its pins in place.
 */
static void undo(const char *name)
{
	if (attachments_detach(name) || live_anywhere(name))
		diag_err(0,
			 "%s could not be taken back" ADVICE "xdp-dedup unload --name %s removes it",
			 name, name);
	else
		filter_remove(name);
}

int filter_start(const char *name, const struct placement *where, uint64_t drop_until_ns)
{
	int err = make_ready(name, where, drop_until_ns);

	if (err) {
		pin_dir_remove_staging(name);
		return err;
	}
	err = pin_dir_publish(name);
	if (err)
		return err;
	err = attach_program(name, where);
	if (err)
		undo(name);
	return err;
}
