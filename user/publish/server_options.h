/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* libnats's options of a connection: servers, credentials, TLS. */
#pragma once

#include <nats/nats.h>

#include "publish_options.h"

/* Returns options that the caller destroys; or NULL (logged). Reads files in each call, so that a
 * changed password is used.
 */
natsOptions *server_options_make(const struct publish_options *o);

/* Returns the error of this thread's last libnats call, without its position in libnats's source. */
const char *server_error_text(natsStatus err);

/* Notes a login that goes to another machine without TLS. */
void server_note_login(const struct publish_options *o);

/* Logs why connecting failed, and what to do. */
void server_log_failure(const struct publish_options *o, natsStatus err);
