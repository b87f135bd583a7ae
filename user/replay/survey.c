// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diag.h"
#include "plan.h"
#include "secrets.h"
#include "integers.h"
#include "survey_state.h"
#include "tunnels.h"

#define SECOND_NS UINT64_C(1000000000)
#define HORIZON_LEAST_NS (10 * SECOND_NS)

#define FRAME_BYTES_MAX (64 * 1024 + 256) /* the largest IP packet, and headers */

#define NEVER UINT64_MAX

static int stream_by_name(const struct survey *s, const char *name)
{
	const struct profile *p = profiles_find(&s->profiles, name);

	return p && p - s->profiles.list < s->streams ? (int)(p - s->profiles.list) : -1;
}

/* Opens a program with a stream for each profile, for all ports and all hosts. */
static int open_survey_program(struct survey *s)
{
	struct filter_spec *spec = calloc(1, sizeof(*spec));
	struct dedup_config *cfg = calloc(1, sizeof(*cfg));
	int err = spec && cfg ? 0 : -ENOMEM;

	if (!err) {
		spec->capacity = SPEC_CAPACITY_DEFAULT;
		spec->fpr_e18 = SPEC_FPR(SPEC_FPR_DEFAULT);
		spec->window_ns = SPEC_WINDOW_DEFAULT_NS;
		spec->forwarded = true;
		spec->streams_cnt = s->streams;
		for (uint32_t i = 0; i < s->streams; i++) {
			struct spec_stream *stream = &spec->streams[i];

			stream->stream = s->profiles.list[i].stream;
			stream->numbered = s->profiles.list[i].numbered;
			stream->stream.realm = i;
			stream->ports_cnt = stream->stream.layer == DEDUP_UDP;
			stream->ports[0] =
				(struct dedup_ports){ 1, UINT16_MAX }; /* as `load` allows */
		}
		err = plan_config(spec, 1, 100, cfg) ?: secrets_set(NULL, cfg);
	}
	if (!err)
		err = program_open(cfg, false, 2 * cfg->memory.window_ns);
	if (!err)
		memcpy(s->digest_key, cfg->secrets.digest_key, sizeof(s->digest_key));
	free(spec);
	free(cfg);
	return err;
}

int survey_open(uint64_t memory, const struct dedup_tunnels *tunnels, struct survey **out)
{
	struct survey *s = calloc(1, sizeof(*s));
	int err = -ENOMEM;

	if (!s)
		return err;
	s->table.destinations = calloc(SURVEY_DESTINATIONS_MAX, sizeof(*s->table.destinations));
	s->padded = calloc(1, FRAME_BYTES_MAX);
	s->inner = calloc(1, FRAME_BYTES_MAX);
	s->result.sources = sources_open();
	if (!s->table.destinations || !s->padded || !s->inner || !s->result.sources ||
	    id_table_open(SURVEY_MARK_BYTES, memory, &s->ids))
		goto fail;
	err = profiles_add_builtin(&s->profiles);
	if (err)
		goto fail;
	profiles_keep(&s->profiles, is_surveyed);
	s->streams = s->profiles.cnt < DEDUP_STREAMS_MAX ? s->profiles.cnt : DEDUP_STREAMS_MAX;
	for (uint32_t i = 0; i < s->streams; i++) {
		uint64_t window = s->profiles.list[i].window_ns;

		s->horizon_ns[i] = !window ? NEVER : 2 * window;
		if (s->profiles.list[i].stream.digest && s->horizon_ns[i] < HORIZON_LEAST_NS)
			s->horizon_ns[i] = HORIZON_LEAST_NS;
		if (s->profiles.list[i].stream.digest == DEDUP_DIGEST_FRAME)
			s->horizon_ns[i] = SURVEY_TURNS(window);
		s->heuristics[i] = heuristic_of(s->profiles.list[i].stream.name);
	}
	if (tunnels)
		s->tunnels = *tunnels;
	else
		parse_tunnels("all", &s->tunnels);
	s->payload = stream_by_name(s, "payload");
	s->mirror = stream_by_name(s, "mirror");
	s->frames = stream_by_name(s, "mirror-l2");
	s->rtp = stream_by_name(s, "rtp");
	err = -EINVAL;
	if (s->payload < 0 || s->mirror < 0 || s->frames < 0)
		diag_err(err, "the profiles payload, mirror and mirror-l2 are not built in");
	else
		err = open_survey_program(s);
	if (err)
		goto fail;
	*out = s;
	return 0;

fail:
	survey_close(s);
	return err;
}

