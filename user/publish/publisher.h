/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The publisher: takes fresh events, publishes them, and keeps each until the engine has stored it.
 * An event loop (sd-event) around intake.h and outbox.h.
 */
#ifndef XDP_DEDUP_PUBLISH_PUBLISHER_H
#define XDP_DEDUP_PUBLISH_PUBLISHER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "intake.h"
#include "outbox.h"
#include "publish_options.h"

/* The publisher's state, for its metrics. */
struct publisher_view {
	const char *filter, *stream, *machine;
	struct outbox_counters counters;
	struct intake_counters intake;
	uint64_t pending, pending_bytes;
	bool is_connected;
};

/* Writes the publisher's metrics. Returns 0, or -errno. */
int publish_metrics_write(const struct publisher_view *v, FILE *out);

/* Publishes until SIGTERM, SIGINT or SIGHUP, then waits for acknowledgements: for --ack-timeout, but
 * at most 20 s. A second signal ends the wait. With o->check only checks. Returns an exit status.
 */
int publisher_run(const struct publish_options *o);

#endif
