/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How programs end. */
#ifndef XDP_DEDUP_EXIT_H
#define XDP_DEDUP_EXIT_H

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_MISUSED = 2,
	EXIT_UNKNOWN = 3, /* verb test: done, but not every id is in the window */
};

/* For main's return, the last that a program does: closes stdout. What was printed may be on its
 * way still, and may not arrive: then says so, and makes EXIT_FAILED of all but EXIT_MISUSED.
 */
int check_output(int status);

#endif
