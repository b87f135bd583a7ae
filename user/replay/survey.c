// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan.h"
#include "program.h"
#include "secrets.h"
#include "streams.h"
#include "survey_state.h"

#define SECOND_NS UINT64_C(1000000000)
#define HORIZON_LEAST_NS (10 * SECOND_NS)

/* Within this two equal IP packets that no IP id tells apart are one that was seen twice, unless it
 * comes more often than anything is seen at once.
 */
#define ONE_PACKET_NS (5 * 1000000ULL)
#define AT_ONCE_MOST 8

#define FRAME_BYTES_MAX (64 * 1024 + 256) /* of those that are padded: an IP packet and headers */

/* Ids of frames that are not IP, in the table of ids; those of streams have their numbers. */
#define REALM_FRAMES DEDUP_STREAMS_MAX

#define NEVER UINT64_MAX

/* What is remembered with an id, in its entry. Places are numbered from 1 on. */
struct mark {
	uint16_t first : 15; /* two places that it came to */
	uint16_t ipv6 : 1;
	uint16_t second : 12;
	uint16_t copies : 4; /* that came since, at most 15 */
	uint16_t iface;	     /* of its first packet, as all that follows */
	uint16_t sender;     /* a hash */
	uint32_t content;    /* a hash of the bytes */
	uint8_t mac;	     /* a hash of the sender's */
	uint8_t host;	     /* flow_host() */
	uint8_t to_mac;	     /* a hash of the receiver's */
	uint8_t other;	     /* a hash of the last other sender; 0: there was none */
};
_Static_assert(sizeof(struct mark) == 16, "whole words");
_Static_assert(SURVEY_DESTINATIONS_MAX < 1 << 12 && CAPTURE_IFACES_MAX < UINT16_MAX, "they fit");

/* One packet on its way through the survey. */
struct seen {
	const uint8_t *frame;
	uint32_t have, len; /* bytes that were captured; of the frame, zeros behind those */
	uint32_t wire_len, iface, place;
	uint16_t sender;
	uint8_t mac, to_mac, host;
	struct flow flow;
	bool numbered; /* the sender's IP ids tell its packets apart */
	bool is_copy;  /* the same IP packet has come before */
};

/* An id of this packet, and what is known of it. */
struct sighting {
	uint32_t stream;
	struct candidate *candidate;
	uint64_t key;
	uint64_t content; /* a digest of what copies have in common; 0: that is not known */
	uint64_t age_ns;  /* of a duplicate */
};

/* Is the stream one for all traffic, not for some destinations? */
static bool is_for_all_traffic(const struct survey *s, uint32_t stream)
{
	const struct dedup_stream *st = &s->profiles.list[stream].stream;

	return st->layer == DEDUP_IP || (st->layer == DEDUP_ETHERNET && !st->ethertype);
}

static int stream_by_name(const struct survey *s, const char *name)
{
	const struct profile *p = profiles_find(&s->profiles, name);

	return p && p - s->profiles.list < s->streams ? (int)(p - s->profiles.list) : -1;
}

/* A program with a stream for each profile, which takes all ports and all hosts' frames. */
static int open_program(struct survey *s)
{
	struct filter_spec *spec = calloc(1, sizeof(*spec));
	struct dedup_config *cfg = calloc(1, sizeof(*cfg));
	int err = spec && cfg ? 0 : -ENOMEM;

	if (!err) {
		spec->capacity = SPEC_CAPACITY_DEFAULT;
		spec->fpr = SPEC_FPR_DEFAULT;
		spec->window_ns = SPEC_WINDOW_DEFAULT_NS;
		spec->forwarded = true;
		spec->streams_cnt = s->streams;
		for (uint32_t i = 0; i < s->streams; i++) {
			struct spec_stream *stream = &spec->streams[i];

			stream->stream = s->profiles.list[i].stream;
			stream->stream.realm = i;
			stream->ports_cnt = stream->stream.layer == DEDUP_UDP;
			stream->ports[0] = (struct dedup_ports){ 0, UINT16_MAX };
		}
		err = plan_config(spec, 1, 100, cfg) ?: secrets_draw(cfg);
	}
	if (!err)
		err = program_open(cfg, false, 2 * cfg->memory.window_ns);
	if (!err)
		memcpy(s->digest_key, cfg->secrets.digest_key, sizeof(s->digest_key));
	free(spec);
	free(cfg);
	return err;
}

