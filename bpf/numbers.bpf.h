/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Packets of numbered streams (struct dedup_numbered): their numbers are looked up in the table of
 * sources (include/source_table.h), and learned there. The global functions are verified once; what
 * they need is in this CPU's struct numbers.
 */
#pragma once

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

#include "hash.h"
#include "maps.bpf.h"

/* The steps of include/source_table.h that are global functions here. */
struct dedup_found;
int try_word_of(__u32 source, __u64 first, __u32 bits, __u32 i);
int see_packet_of(__u32 source);
__u32 take_slot(void);
bool put_source(void);
static __always_inline bool find_or_put(struct dedup_found *out);
__u32 find_judged(void);

#define DEDUP_TRY_AT(r, at, n, before, i) try_word_of((at)->source, (n)->first, (n)->bits, i)
#define DEDUP_SEE_PACKET(r, at, p) see_packet_of((at)->source)
#define DEDUP_TAKE_SLOT(t, blocks) take_slot()
#define DEDUP_PUT_SOURCE(t, r, blocks, key, p) put_source()
#define DEDUP_FIND_OR_PUT(t, r, blocks, key, p, out) find_or_put(out)
#define DEDUP_FIND_JUDGED(t, blocks, key) find_judged()

#include "source_note.h"
#include "source_table.h"

/* A packet's source and numbers, and in which filter they are looked up. */
struct numbers {
	struct dedup_source_key key;
	struct dedup_packet_numbers packet;
	__u64 stream;		       /* of that filter's configuration */
	__u64 predecessor;	       /* 1: in the predecessor */
	__u64 before;		       /* of dedup_try_word() */
	__u64 known;		       /* of dedup_note_source() */
	__u64 notes;		       /* 1: knows_numbers() notes a known packet's arrival */
	__u64 entry, i, block, source; /* of struct dedup_found */
	__u64 ifindex;		       /* on which the packet came */
};

DEDUP_SCRATCH(numbers, struct numbers, cpu_numbers)

static __always_inline bool is_of_predecessor(const struct numbers *m)
{
	return config.has_predecessor && m->predecessor;
}

static __always_inline const struct dedup_config *configuration_of(const struct numbers *m)
{
	return is_of_predecessor(m) ? predecessor_configuration() : configuration();
}

static __always_inline struct dedup_block *blocks_of(const struct numbers *m)
{
	return is_of_predecessor(m) ? PREDECESSOR : NULL;
}

static __always_inline const struct dedup_recovery *recovery_of(const struct numbers *m)
{
	const struct dedup_config *cfg = configuration_of(m);
	__u64 n = m->stream;

	DEDUP_BOUND(n, DEDUP_STREAMS_MAX - 1);
	return &cfg->numbered[n].recovery;
}

static __always_inline __u64 numbers_now(void)
{
	return config.memory.replay ? state.replay_ns / DEDUP_REPLAY_JIFFY_NS : bpf_jiffies64();
}

static __always_inline const struct dedup_numbered *numbered_of(__u64 n)
{
	DEDUP_BOUND(n, DEDUP_STREAMS_MAX - 1);
	return &configuration()->numbered[n];
}

/* Is stream n a numbered one? A constant in filters that have none. */
static __always_inline bool is_numbered(__u32 n)
{
	return config.sources.sources && numbered_of(n)->width;
}

/* For note_path(), which has no `ctx`. */
static __always_inline void note_interface(const struct xdp_md *ctx)
{
	struct numbers *m = cpu_numbers();

	if (m)
		m->ifindex = ctx->ingress_ifindex;
}

/* What a packet with this id, of a stream of this kind, brings: `cnt` messages. */
static __always_inline void read_numbers(struct numbers *m, const struct dedup_id *id, __u32 words,
					 const struct dedup_numbered *numbered, __u32 cnt)
{
	m->packet = (struct dedup_packet_numbers){ .count = cnt, .now = numbers_now() };
	m->predecessor = 0;
	m->known = 0;
	m->notes = 0;
	dedup_read_number(&m->key, &m->packet, id, words, numbered);
}

