/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Signals that request the end of a process: recorded, so that the process can end at a safe point. */
#pragma once

/* Records SIGINT, SIGTERM and SIGHUP from now on, and the signal `more`, unless that is 0. */
void stop_on_signals(int more);

/* Returns the last of these signals that the process received; 0 if none. */
int stop_signal(void);

/* If the last signal was SIGPIPE, because the reader of the output has gone: ends this process as
 * SIGPIPE ends a process that does not catch it.
 */
void stop_end_by_pipe(void);
