// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "fips_peers.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fips_rate.h"

_Static_assert(XDP_DEDUP_FIPS_ITEM_BYTES == FIPS_ITEM_BYTES, "one item");
_Static_assert(XDP_DEDUP_FIPS_FILTER_BYTES == FIPS_BYTES(FIPS_V1_SIZE_CLASS), "one filter");
_Static_assert(XDP_DEDUP_FIPS_MSG_BYTES == FIPS_V1_MSG_BYTES, "one message");

#define FIPS_V1_WORDS (FIPS_BYTES(FIPS_V1_SIZE_CLASS) / 8)

static void clear(struct fips_filter *f)
{
	fips_init(f, FIPS_V1_HASHES, FIPS_V1_SIZE_CLASS);
}

/* Builds the node's own filter again: an item cannot be removed from a Bloom filter. */
static void rebuild_own(struct xdp_dedup_fips_node *n)
{
	clear(&n->own);
	fips_insert(&n->own, &n->self);
	for (size_t i = 0; i < n->leaf_cnt; i++)
		fips_insert(&n->own, &n->leaves[i]);
	n->changed = true;
}

static struct fips_item item_of(const uint8_t *bytes)
{
	struct fips_item item;

	memcpy(item.byte, bytes, sizeof(item.byte));
	return item;
}

int xdp_dedup_fips_node_new(const uint8_t *self, double fpr_max, uint64_t first_sequence,
			    struct xdp_dedup_fips_node **out)
{
	struct xdp_dedup_fips_node *n;

	if (!(fpr_max >= 0 && fpr_max <= 1))
		return -EINVAL;
	n = calloc(1, sizeof(*n));
	if (!n)
		return -ENOMEM;
	n->self = item_of(self);
	n->cap_bits = fips_cap_bits(fpr_max, FIPS_V1_SIZE_CLASS, FIPS_V1_HASHES);
	n->sequence = first_sequence - 1;
	rebuild_own(n);
	*out = n;
	return 0;
}

void xdp_dedup_fips_node_free(struct xdp_dedup_fips_node *n)
{
	if (!n)
		return;
	for (size_t i = 0; i < n->peer_cnt; i++)
		free(n->peers[i]);
	free(n->peers);
	free(n->leaves);
	free(n);
}