/* Frees what only survey_note() needs. */
static void end_notes(struct survey *s)
{
	if (!s->ids)
		return;
	id_table_close(s->ids);
	s->ids = NULL;
	program_close();
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
	sources_close(s->result.sources);
	survey_table_free(&s->table);
	end_notes(s);
	profiles_free(&s->profiles);
	free(s->padded);
	free(s->inner);
	free(s);
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

/* Notes the destination MAC of a frame, unless it is a group's. */
static void note_mac(struct destination *p, const uint8_t *mac)
{
	static const uint8_t NONE[6];

	if (mac[0] & 1)
		return;
	if (!memcmp(p->mac, NONE, sizeof(p->mac)))
		memcpy(p->mac, mac, sizeof(p->mac));
	else if (memcmp(p->mac, mac, sizeof(p->mac)) != 0)
		p->more_macs = true;
}

/* Finds the packet's destination, and counts the packet in it. */
static void count_frame(struct survey *s, struct survey_packet *seen)
{
	struct survey_result *r = &s->result;
	const struct flow *f = &seen->flow;
	struct destination *p;

	seen->destination = survey_find_destination(&s->table, f);
	p = &s->table.destinations[seen->destination];
	p->d.packets++;
	p->d.bytes += seen->wire_len;
	note_address(&p->d, f);
	if (seen->outer_mac)
		note_mac(p, seen->outer_mac);
	r->packets++;
	r->bytes += seen->wire_len;
	r->ifaces_cnt += !s->ifaces_seen[seen->iface];
	s->ifaces_seen[seen->iface] = true;
}

/* Pads the frame with zeros to its length on the wire. */
static void pad_frame(struct survey *s, const struct capture_frame *f, struct survey_packet *seen)
{
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

/* Returns a hash of the MAC at this offset of the frame. */
static uint8_t mac_hash(const struct survey_packet *seen, uint32_t at)
{
	uint64_t mac = 0;

	if (seen->have >= at + 6)
		memcpy(&mac, seen->frame + at, 6);
	return (uint8_t)(mac * 0x9e3779b97f4a7c15 >> 56);
}

/* Looks for earlier packets that were equal. Returns 0, or -ENOMEM. */
static int note_ids(struct survey *s, struct survey_packet *seen)
{
	struct survey_lookup ids[DEDUP_STREAMS_MAX];
	int cnt = survey_ids_find(s, seen, ids);

	if (cnt < 0)
		return cnt;
	if (!seen->flow.ipv4 && !seen->flow.ipv6 && survey_note_frame(s, seen))
		return -ENOMEM;
	return survey_note_ids(s, seen, ids, cnt);
}

int survey_note(struct survey *s, const struct capture_frame *f)
{
	struct survey_packet seen = { .iface = f->iface, .wire_len = f->wire_len };
	struct inside inside;
	int err = 0;

	if (f->outgoing) {
		s->result.outgoing++;
		return 0;
	}
	if (!s->result.packets)
		s->result.first_ns = f->ns;
	if (f->ns > s->now_ns)
		s->now_ns = f->ns;
	inside_open(&inside, f, &s->tunnels, s->inner, FRAME_BYTES_MAX);
	pad_frame(s, &inside.frame, &seen);
	seen.has_ethernet = inside.has_ethernet;
	seen.outer_mac = f->len >= sizeof(s->table.destinations->mac) ? f->data : NULL;
	flow_of(&seen.flow, seen.frame, seen.have);
	s->result.snapped += seen.have < lesser(seen.flow.end ?: seen.len, seen.len);
	seen.sender = flow_sender(&seen.flow) & 0x3fff;
	seen.host = flow_host(&seen.flow);
	if (inside.to)
		seen.host = (uint8_t)(1 + (inside.to + seen.host) % 255);
	seen.mac = mac_hash(&seen, 6);
	seen.to_mac = mac_hash(&seen, 0);
	count_frame(s, &seen);
	survey_tunnels_note(s->result.tunnels, f, &inside, seen.flow.kind);
	if (!inside.is_faulty) {
		s->ip_packets += seen.flow.ipv4 || seen.flow.ipv6;
		s->other_ip_packets +=
			(seen.flow.ipv4 || seen.flow.ipv6) && seen.flow.kind != SURVEY_UDP;
		seen.tunnels = inside.tunnels;
		err = note_ids(s, &seen);
	}
	timeline_note(&s->result.timeline, s->now_ns, seen.is_identical);
	return err
		       ?: sources_note(s->result.sources, &seen.flow, seen.frame, seen.have,
				       seen.is_identical);
}

const struct survey_result *survey_end(struct survey *s)
{
	s->result.last_ns = s->now_ns;
	s->result.known_since_ns = id_table_known_since(s->ids);
	end_notes(s);
	return survey_judge(s) ? NULL : &s->result;
}
