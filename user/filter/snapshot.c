// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "snapshot.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "age.h"
#include "config_streams.h"
#include "integers.h"
#include "layout.h"
#include "numbered.h"
#include "plan.h"
#include "predecessor.h"
#include "siphash.h"
#include "tunnels.h"

/* Greater ages are cut: no id is older than this many windows, unless the clock has stopped. */
#define WINDOWS_MAX 8

/* How much larger a filter may be than this version plans it: it may be of another version, or
 * planned for fewer jiffies a second. And how many CPUs and jiffies its machine may have, at most.
 */
#define SIZE_SLACK 4
#define CPUS_MAX 8192
#define HZ_MAX 1000

uint64_t snapshot_sum(uint64_t sum, const struct dedup_block *blocks, size_t cnt)
{
	static const __u32 NO_KEY[4];

	for (size_t i = 0; i < cnt; i++)
		sum = dedup_siphash(blocks[i].word, DEDUP_BLOCK_WORDS, NO_KEY, sum);
	return sum;
}

uint64_t snapshot_head_sum(const struct snapshot_head *h)
{
	struct snapshot_head copy = *h;

	copy.sum = 0;
	return snapshot_sum(0, (const struct dedup_block *)(const void *)&copy,
			    h->head_bytes / sizeof(struct dedup_block));
}

/* Returns whether a head of this format can have the length head_bytes. */
static bool has_sound_length(const struct snapshot_head *h)
{
	if (h->format == DEDUP_FORMAT)
		return h->head_bytes == sizeof(*h);
	return h->head_bytes >= offsetof(struct snapshot_head, config) + DEDUP_CONFIG_BYTES_OLDEST &&
	       h->head_bytes <= sizeof(*h) && h->head_bytes % sizeof(struct dedup_block) == 0;
}

