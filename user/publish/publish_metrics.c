// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <math.h>
#include <stddef.h>

#include "metrics_out.h"
#include "publisher.h"

/* Counters without further labels, of the outbox or its intake. */
static const struct row {
	const char *name, *help;
	size_t at;
	bool of_intake;
} COUNTERS[] = {
#define SENT(member, help) \
	{ "publish_" #member, help, offsetof(struct outbox, counters.member), false },
#define TAKEN(member, help) \
	{ "publish_" #member, help, offsetof(struct intake, counters.member), true },
	OUTBOX_COUNTERS(SENT) INTAKE_COUNTERS(TAKEN)
};

static void write_times(struct metrics_out *m, const struct outbox *o)
{
	uint64_t cnt = 0, ns = OUTBOX_BUCKET_NS;
	char le[METRICS_NUMBER_MAX];

	metrics_family(m, METRICS_HISTOGRAM, "publish_ack_seconds",
		       "Time from a message's first sending to its acknowledgement.");
	for (int i = 0; i <= OUTBOX_BUCKETS; i++, ns *= 2) {
		cnt += o->counters.ack_bucket[i];
		metrics_count(m, cnt,
			      METRICS_LABELS("filter", o->options->filter, "le",
					     metrics_number(i < OUTBOX_BUCKETS ? ns / 1e9 : INFINITY,
							    le)));
	}
}

int publish_metrics_write(void *outbox, FILE *out)
{
	static const char *const WAYS[INTAKE_WAYS] = { "xsk", "udp" };
	const struct outbox *o = outbox;
	const struct publish_options *options = o->options;
	const char *const *labels = METRICS_LABELS("filter", options->filter);
	struct metrics_out m = { .out = out };

	metrics_family(&m, METRICS_INFO, "publish", "The publisher of a filter.");
	metrics_gauge(&m, 1,
		      METRICS_LABELS("filter", options->filter, "stream", options->stream,
				     "machine", options->machine));
	metrics_family(&m, METRICS_COUNTER, "publish_received", "Fresh events received.");
	for (int i = 0; i < INTAKE_WAYS; i++)
		metrics_count(&m, o->intake->counters.received[i],
			      METRICS_LABELS("filter", options->filter, "way", WAYS[i]));
	for (size_t i = 0; i < sizeof(COUNTERS) / sizeof(*COUNTERS); i++) {
		const struct row *row = &COUNTERS[i];
		const char *of = row->of_intake ? (const char *)o->intake : (const char *)o;

		metrics_family(&m, METRICS_COUNTER, row->name, row->help);
		metrics_count(&m, *(const uint64_t *)(of + row->at), labels);
	}
	metrics_family(&m, METRICS_GAUGE, "publish_pending", "Messages without an acknowledgement.");
	metrics_gauge(&m, pending_count(&o->pending), labels);
	metrics_family(&m, METRICS_GAUGE, "publish_pending_bytes", "Bytes of their payloads.");
	metrics_gauge(&m, o->pending.bytes, labels);
	metrics_family(&m, METRICS_GAUGE, "publish_connected",
		       "1: there is a connection, and a stream suits.");
	metrics_gauge(&m, outbox_publishes(o), labels);
	write_times(&m, o);
	return metrics_end(&m);
}
