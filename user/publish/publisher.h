/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The publisher: takes fresh events, publishes them, and keeps each until the engine has stored it.
 * An event loop (sd-event) around intake.h and outbox.h.
 */
#pragma once

#include <stdio.h>

#include "outbox.h"
#include "publish_options.h"

/* Writes the metrics of an outbox and its intake, for metrics_file.h. Returns 0, or -errno. */
int publish_metrics_write(void *outbox, FILE *out);

/* Publishes until SIGTERM, SIGINT or SIGHUP, then waits for acknowledgements: for --ack-timeout, but
 * at most 20 s. A second signal ends the wait. With o->check only checks. Returns an exit status.
 */
int publisher_run(const struct publish_options *o);
