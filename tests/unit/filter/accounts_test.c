// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What is reported of the paths of a numbered source, against a plain model that keeps a byte for
 * each number: which paths have brought it. The model knows no laps, and no ring but its length.
 */
#include "support.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "accounts.h"
#include "profile.h"
#include "sim.h"
#include "source_table.h"

#define S 1000000000ULL
#define NUMBERS (1 << 20) /* of a run, at most */
#define PENDING 64
#define WORD 32
#define FAR_AWAY (1ULL << 44) /* true numbers are above this, so that none is negative */

static struct sim sim;

static uint64_t below(uint64_t *seed, uint64_t n)
{
	return random_next(seed) % n;
}

/* What a path has brought. */
struct model_path {
	uint64_t key, joined, high; /* high: a true number; 0: none in this numbering */
	struct path_figures is;	    /* what is counted */
};

/* A word of 32 numbers: by which number it was begun, and when. */
struct model_word {
	uint64_t number, ns; /* 0: not begun */
};

static struct model {
	uint32_t width, ring, paths, paths_cnt;
	bool has_begun;
	uint64_t numbering; /* the bit of the source */
	uint64_t before;    /* numbers of earlier numberings */
	uint64_t first, high;
	uint64_t restarts, others;
	struct model_path path[DEDUP_PATHS_MAX];
	uint16_t brought[NUMBERS]; /* by index_of(): a bit for each path, and bit 8 for all */
	struct model_word word[NUMBERS];
	uint64_t words_base; /* word[0] is this true word */
} m;

static void start(uint32_t paths, const char *keys)
{
	struct filter_spec spec = sim_spec(100, 1e-3, S);
	struct profiles p = { 0 };
	struct profile_error err;
	char text[256];

	snprintf(text, sizeof(text), "[profile a]\nlayer = udp\nsource = payload+0:4\n%s\n", keys);
	assert_int_equal(profiles_parse(&p, text, strlen(text), false, &err), 0);
	spec.streams[0].stream = p.list[0].stream;
	spec.streams[0].numbered = p.list[0].numbered;
	spec.sources = 2;
	spec.paths = paths;
	profiles_free(&p);
	sim_start(&sim, &spec, 1);
	memset(&m, 0, sizeof(m));
	m.width = sim.config.numbered[0].recovery.width;
	m.ring = 1U << sim.config.numbered[0].recovery.ring_shift;
	m.paths = paths;
	assert_int_equal(sim.config.sources.paths, paths);
}

static int64_t signed_of(uint64_t value, uint32_t bits)
{
	uint64_t half = 1ULL << (bits - 1);

	value &= (half << 1) - 1;
	return value < half ? (int64_t)value : (int64_t)value - (int64_t)(half << 1);
}

/* The count of numbers that were to come, up to this one; false: none of them is counted. */
static bool index_of(uint64_t number, uint64_t *index)
{
	if (number < m.first)
		return false;
	*index = m.before + number - m.first;
	assert_true(*index < NUMBERS);
	return true;
}

static uint64_t history_start(void)
{
	uint64_t start = (m.high / WORD + 1) * WORD - m.ring;

	return start > m.first ? start : m.first;
}

static uint64_t source_near(void)
{
	const struct dedup_block *at = &sim.filter.blocks[dedup_slot_block(&sim.config.sources, 0)];

	return ((const struct dedup_slot *)at)->source.near;
}

/* The source has begun another numbering, which the packet's number is near. */
static void model_numbering(uint64_t numbering, uint64_t number)
{
	uint64_t true_number = FAR_AWAY + number;

	if (m.has_begun) {
		int64_t gap = signed_of(number - m.high - 1, __builtin_ctz(m.ring));

		m.before += m.high + 1 - m.first;
		if (gap > -WORD && gap < WORD)
			true_number -= gap;
		else
			m.restarts++;
	}
	m.has_begun = true;
	m.numbering = numbering;
	m.first = true_number;
	m.high = true_number - 1;
	memset(m.word, 0, sizeof(m.word));
	m.words_base = (m.first - 2 * m.ring) / WORD;
	for (uint32_t i = 0; i < m.paths_cnt; i++)
		m.path[i].high = 0;
}

static struct model_path *model_path(uint64_t key)
{
	for (uint32_t i = 0; i < m.paths_cnt; i++)
		if (m.path[i].key == key)
			return &m.path[i];
	if (m.paths_cnt == m.paths) {
		m.others++;
		return NULL;
	}
	m.path[m.paths_cnt].key = key;
	return &m.path[m.paths_cnt++];
}

static void model_skew(struct model_path *p, uint64_t ns)
{
	int bucket = 0;

	while (bucket < DEDUP_SKEWS - 1 && ns >= 1000ULL << bucket)
		bucket++;
	p->is.counted.skew[bucket]++;
}

