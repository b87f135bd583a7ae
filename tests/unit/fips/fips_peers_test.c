// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* FIPS: a node against a plain model of one. */
#include "unit.h"
#include "fips_fixture.h"

#include "fips_peers.h"
#include "fips_rate.h"

#define MS 1000000ULL
#define NO_CAP 1.0 /* a rate */

/* A node, and beside it what it must do, in the plainest way. Every call below makes both
 * do it and compares.
 */
#define LEAVES 3
#define ITEM_LEAF 1000000 /* the first of them; a node's own item is a lower one */

struct model_peer {
	bool here, tree, heard, tried, told;
	uint64_t in_sequence, tried_ns;
	struct fips_filter in, sent;
};

struct model {
	struct xdp_dedup_fips_node *node;
	struct model_peer *peers;
	uint32_t peer_cnt, cap, sent;
	uint64_t self, now_ns, sequence, seed;
	bool leaf[LEAVES], broken; /* broken: nothing goes out */
};

static uint64_t id_of(uint32_t peer)
{
	return peer == 1 ? UINT64_MAX : peer * 0x9e3779b97f4a7c15;
}

static struct model start(uint32_t peers, double fpr_max)
{
	struct model m = { .peer_cnt = peers, .now_ns = 7, .sequence = 99 };
	struct fips_item self = nth_item(m.self);
	struct fips_filter full;

	m.peers = calloc(peers, sizeof(*m.peers));
	assert_non_null(m.peers);
	m.cap = fips_cap_bits(fpr_max, FIPS_V1_SIZE_CLASS, FIPS_V1_HASHES);
	full = filter_with_bits(m.cap);
	assert_true(fips_fpr(&full) <= fpr_max);
	assert_int_equal(xdp_dedup_fips_node_new(self.byte, fpr_max, m.sequence + 1, &m.node), 0);
	return m;
}

static void finish(struct model *m)
{
	xdp_dedup_fips_node_free(m->node);
	free(m->peers);
}

static void add(struct model *m, uint32_t peer, bool tree)
{
	struct model_peer *p = &m->peers[peer];

	assert_int_equal(xdp_dedup_fips_node_add_peer(m->node, id_of(peer), tree),
			 p->here ? -EEXIST : 0);
	if (!p->here)
		*p = (struct model_peer){ .here = true, .tree = tree };
}

static void drop(struct model *m, uint32_t peer)
{
	bool here = m->peers[peer].here;

	assert_int_equal(xdp_dedup_fips_node_remove_peer(m->node, id_of(peer)), here ? 0 : -ENOENT);
	m->peers[peer].here = false;
}

static void turn(struct model *m, uint32_t peer, bool tree)
{
	bool here = m->peers[peer].here;

	assert_int_equal(xdp_dedup_fips_node_set_tree(m->node, id_of(peer), tree),
			 here ? 0 : -ENOENT);
	m->peers[peer].tree = tree;
}

static void set_leaf(struct model *m, int leaf, bool on)
{
	struct fips_item item = nth_item(ITEM_LEAF + leaf);
	int same = on ? -EEXIST : -ENOENT;
	int err = on ? xdp_dedup_fips_node_add_leaf(m->node, item.byte)
		     : xdp_dedup_fips_node_remove_leaf(m->node, item.byte);

	assert_int_equal(err, m->leaf[leaf] == on ? same : 0);
	m->leaf[leaf] = on;
}

static void set_self(struct model *m, uint64_t self)
{
	struct fips_item item = nth_item(self);

	xdp_dedup_fips_node_set_self(m->node, item.byte);
	m->self = self;
}

static void hear(struct model *m, uint32_t peer, const struct fips_filter *f, uint64_t sequence)
{
	struct model_peer *p = &m->peers[peer];
	enum fips_refusal expected = FIPS_ACCEPTED;
	const char *why = NULL;
	uint8_t msg[FIPS_V1_MSG_BYTES];
	int ret;

	if (f->hash_count != 5)
		expected = FIPS_REFUSED_other_hashes;
	else if (p->heard && sequence <= p->in_sequence)
		expected = FIPS_REFUSED_stale;
	else if (fips_set_bits(f) > m->cap)
		expected = FIPS_REFUSED_too_full;
	assert_int_equal(fips_encode(f, sequence, msg, sizeof(msg)), sizeof(msg));
	ret = xdp_dedup_fips_node_receive(m->node, id_of(peer), msg, sizeof(msg),
					  sequence % 2 ? &why : NULL);
	if (!p->here) {
		assert_int_equal(ret, -ENOENT);
		assert_null(why);
		return;
	}
	if (expected) {
		assert_int_equal(ret, -EBADMSG);
		assert_string_equal(why ?: fips_refusal_text(expected), fips_refusal_text(expected));
		assert_true(!why == !(sequence % 2));
		return;
	}
	assert_null(why);
	assert_int_equal(ret, !p->heard || !fips_equal(&p->in, f));
	p->heard = true;
	p->in = *f;
	p->in_sequence = sequence;
}

