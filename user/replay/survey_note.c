// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "survey_state.h"

#include <errno.h>

#include "integers.h"

/* Two equal IP packets without distinct IP ids count as one packet that was captured twice if they
 * arrive within this time, and at most AT_ONCE_MOST times.
 */
#define ONE_PACKET_NS (5 * 1000000ULL)
#define AT_ONCE_MOST 8

/* Realm of frames that are not IP, in the table of ids; the streams' realms are their numbers. */
#define REALM_FRAMES DEDUP_STREAMS_MAX

/* The survey's data in an id's entry. Destinations are numbered from 1. */
struct mark {
	uint64_t first : 12; /* two destinations of its packets */
	uint64_t second : 12;
	uint64_t copies : 4; /* copies since the first packet, at most 15 */
	uint64_t ipv6 : 1;   /* this field and the next ones are of its first packet */
	uint64_t iface : 10;
	uint64_t tunnels : 11;
	uint64_t sender : 14; /* a hash */
	uint32_t content;     /* a hash of the bytes */
	uint8_t mac;	      /* a hash of the sender's */
	uint8_t host;	      /* as in struct survey_packet */
	uint8_t to_mac;	      /* a hash of the receiver's */
	uint8_t other;	      /* a hash of the last other sender; 0: none */
};
_Static_assert(sizeof(struct mark) == SURVEY_MARK_BYTES, "whole words");
_Static_assert(SURVEY_DESTINATIONS_MAX < 1 << 12 && CAPTURE_IFACES_MAX <= 1 << 10 &&
		       DEDUP_TUNNELS_CNT <= 11,
	       "they fit");

static struct mark *mark_of(struct id_table_entry *e)
{
	return (struct mark *)e->mark;
}

/* Notes an id's first packet, or the first one after the id was too old. */
static void note_new(struct survey *s, const struct survey_packet *seen,
		     const struct survey_lookup *at, struct id_table_entry *e)
{
	const uint8_t *payload = seen->frame + seen->flow.payload_at;

	e->learned_ns = s->now_ns;
	e->round = at->round;
	*mark_of(e) = (struct mark){
		.first = (seen->destination + 1) & 0xfff,
		.iface = seen->iface & 0x3ff,
		.tunnels = seen->tunnels & DEDUP_TUNNELS_ALL,
		.sender = seen->sender,
		.mac = seen->mac,
		.host = seen->host,
		.to_mac = seen->to_mac,
		.ipv6 = seen->flow.ipv6,
		.content = (uint32_t)at->content,
	};
	at->candidate->fit.ids++;
	windowed_max_add(&at->candidate->most_ids, s->now_ns);
	if (at->candidate->numbers)
		numbers_add(at->candidate->numbers, payload);
}

/* Returns a hash of the sender for mark.other. */
static uint8_t other_hash(const struct survey_packet *seen)
{
	return (uint8_t)(1 + seen->sender % 255);
}

/* Returns whether the first packet's sender has sent the packet again, maybe on purpose. If the id
 * is only a digest of bytes, that is possible for any group, and over IPv4 and IPv6, where the MAC
 * identifies the sender. With a protocol's ids, a packet to another port or group is of the other
 * feed. With GSP/1's ids, a repeated event has nothing new.
 */
static bool is_repeat(const struct survey *s, const struct survey_packet *seen,
		      const struct survey_lookup *at, const struct mark *m)
{
	const struct dedup_stream *st = &s->profiles.list[at->stream].stream;
	uint32_t destination = seen->destination + 1;

	if ((int)at->stream == s->frames)
		return !seen->is_copy;
	if (seen->is_copy || m->iface != seen->iface)
		return false;
	if (st->layer == DEDUP_ETHERNET || st->decoder == DEDUP_GSP)
		return false;
	if ((int)at->stream == s->mirror)
		return true;
	if (m->ipv6 != seen->flow.ipv6)
		return st->digest && m->mac == seen->mac;
	if (m->sender != seen->sender && m->other != other_hash(seen))
		return false;
	return st->digest || m->first == destination || m->second == destination;
}

/* Returns whether an earlier unicast packet went to another host, so that this host still needs its
 * own. A tunnel to another destination counts as another host. A host has an IPv4 address, an IPv6
 * address, and one MAC. The profiles for taps have no receivers.
 */
