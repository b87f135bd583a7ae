/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The last sequence that was accepted from each peer. An announcement is accepted only if its
 * sequence is above that, or if none was accepted from its peer before. A struct of zeros is an
 * empty list.
 */
#ifndef XDP_DEDUP_FIPS_HEARD_H
#define XDP_DEDUP_FIPS_HEARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fips_heard {
	struct fips_last {
		uint64_t peer, sequence;
	} * last; /* in no order */
	size_t cnt;
};

/* Makes room for one more peer, which the next fips_heard_put() may need. 0 or -ENOMEM. */
int fips_heard_reserve(struct fips_heard *h);

/* Would an announcement of this sequence from this peer be accepted? */
bool fips_heard_is_new(const struct fips_heard *h, uint64_t peer, uint64_t sequence);
/* Sets the peer's last sequence. There must be room: fips_heard_reserve(). */
void fips_heard_put(struct fips_heard *h, uint64_t peer, uint64_t sequence);
/* As if none had ever come from this peer. */
void fips_heard_forget(struct fips_heard *h, uint64_t peer);
void fips_heard_free(struct fips_heard *h);

#endif