static struct fips_filter outbound(const struct model *m, uint32_t peer)
{
	struct fips_filter f = filter_with(m->self, m->self + 1);

	for (uint32_t i = 0; i < LEAVES; i++)
		if (m->leaf[i])
			insert_items(&f, ITEM_LEAF + i, ITEM_LEAF + i + 1);
	for (uint32_t i = 0; i < m->peer_cnt; i++) {
		const struct model_peer *p = &m->peers[i];

		if (i != peer && p->here && p->tree && p->heard)
			fips_merge(&f, &p->in);
	}
	return f;
}

static int take(void *arg, uint64_t id, const void *msg, size_t len)
{
	struct model *m = arg;
	struct fips_filter f, expected;
	struct model_peer *p;
	uint64_t sequence;
	uint32_t peer = 0;

	while (peer < m->peer_cnt && id_of(peer) != id)
		peer++;
	assert_true(peer < m->peer_cnt);
	p = &m->peers[peer];
	assert_true(p->here);
	assert_int_equal(fips_decode(msg, len, &f, &sequence), FIPS_ACCEPTED);
	assert_int_equal(sequence, ++m->sequence);
	assert_true(!p->tried || m->now_ns - p->tried_ns >= 500 * MS);
	assert_false(p->told && fips_equal(&f, &p->sent));
	expected = outbound(m, peer);
	assert_true(fips_equal(&f, &expected));
	p->tried = true;
	p->tried_ns = m->now_ns;
	m->sent++;
	if (m->broken)
		return -EIO;
	p->told = true;
	p->sent = f;
	return 0;
}

/* Polls after a while. Returns how many announcements that made; the time of the next one
 * must be the first at which some peer has something to learn and may.
 */
static uint32_t poll_after(struct model *m, uint64_t ns)
{
	uint64_t next_ns, expected_ns = UINT64_MAX;

	m->now_ns += ns;
	m->sent = 0;
	next_ns = xdp_dedup_fips_node_poll(m->node, m->now_ns, take, m);
	for (uint32_t i = 0; i < m->peer_cnt; i++) {
		const struct model_peer *p = &m->peers[i];
		struct fips_filter f;

		if (!p->here)
			continue;
		f = outbound(m, i);
		if (p->told && fips_equal(&f, &p->sent))
			continue;
		assert_true(p->tried && p->tried_ns + 500 * MS > m->now_ns);
		if (p->tried_ns + 500 * MS < expected_ns)
			expected_ns = p->tried_ns + 500 * MS;
	}
	assert_int_equal(next_ns, expected_ns);
	assert_false(m->node->changed);
	return m->sent;
}

/* Queries and outbound filters, of all peers. */
static void compare(struct model *m)
{
	for (uint64_t n = 0; n < 60; n++) {
		uint64_t ids[] = { 77, 77, 77 };
		struct fips_item item = nth_item(n);
		size_t cnt = 0;

		for (uint32_t i = 0; i < m->peer_cnt; i++) {
			const struct model_peer *p = &m->peers[i];
			bool maybe = p->here && p->heard && fips_test(&p->in, &item);

			assert_int_equal(xdp_dedup_fips_node_may_reach(m->node, id_of(i), item.byte),
					 p->here ? maybe : -ENOENT);
			cnt += maybe;
		}
		assert_int_equal(xdp_dedup_fips_node_candidates(m->node, item.byte, ids, 2), cnt);
		assert_true(ids[2] == 77 && (cnt > 1 ? ids[0] < ids[1] : ids[1] == 77));
		assert_true(!cnt || xdp_dedup_fips_node_may_reach(m->node, ids[0], item.byte) == 1);
	}
	for (uint32_t i = 0; i < m->peer_cnt; i++) {
		struct fips_filter f = empty_filter(5, 1), expected = outbound(m, i);
		int err = xdp_dedup_fips_node_outbound(m->node, id_of(i), f.word);

		assert_int_equal(err, m->peers[i].here ? 0 : -ENOENT);
		assert_true(err || fips_equal(&f, &expected));
	}
}

