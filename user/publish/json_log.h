/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages for people as JSON objects, one a line, on stderr. */
#ifndef XDP_DEDUP_PUBLISH_JSON_LOG_H
#define XDP_DEDUP_PUBLISH_JSON_LOG_H

/* Makes all later messages JSON objects, with "time" (RFC 3339), "level" (error, note, info),
 * "message", and "advice" if there is any.
 */
void json_log_start(void);

#endif