/* A number that is neither late nor far. */
static void model_number(struct model_path *p, uint64_t number, uint64_t ns, uint64_t *received)
{
	uint16_t bit = 1 << (p - m.path);
	struct model_word *w = &m.word[number / WORD - m.words_base];
	uint64_t i;
	bool fresh;

	if (!w->ns)
		*w = (struct model_word){ number, ns };
	if (!index_of(number, &i))
		return;
	fresh = !(m.brought[i] & 256);
	m.brought[i] |= 256;
	if (number > m.high)
		m.high = number;
	if (i + 1 < p->joined)
		return;
	if (m.brought[i] & bit) {
		p->is.counted.repeated++;
		return;
	}
	m.brought[i] |= bit;
	++*received;
	p->is.counted.received++;
	p->is.counted.first += fresh;
	if (!fresh && number == w->number)
		model_skew(p, ns - (w->ns & -32));
}

/* Those of a packet's numbers that are in one word. */
static void model_word(struct model_path *p, uint64_t number, uint32_t cnt, uint64_t high, uint64_t ns)
{
	uint64_t near = high / WORD * WORD, received = 0, i;
	uint64_t last = number + cnt - 1;
	bool counts;

	if (number + m.ring < near || number >= near + m.ring) {
		p->is.counted.far += cnt;
		return;
	}
	if (number / WORD + m.ring / WORD <= near / WORD) {
		p->is.counted.late += cnt;
		return;
	}
	if (!p->joined)
		p->joined = 1 + m.before + (number > m.first ? number - m.first : 0);
	counts = index_of(last, &i) && i + 1 >= p->joined;
	for (uint32_t k = 0; k < cnt; k++)
		model_number(p, number + k, ns, &received);
	if (counts && last > p->high)
		p->high = last;
	else if (counts)
		p->is.counted.out_of_order += received;
}

/* A packet that the filter has judged. */
static void model_packet(uint64_t key, uint64_t number, uint32_t cnt, uint64_t now, uint64_t ns)
{
	uint64_t numbering = source_near() >> sim.config.sources.number_bits & 1, true_number, high;
	struct model_path *p;
	int64_t ahead = signed_of(number - source_near() % (1ULL << sim.config.sources.number_bits),
				  m.width);

	if ((!m.has_begun || numbering != m.numbering) && ahead >= -(int64_t)m.ring &&
	    ahead < (int64_t)m.ring)
		model_numbering(numbering, number);
	true_number = m.high / WORD * WORD + signed_of(number - m.high / WORD * WORD, m.width);
	/* What the source has as its highest number, after the packet. */
	high = m.high;
	if (true_number + cnt - 1 > high && true_number < high / WORD * WORD + m.ring)
		high = true_number + cnt - 1;
	p = model_path(key);
	if (!p)
		return;
	p->is.counted.packets++;
	p->is.counted.last = now;
	for (uint32_t k = 0; k < cnt;) {
		uint32_t in_word = WORD - (true_number + k) % WORD;

		if (in_word > cnt - k)
			in_word = cnt - k;
		model_word(p, true_number + k, in_word, high, ns);
		k += in_word;
	}
}

static void packet(uint64_t key, uint64_t number, uint32_t cnt, uint64_t now, uint64_t ns)
{
	const struct dedup_config *c = &sim.config;
	struct dedup_source_key source = { 0 };
	struct dedup_packet_numbers p = { .first = number & ((1ULL << m.width) - 1),
					  .now = now,
					  .count = cnt };

	source.words = 1;
	source.id.word[0] = 7;
	dedup_source_of_realm(&source, c, c->policy.streams[0].realm_key, 0);
	dedup_see_source(&c->sources, &c->numbered[0].recovery, sim.filter.blocks, &source, &p);
	dedup_note_source(&c->sources, &c->numbered[0].recovery, sim.filter.blocks, &source, &p,
			  key, ns);
	if (getenv("EACH"))
		fprintf(stderr, "key %lx number %lx +%u now %lu near %lx high %lx\n", (long)key,
			(long)p.first, cnt, (long)now, (long)source_near(), (long)m.high);
	model_packet(key, p.first, cnt, now, ns);
}

#define EQUAL(a, b)                                                                    \
	do {                                                                           \
		if ((a) != (b))                                                        \
			fail_msg("step %d: " #a " is %" PRIu64 ", not %" PRIu64, step, \
				 (uint64_t)(a), (uint64_t)(b));                        \
	} while (0)

/* Numbers that left the history, or are in it, without this bit. */
static void model_sums(uint64_t from, uint16_t bit, uint64_t last, uint64_t *lost, uint64_t *missing)
{
	uint64_t start = m.before + history_start() - m.first;

	*lost = *missing = 0;
	for (uint64_t i = from; i < start; i++)
		*lost += !(m.brought[i] & bit);
	for (uint64_t i = from > start ? from : start;
	     last >= m.first && i <= m.before + last - m.first; i++)
		*missing += !(m.brought[i] & bit);
}

