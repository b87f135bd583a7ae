/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Signals that ask a process to end: they are noted, and it looks when it may end. */
#ifndef XDP_DEDUP_STOP_H
#define XDP_DEDUP_STOP_H

/* From now on SIGINT, SIGTERM and SIGHUP are noted, and so is the signal `more`, unless that is 0. */
void stop_on_signals(int more);

/* Returns the last of these signals that came; 0 if none has. */
int stop_signal(void);

#endif
