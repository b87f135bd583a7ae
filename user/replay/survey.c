// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "looks.h"
#include "plan.h"
#include "program.h"
#include "secrets.h"
#include "streams.h"
#include "survey_state.h"

#define SECOND_NS UINT64_C(1000000000)
#define HORIZON_LEAST_NS (10 * SECOND_NS)

/* Within this two equal IP packets that have no IP id are one that was seen twice. */
#define ONE_PACKET_NS (50 * 1000000ULL)

#define FRAME_BYTES_MAX (64 * 1024 + 256) /* of those that are padded: an IP packet and headers */

/* Ids of frames that are not IP, in the table of ids; those of streams have their numbers. */
#define REALM_FRAMES DEDUP_STREAMS_MAX

#define NEVER UINT64_MAX

/* What is remembered with an id, in its entry's mark. Places are numbered from 1 on. */
struct mark {
	uint64_t first : 12, second : 12; /* two places that it came to */
	uint64_t iface : 10;		  /* of its first packet */
	uint64_t sender : 10;		  /* a hash, likewise */
	uint64_t content : 20;		  /* a hash of the bytes, likewise */
};
_Static_assert(sizeof(struct mark) == sizeof(uint64_t), "it is an entry's mark");
_Static_assert(SURVEY_DESTINATIONS_MAX < 1 << 12 && CAPTURE_IFACES_MAX <= 1 << 10, "they fit");

/* One packet on its way through the survey. */
struct seen {
	const uint8_t *frame;
	uint32_t have, len; /* bytes that were captured; of the frame, zeros behind those */
	uint32_t wire_len, iface, place;
	uint32_t sender;
	struct flow flow;
	bool is_copy;	  /* the same IP packet has come before */
	uint64_t content; /* a digest of the UDP payload; 0: there is none */
};

/* An id of this packet, and what is known of it. */
struct sighting {
	uint32_t stream;
	struct candidate *candidate;
	uint64_t digest, content;
	uint64_t age_ns; /* of a duplicate; NEVER: it is none */
};

bool survey_is_for_all(const struct survey *s, uint32_t stream)
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
		err = program_open(cfg, false, 2 * cfg->window_ns);
	if (!err)
		memcpy(s->digest_key, cfg->digest_key, sizeof(s->digest_key));
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
	if (!s->table.places || !s->padded || exact_open(8, memory, &s->exact) ||
	    profiles_add_builtin(&s->profiles))
		goto fail;
	s->streams = s->profiles.cnt < DEDUP_STREAMS_MAX ? s->profiles.cnt : DEDUP_STREAMS_MAX;
	for (uint32_t i = 0; i < s->streams; i++) {
		uint64_t window = s->profiles.list[i].window_ns;

		s->horizon_ns[i] = !window ? NEVER : 2 * window;
		if (s->profiles.list[i].stream.digest && s->horizon_ns[i] < HORIZON_LEAST_NS)
			s->horizon_ns[i] = HORIZON_LEAST_NS;
	}
	s->payload = stream_by_name(s, "payload");
	s->mirror = stream_by_name(s, "mirror");
	err = s->payload < 0 || s->mirror < 0 ? -EINVAL : open_program(s);
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
	e->taught_ns = s->now_ns;
	*mark_of(e) = (struct mark){
		.first = seen->place + 1,
		.iface = seen->iface,
		.sender = seen->sender,
		.content = at->content,
	};
	at->candidate->fit.ids++;
	peak_add(&at->candidate->peak, s->now_ns);
}

/* The same sender again, with a packet of its own? */
static bool is_repeat(const struct seen *seen, const struct mark *m)
{
	return m->iface == (seen->iface & 1023) && m->sender == (seen->sender & 1023) &&
	       !seen->is_copy;
}

static void note_duplicate(struct survey *s, const struct seen *seen, const struct sighting *at,
			   struct exact_entry *e)
{
	struct survey_fit *fit = &at->candidate->fit;
	struct mark *m = mark_of(e);
	uint32_t here = seen->place + 1;

	fit->duplicates.packets++;
	fit->duplicates.bytes += seen->wire_len;
	fit->other_iface += m->iface != seen->iface;
	fit->same_sender += is_repeat(seen, m);
	fit->differ += m->content != (at->content & ((1 << 20) - 1));
	survey_add_age(&s->table, &at->candidate->ages, s->now_ns - e->taught_ns);
	if (m->first == here || m->second == here)
		return;
	if (!survey_is_for_all(s, at->stream)) {
		fit->elsewhere++;
		survey_add_pairs(&s->table, at->stream, m->first - 1, seen->place, 1);
	}
	m->second = here;
}

static void note_identical(struct survey *s, const struct seen *seen, const struct exact_entry *e)
{
	struct place *p = &s->table.places[seen->place];

	if (e->copies == 1)
		return;
	p->d.identical.packets++;
	p->d.identical.bytes += seen->wire_len;
	survey_add_age(&s->table, &p->ages, s->now_ns - e->first_ns);
	if (seen->flow.ipv4 || seen->flow.ipv6)
		s->other_ip_identical += seen->flow.kind != SURVEY_UDP;
}

