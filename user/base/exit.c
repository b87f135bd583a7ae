// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "exit.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "diag.h"

int check_output(int status)
{
	bool failed = fflush(stdout) || ferror(stdout);

	/* EBADF: stdout was closed when the program began. That is no failure if nothing was
	 * printed; if something was, fflush() or ferror() above has noticed.
	 */
	failed |= fclose(stdout) && errno != EBADF;
	if (!failed)
		return status;
	diag_err(0, "cannot write all of the output" ADVICE "is the disk full?");
	return status == EXIT_MISUSED ? status : EXIT_FAILED;
}
