/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which format a scraper wants, by its header Accept (RFC 9110). Pure; any text will do. */
#ifndef XDP_DEDUP_ACCEPT_H
#define XDP_DEDUP_ACCEPT_H

#include "channel.h"

/* OpenMetrics if its version 1.0.0, or none, is asked for, and no less than plain text is; else
 * Prometheus' text, also if there is no such header: NULL.
 */
enum metrics_format accept_format(const char *accept);

#endif
