/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Messages for people as JSON objects, one a line, on stderr. */
#ifndef XDP_DEDUP_PUBLISH_JSON_LOG_H
#define XDP_DEDUP_PUBLISH_JSON_LOG_H

/* From now on, and for all messages: "time" (RFC 3339), "level" (error, note, info), "message",
 * "advice" if there is any.
 */
void json_log_start(void);

#endif
