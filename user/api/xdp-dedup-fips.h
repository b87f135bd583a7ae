/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libxdp-dedup for a FIPS node: keeps the node's peers, and makes its announcements to each of
 * them; and adds peers' announcements to a filter that xdp-dedup has loaded.
 *
 * An item (a node_addr) has XDP_DEDUP_FIPS_ITEM_BYTES bytes. The caller gives each peer a number.
 * Messages are FilterAnnounce of v1, XDP_DEDUP_FIPS_MSG_BYTES bytes. No call opens a socket, reads
 * a clock, prints or ends the process. A negative number is a negated errno; the call has then
 * changed nothing, unless its comment says otherwise.
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
#define XDP_DEDUP_FIPS_INTERVAL_NS 500000000ULL /* the shortest time between messages to a peer */

/* A node: the items that each peer can reach, and the announcement to each peer. A peer gets the
 * items that are reachable through this node but not through the peer itself: the node's own items,
 * and those that all other tree peers announce (split horizon). Announcements of mesh peers answer
 * queries, and are not passed on. Do not call functions on one node concurrently; nodes are
 * independent.
 */
struct xdp_dedup_fips_node;

/* Makes a node without peers, with the item `self`. It refuses a peer's filter if its
 * false-positive rate is above fpr_max (0 to 1; 1: no limit). Otherwise a full filter would make
 * that peer a candidate for every item, and this node a candidate for its other peers. But it also
 * refuses the filter of an honest network that has outgrown this rate. The first message has the
 * sequence first_sequence. After a restart use a larger one than any before, for peers that have
 * not noticed the restart. Returns 0, and the caller frees *out with xdp_dedup_fips_node_free();
 * -EINVAL if fpr_max is out of range; or -ENOMEM.
 */
int xdp_dedup_fips_node_new(const uint8_t *self, double fpr_max, uint64_t first_sequence,
			    struct xdp_dedup_fips_node **out);

/* Frees the node, which may be NULL. */
void xdp_dedup_fips_node_free(struct xdp_dedup_fips_node *node);

/* Adds a peer. tree: the peer is parent or child in the spanning tree; else it is a mesh peer.
 * Returns 0, -EEXIST if there is such a peer, or -ENOMEM.
 */
int xdp_dedup_fips_node_add_peer(struct xdp_dedup_fips_node *node, uint64_t peer, bool tree);

/* Makes the peer a tree peer or a mesh peer. Its last announcement stays, and counts as one of its
 * new kind. Returns 0, or -ENOENT if there is no such peer.
 */
int xdp_dedup_fips_node_set_tree(struct xdp_dedup_fips_node *node, uint64_t peer, bool tree);

/* Forgets the peer. If it is added again, its first message may have any sequence, and it is sent a
 * message without waiting. Returns 0, or -ENOENT if there is no such peer.
 */
int xdp_dedup_fips_node_remove_peer(struct xdp_dedup_fips_node *node, uint64_t peer);

/* Sets the node's own items: itself, and leaf-only dependents. Adding a leaf returns 0, -EEXIST if
 * there is such a leaf, or -ENOMEM. Removing one returns 0, or -ENOENT if there is none.
 */
void xdp_dedup_fips_node_set_self(struct xdp_dedup_fips_node *node, const uint8_t *self);
int xdp_dedup_fips_node_add_leaf(struct xdp_dedup_fips_node *node, const uint8_t *leaf);
int xdp_dedup_fips_node_remove_leaf(struct xdp_dedup_fips_node *node, const uint8_t *leaf);

/* Takes a message of len bytes from this peer, in place of its last one. Returns 1 if its filter
 * changed, 0 if not; -ENOENT if there is no such peer; -EBADMSG if the message is refused:
 * malformed, not above the last sequence, or too full. The last filter and its sequence then stay
 * in force. Unless why is NULL, *why is then the reason as a sentence, which need not be freed.
 */
