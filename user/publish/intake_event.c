// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "intake_event.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"

uint64_t intake_event_clock_offset(void)
{
	return clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
}

int intake_event_refresh(struct intake *in)
{
	int changed = publish_streams_refresh(in->streams);

	in->has_changed |= changed > 0;
	in->is_unreadable = changed < 0;
	return changed;
}

/* Finds the id. Its stream number is valid only for one version of the filter's streams: if the
 * filter has changed, reads the streams again, until both are of one version.
 */
static int find_id(struct intake *in, const struct xdp_dedup_datagram *d,
		   struct xdp_dedup_identity *id)
{
	int is_event = xdp_dedup_id_of(in->streams->filter, d, id, sizeof(*id));

	while (is_event == 1 && id->change != in->streams->change) {
		int changed = intake_event_refresh(in);

		is_event = changed < 0 ? changed
				       : xdp_dedup_id_of(in->streams->filter, d, id, sizeof(*id));
	}
	return is_event;
}

int intake_event_find(struct intake *in, const struct xdp_dedup_datagram *d, struct intake_event *e)
{
	int is_event = find_id(in, d, &e->id);

	e->stream = is_event == 1 ? publish_streams_of(in->streams, &e->id) : NULL;
	in->counters.unreadable += is_event < 0;
	in->counters.not_events += is_event >= 0 && !e->stream;
	return is_event < 0 ? is_event : e->stream != NULL;
}

struct intake_event *intake_event_keep(struct intake *in, const struct intake_event *found)
{
	struct intake_event *e = in->allocate(sizeof(*e) + (found->queue ? 0 : found->len));

	if (!e)
		return NULL;
	*e = *found;
	if (!e->queue)
		e->payload = memcpy(e->copy, found->payload, found->len);
	e->pending.bytes = e->len;
	e->pending.owner = e;
	e->stream->held++;
	return e;
}

/* Returns the key that library calls take for the event; it is valid until the next call. */
static const uint8_t *key_of(const struct intake_event *e, size_t *len)
{
	static uint8_t key[XDP_DEDUP_IDENTITY_MAX + INTAKE_PAYLOAD_MAX];
	const struct xdp_dedup_stream *s = &e->stream->is;
	size_t hashed = s->digest == XDP_DEDUP_DIGEST_PAYLOAD ? e->len : 0;

	memcpy(key, e->id.bytes, s->bytes);
	memcpy(key + s->bytes, e->payload, hashed);
	*len = s->bytes + hashed;
	return key;
}

/* Learns before it gives the packet back, as the kernel then overwrites the packet. */
static void end_packet(const struct intake *in, const struct intake_event *e,
		       enum intake_outcome outcome)
{
	const uint8_t *key;
	size_t len;

	if (outcome == INTAKE_STORED && !in->is_unreadable &&
	    publish_streams_learns(in->streams, e->stream)) {
		key = key_of(e, &len);
		xdp_dedup_add(e->stream->filter, key, len);
	}
	if (e->queue && outcome != INTAKE_LEFT)
		xdp_dedup_give_back(e->queue->receiver, &e->packet, 1);
}

void intake_event_discard(struct intake *in, const struct intake_event *found)
{
	in->counters.no_memory++;
	end_packet(in, found, INTAKE_UNUSED);
}

void intake_end(struct intake *in, struct intake_event *e, enum intake_outcome outcome)
{
	end_packet(in, e, outcome);
	if (e->queue)
		e->queue->held--;
	e->stream->held--;
	free(e);
}