static bool is_for_another(const struct survey *s, const struct survey_packet *seen,
			   const struct survey_lookup *at, const struct mark *m)
{
	if ((int)at->stream == s->mirror || (int)at->stream == s->frames || m->host == seen->host)
		return false;
	if (seen->is_copy)
		return seen->is_elsewhere;
	return m->ipv6 == seen->flow.ipv6 || m->to_mac != seen->to_mac || !m->host || !seen->host ||
	       m->tunnels || seen->tunnels;
}

/* Counts a packet of a flood. Earlier packets of the flood were counted as copies, maybe of another
 * destination, and are subtracted.
 */
static void note_flood(struct candidate *c, struct mark *m)
{
	uint64_t before = m->copies == AT_ONCE_MOST ? AT_ONCE_MOST - 1 : 0;

	before = lesser(before, c->fit.copies);
	c->fit.flood += 1 + before;
	c->fit.copies -= before;
	c->fit.elsewhere = lesser(c->fit.elsewhere, c->fit.copies);
}

/* Counts a duplicate that a filter should drop. */
static void note_copy(struct survey *s, const struct survey_packet *seen,
		      const struct survey_lookup *at, struct mark *m)
{
	struct candidate *c = at->candidate;
	uint32_t destination = seen->destination + 1;

	c->fit.copies++;
	c->tunnels |= m->tunnels | seen->tunnels;
	survey_add_age(&s->table, &c->ages, at->age_ns);
	if (m->first == destination || m->second == destination ||
	    survey_ids_of_all_traffic(s, at->stream))
		return;
	c->fit.elsewhere++;
	survey_add_pairs(&s->table, at->stream, m->first - 1, seen->destination, 1);
}

static void note_duplicate(struct survey *s, const struct survey_packet *seen,
			   const struct survey_lookup *at, struct id_table_entry *e)
{
	uint64_t window = s->profiles.list[at->stream].window_ns;
	struct candidate *c = at->candidate;
	struct survey_fit *fit = &c->fit;
	struct mark *m = mark_of(e);
	uint32_t destination = seen->destination + 1;

	fit->duplicates.packets++;
	fit->duplicates.bytes += seen->wire_len;
	fit->other_iface += m->iface != seen->iface;
	fit->differ += m->content != (uint32_t)at->content;
	if (seen->is_copy && !seen->numbered)
		m->copies += m->copies < 15;
	if (is_repeat(s, seen, at, m)) {
		fit->same_sender++;
		c->repeats += !window || at->age_ns <= 2 * window;
	} else if (is_for_another(s, seen, at, m)) {
		fit->other_host++;
	} else if (m->copies >= AT_ONCE_MOST && seen->is_copy && !seen->numbered) {
		note_flood(c, m);
	} else {
		note_copy(s, seen, at, m);
	}
	if (m->first != destination)
		m->second = destination & 0xfff;
	if (m->sender != seen->sender)
		m->other = other_hash(seen);
}

static void note_identical(struct survey *s, struct survey_packet *seen,
			   const struct id_table_entry *e)
{
	struct destination *p = &s->table.destinations[seen->destination];

	if (e->copies == 1)
		return;
	seen->is_identical = true;
	histogram_add(&s->result.ages, s->now_ns - e->first_ns);
	p->d.identical.packets++;
	p->d.identical.bytes += seen->wire_len;
	survey_add_age(&s->table, &p->ages, s->now_ns - e->first_ns);
}

/* Returns whether the entry's id is known, and not too old. Sets at->age_ns. */
static bool is_duplicate(const struct survey *s, struct survey_lookup *at,
			 const struct id_table_entry *e)
{
	at->age_ns = s->now_ns - e->learned_ns;
	if (survey_numbers_is(s, at->stream))
		return e->copies > 1 && e->round == at->round && !at->is_late;
	return e->copies > 1 && at->age_ns <= s->horizon_ns[at->stream];
}

static int note_packet_id(struct survey *s, struct survey_packet *seen, struct survey_lookup *at)
{
	struct id_table_entry *e = id_table_note(s->ids, at->key, s->now_ns);

	if (!e)
		return -ENOMEM;
	if ((int)at->stream == s->payload)
		note_identical(s, seen, e);
	if (is_duplicate(s, at, e))
		note_duplicate(s, seen, at, e);
	else
		note_new(s, seen, at, e);
	return 0;
}

