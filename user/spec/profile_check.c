// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Checks a profile's keys together. */
#include "numbering.h"
#include "profile_keys.h"
#include "spec.h"

static int check_layer(struct parse *p)
{
	const struct dedup_stream *st = &p->now.stream;
	const struct position *digest = &p->bases_at[DEDUP_BASES];

	if (!p->keys_at[KEY_LAYER].line)
		return profile_fail(p, p->section_at, "the layer is missing: udp, ip or ethernet");
	if (st->layer != DEDUP_UDP && p->bases_at[DEDUP_PAYLOAD].line)
		return profile_fail(p, p->bases_at[DEDUP_PAYLOAD], "only layer udp has a payload");
	if (st->layer == DEDUP_ETHERNET && p->bases_at[DEDUP_NETWORK].line)
		return profile_fail(p, p->bases_at[DEDUP_NETWORK], "layer ethernet has no ip header");
	if (st->digest == DEDUP_DIGEST_PAYLOAD && st->layer != DEDUP_UDP)
		return profile_fail(p, *digest, "only layer udp has a payload");
	if (st->digest == DEDUP_DIGEST_PACKET && st->layer != DEDUP_IP)
		return profile_fail(p, *digest, "packet is for layer ip");
	if (st->digest == DEDUP_DIGEST_FRAME && st->layer != DEDUP_ETHERNET)
		return profile_fail(p, *digest, "frame as a whole is for layer ethernet");
	if (st->layer != DEDUP_ETHERNET && p->keys_at[KEY_ETHERTYPE].line)
		return profile_fail(p, p->keys_at[KEY_ETHERTYPE], "ethertype is for layer ethernet");
	if (st->layer != DEDUP_UDP && p->keys_at[KEY_PORTS].line)
		return profile_fail(p, p->keys_at[KEY_PORTS], "ports are for layer udp");
	if (st->layer == DEDUP_ETHERNET && p->keys_at[KEY_NEEDS].line)
		return profile_fail(p, p->keys_at[KEY_NEEDS], "layer ethernet has no destinations");
	return 0;
}

/* Checks the keys that only a numbered stream can have. */
static int check_beside_sequence(struct parse *p)
{
	static const int WITH_SEQUENCE[] = { KEY_SOURCE, KEY_COUNT, KEY_HISTORY, KEY_RESET,
					     KEY_PARTIAL };

	for (size_t i = 0; i < sizeof(WITH_SEQUENCE) / sizeof(WITH_SEQUENCE[0]); i++)
		if (p->keys_at[WITH_SEQUENCE[i]].line)
			return profile_fail(p, p->keys_at[WITH_SEQUENCE[i]],
					    "%s is for a profile with a sequence",
					    PROFILE_KEYS[WITH_SEQUENCE[i]].name);
	return 0;
}

/* Completes p->now.numbered, and puts the number after the source. */
static int check_numbers(struct parse *p)
{
	struct dedup_numbered *n = &p->now.numbered;
	struct dedup_stream *st = &p->now.stream;
	struct position at = p->keys_at[KEY_SEQUENCE];
	uint32_t words_max = DEDUP_SOURCE_WORDS;

	if (!at.line)
		return check_beside_sequence(p);
	if (p->keys_at[KEY_ID].line)
		return profile_fail(p, p->keys_at[KEY_ID],
				    "a profile has an id, or a sequence with a source");
	if (p->now.needs_app)
		return profile_fail(p, p->keys_at[KEY_LEARN],
				    "an application teaches ids, not a sequence: leave out learn");
	n->width = p->sequence.bits;
	n->little = p->sequence.little;
	n->shift = p->sequence.shift;
	if (n->width < DEDUP_WIDTH_MIN)
		return profile_fail(p, at, "a sequence number has at least %d bits", DEDUP_WIDTH_MIN);
	words_max -= n->width > DEDUP_WIDTH_MAX; /* for the number's upper bits */
	if (st->digest || st->loads_cnt > words_max)
		return profile_fail(p, p->keys_at[KEY_SOURCE],
				    "here a source is of at most %u words of 8 bytes, and no digest",
				    words_max);
	st->loads[st->loads_cnt++] = p->sequence.load;
	n->recovery.width = n->width < DEDUP_WIDTH_MAX ? n->width : DEDUP_WIDTH_MAX;
	if (!n->recovery.ring_shift)
		n->recovery.ring_shift =
			n->width <= PROFILE_WHOLE_WIDTH ? n->width : PROFILE_RING_SHIFT;
	if (n->recovery.ring_shift > n->width)
		n->recovery.ring_shift = n->width;
	if (!n->reset_ns)
		n->reset_ns = n->width <= PROFILE_WHOLE_WIDTH ? PROFILE_RESET_SHORT_NS
							      : PROFILE_RESET_LONG_NS;
	return 0;
}

static int check_decoder(struct parse *p)
{
	struct dedup_stream *st = &p->now.stream;

	st->words = st->loads_cnt + (st->digest != DEDUP_DIGEST_NONE);
	st->bytes = 8 * st->words;
	if (st->loads_cnt && st->digest == DEDUP_DIGEST_NONE)
		st->bytes -= 8 - st->loads[st->loads_cnt - 1].bytes;
	if (st->decoder != DEDUP_GSP && !st->words)
		return profile_fail(p, p->section_at,
				    "the id is missing, as in: id = payload+0:8; or a sequence");
	if (st->decoder != DEDUP_GSP)
		return 0;
	if (st->words || st->gates_cnt || st->layer != DEDUP_UDP)
		return profile_fail(p, p->keys_at[KEY_DECODER],
				    "this decoder is for layer udp, and makes the id");
	st->words = SPEC_GSP_ID_BYTES / 8;
	st->bytes = SPEC_GSP_ID_BYTES;
	return 0;
}

int profile_check(struct parse *p)
{
	return check_layer(p) ?: check_numbers(p) ?: check_decoder(p);
}
