/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Exit statuses of all programs. */
#pragma once

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAILED = 1,
	EXIT_MISUSED = 2,
	EXIT_UNKNOWN = 3, /* verb test: done, but some id is not in the window */
};
