/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libxdp-dedup for a FIPS node: what its peers announce, in a filter that xdp-dedup has loaded.
 *
 * A peer is named by a number of
 * the caller's own. Messages are FilterAnnounce of v1, XDP_DEDUP_FIPS_MSG_BYTES bytes. No
 * call opens a socket, reads a clock, prints or ends the process; a negative number is a
 * negated errno, and nothing has changed then unless it says otherwise.
 */
#ifndef LIBXDP_DEDUP_FIPS_H
#define LIBXDP_DEDUP_FIPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "xdp-dedup.h"

#ifdef __cplusplus
extern "C" {
#endif

#define XDP_DEDUP_FIPS_MSG_BYTES 1035

/* Puts all that a peer's message says into a filter of layout flat, hash fips, whose m is a
 * power of 2 from 64 on, as ids learned now, so that the filter's rate holds: it pays, in ids
 * of the capacity, for bits that the present generation has not, as many as would set them
 * (above m = 8192 an item has m / 8192 times as many bits), and for what makes these very bits
 * worse than random ones. What is known costs nothing. A call takes some milliseconds. Any
 * number of threads may call it at once.
 *   -EBADMSG     malformed, or of another k
 *   -EALREADY    its sequence is not above the last one absorbed from this peer, on this
 *                opened filter
 *   -EDOM        its rate, counted over all items that there may be, is above fpr_max or
 *                above what the filter promises: one with all bits set must not be believed
 *   -ENOSPC      more than there is room for in this window
 *   -ESTALE      the window's clock has stopped
 *   -EOPNOTSUPP  the filter is no such one
 *   -ENOMEM
 * Nothing is absorbed then; but if the hand passes while this is under way, -ENOSPC leaves the
 * items in the generation that has just become the previous one.
 */
int xdp_dedup_fips_absorb(struct xdp_dedup_filter *filter, uint64_t peer, const void *msg,
			  size_t len, double fpr_max);

/* The peer has gone or begins anew: any sequence is its first. */
void xdp_dedup_fips_forget(struct xdp_dedup_filter *filter, uint64_t peer);

/* Writes a message of all that is in such a filter's window. Returns its
 * XDP_DEDUP_FIPS_MSG_BYTES; -ENOSPC if size is less, -ESTALE and -EOPNOTSUPP as above.
 */
int xdp_dedup_fips_announce(const struct xdp_dedup_filter *filter, uint64_t sequence, void *msg,
			    size_t size);

#ifdef __cplusplus
}
#endif

#endif