int survey_open(uint64_t memory, struct survey **out)
{
	struct survey *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	if (!s)
		return err;
	s->table.places = calloc(SURVEY_DESTINATIONS_MAX, sizeof(*s->table.places));
	s->padded = calloc(1, FRAME_BYTES_MAX);
	if (!s->table.places || !s->padded || exact_open(sizeof(struct mark), memory, &s->exact) ||
	    profiles_add_builtin(&s->profiles))
		goto fail;
	s->streams = s->profiles.cnt < DEDUP_STREAMS_MAX ? s->profiles.cnt : DEDUP_STREAMS_MAX;
	for (uint32_t i = 0; i < s->streams; i++) {
		uint64_t window = s->profiles.list[i].window_ns;

		s->horizon_ns[i] = !window ? NEVER : 2 * window;
		if (s->profiles.list[i].stream.digest && s->horizon_ns[i] < HORIZON_LEAST_NS)
			s->horizon_ns[i] = HORIZON_LEAST_NS;
		if (s->profiles.list[i].stream.digest == DEDUP_DIGEST_FRAME)
			s->horizon_ns[i] = SURVEY_TURNS(window);
		s->looks[i] = looks_of(s->profiles.list[i].stream.name);
	}
	s->payload = stream_by_name(s, "payload");
	s->mirror = stream_by_name(s, "mirror");
	s->frames = stream_by_name(s, "mirror-l2");
	s->rtp = stream_by_name(s, "rtp");
	err = s->payload < 0 || s->mirror < 0 || s->frames < 0 ? -EINVAL : open_program(s);
	if (err)
		goto fail;
	*out = s;
	return 0;

fail:
	survey_close(s);
	return err;
}

void survey_close(struct survey *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < DEDUP_STREAMS_MAX; i++) {
		if (s->all[i])
			free(s->all[i]->ages);
		free(s->all[i]);
	}
	free(s->result.destinations);
	survey_table_free(&s->table);
	exact_close(s->exact);
	profiles_free(&s->profiles);
	free(s->padded);
	free(s);
	program_close();
}

/* Of any bytes; never 0. What is beyond DEDUP_DIGEST_MAX counts by its length. */
static uint64_t digest_of(const struct survey *s, const void *bytes, uint32_t len)
{
	uint32_t cnt = len < DEDUP_DIGEST_MAX ? len : DEDUP_DIGEST_MAX;
	struct dedup_digest d;
	uint64_t word;

	dedup_digest_start(&d, len, s->digest_key);
	for (uint32_t i = 0; 8 * i < cnt; i++) {
		uint32_t left = cnt - 8 * i;

		word = 0;
		memcpy(&word, (const uint8_t *)bytes + 8 * (size_t)i, left < 8 ? left : 8);
		dedup_digest_word(&d, word, s->digest_key, i);
	}
	return dedup_digest_end(&d) ?: 1;
}

static struct mark *mark_of(struct exact_entry *e)
{
	return (struct mark *)e->mark;
}

/* An id's first packet, or the first one since it is too old. */
static void note_new(struct survey *s, const struct seen *seen, const struct sighting *at,
		     struct exact_entry *e)
{
	const uint8_t *payload = seen->frame + seen->flow.payload_at;

	e->taught_ns = s->now_ns;
	*mark_of(e) = (struct mark){
		.first = (uint16_t)(seen->place + 1),
		.iface = (uint16_t)seen->iface,
		.sender = seen->sender,
		.mac = seen->mac,
		.host = seen->host,
		.to_mac = seen->to_mac,
		.ipv6 = seen->flow.ipv6,
		.content = (uint32_t)at->content,
	};
	at->candidate->fit.ids++;
	peak_add(&at->candidate->peak, s->now_ns);
	if (at->candidate->numbers)
		numbers_add(at->candidate->numbers, payload);
}