/* The id that this stream finds in the packet, if any. Returns 1 if there is one; 0; or -ENOMEM. */
static int find_id(struct survey *s, const struct seen *seen, uint32_t stream, struct sighting *at)
{
	struct candidate **candidate = survey_is_for_all(s, stream)
					       ? &s->all[stream]
					       : &s->table.places[seen->place].candidates[stream];
	struct program_id id;

	program_identify_as(seen->frame, seen->len, stream, &id);
	if (id.reason != -1 && id.reason != DEDUP_REASON_exempt &&
	    id.reason != DEDUP_REASON_no_id && id.reason != DEDUP_REASON_ihave_new)
		return 0;
	*at = (struct sighting){ .stream = stream, .candidate = survey_candidate(candidate) };
	if (!at->candidate)
		return -ENOMEM;
	at->candidate->fit.packets++;
	if (id.extent > seen->have) {
		at->candidate->fit.snapped++;
		return 0;
	}
	if (id.reason != -1)
		return 0;
	at->digest = digest_of(s, id.id.word, 8 * id.words);
	return 1;
}

/* Notes the packet's id, and sets at->age_ns. `identical`: the id says whether the packet is
 * identical to an earlier one.
 */
static int note_id(struct survey *s, const struct seen *seen, struct sighting *at, bool identical)
{
	struct dedup_id id = { .word = { at->digest } };
	struct exact_entry *e =
		exact_note(s->exact, exact_key(s->exact, at->stream, &id, 1), s->now_ns);

	if (!e)
		return -ENOMEM;
	if (identical)
		note_identical(s, seen, e);
	if (e->copies == 1 || s->now_ns - e->taught_ns > s->horizon_ns[at->stream]) {
		at->age_ns = NEVER;
		note_new(s, seen, at, e);
	} else {
		at->age_ns = s->now_ns - e->taught_ns;
		note_duplicate(s, seen, at, e);
	}
	return 0;
}

/* Any IP packet, as a whole. */
static int note_packet(struct survey *s, struct seen *seen)
{
	struct sighting at;
	int found = find_id(s, seen, s->mirror, &at);

	if (found <= 0)
		return found;
	if (note_id(s, seen, &at, seen->flow.kind != SURVEY_UDP))
		return -ENOMEM;
	seen->is_copy = at.age_ns != NEVER && (seen->flow.ip_id || at.age_ns <= ONE_PACKET_NS);
	return 0;
}

static int note_payload(struct survey *s, struct seen *seen)
{
	struct sighting at;
	int found = find_id(s, seen, s->payload, &at);

	if (found <= 0)
		return found;
	seen->content = at.digest;
	return note_id(s, seen, &at, true);
}

/* A datagram, by the profiles that know its protocol. */
static int note_datagram(struct survey *s, const struct seen *seen)
{
	const struct flow *f = &seen->flow;
	uint32_t have = seen->have > f->payload_at ? seen->have - f->payload_at : 0;

	if (have > f->payload_len)
		have = f->payload_len;
	for (uint32_t i = 0; i < s->streams; i++) {
		const struct dedup_stream *st = &s->profiles.list[i].stream;
		struct sighting at;
		int found;

		if (st->layer != DEDUP_UDP || (int)i == s->payload ||
		    !looks_like(st->name, seen->frame + f->payload_at, have, f->payload_len))
			continue;
		found = find_id(s, seen, i, &at);
		at.content = seen->content;
		if (found < 0 || (found && note_id(s, seen, &at, false)))
			return -ENOMEM;
	}
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

/* Any frame, by the profiles that know headers or trailers in it. */
static int note_link(struct survey *s, const struct seen *seen)
{
	for (uint32_t i = 0; i < s->streams; i++) {
		const struct dedup_stream *st = &s->profiles.list[i].stream;
		struct sighting at;
		int found;

		if (st->layer != DEDUP_ETHERNET ||
		    (st->ethertype && st->ethertype != seen->flow.ethertype))
			continue;
		found = find_id(s, seen, i, &at);
		if (found > 0)
			at.content = masked_digest(s, seen, st);
		if (found < 0 || (found && note_id(s, seen, &at, false)))
			return -ENOMEM;
	}
	return 0;
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

int survey_note(struct survey *s, const struct capture_frame *f)
{
	struct seen seen = { .iface = f->iface };
	bool is_ip;
	int err = 0;

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
	seen.sender = flow_sender(&seen.flow);
	place_frame(s, &seen);
	is_ip = seen.flow.ipv4 || seen.flow.ipv6;
	err = is_ip ? note_packet(s, &seen) : note_frame(s, &seen);
	if (!err && seen.flow.kind == SURVEY_UDP)
		err = note_payload(s, &seen) ?: note_datagram(s, &seen);
	return err ?: note_link(s, &seen);
}

const struct survey_result *survey_end(struct survey *s)
{
	s->result.last_ns = s->now_ns;
	s->result.known_since_ns = exact_known_since(s->exact);
	return survey_judge(s) ? NULL : &s->result;
}
