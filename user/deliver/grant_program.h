/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Requests of an application without rights to a filter that granted it a queue. It makes them
 * through a BPF program (include/ask.h), which the granting process loads for it. Only
 * grant_program_load() needs rights. *ask is the program's context; a call leaves fields as they
 * are that it does not use. Logs nothing.
 */
#ifndef XDP_DEDUP_GRANT_PROGRAM_H
#define XDP_DEDUP_GRANT_PROGRAM_H

#include <stdint.h>

#include "ask.h"
#include "open_filter.h"

/* The granted queue, as in struct dedup_grant. */
struct granted_queue {
	uint32_t slot, opened, frames_max;
};

/* Loads the program. Returns its descriptor, which the caller closes; or -errno. */
int grant_program_load(const struct filter *f, const struct granted_queue *q);

/* Makes this request, an enum dedup_ask_what. Returns the program's answer, or -errno of the
 * system call.
 */
int grant_program_ask(int program_fd, struct dedup_ask *ask, uint32_t what);

/* Wants the id of a packet that was delivered, as want_key() does. Returns 1; -ESTALE also if
 * another filter is in charge; another -errno of want_key().
 */
int grant_program_want(int program_fd, struct dedup_ask *ask, const struct dedup_in_flight *h);

/* Takes grant_program_want() back, as far as that is possible. */
void grant_program_want_no_more(int program_fd, struct dedup_ask *ask,
				const struct dedup_in_flight *h);

#endif
