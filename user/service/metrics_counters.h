/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What filters have counted, as metrics: of each filter, stream and reason. */
#ifndef XDP_DEDUP_METRICS_COUNTERS_H
#define XDP_DEDUP_METRICS_COUNTERS_H

#include "metrics_out.h"
#include "monitor.h"

/* Writes them all. */
void metrics_counters(struct metrics_out *m, const struct monitor *in);

#endif