static void compare_path(int step, uint32_t i, const struct path_figures *is)
{
	const struct model_path *p = &m.path[i];
	uint64_t lost, missing, all = m.before + m.high + 1 - m.first;
	const struct dedup_path *a = &is->counted, *b = &p->is.counted;

	EQUAL(dedup_path_key(sim.config.policy.streams[0].slot, is->ifindex), p->key);
	EQUAL(is->stream, 0);
	EQUAL(a->packets, b->packets);
	EQUAL(a->received, b->received);
	EQUAL(a->first, b->first);
	EQUAL(a->repeated, b->repeated);
	EQUAL(a->out_of_order, b->out_of_order);
	EQUAL(a->late, b->late);
	EQUAL(a->far, b->far);
	EQUAL(a->last, b->last);
	for (int k = 0; k < DEDUP_SKEWS; k++)
		EQUAL(a->skew[k], b->skew[k]);
	if (!p->joined)
		return;
	model_sums(p->joined - 1, 1 << i, p->high, &lost, &missing);
	EQUAL(is->messages, all - (p->joined - 1));
	EQUAL(is->lost, lost);
	EQUAL(is->missing, missing);
	EQUAL(is->behind, p->high ? m.high - p->high : m.high + 1 - m.first);
}

static void compare(int step)
{
	struct source_figures s;
	uint64_t lost, missing;

	assert_true(accounts_read(&sim.filter, 0, &s));
	EQUAL(s.stream, 0);
	EQUAL(s.words, 1);
	EQUAL(s.id.word[0], 7);
	EQUAL(s.messages, m.before + m.high + 1 - m.first);
	EQUAL(s.restarts, m.restarts);
	EQUAL(s.others, m.others);
	model_sums(0, 256, m.high, &lost, &missing);
	EQUAL(s.lost, lost);
	EQUAL(s.missing, missing);
	EQUAL(s.paths_cnt, m.paths_cnt);
	for (uint32_t i = 0; i < s.paths_cnt; i++)
		compare_path(step, i, &s.paths[i]);
	assert_false(accounts_read(&sim.filter, 1, &s));
}

/* Packets on their way. */
struct pending {
	uint64_t key, number;
	uint32_t cnt;
};

static void random_feed(uint64_t seed, uint32_t paths, const char *keys, uint32_t cnt_max, int steps)
{
	struct pending pending[PENDING];
	uint64_t number, now = 1000, ns = 77 * S;
	uint32_t on_way = 0, loss, senders = paths + (paths < 8 && seed % 3 == 0);

	start(paths, keys);
	number = below(&seed, 1ULL << m.width);
	loss = below(&seed, 4) * 10;
	for (int step = 0; step < steps; step++) {
		uint32_t cnt = 1 + below(&seed, cnt_max);

		for (uint32_t i = 0; i < senders && on_way < PENDING; i++)
			if (below(&seed, 100) >= loss)
				pending[on_way++] = (struct pending){
					dedup_path_key(sim.config.policy.streams[0].slot, i + 1),
					number, cnt
				};
		number += cnt;
		while (on_way > below(&seed, PENDING)) {
			uint32_t i = below(&seed, on_way < 8 ? on_way : 8);
			struct pending *p = &pending[i];

			packet(p->key, p->number, p->cnt, now, ns);
			if (below(&seed, 50))
				memmove(p, p + 1, (--on_way - i) * sizeof(*p));
			ns += 1 + below(&seed, 1ULL << below(&seed, 30));
		}
		now += !below(&seed, 20);
		if (!below(&seed, 500)) /* a silence */
			now += below(&seed, 20);
		if (!below(&seed, 500)) /* a restart */
			number = below(&seed, 1ULL << m.width);
		if (!below(&seed, 300)) /* lost on all paths */
			number += below(&seed, m.ring / 2);
		if ((!below(&seed, 50) || getenv("EACH")) && m.has_begun)
			compare(step);
	}
	sim_stop(&sim);
}

static const struct kind {
	const char *name, *keys;
	uint32_t paths, cnt_max;
} KINDS[] = {
	{ "two-paths", "sequence = payload+4:4\nhistory = 256", 2, 1 },
	{ "one-path", "sequence = payload+4:4\nhistory = 256", 1, 3 },
	{ "16-bits", "sequence = payload+4:2", 2, 1 },
	{ "packets-of-many", "sequence = payload+4:4\nhistory = 4096", 3, 100 },
	{ "eight-paths", "sequence = payload+4:4\nhistory = 1024", 8, 5 },
	{ "64-bits", "sequence = payload+4:8\nhistory = 512", 4, 40 },
};

static void equals_a_plain_model(void **state)
{
	const struct kind *k = *state;

	for (uint64_t seed = 1; seed <= tries(5, 40); seed++)
		random_feed(seed, k->paths, k->keys, k->cnt_max, 4000);
}

int main(void)
{
	add_rows(KINDS, equals_a_plain_model, NULL, NULL);
	return run_added_any_tests("accounts");
}