/* Any of a few filters, so that they also come back; seldom as full a one as is taken, too full a
 * one, or one of other hashes.
 */
static struct fips_filter any_filter(struct model *m)
{
	uint64_t which = random_next(&m->seed) % 6, seldom = random_next(&m->seed) % 16;
	struct fips_filter f = filter_with(10 * which, 10 * which + 3 * which);

	if (which == 5 && seldom < 2)
		return filter_with_bits(m->cap + seldom);
	f.hash_count -= seldom == 15;
	return f;
}

static void any_event(struct model *m)
{
	uint32_t peer = random_next(&m->seed) % m->peer_cnt;
	bool flag = random_next(&m->seed) % 2;
	struct fips_filter f;

	switch (random_next(&m->seed) % 8) {
	case 0:
		add(m, peer, flag);
		break;
	case 1:
		if (flag)
			drop(m, peer);
		break;
	case 2:
		turn(m, peer, flag);
		break;
	case 3:
		set_leaf(m, random_next(&m->seed) % LEAVES, flag);
		break;
	case 4:
		set_self(m, 500 + flag);
		break;
	default:
		f = any_filter(m);
		hear(m, peer, &f, m->peers[peer].in_sequence + random_next(&m->seed) % 4);
	}
}

/* Whatever happens, in whatever order; and when it ends, all peers know the last word. */
TEST(storms_end_with_the_last_word)
{
	for (uint32_t storm = 0; storm < 30; storm++) {
		struct model m = start(1 + storm % 8, 0.035);

		m.seed = storm;
		for (int i = 0; i < 500; i++) {
			any_event(&m);
			m.broken = random_next(&m.seed) % 8 == 0;
			if (random_next(&m.seed) % 2)
				poll_after(&m, random_next(&m.seed) % (300 * MS));
		}
		compare(&m);
		m.broken = false;
		poll_after(&m, 0);
		poll_after(&m, 500 * MS);
		assert_int_equal(poll_after(&m, 500 * MS), 0);
		assert_int_equal(m.node->next_ns, UINT64_MAX); /* all told: see poll_after */
		finish(&m);
	}
}

TEST(outbound_matches_the_vectors)
{
	static const char *const NAMES[] = { "a", "b", "c" };
	json_object *v = vectors("split_horizon"), *items = vectors("items");
	struct fips_item self = item_from_hex(text(items, "self"));
	struct xdp_dedup_fips_node *n;

	assert_int_equal(json_object_array_length(member(v, "tree_peers")), 2);
	assert_int_equal(xdp_dedup_fips_node_new(self.byte, NO_CAP, 1, &n), 0);
	for (uint64_t i = 0; i < 3; i++) {
		struct fips_filter f = filter_from(member(items, NAMES[i]), 1);
		uint8_t msg[FIPS_V1_MSG_BYTES];

		assert_int_equal(xdp_dedup_fips_node_add_peer(n, i, i < 2), 0); /* c is a mesh peer */
		fips_encode(&f, 0, msg, sizeof(msg));
		assert_int_equal(xdp_dedup_fips_node_receive(n, i, msg, sizeof(msg), NULL), 1);
	}
	for (uint64_t i = 0; i < 3; i++) {
		struct fips_filter f = empty_filter(5, 1);

		assert_int_equal(xdp_dedup_fips_node_outbound(n, i, f.word), 0);
		assert_string_equal(sha256_of(&f), text(member(v, "outbound_sha256"), NAMES[i]));
	}
	xdp_dedup_fips_node_free(n);
}

TEST(nodes_without_a_rate_are_refused)
{
	static const double RATES[] = { -1e-9, 1.000001, NAN, INFINITY };
	struct fips_item self = nth_item(0);
	struct xdp_dedup_fips_node *n = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(RATES); i++)
		assert_int_equal(xdp_dedup_fips_node_new(self.byte, RATES[i], 1, &n), -EINVAL);
	assert_null(n);
	xdp_dedup_fips_node_free(NULL);
}

UNIT_MAIN()
