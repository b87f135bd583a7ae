/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Metrics of the senders of numbered streams, and of their paths. */
#ifndef XDP_DEDUP_METRICS_SENDERS_H
#define XDP_DEDUP_METRICS_SENDERS_H

#include "metrics_out.h"
#include "monitor.h"

/* Writes those of each filter that can be read and has accounts (accounts.h). */
void metrics_senders(struct metrics_out *m, const struct monitor *in);

#endif
