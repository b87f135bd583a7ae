// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stddef.h>

#include "metrics_out.h"
#include "publisher.h"

#define COUNTER(member) offsetof(struct publisher_view, member)

/* Counters without further labels. */
static const struct {
	const char *name, *help;
	size_t at;
} COUNTERS[] = {
	{ "publish_sent", "Messages sent, with those sent again.", COUNTER(counters.sent) },
	{ "publish_acknowledged", "Messages that the engine has stored.",
	  COUNTER(counters.acknowledged) },
	{ "publish_duplicate", "Acknowledged messages whose id the engine knew.",
	  COUNTER(counters.duplicate) },
	{ "publish_retried", "Messages sent again.", COUNTER(counters.retried) },
	{ "publish_late", "Messages sent after the duplicate window: they may be there twice.",
	  COUNTER(counters.late) },
	{ "publish_copies", "Copies of pending events, which were not sent.",
	  COUNTER(counters.copies) },
	{ "publish_too_large", "Messages larger than the server takes, which were left out.",
	  COUNTER(counters.too_large) },
	{ "publish_refused", "Answers of the engine that were errors.", COUNTER(counters.refused) },
	{ "publish_given_up", "Events given up after all retries, or for a subject that is not taken.",
	  COUNTER(counters.given_up) },
	{ "publish_unreadable", "Received packets whose id could not be found out.",
	  COUNTER(intake.unreadable) },
	{ "publish_no_memory", "Events for which there was no memory.", COUNTER(intake.no_memory) },
	{ "publish_not_events", "Received packets that are no fresh events.",
	  COUNTER(intake.not_events) },
	{ "publish_overflow",
	  "Datagrams that UDP sockets dropped: without room, or with a wrong checksum.",
	  COUNTER(intake.overflow) },
	{ "publish_connections", "Connections that were made.", COUNTER(counters.connections) },
};

static void write_received(struct metrics_out *m, const struct publisher_view *v)
{
	static const char *const WAYS[INTAKE_WAYS] = { "xsk", "udp" };

	metrics_family(m, METRICS_COUNTER, "publish_received", "Fresh events received.");
	for (int i = 0; i < INTAKE_WAYS; i++)
		metrics_count(m, v->intake.received[i],
			      METRICS_LABELS("filter", v->filter, "way", WAYS[i]));
}

static void write_times(struct metrics_out *m, const struct publisher_view *v)
{
	uint64_t cnt = 0, ns = OUTBOX_BUCKET_NS;
	char le[METRICS_NUMBER_MAX];

	metrics_family(m, METRICS_HISTOGRAM, "publish_ack_seconds",
		       "Time from a message's first sending to its acknowledgement.");
	for (int i = 0; i < OUTBOX_BUCKETS; i++, ns *= 2) {
		cnt += v->counters.ack_bucket[i];
		metrics_count(m, cnt,
			      METRICS_LABELS("filter", v->filter, "le", metrics_number(ns / 1e9, le)));
	}
	cnt += v->counters.ack_bucket[OUTBOX_BUCKETS];
	metrics_count(m, cnt, METRICS_LABELS("filter", v->filter, "le", "+Inf"));
}

int publish_metrics_write(const struct publisher_view *v, FILE *out)
{
	struct metrics_out m = { .out = out };
	const char *const *labels = METRICS_LABELS("filter", v->filter);
	const char *bytes = (const char *)v;

	metrics_family(&m, METRICS_INFO, "publish", "The publisher of a filter.");
	metrics_gauge(&m, 1,
		      METRICS_LABELS("filter", v->filter, "stream", v->stream, "machine", v->machine));
	write_received(&m, v);
	for (size_t i = 0; i < sizeof(COUNTERS) / sizeof(*COUNTERS); i++) {
		metrics_family(&m, METRICS_COUNTER, COUNTERS[i].name, COUNTERS[i].help);
		metrics_count(&m, *(const uint64_t *)(bytes + COUNTERS[i].at), labels);
	}
	metrics_family(&m, METRICS_GAUGE, "publish_pending", "Messages without an acknowledgement.");
	metrics_gauge(&m, v->pending, labels);
	metrics_family(&m, METRICS_GAUGE, "publish_pending_bytes", "Bytes of their payloads.");
	metrics_gauge(&m, v->pending_bytes, labels);
	metrics_family(&m, METRICS_GAUGE, "publish_connected",
		       "1: there is a connection, and the stream suits.");
	metrics_gauge(&m, v->is_connected, labels);
	write_times(&m, v);
	return metrics_end(&m);
}
