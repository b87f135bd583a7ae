/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The counters of filters as metrics: of each filter, stream and reason. */
#ifndef XDP_DEDUP_METRICS_COUNTERS_H
#define XDP_DEDUP_METRICS_COUNTERS_H

#include "metrics_out.h"
#include "monitor.h"

/* Writes all of these metrics. */
void metrics_counters(struct metrics_out *m, const struct monitor *in);

#endif
