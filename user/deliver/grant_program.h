/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an application without rights asks of a filter of which a queue was granted to it: of a BPF
 * program (include/ask.h) that whoever grants it loads for it. Logs nothing. All but grant_program_load()
 * need no right; *ask is the program's context, which keeps what a call does not speak of.
 */
#ifndef XDP_DEDUP_GRANT_PROGRAM_H
#define XDP_DEDUP_GRANT_PROGRAM_H

#include <stdint.h>

#include "ask.h"
#include "open_filter.h"

/* The queue that is granted: what struct dedup_grant says of it. */
struct granted_queue {
	uint32_t slot, opened, frames_max;
};

/* Loads the program. Its descriptor, which the caller closes, or -errno. */
int grant_program_load(const struct filter *f, const struct granted_queue *q);

/* Asks this enum dedup_ask_what: the program's answer, or -errno of the system call. */
int grant_program_ask(int program_fd, struct dedup_ask *ask, uint32_t what);

/* want_key() for a packet that was handed over. 1; -ESTALE also if another filter is in charge;
 * another -errno of want_key().
 */
int grant_program_want(int program_fd, struct dedup_ask *ask, const struct dedup_in_flight *h);

/* Its id is wanted no more, as far as that is possible. */
void grant_program_want_no_more(int program_fd, struct dedup_ask *ask,
				const struct dedup_in_flight *h);

#endif
