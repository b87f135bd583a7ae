// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "sample_view.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "json_out.h"
#include "kept.h"
#include "stream_ids.h"
#include "text.h"

#define SECOND_NS 1000000000

static const char *const REASONS[DEDUP_REASONS_CNT] = {
#define X(name, help) #name,
	DEDUP_REASONS(X)
#undef X
};

static bool is_dropped(const struct filter *f, const struct dedup_sample *sample)
{
	const struct dedup_config *c = f->config;
	uint32_t reason = sample->reason;

	if (c->policy.action == DEDUP_COUNT)
		return false;
	/* Exact to a step of the hand, as a sample does not tell whether its packet was dropped. */
	if (c->policy.action == DEDUP_DROP_FOR && sample->time_ns >= f->state->drop_until_ns)
		return false;
	return reason == DEDUP_REASON_duplicate ||
	       (reason == DEDUP_REASON_ihave_duplicate && !c->asked.ihave_pass);
}

/* Writes the interface's name by the filter's record; "#" and the index if the record has none or
 * several, as interfaces of several network namespaces may have one index.
 */
static void write_iface(const struct filter *f, uint32_t ifindex, char name[VIEW_IFACE_MAX])
{
	const struct dedup_iface *found = NULL;
	int cnt = 0;

	for (int i = 0; i < DEDUP_IFACES_MAX; i++)
		if (ifindex && f->record->ifaces[i].ifindex == ifindex) {
			found = &f->record->ifaces[i];
			cnt++;
		}
	if (cnt == 1)
		snprintf(name, VIEW_IFACE_MAX, "%s", found->name);
	else
		snprintf(name, VIEW_IFACE_MAX, "#%" PRIu32, ifindex);
	text_clean(name);
}

/* Writes an id of stream n, or nothing if n is below 0. */
static void write_id(const struct dedup_config *c, int n, const struct dedup_id *id, char *hex)
{
	uint8_t bytes[DEDUP_ID_BYTES_MAX];
	size_t cnt = n < 0 ? 0 : stream_id_bytes(c, n, id, bytes);

	for (size_t i = 0; i < cnt; i++)
		sprintf(hex + 2 * i, "%02x", bytes[i]);
	hex[2 * cnt] = 0;
}

void sample_view_make(const struct filter *f, const struct dedup_sample *sample,
		      int64_t to_epoch_ns, struct sample_view *out)
{
	int n = kept_of_slot(f->config, sample->slot);

	*out = (struct sample_view){
		.time_ns = sample->time_ns + to_epoch_ns,
		.verdict = is_dropped(f, sample) ? "drop" : "pass",
		.reason = REASONS[sample->reason],
		.stream = n < 0 ? "-" : f->config->policy.streams[n].name, /* "-": added since */
		.ifindex = sample->ifindex,
		.len = sample->len,
	};
	write_iface(f, sample->ifindex, out->iface);
	write_id(f->config, n, &sample->id, out->id);
	endpoints_of(sample->frame, sample->snapped, &out->source, &out->destination);
}

void sample_view_of_frame(const struct dedup_config *c, const struct program_id *id,
			  const uint8_t *frame, uint32_t have, struct sample_view *out)
{
	*out = (struct sample_view){ .stream = c->policy.streams[id->stream].name };
	write_id(c, id->reason < 0 ? (int)id->stream : -1, &id->id, out->id);
	endpoints_of(frame, have, &out->source, &out->destination);
}

void sample_view_text(const struct sample_view *v, FILE *to)
{
	char source[ENDPOINT_TEXT_MAX], destination[ENDPOINT_TEXT_MAX], clock[16];
	time_t seconds = (time_t)(v->time_ns / SECOND_NS);
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	fprintf(to, "%s.%06d %s %s %s %s %s > %s %s %" PRIu32 "\n", clock,
		(int)(v->time_ns % SECOND_NS / 1000), v->verdict, v->reason, v->stream, v->iface,
		format_endpoint(&v->source, source), format_endpoint(&v->destination, destination),
		v->id, v->len);
}

static json_object *text_or_null(const char *text)
{
	return json_text(*text ? text : NULL);
}

static json_object *port_or_null(const struct endpoint *e)
{
	return e->port < 0 ? NULL : json_object_new_int(e->port);
}

void sample_view_json(const struct sample_view *v, FILE *to)
{
	json_object *o = json_object_new_object();

	ADD("time_ns", json_u64(v->time_ns));
	ADD("verdict", json_text(v->verdict));
	ADD("reason", json_text(v->reason));
	ADD("stream", text_or_null(v->stream));
	ADD("interface", text_or_null(v->iface));
	ADD("ifindex", json_u64(v->ifindex));
	ADD("source", text_or_null(v->source.address));
	ADD("source_port", port_or_null(&v->source));
	ADD("destination", text_or_null(v->destination.address));
	ADD("destination_port", port_or_null(&v->destination));
	ADD("id", text_or_null(v->id));
	ADD("bytes", json_u64(v->len));
	json_print_line(to, o);
}
