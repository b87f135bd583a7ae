/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libxdp-dedup for a FIPS node: the node's peers and what each of them is told; and what
 * peers announce in a filter that xdp-dedup has loaded.
 *
 * An item (a node_addr) has XDP_DEDUP_FIPS_ITEM_BYTES bytes. A peer is named by a number of
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

#define XDP_DEDUP_FIPS_ITEM_BYTES 16
#define XDP_DEDUP_FIPS_FILTER_BYTES 1024
#define XDP_DEDUP_FIPS_MSG_BYTES 1035
#define XDP_DEDUP_FIPS_INTERVAL_NS 500000000ULL /* between two messages to a peer, at least */

/* A node: what each peer says it can reach, and what each peer is to be told. That is what is
 * reachable through this node and not through the peer itself: the node's own items and what
 * all tree peers but that one announce (split horizon). What mesh peers announce answers
 * queries and is told to nobody. Calls on one node come one at a time; nodes are independent.
 */
struct xdp_dedup_fips_node;

/* Makes a node without peers, of the item `self`. It refuses a peer's filter whose false-positive
 * rate is above fpr_max (0 to 1; 1: no limit): a full filter would make that peer a candidate for
 * every item, and this node for its other peers too. The price: an honest network that has outgrown
 * this rate is refused as well. The first message has the sequence first_sequence; after a restart
 * give one above all that were used before, for peers that have not noticed it. 0, and the caller
 * frees *out with xdp_dedup_fips_node_free(); -EINVAL if fpr_max is out of range, -ENOMEM.
 */
int xdp_dedup_fips_node_new(const uint8_t *self, double fpr_max, uint64_t first_sequence,
			    struct xdp_dedup_fips_node **out);

/* NULL is fine. */
void xdp_dedup_fips_node_free(struct xdp_dedup_fips_node *node);

/* tree: the peer is parent or child in the spanning tree; else it is a mesh peer. -EEXIST if
 * there is such a peer, -ENOMEM.
 */
int xdp_dedup_fips_node_add_peer(struct xdp_dedup_fips_node *node, uint64_t peer, bool tree);

/* What it announced stays, and counts as its new kind's. -ENOENT if there is none. */
int xdp_dedup_fips_node_set_tree(struct xdp_dedup_fips_node *node, uint64_t peer, bool tree);

/* Forgets the peer: if it is added again, its first message may have any sequence, and it is sent
 * one without waiting. -ENOENT if there is none.
 */
int xdp_dedup_fips_node_remove_peer(struct xdp_dedup_fips_node *node, uint64_t peer);

/* The node's own items: itself, and leaf-only dependents. -EEXIST if there is such a leaf, or
 * -ENOMEM; remove: -ENOENT if there is none.
 */
void xdp_dedup_fips_node_set_self(struct xdp_dedup_fips_node *node, const uint8_t *self);
int xdp_dedup_fips_node_add_leaf(struct xdp_dedup_fips_node *node, const uint8_t *leaf);
int xdp_dedup_fips_node_remove_leaf(struct xdp_dedup_fips_node *node, const uint8_t *leaf);

/* A message of len bytes from this peer, in place of its last one. Returns 1 if its filter
 * changed, 0 if it is as before; -ENOENT for no such peer; or -EBADMSG and, unless why is
 * NULL, in *why the reason as a sentence, which need not be freed: malformed, not above the
 * last sequence, too full. A refused one leaves the last filter, and its sequence, in force.
 */
int xdp_dedup_fips_node_receive(struct xdp_dedup_fips_node *node, uint64_t peer, const void *msg,
				size_t len, const char **why);

/* May the item be reached through this peer? 1 maybe, 0 no; -ENOENT for no such peer. */
int xdp_dedup_fips_node_may_reach(const struct xdp_dedup_fips_node *node, uint64_t peer,
				  const uint8_t *item);

/* All peers, tree and mesh, through which the item may be reached: returns how many, and puts
 * the first `size` of them, in ascending order, into peers.
 */
size_t xdp_dedup_fips_node_candidates(const struct xdp_dedup_fips_node *node, const uint8_t *item,
				      uint64_t *peers, size_t size);

/* What the peer is to be told by now: the bits of a filter, XDP_DEDUP_FIPS_FILTER_BYTES.
 * -ENOENT for no such peer.
 */
int xdp_dedup_fips_node_outbound(struct xdp_dedup_fips_node *node, uint64_t peer, void *bits);

/* Takes a message for this peer; 0, or an error if it did not go out. It must not call a
 * function on this node.
 */
typedef int (*xdp_dedup_fips_send_fn)(void *arg, uint64_t peer, const void *msg, size_t len);

/* Sends what is due at now_ns (of a clock that never falls; below UINT64_MAX / 2): a message
 * to each peer whose outbound filter is not the one last sent to it, at once to a new one,
 * else XDP_DEDUP_FIPS_INTERVAL_NS after the last. What happens in between comes to one, or to
 * none if it cancels out. One that did not go out is tried again after the same interval.
 *
 * Returns when to call again if nothing else happens, UINT64_MAX for never; any call that
 * changes the node calls for a poll at once. An early poll does no harm.
 */
uint64_t xdp_dedup_fips_node_poll(struct xdp_dedup_fips_node *node, uint64_t now_ns,
				  xdp_dedup_fips_send_fn send, void *arg);

/* Puts all that a peer's message says into a filter of layout flat, hash fips, whose m is a
 * power of 2 from 64 on, as ids learned now, so that the filter's rate holds: it pays, in ids
 * of the capacity, for bits that the present generation has not, as many as would set them
 * (above m = 8192 an item has m / 8192 times as many bits), and for what makes these very bits
 * worse than random ones. What is known costs nothing. A call takes up to 2 ms of a CPU. Any
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

/* For a peer that has gone or restarts: its next message may have any sequence. */
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
