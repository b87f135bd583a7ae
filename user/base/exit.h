/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How programs end. */
#ifndef XDP_DEDUP_EXIT_H
#define XDP_DEDUP_EXIT_H

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_MISUSED = 2,
	EXIT_UNKNOWN = 3, /* verb test: done, but some id is not in the window */
};

/* Closes stdout and returns the status for main() to return; the last call of a program. Output
 * is buffered, so that a full disk may be noticed only here: then it is said on stderr, and the
 * status is EXIT_FAILED unless it was EXIT_MISUSED.
 */
int check_output(int status);

#endif
