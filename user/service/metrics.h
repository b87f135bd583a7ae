/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What was read of the filters, as metrics. Pure: everything is in the readings. README.md has a
 * table of all of them.
 */
#ifndef XDP_DEDUP_METRICS_H
#define XDP_DEDUP_METRICS_H

#include <stdio.h>

#include "channel.h"
#include "readings.h"

/* Writes them to `out`. 0, or -errno if `out` takes no more. */
int metrics_write(FILE *out, const struct readings *r, enum metrics_format format);

#endif