static uint64_t since(uint64_t then, uint64_t now)
{
	return now > then ? now - then : 0;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static bool is_same_id_text(const char *a, const char *b)
{
	return *a && !strncmp(a, b, SNAPSHOT_ID_TEXT);
}

uint64_t snapshot_elapsed(const struct snapshot_moment *saved, const struct snapshot_moment *now)
{
	uint64_t elapsed = since(saved->wall_ns, now->wall_ns);
	bool other_machine =
		*saved->machine && *now->machine && !is_same_id_text(saved->machine, now->machine);

	if (is_same_id_text(saved->boot, now->boot)) {
		elapsed = greater(elapsed, since(saved->boot_ns, now->boot_ns));
		return greater(elapsed, since(saved->hand_ns, now->hand_ns));
	}
	return other_machine ? elapsed : greater(elapsed, greater(now->boot_ns, now->hand_ns));
}

void snapshot_rewind(const struct snapshot_head *h, uint64_t hand, struct dedup_block *blocks,
		     size_t cnt)
{
	const struct layout *layout = layout_of(h->config.memory.layout);

	if (layout->rewind)
		layout->rewind(&h->config, h->hand, hand, blocks, cnt);
}

static bool is_between(uint64_t value, uint64_t least, uint64_t most)
{
	return value >= least && value <= most;
}

static bool has_sound_parameters(const struct dedup_memory *m)
{
	return m->blocks && m->places && m->segment_places &&
	       (m->places - 1) / m->segment_places < DEDUP_MARKS &&
	       layout_of(m->layout)->is_sound(m);
}

static bool has_sound_times(const struct dedup_config *c)
{
	return is_between(c->memory.window_ns, SPEC_WINDOW_MIN_NS, SPEC_WINDOW_MAX_NS) &&
	       is_between(c->memory.countdown_ns, 1, 2 * c->memory.window_ns) &&
	       is_between(c->memory.tick_ns, 1, c->memory.window_ns) &&
	       is_between(c->memory.busy_tick_ns, 1, c->memory.tick_ns) &&
	       is_between(c->memory.stale_ns, 1, c->memory.window_ns * 16) &&
	       c->memory.late_ns <= 16 * c->memory.window_ns + 1000000000;
}

static bool has_sound_load(const struct dedup_config *c)
{
	return is_between(c->memory.capacity, 1, 1ULL << 40) &&
	       is_between(c->memory.turn_ids, 1, 1ULL << 39) &&
	       is_between(c->memory.full_ids, 1, 1ULL << 40) && is_between(c->memory.claim, 1, 64) &&
	       is_between(c->memory.fpr_e18, 1, 1000000000000000000);
}

/* Returns whether the memory is no larger than the user's request needs on the largest machine on
 * which it can be planned. Streams do not change the size.
 */
static bool has_sound_size(const struct dedup_config *c)
{
	const struct filter_spec *asked = &c->asked;
	struct filter_spec spec = {
		.capacity = numbered_alone(asked) ? 1 : asked->capacity,
		.fpr_e18 = asked->fpr_e18 ?: SPEC_FPR(SPEC_FPR_DEFAULT),
		.window_ns = asked->window_ns,
		.layout = asked->layout,
		.hash = asked->hash,
		.bits = asked->bits,
		.hashes = asked->hashes,
		.index_bits = asked->index_bits,
		.countdown_bits = asked->countdown_bits,
		.streams = { { SPEC_GSP } },
		.streams_cnt = 1,
	};
	struct dedup_config most;
	int err = -EOVERFLOW;

	if (spec_fpr(&spec) >= 1 || layout_of(spec.layout)->refusal(&spec))
		return false;
	for (unsigned int cpus = CPUS_MAX; cpus && err; cpus /= 2)
		err = plan_config(&spec, cpus, HZ_MAX, &most);
	return !err && c->memory.blocks / SIZE_SLACK <= most.memory.blocks &&
	       c->memory.places / SIZE_SLACK <= most.memory.places;
}

/* Returns whether ports and destinations are within their pools. */
static bool has_sound_pools(const struct dedup_config *c)
{
	bool sound = c->policy.ports_cnt <= DEDUP_PORTS_MAX && c->policy.to_cnt <= DEDUP_TO_MAX &&
		     (uint64_t)c->policy.outer_to_first + c->policy.outer_to_cnt <= c->policy.to_cnt &&
		     c->policy.outer_to4_cnt <= c->policy.outer_to_cnt;

	for (uint32_t i = 0; i < c->policy.streams_cnt && sound; i++) {
		const struct dedup_stream *s = &c->policy.streams[i];

		sound = (uint64_t)s->ports_first + s->ports_cnt <= c->policy.ports_cnt &&
			(uint64_t)s->to_first + s->to_cnt <= c->policy.to_cnt &&
			s->to4_cnt <= s->to_cnt;
	}
	return sound;
}

static bool has_sound_fields(const struct dedup_stream *s)
{
	bool sound = s->layer <= DEDUP_ETHERNET && s->decoder <= DEDUP_GSP &&
		     s->digest <= DEDUP_DIGEST_FRAME;

	for (uint32_t i = 0; i < s->gates_cnt; i++)
		sound &= s->gates[i].load.base < DEDUP_BASES && s->gates[i].load.shift < 64;
	for (uint32_t i = 0; i < s->loads_cnt && i < DEDUP_ID_WORDS_MAX; i++)
		sound &= s->loads[i].base < DEDUP_BASES && s->loads[i].shift < 64;
	return sound && s->loads_cnt <= DEDUP_ID_WORDS_MAX;
}

static bool is_sound_stream_request(const struct spec_stream *s)
{
	return stream_sound(&s->stream, &s->numbered) && has_sound_fields(&s->stream) &&
	       tunnels_sound(&s->tunnels) && s->ports_cnt <= DEDUP_PORTS_MAX &&
	       s->to_cnt <= DEDUP_TO_MAX && s->to4_cnt <= s->to_cnt;
}

static bool is_sound_comment(const char comment[SPEC_COMMENT_BYTES])
{
	size_t len = strnlen(comment, SPEC_COMMENT_BYTES);

	for (size_t i = 0; i < len; i++)
		if (!isprint((unsigned char)comment[i]))
			return false;
	return len < SPEC_COMMENT_BYTES;
}

/* Returns whether the user's request can be planned again. Numbers need no capacity. */
static bool is_sound_request(const struct dedup_config *c)
{
	const struct filter_spec *asked = &c->asked;
	uint64_t least = !numbered_alone(asked);

	if (asked->streams_cnt != c->policy.streams_cnt)
		return false;
	for (uint32_t i = 0; i < asked->streams_cnt; i++)
		if (!is_sound_stream_request(&asked->streams[i]))
			return false;
	return is_sound_comment(asked->comment) && asked->layout == c->memory.layout &&
	       asked->hash == c->memory.hash && asked->window_ns == c->memory.window_ns &&
	       asked->drop_ns <= SPEC_DROP_MAX_NS && asked->sources <= SPEC_SOURCES_MAX &&
	       asked->paths <= DEDUP_PATHS_MAX && asked->vlans_cnt <= DEDUP_VLANS_MAX &&
	       asked->outer_to_cnt <= DEDUP_TO_MAX && asked->outer_to4_cnt <= asked->outer_to_cnt &&
	       tunnels_sound(&asked->tunnels) &&
	       is_between(asked->capacity, least, SPEC_CAPACITY_MAX) &&
	       is_between(asked->fpr_e18, least, 1000000000000000000) &&
	       asked->hashes <= DEDUP_HASHES_MAX && asked->index_bits <= SPEC_INDEX_BITS_MAX &&
	       asked->countdown_bits <= SPEC_COUNTDOWN_BITS_MAX &&
	       c->sources.sources <= SPEC_SOURCES_MAX;
}

static bool is_head_sound(const struct snapshot_head *h)
{
	const struct dedup_config *c = &h->config;
	bool sound =
		c->format == h->format && layout_of(c->memory.layout) && hash_name(c->memory.hash) &&
		is_between(c->policy.id_bytes, 1, DEDUP_ID_BYTES_MAX) && !c->memory.replay &&
		!c->has_predecessor && !c->memory.known_cnt && c->policy.action <= DEDUP_DROP_FOR &&
		c->policy.receiver <= DEDUP_NAMED && c->policy.entry < DEDUP_ENTRIES &&
		streams_sound(c) && has_sound_parameters(&c->memory) && has_sound_times(c) &&
		has_sound_load(c) && has_sound_pools(c) && is_sound_request(c) &&
		has_sound_size(c) && dedup_hand_pos(h->hand) < c->memory.places;

	for (uint32_t i = 0; sound && i < c->policy.streams_cnt; i++)
		sound = has_sound_fields(&c->policy.streams[i]);
	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		sound = sound && memchr(h->ifnames[i], 0, sizeof(h->ifnames[i]));
	return sound;
}

/* Returns NULL if the version and format can be restored; else a sentence. */
static const char *refuse_version(const struct snapshot_head *h, char text[SNAPSHOT_REFUSAL_MAX])
{
	if (h->version == SNAPSHOT_VERSION && h->format >= DEDUP_FORMAT_OLDEST &&
	    h->format <= DEDUP_FORMAT)
		return NULL;
	snprintf(text, SNAPSHOT_REFUSAL_MAX,
		 "it is of version %u with filters of format %u, and this xdp-dedup takes %d with %d: restore it by the one that saved it",
		 h->version, h->format, SNAPSHOT_VERSION, DEDUP_FORMAT);
	return text;
}

const char *snapshot_refusal(struct snapshot_head *h, size_t bytes, uint64_t file_bytes,
			     char text[SNAPSHOT_REFUSAL_MAX])
{
	const char *refusal = NULL;
	uint64_t blocks_bytes;

	if (bytes < sizeof(h->magic) || memcmp(h->magic, SNAPSHOT_MAGIC, sizeof(h->magic)))
		return "it is no snapshot of xdp-dedup save";
	if (bytes >= offsetof(struct snapshot_head, file_bytes))
		refusal = refuse_version(h, text);
	if (refusal)
		return refusal;
	if (bytes < offsetof(struct snapshot_head, moment))
		return "it is truncated";
	if (!has_sound_length(h))
		return "it is damaged: its length is none";
	if (bytes < h->head_bytes)
		return "it is truncated";
	/* Behind a shorter head, blocks were read. */
	memset((char *)h + h->head_bytes, 0, sizeof(*h) - h->head_bytes);
	if (h->sum != snapshot_head_sum(h))
		return "it is damaged: its checksum is another one";
	blocks_bytes = h->config.memory.blocks * (uint64_t)sizeof(struct dedup_block);
	if (!is_head_sound(h) || h->file_bytes != h->head_bytes + blocks_bytes)
		return "it is of no filter that there could be";
	h->format = h->config.format = DEDUP_FORMAT;
	if (file_bytes < h->file_bytes)
		return "it is truncated";
	return file_bytes > h->file_bytes ? "it is damaged: something is behind its end" : NULL;
}

static uint64_t age_max(const struct snapshot_head *h)
{
	return WINDOWS_MAX * h->config.memory.window_ns;
}

/* Limits a time since the moment to that in which ids may live. */
static uint64_t elapsed_within(const struct snapshot_head *h, uint64_t elapsed_ns)
{
	return lesser(elapsed_ns, age_max(h));
}

uint64_t snapshot_drop_until(const struct snapshot_head *h, uint64_t now_ns, uint64_t elapsed_ns)
{
	__s64 most_ns = (__s64)h->config.asked.drop_ns, left_ns = h->drop_ns;

	if (!most_ns)
		return 0;
	left_ns = (left_ns < most_ns ? left_ns : most_ns) - (__s64)elapsed_ns;
	return left_ns > -(__s64)now_ns ? now_ns + left_ns : 1;
}

void snapshot_state(const struct snapshot_head *h, uint64_t now_ns, uint64_t elapsed_ns,
		    struct dedup_state *out)
{
	const struct dedup_config *c = &h->config;
	uint64_t moment_ns = now_ns - elapsed_within(h, elapsed_ns);
	__s64 next_ns = h->next_ns;

	if (next_ns < -(__s64)age_max(h))
		next_ns = -(__s64)age_max(h);
	if (next_ns > (__s64)c->memory.countdown_ns)
		next_ns = c->memory.countdown_ns;
	*out = (struct dedup_state){
		.hand = h->hand,
		.learned = h->learned,
		.last_ns = moment_ns,
		.passed = (__u64)dedup_hand_epoch(h->hand) * c->memory.places +
			  dedup_hand_pos(h->hand),
		.next_ns = moment_ns + next_ns,
		.started_ns = now_ns,
		.drop_until_ns = snapshot_drop_until(h, now_ns, elapsed_ns),
		.successor = DEDUP_SUCCESSOR_IN_CHARGE,
	};
	/* Limits a request to the places after which all is forgotten. */
	out->requested = out->passed + lesser(h->requested, (dedup_turns(c) + 1) * c->memory.places);
	out->forgotten_at = dedup_forgotten_at(out, c);
	for (int i = 0; i < 2 * DEDUP_MARKS; i++) {
		out->marks[i].learned = h->marks[i].learned;
		out->marks[i].at_ns = moment_ns - lesser(h->marks[i].age_ns, age_max(h));
	}
}

/* Makes the hand pass all places that are due from at_ns to now_ns. */
static void pass_until(const struct dedup_config *c, uint64_t at_ns, uint64_t now_ns,
		       struct dedup_state *st, struct dedup_block *blocks)
{
	while (!dedup_is_forgotten(st)) {
		struct dedup_pass due;
		__u64 due_ns;

		dedup_hand_due(st, c, at_ns, &due);
		if (due.places) {
			for (uint32_t i = 0; i < due.places; i++)
				dedup_age(blocks, c, st->hand, i);
			dedup_hand_pass(st, c, &due, due.places)->at_ns = at_ns;
			continue;
		}
		due_ns = dedup_hand_due_ns(st, c); /* later than at_ns */
		if ((__s64)(due_ns - now_ns) > 0)
			break;
		at_ns = due_ns;
	}
	st->last_ns = now_ns;
	st->limit = dedup_hand_limit(st, c);
	st->early = st->late = st->late_max_ns = 0;
}

void snapshot_age(const struct snapshot_head *h, uint64_t now_ns, uint64_t elapsed_ns,
		  struct dedup_state *st, struct dedup_block *blocks)
{
	pass_until(&h->config, now_ns - elapsed_within(h, elapsed_ns), now_ns, st, blocks);
}

struct snapshot_ids snapshot_ids(const struct snapshot_head *h)
{
	uint32_t cnt = dedup_hand_segments(&h->config), epoch = dedup_hand_epoch(h->hand);
	uint32_t at = dedup_hand_pos(h->hand) / h->config.memory.segment_places;
	struct snapshot_ids ids = { 0 };

	for (uint32_t seg = 0; seg < cnt; seg++) {
		uint32_t passed = (epoch - (seg >= at)) & 1;
		uint64_t last = h->learned - h->marks[passed * DEDUP_MARKS + seg].learned;
		uint64_t first = h->learned - h->marks[!passed * DEDUP_MARKS + seg].learned;

		ids.younger = greater(ids.younger, last);
		ids.older = greater(ids.older, first);
	}
	ids.older = since(ids.younger, ids.older);
	return ids;
}

static void learn(const struct snapshot_head *h, uint64_t ids, const struct dedup_config *successor,
		  struct dedup_state *st, struct dedup_block *blocks)
{
	uint64_t most = lesser(ids, successor->memory.full_ids);

	st->learned += most * dedup_scale(&h->config, successor) >> DEDUP_SCALE_SHIFT;
	pass_until(&h->config, st->last_ns, st->last_ns, st, blocks);
}

void snapshot_add_ids(const struct snapshot_head *h, struct snapshot_ids ids,
		      const struct dedup_config *successor, struct dedup_state *st,
		      struct dedup_block *blocks)
{
	learn(h, ids.older, successor, st, blocks);
	learn(h, ids.younger, successor, st, blocks);
}
