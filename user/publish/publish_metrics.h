/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef XDP_DEDUP_PUBLISH_METRICS_H
#define XDP_DEDUP_PUBLISH_METRICS_H

#include <stdio.h>

#include "channel.h"
#include "publisher.h"

/* Writes the publisher's metrics. Returns 0, or -errno. */
int publish_metrics_write(const struct publisher_view *v, FILE *out, enum metrics_format format);

#endif