/* dedup_try_at(): the i-th try of numbers of the source at this block. */
__noinline int try_word_of(__u32 source, __u64 first, __u32 bits, __u32 i)
{
	struct dedup_numbers n = { .first = first, .bits = bits };
	struct numbers *m = cpu_numbers();
	struct dedup_source_at at;

	if (!config.sources.sources || !m)
		return DEDUP_BUSY;
	if (!i)
		m->before = 0;
	n.now = m->packet.now;
	at = (struct dedup_source_at){ blocks_of(m), source };
	return dedup_try_at(recovery_of(m), &at, &n, &m->before);
}

/* dedup_see_packet(): the packet in struct numbers, of the source at this block. */
__noinline int see_packet_of(__u32 source)
{
	struct numbers *m = cpu_numbers();
	struct dedup_source_at at;

	if (!config.sources.sources || !m)
		return DEDUP_BUSY;
	at = (struct dedup_source_at){ blocks_of(m), source };
	return dedup_see_packet(recovery_of(m), &at, &m->packet);
}

/* dedup_take_slot(). */
__noinline __u32 take_slot(void)
{
	struct numbers *m = cpu_numbers();

	if (!config.sources.sources || !m)
		return config.sources.sources;
	return dedup_take_slot(&configuration_of(m)->sources, blocks_of(m));
}

/* dedup_put_source(). */
__noinline bool put_source(void)
{
	struct numbers *m = cpu_numbers();

	if (!config.sources.sources || !m)
		return false;
	return dedup_put_source(&configuration_of(m)->sources, recovery_of(m), blocks_of(m),
				&m->key, &m->packet);
}

/* dedup_find_or_put() of the source in struct numbers, which takes what was found. */
__noinline bool find_or_put_source(void)
{
	struct numbers *m = cpu_numbers();
	struct dedup_found found;

	if (!config.sources.sources || !m ||
	    !dedup_find_or_put(&configuration_of(m)->sources, recovery_of(m), blocks_of(m), &m->key,
			       &m->packet, &found))
		return false;
	m->entry = found.entry;
	m->i = found.i;
	m->block = found.block;
	m->source = found.source;
	return true;
}

static __always_inline bool find_or_put(struct dedup_found *out)
{
	struct numbers *m = cpu_numbers();

	if (!m || !find_or_put_source())
		return false;
	*out = (struct dedup_found){ m->entry, m->i, m->block, m->source, NULL };
	return true;
}

/* dedup_find_judged() of the source in struct numbers, in this filter. */
__noinline __u32 find_judged(void)
{
	struct numbers *m = cpu_numbers();

	return config.sources.paths && m
		       ? dedup_find_judged(&configuration()->sources, NULL, &m->key)
		       : 0;
}

/* Finds the highest number that the predecessor has of the packet's source: what note_path() must
 * not count. A global function.
 */
__noinline int find_known(void)
{
	struct numbers *m = cpu_numbers();
	struct dedup_source_at at;
	struct dedup_found found;
	const struct dedup_slot *s;
	__u64 near, *word;
	__u32 bits = 1;

	if (!config.has_predecessor || !config.sources.paths || !m || !m->predecessor ||
	    !dedup_find_source(&configuration_of(m)->sources, blocks_of(m), &m->key, &found))
		return 0;
	s = (const struct dedup_slot *)dedup_block_at(blocks_of(m), found.source);
	if (!s)
		return 0;
	near = dedup_number(recovery_of(m), READ_ONCE(s->source.near));
	at = (struct dedup_source_at){ blocks_of(m), found.source };
	word = dedup_word_at(recovery_of(m), &at, near);
	if (word)
		bits |= READ_ONCE(*word);
	for (__u32 i = 1; i < DEDUP_WORD_NUMBERS; i *= 2)
		bits |= bits >> i; /* all bits up to the highest one: clang 14 has no clz for BPF */
	m->known = near + __builtin_popcount(bits);
	return 0;
}

/* Looks up the packet in struct numbers, and learns its numbers if any is fresh. Returns an enum
 * dedup_recovered.
 */
static __always_inline int see_numbers(struct numbers *m)
{
	return dedup_see_source(&configuration_of(m)->sources, recovery_of(m), blocks_of(m),
				&m->key, &m->packet);
}

