// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* save: writes a filter's snapshot to a file (user/filter/snapshot.h). */
#include <errno.h>
#include <signal.h>

#include "attachments.h"
#include "change.h"
#include "control.h"
#include "diag.h"
#include "snapshot_file.h"
#include "kernel.h"
#include "open.h"
#include "stop.h"
#include "units.h"

/* Checks that no predecessor knows ids: a snapshot has one memory, without the predecessor's. */
static int check_predecessor(const struct wish *w, struct filter *f)
{
	int has = change_has_predecessor(f);

	if (has <= 0 || w->forget)
		return has < 0 ? has : 0;
	return diag_err(
		-EBUSY,
		"%s has a predecessor since it was changed or restored last, which still knows ids: --wait waits until it has gone, --forget saves without what only it knows",
		f->name);
}

int control_save(const struct wish *w)
{
	static struct snapshot_head h;
	struct filter f;
	int err;

	if (kernel_ready(w->verbose, false) || change_wait(w, w->name) ||
	    attachments_open(w->name, &f))
		return EXIT_FAILED;
	stop_on_signals(0);
	signal(SIGXFSZ, SIG_IGN); /* then a write beyond the file size limit fails */
	err = check_predecessor(w, &f) ?: snapshot_save(&f, w->file, stop_signal, &h);
	if (err == -EINTR)
		diag_err(err, "stopped by a signal: nothing is saved");
	if (!err)
		diag_done("%s: saved to %s, %s, for root alone: it has the filter's secret", f.name,
			  w->file, FORMAT_BYTES(h.file_bytes));
	filter_close(&f);
	return err ? EXIT_FAILED : EXIT_DONE;
}
