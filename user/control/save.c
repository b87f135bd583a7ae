// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* save: what a filter remembers, as a file (user/filter/snapshot.h). */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "attachments.h"
#include "change.h"
#include "control.h"
#include "diag.h"
#include "snapshot_file.h"
#include "kernel.h"
#include "open.h"
#include "predecessor.h"
#include "units.h"

static volatile sig_atomic_t caught; /* a signal after which to end */

static void catch (int signal)
{
	caught = signal;
}

static bool is_caught(void)
{
	return caught;
}

/* A snapshot is of one memory: what a predecessor knows beside it would be missing. */
static int check_predecessor(const struct wish *w, struct filter *f)
{
	int err = filter_open_before(f);

	if (err)
		return diag_err(err, "cannot tell whether %s has a predecessor: %s", f->name,
				strerror(-err));
	if (!f->before || dedup_is_forgotten(f->before->state) || w->forget)
		return 0;
	return diag_err(
		-EBUSY,
		"%s has a predecessor since it was changed or restored last, which still knows ids: --wait waits until it has gone, --forget saves without what only it knows",
		f->name);
}

int control_save(const struct wish *w)
{
	static const int SIGNALS[] = { SIGINT, SIGTERM, SIGHUP };
	const struct sigaction action = { .sa_handler = catch };
	static struct snapshot_head h;
	struct filter f;
	char size[32];
	int err;

	if (kernel_ready(w->verbose, false) || change_wait(w, w->name) ||
	    attachments_open(w->name, &f))
		return EXIT_FAILED;
	for (size_t i = 0; i < sizeof(SIGNALS) / sizeof(SIGNALS[0]); i++)
		sigaction(SIGNALS[i], &action, NULL);
	signal(SIGXFSZ, SIG_IGN); /* a file that may not get so large is a write that fails */
	err = check_predecessor(w, &f);
	if (!err)
		err = snapshot_save(&f, w->file, is_caught, &h);
	if (err == -EINTR)
		diag_err(err, "stopped by a signal: nothing is saved");
	if (!err)
		diag_done("%s: saved to %s, %s, for root alone: it has the filter's secret", f.name,
			  w->file, format_bytes(h.file_bytes, size, sizeof(size)));
	filter_close(&f);
	return err ? EXIT_FAILED : EXIT_DONE;
}
