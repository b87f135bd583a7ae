/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Texts of metrics, requested over the channel: one question at a time for each format. */
#ifndef XDP_DEDUP_CHANNEL_CLIENT_H
#define XDP_DEDUP_CHANNEL_CLIENT_H

#include <stdint.h>

#include "channel.h"

struct channel_client {
	int channel;
	uint64_t asked_ms[METRICS_FORMATS]; /* when the question was asked; 0: none is open */
};

/* Asks for a text, unless a question is open. 0; -errno: the service takes none. */
int channel_client_ask(struct channel_client *a, enum metrics_format format, uint64_t now_ms);

/* Takes an answer, if there is one. 1: *answer, and *fd, which is the caller's, or -1. 0: there is
 * none. -EPIPE: the service has gone; another -errno.
 */
int channel_client_take(struct channel_client *a, struct channel_answer *answer, int *fd);

#endif
