/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The secrets of a filter: the hash's, each realm's, the digests'. */
#ifndef XDP_DEDUP_SECRETS_H
#define XDP_DEDUP_SECRETS_H

#include "config.h"

/* Draws them from the kernel's random source into *cfg, which is complete but for them and has none
 * yet. 0 or -errno. Logs nothing.
 */
int secrets_draw(struct dedup_config *cfg);

/* Gives *cfg, complete but for its secrets, those of another configuration, so that its ids are
 * found where that one's are: a realm that is kept (kept.h) keeps its key. What is not there is
 * drawn, so that no two realms have one key. 0 or -errno. Logs nothing.
 */
int secrets_take(const struct dedup_config *from, struct dedup_config *cfg);

#endif