/* Of the sender, for mark.other. */
static uint8_t other_hash(const struct seen *seen)
{
	return (uint8_t)(1 + seen->sender % 255);
}

/* The same sender again, with a packet of its own? Where bytes alone are the id, nothing tells
 * whether it means both, to whatever group; nor by IPv4 and by IPv6, where its MAC tells who it is.
 * By a protocol's ids, what goes to another port or group is the other feed. GSP/1's say that an
 * event that comes again says nothing new, whoever sends it.
 */
static bool is_repeat(const struct survey *s, const struct seen *seen, const struct sighting *at,
		      const struct mark *m)
{
	const struct dedup_stream *st = &s->profiles.list[at->stream].stream;
	uint32_t here = seen->place + 1;

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
	return st->digest || m->first == here || m->second == here;
}

/* Unicast that went to another host before: that one has it, this one not yet. A host has an
 * address of IPv4, one of IPv6, and one MAC.
 */
static bool is_for_another(const struct survey *s, const struct seen *seen,
			   const struct sighting *at, const struct mark *m)
{
	const struct dedup_stream *st = &s->profiles.list[at->stream].stream;

	if (st->layer != DEDUP_UDP || seen->is_copy || m->host == seen->host)
		return false;
	return m->ipv6 == seen->flow.ipv6 || m->to_mac != seen->to_mac || !m->host || !seen->host;
}

/* Counts a packet of a flood. Those that came before it counted as copies. */
static void note_flood(struct candidate *c, struct mark *m)
{
	uint64_t before = m->copies == AT_ONCE_MOST ? AT_ONCE_MOST - 1 : 0;

	c->fit.flood += 1 + before;
	c->fit.copies -= before;
	c->fit.elsewhere = c->fit.elsewhere < c->fit.copies ? c->fit.elsewhere : c->fit.copies;
}

/* A duplicate that a filter is right to drop. */
static void note_copy(struct survey *s, const struct seen *seen, const struct sighting *at,
		      struct mark *m)
{
	struct candidate *c = at->candidate;
	uint32_t here = seen->place + 1;

	c->fit.copies++;
	survey_add_age(&s->table, &c->ages, at->age_ns);
	if (m->first == here || m->second == here || is_for_all_traffic(s, at->stream))
		return;
	c->fit.elsewhere++;
	survey_add_pairs(&s->table, at->stream, m->first - 1, seen->place, 1);
}

static void note_duplicate(struct survey *s, const struct seen *seen, const struct sighting *at,
			   struct exact_entry *e)
{
	uint64_t window = s->profiles.list[at->stream].window_ns;
	struct candidate *c = at->candidate;
	struct survey_fit *fit = &c->fit;
	struct mark *m = mark_of(e);
	uint32_t here = seen->place + 1;

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
	if (m->first != here)
		m->second = (uint16_t)here;
	if (m->sender != seen->sender)
		m->other = other_hash(seen);
}

static void note_identical(struct survey *s, const struct seen *seen, const struct exact_entry *e)
{
	struct place *p = &s->table.places[seen->place];

	if (e->copies == 1)
		return;
	p->d.identical.packets++;
	p->d.identical.bytes += seen->wire_len;
	survey_add_age(&s->table, &p->ages, s->now_ns - e->first_ns);
}

/* What a host gets at two ports is for two sockets, however equal it is: so only groups are feeds
 * by their bytes alone.
 */
static uint64_t key_at_port(uint64_t key, const struct flow *f)
{
	return f->multicast ? key : key + f->number * UINT64_C(0x9e3779b97f4a7c15);
}