int xdp_dedup_fips_node_receive(struct xdp_dedup_fips_node *node, uint64_t peer, const void *msg,
				size_t len, const char **why);

/* Tells whether the item may be reached through this peer. Returns 1 if it may, 0 if not; -ENOENT
 * if there is no such peer.
 */
int xdp_dedup_fips_node_may_reach(const struct xdp_dedup_fips_node *node, uint64_t peer,
				  const uint8_t *item);

/* Finds all peers, tree and mesh, through which the item may be reached. Returns their number, and
 * writes the first `size` of them, in ascending order, to peers.
 */
size_t xdp_dedup_fips_node_candidates(const struct xdp_dedup_fips_node *node, const uint8_t *item,
				      uint64_t *peers, size_t size);

/* Writes the present filter for the peer, XDP_DEDUP_FIPS_FILTER_BYTES of bits. Returns 0, or
 * -ENOENT if there is no such peer.
 */
int xdp_dedup_fips_node_outbound(struct xdp_dedup_fips_node *node, uint64_t peer, void *bits);

/* Sends a message to this peer. Returns 0, or an error if it was not sent. It must not call a
 * function on this node.
 */
typedef int (*xdp_dedup_fips_send_fn)(void *arg, uint64_t peer, const void *msg, size_t len);

/* Sends the messages that are due at now_ns, by a clock that never goes back (below UINT64_MAX /
 * 2): to each peer whose outbound filter differs from the one last sent to it. A new peer gets it
 * at once, others XDP_DEDUP_FIPS_INTERVAL_NS after the last message. Several changes in between
 * make one message, or none if they cancel out. A message that could not be sent is tried again
 * after that interval.
 *
 * Returns when to call again if nothing else happens, UINT64_MAX for never. After any call that
 * changes the node, poll at once. An early poll does no harm.
 */
uint64_t xdp_dedup_fips_node_poll(struct xdp_dedup_fips_node *node, uint64_t now_ns,
				  xdp_dedup_fips_send_fn send, void *arg);

/* Adds all items of a peer's message to a filter of layout flat, hash fips, whose m is a power of 2
 * from 64 on, as ids that are learned now. The filter keeps its rate: the message uses capacity for
 * bits that the current generation lacks: as many ids as would set them (above m = 8192 an item has
 * m / 8192 times as many bits), and more if these bits are worse than random ones. Known items use
 * no capacity. A call takes up to 2 ms of a CPU. Any number of threads may call it at once. Returns
 * 0, or a negative errno:
 *   -EBADMSG     malformed, or with another k
 *   -EALREADY    its sequence is not above the last one absorbed from this peer, on this opened
 *                filter
 *   -EDOM        its rate, counted over all possible items, is above fpr_max or above what the
 *                filter promises: a message with all bits set must not be believed
 *   -ENOSPC      more than there is room for in this window
 *   -ESTALE      the window's clock has stopped
 *   -EOPNOTSUPP  the filter has another layout or hash, or another kind of m
 *   -ENOMEM      no memory
 * After an error nothing is absorbed. But if the hand passes during the call, -ENOSPC leaves the
 * items in the generation that has just become the previous one.
 */
int xdp_dedup_fips_absorb(struct xdp_dedup_filter *filter, uint64_t peer, const void *msg,
			  size_t len, double fpr_max);

/* Forgets a peer's last sequence, for example after its restart: its next message may have any. */
void xdp_dedup_fips_forget(struct xdp_dedup_filter *filter, uint64_t peer);

/* Writes a message with all items in the window of such a filter. Returns its length,
 * XDP_DEDUP_FIPS_MSG_BYTES; -ENOSPC if size is less; or -ESTALE or -EOPNOTSUPP as
 * xdp_dedup_fips_absorb() does.
 */
int xdp_dedup_fips_announce(const struct xdp_dedup_filter *filter, uint64_t sequence, void *msg,
			    size_t size);

#ifdef __cplusplus
}
#endif

#endif
