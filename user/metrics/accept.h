/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which format a scraper wants, by its header Accept (RFC 9110). Pure; any text will do. */
#ifndef XDP_DEDUP_ACCEPT_H
#define XDP_DEDUP_ACCEPT_H

#include "channel.h"

/* Returns OpenMetrics if the header accepts its version 1.0.0, or names no version, and prefers it
 * no less than plain text; else Prometheus' text. accept: NULL: there is no such header.
 */
enum metrics_format accept_format(const char *accept);

#endif