/* The id that this stream finds in the packet, if any. Returns 1 if there is one; 0; or -ENOMEM. */
static int find_id(struct survey *s, const struct seen *seen, uint32_t stream, struct sighting *at)
{
	struct candidate **candidate = is_for_all_traffic(s, stream)
					       ? &s->all[stream]
					       : &s->table.places[seen->place].candidates[stream];
	struct program_id id;

	program_identify_as(stream, &id);
	if (id.reason != -1 && id.reason != DEDUP_REASON_exempt &&
	    id.reason != DEDUP_REASON_no_id && id.reason != DEDUP_REASON_ihave_new)
		return 0;
	*at = (struct sighting){ .stream = stream, .candidate = survey_candidate(candidate) };
	if (!at->candidate)
		return -ENOMEM;
	if ((int)stream == s->rtp && !at->candidate->numbers) {
		at->candidate->numbers = calloc(1, sizeof(*at->candidate->numbers));
		if (!at->candidate->numbers)
			return -ENOMEM;
	}
	at->candidate->fit.packets++;
	if (id.extent > seen->have) {
		at->candidate->fit.snapped++;
		return 0;
	}
	if (id.reason != -1)
		return 0;
	at->key = exact_key(s->exact, stream, &id.id, id.words);
	at->content = at->key;
	if ((int)stream == s->payload)
		at->key = key_at_port(at->key, &seen->flow);
	exact_expect(s->exact, at->key);
	return 1;
}

/* Has the id of this entry come before, not too long ago? Then sets at->age_ns. */
static bool is_duplicate(const struct survey *s, struct sighting *at, const struct exact_entry *e)
{
	at->age_ns = s->now_ns - e->taught_ns;
	return e->copies > 1 && at->age_ns <= s->horizon_ns[at->stream];
}

