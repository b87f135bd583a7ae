// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "survey_state.h"

#include <errno.h>

#include "source_table.h"

/* Realms in the table of ids, after those of ids and frames: one for each stream. */
#define REALM_SENDERS (2 * DEDUP_STREAMS_MAX)
#define REALM_BYTES (3 * DEDUP_STREAMS_MAX)
#define REALM_NUMBERS (4 * DEDUP_STREAMS_MAX)

#define SAME_PACKET_NS (10 * UINT64_C(1000000000)) /* within this, equal bytes are one packet */
#define LEADS_MOST 8
#define HEAD_BYTES 32 /* first bytes of a payload, which differ in packets with equal numbers */

/* Words of a sender's entry; its learned_ns is the time of the last number. LEAD: 0; or 1 + the
 * destination at which the sender was known before.
 */
enum { HIGHEST, LEAD };

static const struct dedup_numbered *numbered_of(const struct survey *s, uint32_t stream)
{
	return &s->profiles.list[stream].numbered;
}

bool survey_numbers_is(const struct survey *s, uint32_t stream)
{
	return numbered_of(s, stream)->width;
}

void survey_numbers_read(const struct survey *s, const struct program_id *id, struct survey_lookup *at)
{
	const struct dedup_numbered *numbered = numbered_of(s, at->stream);
	struct dedup_packet_numbers p = { 0 };
	struct dedup_source_key source;

	dedup_read_number(&source, &p, &id->id, id->words, numbered);
	at->number = dedup_number(&numbered->recovery, p.first);
	at->sender = id_table_key(s->ids, REALM_SENDERS + at->stream, &source.id, source.words);
}

/* Returns a key for a sender and two more words. */
static uint64_t key_of(const struct survey *s, uint32_t realm, const struct survey_lookup *at,
		       uint64_t a, uint64_t b)
{
	const struct dedup_id id = { .word = { at->sender, a, b } };

	return id_table_key(s->ids, realm + at->stream, &id, 3);
}

/* Notes a packet of the sender with this name at this destination. */
static struct id_table_entry *note_sender(struct survey *s, const struct survey_lookup *at,
					  uint64_t destination)
{
	return id_table_note(s->ids, key_of(s, REALM_SENDERS, at, destination, 0), s->now_ns);
}

/* Sets *lead to the destination whose entry has the sender's numbers. Returns 0 or -ENOMEM. */
static int find_lead(struct survey *s, const struct survey_lookup *at, uint64_t *lead)
{
	for (uint32_t i = 0; i < LEADS_MOST; i++) {
		const struct id_table_entry *e = note_sender(s, at, *lead);

		if (!e)
			return -ENOMEM;
		if (!e->mark[LEAD])
			break;
		*lead = e->mark[LEAD] - 1;
	}
	return 0;
}

/* Returns a digest of the payload's first bytes, for a payload that was cut. */
static uint64_t head_digest(const struct survey *s, const struct survey_packet *seen)
{
	uint32_t from = seen->flow.payload_at, len = seen->have - from;

	return survey_ids_digest(s, seen->frame + from, len < HEAD_BYTES ? len : HEAD_BYTES);
}

/* Joins the sender with that of another destination if a packet with this sender, number and bytes
 * arrived there.
 */
static int join_senders(struct survey *s, const struct survey_packet *seen,
			const struct survey_lookup *at, uint64_t *lead)
{
	uint64_t content = at->content ?: head_digest(s, seen);
	uint64_t bytes = key_of(s, REALM_BYTES, at, at->number, content);
	struct id_table_entry *e = id_table_note(s->ids, bytes, s->now_ns);
	uint64_t other;

	if (!e)
		return -ENOMEM;
	if (e->copies == 1 || s->now_ns - e->learned_ns > SAME_PACKET_NS) {
		e->learned_ns = s->now_ns;
		e->mark[0] = seen->destination;
		return 0;
	}
	other = e->mark[0];
	if (find_lead(s, at, &other))
		return -ENOMEM;
	if (other == *lead)
		return 0;
	e = note_sender(s, at, *lead);
	if (!e)
		return -ENOMEM;
	e->mark[LEAD] = other + 1;
	*lead = other;
	return 0;
}

/* Notes this number of the sender that has entry e. Sets at->round and at->is_late. */
static void note_number(const struct survey *s, struct survey_lookup *at, struct id_table_entry *e)
{
	const struct dedup_numbered *numbered = numbered_of(s, at->stream);
	const struct dedup_recovery *r = &numbered->recovery;
	uint64_t history = dedup_history(r), number;
	int64_t ahead = dedup_ahead(r, e->mark[HIGHEST], at->number);
	bool is_first = e->learned_ns == UINT64_MAX;

	if (!is_first && s->now_ns - e->learned_ns < numbered->reset_ns) {
		at->is_late = dedup_is_far(r, ahead) || ahead <= -(int64_t)history;
		number = e->mark[HIGHEST] + (uint64_t)ahead;
	} else {
		at->is_late = false;
		number = (e->mark[HIGHEST] >> r->width) + 2;
		number = (number << r->width) + at->number;
		e->mark[HIGHEST] = number;
	}
	at->round = (uint32_t)(number >> r->width);
	if (at->is_late)
		return;
	e->learned_ns = s->now_ns;
	if (number > e->mark[HIGHEST])
		e->mark[HIGHEST] = number;
}

int survey_numbers_note(struct survey *s, const struct survey_packet *seen, struct survey_lookup *at)
{
	bool is_feed = s->profiles.list[at->stream].stream.layer == DEDUP_UDP;
	uint64_t lead = is_feed ? seen->destination : 0;
	struct id_table_entry *e;

	if (is_feed && find_lead(s, at, &lead))
		return -ENOMEM;
	if (is_feed && join_senders(s, seen, at, &lead))
		return -ENOMEM;
	e = note_sender(s, at, lead);
	if (!e)
		return -ENOMEM;
	note_number(s, at, e);
	at->key = key_of(s, REALM_NUMBERS, at, at->number, lead);
	return 0;
}