/* dedup_knows_source() of the packet in struct numbers. A global function, too. */
__noinline int knows_numbers(void)
{
	struct numbers *m = cpu_numbers();

	if (!(config.has_predecessor || config.policy.deliver) || !config.sources.sources || !m)
		return false;
	return dedup_knows_source(&configuration_of(m)->sources, recovery_of(m), blocks_of(m),
				  &m->key, &m->packet, m->notes);
}

static __always_inline int reason_of_numbers(int seen)
{
	return seen == DEDUP_SEEN    ? DEDUP_REASON_duplicate
	       : seen == DEDUP_FRESH ? DEDUP_REASON_new
	       : seen == DEDUP_LATE  ? DEDUP_REASON_late_number
	       : seen == DEDUP_FAR   ? DEDUP_REASON_far_number
				     : DEDUP_REASON_unlearned;
}

/* Notes the packet in struct numbers, which was judged in this filter, in its source's account. A
 * global function.
 */
__noinline int note_path(void)
{
	struct numbers *m = cpu_numbers();
	__u64 now_ns;

	if (!config.sources.paths || !m)
		return 0;
	if (config.memory.replay) {
		now_ns = state.replay_ns;
		m->ifindex = state.replay_ifindex ?: m->ifindex;
	} else {
		now_ns = bpf_ktime_get_ns();
	}
	dedup_note_source(&configuration()->sources, recovery_of(m), NULL, &m->key, &m->packet,
			  m->known, dedup_path_key(slot_of(m->stream), m->ifindex), now_ns);
	return 0;
}

/* Has see_numbers() and note_path() look in this filter, in stream n, whose realm has this key. */
static __always_inline void aim_at_this_filter(struct numbers *m, __u32 n, __u64 realm_key)
{
	dedup_source_of_realm(&m->key, configuration(), realm_key, READ_ONCE(state.sources_era));
	m->predecessor = 0;
	m->stream = n;
}

/* Looks up the numbers of a packet of the stream *s, of `cnt` messages with this id, in one try:
 * this is enough for most packets. Returns DEDUP_SEEN; DEDUP_FRESH, and learn_quickly() can learn
 * them; or DEDUP_AGAIN: see_numbers() is to do it.
 */
static __always_inline int look_quickly(const struct dedup_id *id, const struct dedup_stream *s,
					const struct dedup_numbered *numbered, __u32 cnt,
					struct dedup_quick_source *q)
{
	const struct dedup_config *cfg = configuration();
	struct dedup_source_key key;
	struct dedup_packet_numbers p;

	p = (struct dedup_packet_numbers){ .count = cnt, .now = numbers_now() };
	dedup_read_number(&key, &p, id, s->words, numbered);
	if (!dedup_is_in_a_word(&p))
		return DEDUP_AGAIN;
	dedup_source_of_realm(&key, cfg, s->realm_key, READ_ONCE(state.sources_era));
	return dedup_look_source_quickly(&cfg->sources, &numbered->recovery, NULL, &key, &p, q);
}

/* Learns what look_quickly() has found to be fresh. Returns an enum dedup_recovered, or DEDUP_AGAIN. */
static __always_inline int learn_quickly(const struct dedup_numbered *numbered,
					 const struct dedup_quick_source *q)
{
	return dedup_learn_source_quickly(&numbered->recovery, NULL, q);
}

/* Does look_quickly() and learn_quickly(). If *only_test is not 0, nothing is learned. Returns an
 * enum dedup_reason, or DEDUP_AGAIN.
 */
static __always_inline int judge_quickly(const struct dedup_id *id, const struct dedup_stream *s,
					 const struct dedup_numbered *numbered, __u32 cnt,
					 const __u32 *only_test)
{
	struct dedup_quick_source q;
	int seen = look_quickly(id, s, numbered, cnt, &q);

	if (seen == DEDUP_FRESH && !(only_test && *only_test))
		seen = learn_quickly(numbered, &q);
	return seen == DEDUP_AGAIN ? DEDUP_AGAIN : reason_of_numbers(seen);
}