/* Notes an id of the packet. */
static int note_id(struct survey *s, const struct seen *seen, struct sighting *at)
{
	struct exact_entry *e = exact_note(s->exact, at->key, s->now_ns);

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

/* Do the IP ids of this sender differ from packet to packet? */
static bool learn_ip_id(struct survey *s, const struct seen *seen, bool is_new)
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

/* Notes any IP packet, as a whole: is it one that has come before? */
static int note_packet(struct survey *s, struct seen *seen, struct sighting *at)
{
	uint64_t copies = at->candidate->fit.copies;
	struct exact_entry *e = exact_note(s->exact, at->key, s->now_ns);
	const struct mark *m;
	bool again, two_places;

	if (!e)
		return -ENOMEM;
	if (seen->flow.kind != SURVEY_UDP)
		note_identical(s, seen, e);
	again = is_duplicate(s, at, e);
	seen->numbered = learn_ip_id(s, seen, !again);
	if (!again) {
		note_new(s, seen, at, e);
		return 0;
	}
	seen->is_copy = seen->numbered || at->age_ns <= ONE_PACKET_NS;
	m = mark_of(e);
	two_places = m->mac != seen->mac || m->iface != seen->iface;
	note_duplicate(s, seen, at, e);
	/* Fewer, if it was the one that made a flood of them. */
	copies = at->candidate->fit.copies - copies;
	if (!seen->numbered && seen->flow.bare && !two_places)
		return 0;
	s->sure_copies += copies;
	s->other_sure_copies += seen->flow.kind == SURVEY_UDP ? 0 : copies;
	return 0;
}

/* Notes a frame that is not IP, as a whole. Nothing tells whether it was sent again or is seen
 * again but its age. What was sent again has copies of its own.
 */
static int note_whole_frame(struct survey *s, struct seen *seen, struct sighting *at)
{
	struct exact_entry *e = exact_note(s->exact, at->key, s->now_ns);

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
	e->taught_ns = s->now_ns;
	mark_of(e)->copies = 0;
	return 0;
}

/* A digest of the whole frame, without what the stream's id masks; 0 if it was cut. */
static uint64_t masked_digest(struct survey *s, const struct seen *seen, const struct dedup_stream *st)
{
	const uint32_t base[DEDUP_BASES] = {
		[DEDUP_TAG] = seen->flow.tag_at,
		[DEDUP_NETWORK] = seen->flow.tag_at,
		[DEDUP_PAYLOAD] = seen->flow.payload_at,
		[DEDUP_END] = seen->len,
	};

	if (seen->have < seen->len)
		return 0;
	memcpy(s->padded, seen->frame, seen->len);
	for (uint32_t i = 0; i < st->loads_cnt; i++) {
		const struct dedup_load *l = &st->loads[i];
		uint64_t word, wanted = (UINT64_MAX >> (64 - 8 * l->bytes)) << l->shift;
		uint8_t *at = s->padded + base[l->base] + l->at;

		memcpy(&word, at, sizeof(word));
		word &= ~(wanted & ~(l->mask << l->shift));
		memcpy(at, &word, sizeof(word));
	}
	return digest_of(s, s->padded, seen->len);
}

/* May the frame be of this stream, as far as can be told without its rules? */
static bool may_be_of(const struct survey *s, const struct seen *seen, uint32_t stream)
{
	const struct dedup_stream *st = &s->profiles.list[stream].stream;
	const struct flow *f = &seen->flow;
	uint32_t have = seen->have > f->payload_at ? seen->have - f->payload_at : 0;

	if (st->layer == DEDUP_IP)
		return f->ipv4 || f->ipv6;
	if (st->layer == DEDUP_ETHERNET)
		return !st->ethertype || st->ethertype == f->ethertype;
	if (f->kind != SURVEY_UDP || !s->looks[stream])
		return f->kind == SURVEY_UDP;
	if (have > f->payload_len)
		have = f->payload_len;
	return s->looks[stream](seen->frame + f->payload_at, have, f->payload_len);
}

/* Finds the packet's ids, by all streams in their order, and has their memory come near. Returns
 * how many, or -ENOMEM.
 */
static int find_ids(struct survey *s, const struct seen *seen, struct sighting *out)
{
	int cnt = 0;

	program_parse(seen->frame, seen->len);
	for (uint32_t i = 0; i < s->streams; i++) {
		int found = may_be_of(s, seen, i) ? find_id(s, seen, i, &out[cnt]) : 0;

		if (found < 0)
			return found;
		cnt += found;
	}
	return cnt;
}

/* Notes all ids: the packet's and the payload's first, as they tell about the others. */
static int note_ids(struct survey *s, struct seen *seen, struct sighting *ids, int cnt)
{
	struct sighting *packet = NULL, *payload = NULL;
	int err = 0;

	for (int i = 0; i < cnt; i++) {
		packet = (int)ids[i].stream == s->mirror ? &ids[i] : packet;
		payload = (int)ids[i].stream == s->payload ? &ids[i] : payload;
	}
	if (packet)
		err = note_packet(s, seen, packet);
	if (!err && payload)
		err = note_id(s, seen, payload);
	for (int i = 0; i < cnt && !err; i++) {
		const struct dedup_stream *st = &s->profiles.list[ids[i].stream].stream;

		if (&ids[i] == packet || &ids[i] == payload)
			continue;
		if ((int)ids[i].stream == s->frames) {
			err = note_whole_frame(s, seen, &ids[i]);
			continue;
		}
		if (st->layer == DEDUP_ETHERNET)
			ids[i].content = masked_digest(s, seen, st);
		else
			ids[i].content = payload ? payload->content : 0;
		err = note_id(s, seen, &ids[i]);
	}
	return err;
}

/* A frame that is not IP: is it identical to an earlier one? */
static int note_frame(struct survey *s, const struct seen *seen)
{
	struct dedup_id id = { 0 };
	const struct exact_entry *e;

	if (seen->have < seen->len)
		return 0;
	id.word[0] = digest_of(s, seen->frame, seen->len);
	e = exact_note(s->exact, exact_key(s->exact, REALM_FRAMES, &id, 1), s->now_ns);
	if (e)
		note_identical(s, seen, e);
	return e ? 0 : -ENOMEM;
}

static void note_address(struct survey_destination *d, const struct flow *f)
{
	if (d->multicast || (!f->ipv4 && !f->ipv6))
		return;
	for (uint32_t i = 0; i < d->addresses_cnt && f->ipv4 == d->ipv4; i++)
		if (!memcmp(d->addresses[i], f->to, sizeof(f->to)))
			return;
	if (d->addresses_cnt == SURVEY_ADDRESSES_MAX || f->ipv4 != d->ipv4)
		d->more_addresses = true;
	else
		memcpy(d->addresses[d->addresses_cnt++], f->to, sizeof(f->to));
}

/* Which hosts the frames are for; those to groups are for any. */
static void note_mac(struct place *p, const uint8_t *mac)
{
	static const uint8_t NONE[6];

	if (mac[0] & 1)
		return;
	if (!memcmp(p->mac, NONE, sizeof(p->mac)))
		memcpy(p->mac, mac, sizeof(p->mac));
	else if (memcmp(p->mac, mac, sizeof(p->mac)) != 0)
		p->more_macs = true;
}

/* Finds the packet's place, and counts what all packets count for. */
static void place_frame(struct survey *s, struct seen *seen)
{
	struct survey_result *r = &s->result;
	const struct flow *f = &seen->flow;
	struct place *p;

	seen->place = survey_place(&s->table, f);
	p = &s->table.places[seen->place];
	p->d.packets++;
	p->d.bytes += seen->wire_len;
	note_address(&p->d, f);
	if (seen->have >= sizeof(p->mac))
		note_mac(p, seen->frame);
	r->packets++;
	r->bytes += seen->wire_len;
	r->snapped += seen->have < seen->len;
	r->ifaces_cnt += !s->ifaces_seen[seen->iface];
	s->ifaces_seen[seen->iface] = true;
	s->ip_packets += f->ipv4 || f->ipv6;
	s->other_ip_packets += (f->ipv4 || f->ipv6) && f->kind != SURVEY_UDP;
}

/* The frame as long as it was on the wire, with zeros for what was cut. */
static void pad(struct survey *s, const struct capture_frame *f, struct seen *seen)
{
	seen->wire_len = f->wire_len;
	seen->len = f->wire_len < FRAME_BYTES_MAX ? f->wire_len : FRAME_BYTES_MAX;
	seen->have = f->len < seen->len ? f->len : seen->len;
	seen->frame = f->data;
	if (seen->have == seen->len)
		return;
	if (seen->have)
		memcpy(s->padded, f->data, seen->have);
	memset(s->padded + seen->have, 0, seen->len - seen->have);
	seen->frame = s->padded;
}

/* Of the MAC at this place of the frame. */
static uint8_t mac_hash(const struct seen *seen, uint32_t at)
{
	uint64_t mac = 0;

	if (seen->have >= at + 6)
		memcpy(&mac, seen->frame + at, 6);
	return (uint8_t)(mac * 0x9e3779b97f4a7c15 >> 56);
}

int survey_note(struct survey *s, const struct capture_frame *f)
{
	struct sighting ids[DEDUP_STREAMS_MAX];
	struct seen seen = { .iface = f->iface };
	int cnt;

	if (f->outgoing) {
		s->result.outgoing++;
		return 0;
	}
	if (!s->result.packets)
		s->result.first_ns = f->ns;
	if (f->ns > s->now_ns)
		s->now_ns = f->ns;
	pad(s, f, &seen);
	flow_of(&seen.flow, seen.frame, seen.have);
	seen.sender = (uint16_t)flow_sender(&seen.flow);
	seen.host = flow_host(&seen.flow);
	seen.mac = mac_hash(&seen, 6);
	seen.to_mac = mac_hash(&seen, 0);
	place_frame(s, &seen);
	cnt = find_ids(s, &seen, ids);
	if (cnt < 0)
		return cnt;
	if (!seen.flow.ipv4 && !seen.flow.ipv6 && note_frame(s, &seen))
		return -ENOMEM;
	return note_ids(s, &seen, ids, cnt);
}

const struct survey_result *survey_end(struct survey *s)
{
	s->result.last_ns = s->now_ns;
	s->result.known_since_ns = exact_known_since(s->exact);
	return survey_judge(s) ? NULL : &s->result;
}
