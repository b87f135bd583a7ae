/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What an application without rights asks of a filter of which a queue was lent to it: of a BPF
 * program (include/ask.h) that whoever lends it loads for it. Prints nothing.
 */
#ifndef XDP_DEDUP_LENT_H
#define XDP_DEDUP_LENT_H

#include <stdint.h>

#include "deliver.h"
#include "pins.h"

/* Loads the program. Its descriptor, which the caller closes, or -errno. */
int lent_load(const struct filter *f);

/* Is the filter as it was then, on the same interfaces? 0; -ESTALE if not; -ETIME if its
 * hand has not stepped for too long; another -errno. Needs no right.
 */
int lent_ask(int program_fd);

/* want_key() for a packet that was handed over; likewise. -ESTALE also if another filter is in
 * charge.
 */
int lent_want(int program_fd, const struct dedup_handed *h);

/* Its id is wanted no more, as far as that is possible. */
void lent_want_no_more(int program_fd, const struct dedup_handed *h);

#endif
