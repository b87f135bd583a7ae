/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Writes readings of filters as metrics. Pure: all values are in the readings. USAGE.md has tables
 * of all metrics.
 */
#pragma once

#include <stdio.h>

#include "metrics_out.h"
#include "readings.h"

/* Writes the metrics to `out`. Returns 0; or -errno if `out` takes no more. */
int metrics_write(FILE *out, const struct readings *r);

/* For metrics_write(): write the counters of each filter, stream and reason; and the senders of
 * numbered streams, with their paths, of each readable filter that has accounts (accounts.h).
 */
void metrics_counters(struct metrics_out *m, const struct monitor *in);
void metrics_senders(struct metrics_out *m, const struct monitor *in);
