/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The last sequence that was accepted from each peer. An announcement is accepted only if its
 * sequence is above that, or if none was accepted from its peer before. A struct of zeros is an
 * empty list.
 */
#ifndef XDP_DEDUP_FIPS_SEQUENCES_H
#define XDP_DEDUP_FIPS_SEQUENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fips_sequences {
	struct fips_last {
		uint64_t peer, sequence;
	} * last; /* in no order */
	size_t cnt;
};

/* Makes room for one more peer, which the next fips_sequences_put() may need. 0 or -ENOMEM. */
int fips_sequences_reserve(struct fips_sequences *h);

/* Would an announcement of this sequence from this peer be accepted? */
bool fips_sequences_is_new(const struct fips_sequences *h, uint64_t peer, uint64_t sequence);
/* Sets the peer's last sequence. There must be room: fips_sequences_reserve(). */
void fips_sequences_put(struct fips_sequences *h, uint64_t peer, uint64_t sequence);
/* As if none had ever come from this peer. */
void fips_sequences_forget(struct fips_sequences *h, uint64_t peer);
void fips_sequences_free(struct fips_sequences *h);

#endif
