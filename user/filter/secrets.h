/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The secrets of a filter: the hash's, each realm's, the digests'. */
#ifndef XDP_DEDUP_SECRETS_H
#define XDP_DEDUP_SECRETS_H

#include "config.h"

/* Draws them from the kernel's random source into *cfg, which is complete but for them and has none
 * yet. 0 or -errno. Says nothing.
 */
int secrets_draw(struct dedup_config *cfg);

/* Gives *cfg, likewise, the secrets of another configuration, so that its ids are found where that
 * one's are: a realm's key is that of its streams which are in both, by name. What is not there is
 * drawn. 0 or -errno.
 */
int secrets_take(const struct dedup_config *from, struct dedup_config *cfg);

#endif