/* Returns whether the sender's IP ids differ from packet to packet. */
static bool learn_ip_id(struct survey *s, const struct survey_packet *seen, bool is_new)
{
	struct survey_ids *ids = &s->ip_ids[seen->sender % SURVEY_SENDERS];
	uint16_t id = seen->flow.ip_id;

	if (!id || !is_new)
		return id && ids->differ > 1;
	if (ids->last != id)
		ids->differ += ids->differ < INT8_MAX;
	else
		ids->differ -= ids->differ > INT8_MIN;
	ids->last = id;
	return ids->differ > 1;
}

/* Notes an IP packet by all its bytes, and whether it is a copy. */
static int note_packet(struct survey *s, struct survey_packet *seen, struct survey_lookup *at)
{
	uint64_t copies = at->candidate->fit.copies;
	struct id_table_entry *e = id_table_note(s->ids, at->key, s->now_ns);
	const struct mark *m;
	bool is_known, two_places;

	if (!e)
		return -ENOMEM;
	if (seen->flow.kind != SURVEY_UDP)
		note_identical(s, seen, e);
	is_known = is_duplicate(s, at, e);
	seen->numbered = learn_ip_id(s, seen, !is_known);
	if (!is_known) {
		note_new(s, seen, at, e);
		return 0;
	}
	seen->is_copy = seen->numbered || at->age_ns <= ONE_PACKET_NS;
	m = mark_of(e);
	seen->is_elsewhere = m->host != seen->host;
	two_places = m->mac != seen->mac || m->iface != seen->iface;
	note_duplicate(s, seen, at, e);
	/* Negative if this packet turned earlier copies into a flood. */
	copies = at->candidate->fit.copies - copies;
	if (!seen->numbered && seen->flow.bare && !two_places)
		return 0;
	s->sure_copies += copies;
	s->other_sure_copies += seen->flow.kind == SURVEY_UDP ? 0 : copies;
	return 0;
}

/* Notes a frame that is not IP by all its bytes. Only its age tells whether it is a copy or was
 * sent again. A frame that was sent again begins a new series of copies.
 */
static int note_whole_frame(struct survey *s, struct survey_packet *seen, struct survey_lookup *at)
{
	struct id_table_entry *e = id_table_note(s->ids, at->key, s->now_ns);

	if (!e)
		return -ENOMEM;
	if (!is_duplicate(s, at, e)) {
		note_new(s, seen, at, e);
		return 0;
	}
	seen->is_copy = at->age_ns <= ONE_PACKET_NS;
	note_duplicate(s, seen, at, e);
	if (seen->is_copy)
		return 0;
	if (!s->frame_again_ns || at->age_ns < s->frame_again_ns)
		s->frame_again_ns = at->age_ns;
	e->learned_ns = s->now_ns;
	mark_of(e)->copies = 0;
	return 0;
}

int survey_note_ids(struct survey *s, struct survey_packet *seen, struct survey_lookup *ids, int cnt)
{
	struct survey_lookup *packet = NULL, *payload = NULL;
	int err = 0;

	for (int i = 0; i < cnt; i++) {
		packet = (int)ids[i].stream == s->mirror ? &ids[i] : packet;
		payload = (int)ids[i].stream == s->payload ? &ids[i] : payload;
	}
	if (packet)
		err = note_packet(s, seen, packet);
	if (!err && payload)
		err = note_packet_id(s, seen, payload);
	for (int i = 0; i < cnt && !err; i++) {
		const struct dedup_stream *st = &s->profiles.list[ids[i].stream].stream;

		if (&ids[i] == packet || &ids[i] == payload)
			continue;
		if ((int)ids[i].stream == s->frames) {
			err = note_whole_frame(s, seen, &ids[i]);
			continue;
		}
		if (st->layer == DEDUP_ETHERNET)
			ids[i].content = survey_ids_masked_digest(s, seen, st);
		else
			ids[i].content = payload ? payload->content : 0;
		if (survey_numbers_is(s, ids[i].stream))
			err = survey_numbers_note(s, seen, &ids[i]);
		err = err ?: note_packet_id(s, seen, &ids[i]);
	}
	return err;
}

int survey_note_frame(struct survey *s, struct survey_packet *seen)
{
	struct dedup_id id = { 0 };
	const struct id_table_entry *e;

	if (seen->have < seen->len)
		return 0;
	id.word[0] = survey_ids_digest(s, seen->frame, seen->len);
	e = id_table_note(s->ids, id_table_key(s->ids, REALM_FRAMES, &id, 1), s->now_ns);
	if (e)
		note_identical(s, seen, e);
	return e ? 0 : -ENOMEM;
}