/* Returns the index of the peer, or the index at which to insert it. */
static size_t index_of(const struct xdp_dedup_fips_node *n, uint64_t id)
{
	size_t low = 0, high = n->peer_cnt;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (n->peers[mid]->id < id)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct fips_peer *find_peer(const struct xdp_dedup_fips_node *n, uint64_t id)
{
	size_t at = index_of(n, id);

	return at < n->peer_cnt && n->peers[at]->id == id ? n->peers[at] : NULL;
}

int xdp_dedup_fips_node_add_peer(struct xdp_dedup_fips_node *n, uint64_t id, bool tree)
{
	size_t at = index_of(n, id);
	struct fips_peer **peers, *p;

	if (find_peer(n, id))
		return -EEXIST;
	peers = reallocarray(n->peers, n->peer_cnt + 1, sizeof(struct fips_peer *));
	if (!peers)
		return -ENOMEM;
	n->peers = peers;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->id = id;
	p->tree = tree;
	memmove(peers + at + 1, peers + at, (n->peer_cnt - at) * sizeof(struct fips_peer *));
	peers[at] = p;
	n->peer_cnt++;
	n->changed = true;
	return 0;
}

int xdp_dedup_fips_node_set_tree(struct xdp_dedup_fips_node *n, uint64_t id, bool tree)
{
	struct fips_peer *p = find_peer(n, id);

	if (!p)
		return -ENOENT;
	p->tree = tree;
	n->changed = true;
	return 0;
}

int xdp_dedup_fips_node_remove_peer(struct xdp_dedup_fips_node *n, uint64_t id)
{
	struct fips_peer *p = find_peer(n, id);
	size_t at = index_of(n, id);

	if (!p)
		return -ENOENT;
	free(p);
	n->peer_cnt--;
	memmove(n->peers + at, n->peers + at + 1, (n->peer_cnt - at) * sizeof(struct fips_peer *));
	n->changed = true;
	return 0;
}

void xdp_dedup_fips_node_set_self(struct xdp_dedup_fips_node *n, const uint8_t *self)
{
	n->self = item_of(self);
	rebuild_own(n);
}

/* Returns the leaf's index; leaf_cnt if the item is no leaf. */
static size_t find_leaf(const struct xdp_dedup_fips_node *n, const uint8_t *leaf)
{
	size_t at = 0;

	while (at < n->leaf_cnt && memcmp(n->leaves[at].byte, leaf, FIPS_ITEM_BYTES) != 0)
		at++;
	return at;
}

int xdp_dedup_fips_node_add_leaf(struct xdp_dedup_fips_node *n, const uint8_t *leaf)
{
	struct fips_item *leaves;

	if (find_leaf(n, leaf) < n->leaf_cnt)
		return -EEXIST;
	leaves = reallocarray(n->leaves, n->leaf_cnt + 1, sizeof(*leaves));
	if (!leaves)
		return -ENOMEM;
	n->leaves = leaves;
	leaves[n->leaf_cnt++] = item_of(leaf);
	rebuild_own(n);
	return 0;
}

int xdp_dedup_fips_node_remove_leaf(struct xdp_dedup_fips_node *n, const uint8_t *leaf)
{
	size_t at = find_leaf(n, leaf);

	if (at == n->leaf_cnt)
		return -ENOENT;
	n->leaves[at] = n->leaves[--n->leaf_cnt];
	rebuild_own(n);
	return 0;
}

static enum fips_refusal refusal_of(const struct xdp_dedup_fips_node *n, const struct fips_peer *p,
				    const struct fips_filter *f, uint64_t sequence)
{
	if (f->hash_count != FIPS_V1_HASHES)
		return FIPS_REFUSED_other_hashes;
	if (p->has_inbound && sequence <= p->inbound_sequence)
		return FIPS_REFUSED_stale;
	if (fips_set_bits(f) > n->cap_bits)
		return FIPS_REFUSED_too_full;
	return FIPS_ACCEPTED;
}

int xdp_dedup_fips_node_receive(struct xdp_dedup_fips_node *n, uint64_t id, const void *msg,
				size_t len, const char **why)
{
	struct fips_peer *p = find_peer(n, id);
	enum fips_refusal refusal;
	struct fips_filter f;
	uint64_t sequence;
	bool same;

	if (!p)
		return -ENOENT;
	refusal = fips_decode(msg, len, &f, &sequence);
	if (!refusal)
		refusal = refusal_of(n, p, &f, sequence);
	if (refusal) {
		if (why)
			*why = fips_refusal_text(refusal);
		return -EBADMSG;
	}
	same = fips_equal(&p->inbound, &f);
	p->has_inbound = true;
	p->inbound_sequence = sequence;
	if (same)
		return 0;
	p->inbound = f;
	/* A mesh peer's filter is not passed on to others. */
	n->changed |= p->tree;
	return 1;
}

/* Returns the item's positions, which are equal in every peer's filter. */
static struct dedup_positions positions_of(const uint8_t *bytes)
{
	struct fips_item item = item_of(bytes);
	struct dedup_positions at;

	fips_locate(&at, &item, FIPS_V1_HASHES, FIPS_V1_SIZE_CLASS);
	return at;
}

static bool peer_holds(const struct fips_peer *p, const struct dedup_positions *at)
{
	return p->has_inbound && fips_holds(&p->inbound, at);
}

int xdp_dedup_fips_node_may_reach(const struct xdp_dedup_fips_node *n, uint64_t id,
				  const uint8_t *item)
{
	const struct fips_peer *p = find_peer(n, id);
	struct dedup_positions at = positions_of(item);

	if (!p)
		return -ENOENT;
	return peer_holds(p, &at);
}

size_t xdp_dedup_fips_node_candidates(const struct xdp_dedup_fips_node *n, const uint8_t *item,
				      uint64_t *ids, size_t size)
{
	struct dedup_positions at = positions_of(item);
	size_t cnt = 0;

	for (size_t i = 0; i < n->peer_cnt; i++) {
		if (!peer_holds(n->peers[i], &at))
			continue;
		if (cnt < size)
			ids[cnt] = n->peers[i]->id;
		cnt++;
	}
	return cnt;
}

/* A peer Q gets the bits that any tree peer except Q announces. Merging the others' filters for
 * each peer would take quadratic time. Instead one pass collects the bits of at least one tree peer
 * (once), and of at least two (twice). A tree peer other than Q announces a bit if at least two do,
 * or if exactly one does and it is not Q: twice | (once & ~Q).
 */
static void accumulate(struct xdp_dedup_fips_node *n)
{
	clear(&n->once);
	clear(&n->twice);
	for (size_t i = 0; i < n->peer_cnt; i++) {
		const struct fips_peer *p = n->peers[i];

		if (!p->tree)
			continue;
		for (uint32_t w = 0; w < FIPS_V1_WORDS; w++) {
			n->twice.word[w] |= n->once.word[w] & p->inbound.word[w];
			n->once.word[w] |= p->inbound.word[w];
		}
	}
}

/* Writes the filter to announce to the peer; `once` and `twice` must be up to date. */
static void outbound_of(const struct xdp_dedup_fips_node *n, const struct fips_peer *p,
			struct fips_filter *out)
{
	clear(out);
	for (uint32_t w = 0; w < FIPS_V1_WORDS; w++) {
		uint64_t others = n->once.word[w];

		/* A mesh peer's own filter is not in `once`, so it need not be removed. */
		if (p->tree)
			others = n->twice.word[w] | (others & ~p->inbound.word[w]);
		out->word[w] = n->own.word[w] | others;
	}
}

int xdp_dedup_fips_node_outbound(struct xdp_dedup_fips_node *n, uint64_t id, void *bits)
{
	const struct fips_peer *p = find_peer(n, id);
	struct fips_filter out;

	if (!p)
		return -ENOENT;
	if (n->changed)
		accumulate(n);
	outbound_of(n, p, &out);
	memcpy(bits, out.word, XDP_DEDUP_FIPS_FILTER_BYTES);
	return 0;
}

/* Sends this peer an announcement if one is due. Returns when to try again; UINT64_MAX if there is
 * nothing to send.
 */
static uint64_t poll_peer(struct xdp_dedup_fips_node *n, struct fips_peer *p, uint64_t now_ns,
			  xdp_dedup_fips_send_fn send, void *arg)
{
	uint8_t msg[FIPS_V1_MSG_BYTES];
	struct fips_filter out;

	outbound_of(n, p, &out);
	if (fips_equal(&out, &p->sent))
		return UINT64_MAX;
	if (p->was_tried && now_ns < p->tried_ns + XDP_DEDUP_FIPS_INTERVAL_NS)
		return p->tried_ns + XDP_DEDUP_FIPS_INTERVAL_NS;
	p->was_tried = true;
	p->tried_ns = now_ns;
	/* All peers share one counter, so a peer that was removed and added again, perhaps without
	 * noticing, never gets a lower sequence than before.
	 */
	fips_encode(&out, ++n->sequence, msg, sizeof(msg));
	if (send(arg, p->id, msg, sizeof(msg)))
		return now_ns + XDP_DEDUP_FIPS_INTERVAL_NS;
	p->sent = out;
	return UINT64_MAX;
}

uint64_t xdp_dedup_fips_node_poll(struct xdp_dedup_fips_node *n, uint64_t now_ns,
				  xdp_dedup_fips_send_fn send, void *arg)
{
	uint64_t next_ns = UINT64_MAX;

	if (!n->changed && now_ns < n->next_ns)
		return n->next_ns;
	if (n->changed)
		accumulate(n);
	for (size_t i = 0; i < n->peer_cnt; i++) {
		uint64_t due_ns = poll_peer(n, n->peers[i], now_ns, send, arg);

		if (due_ns < next_ns)
			next_ns = due_ns;
	}
	n->changed = false;
	n->next_ns = next_ns;
	return next_ns;
}
