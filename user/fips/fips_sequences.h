/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The sequence of each peer's last accepted announcement. An announcement is accepted only if its
 * sequence is higher, or if it is the first one of its peer. A struct of zeros is an empty list.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fips_sequences {
	struct fips_last {
		uint64_t peer, sequence;
	} * last; /* in no order */
	size_t cnt;
};

/* Makes room for one more peer, for the next fips_sequences_put(). Returns 0 or -ENOMEM. */
int fips_sequences_reserve(struct fips_sequences *h);

/* Returns whether an announcement of this sequence from this peer would be accepted. */
bool fips_sequences_is_new(const struct fips_sequences *h, uint64_t peer, uint64_t sequence);
/* Sets the peer's last sequence. fips_sequences_reserve() must have made room. */
void fips_sequences_put(struct fips_sequences *h, uint64_t peer, uint64_t sequence);
/* Forgets the peer's last sequence: its next announcement is accepted. */
void fips_sequences_forget(struct fips_sequences *h, uint64_t peer);
void fips_sequences_free(struct fips_sequences *h);
