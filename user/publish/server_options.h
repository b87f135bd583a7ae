/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Options of a connection, as libnats has them: servers, credentials, TLS. */
#ifndef XDP_DEDUP_PUBLISH_SERVER_OPTIONS_H
#define XDP_DEDUP_PUBLISH_SERVER_OPTIONS_H

#include <nats/nats.h>

#include "publish_options.h"

/* Returns options that the caller destroys; or NULL, with text[SERVER_TEXT_MAX]. Files are read
 * each time: so a password can be changed.
 */
natsOptions *server_options_make(const struct publish_options *o, char *text);

/* What the last call of libnats in this thread has failed with, without the place in its source. */
const char *server_error_text(natsStatus err);

/* Writes to text[SERVER_TEXT_MAX] why there is no connection. */
void server_describe_failure(const struct publish_options *o, natsStatus err, char *text);

#endif
